//! `gstack mcp`: serving an MCP client, and telling clients of it.
//!
//! Owns the words. The protocol is `mcp::stdio`'s, the clients' files are the installer's.

use super::here::{browser_environment, here};
use super::terminal::{print_line, say, show};
use crate::base::home::{HOME_VARIABLE, SESSION_VARIABLE};
use crate::client::http::Client;
use crate::command::tool_profile::ToolProfile;
use crate::install::mcp::{self as clients, McpClient, Server, Wanted};
use crate::mcp::stdio::StdioTools;
use crate::protocol::command::CommandRequest;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::TabId;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mcp {
    Serve { profile: String, secrets: bool },
    Install { client: String, profile: String, secrets: bool, print: bool },
    Uninstall { client: String, print: bool },
}

pub fn command() -> Command {
    let profile = || {
        Arg::new("profile")
            .long("profile")
            .value_name("NAME")
            .value_parser(["core", "all"])
            .default_value("core")
            .help("core: reading and acting in pages. all: every command")
    };
    let secrets = || {
        Arg::new("secrets")
            .long("secrets")
            .action(ArgAction::SetTrue)
            .help("With --profile all: include cookies, storage and DevTools commands")
    };
    let client = || {
        Arg::new("client").required(true).value_name("CLIENT").value_parser(PossibleValuesParser::new(McpClient::NAMES))
    };
    let print = || {
        Arg::new("print").long("print").action(ArgAction::SetTrue).help("Print the resulting file, and change nothing")
    };
    Command::new("mcp")
        .about("Serve the browser's commands as tools to an MCP client, on standard input and output")
        .args_conflicts_with_subcommands(true)
        .arg(profile())
        .arg(secrets())
        .subcommand(
            Command::new("install")
                .about("Add gstack to an MCP client's configuration")
                .arg(client())
                .arg(profile())
                .arg(secrets())
                .arg(print()),
        )
        .subcommand(
            Command::new("uninstall")
                .about("Remove gstack from an MCP client's configuration")
                .arg(client())
                .arg(print()),
        )
}

pub fn parse(matches: &ArgMatches) -> Mcp {
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned().unwrap_or_default();
    match matches.subcommand() {
        Some(("install", matches)) => Mcp::Install {
            client: text(matches, "client"),
            profile: text(matches, "profile"),
            secrets: matches.get_flag("secrets"),
            print: matches.get_flag("print"),
        },
        Some((_, matches)) => Mcp::Uninstall { client: text(matches, "client"), print: matches.get_flag("print") },
        None => Mcp::Serve { profile: text(matches, "profile"), secrets: matches.get_flag("secrets") },
    }
}

/// `session`: as `--session` named it. `tab`: the one that every call works on.
pub async fn run(
    client: &Client,
    wanted: Mcp,
    (session, tab): (Option<&str>, Option<TabId>),
    json: bool,
) -> Result<(), Fault> {
    match wanted {
        Mcp::Serve { profile, secrets } => {
            let here = here()?;
            let template = CommandRequest {
                tab_id: tab,
                cwd: here.cwd,
                environment: browser_environment(),
                for_model: true,
                ..CommandRequest::default()
            };
            StdioTools::new(client.clone(), chosen(&profile, secrets)?, template).serve().await
        }
        Mcp::Install { client, profile, secrets, print } => {
            chosen(&profile, secrets)?;
            let mut arguments = Vec::new();
            if profile != "core" {
                arguments.extend(["--profile".to_owned(), profile]);
            }
            if secrets {
                arguments.push("--secrets".to_owned());
            }
            let server = Server::of_this_program(&arguments, environment(session))?;
            change(&client, &Wanted::Present(server), print, json)
        }
        Mcp::Uninstall { client, print } => change(&client, &Wanted::Absent, print, json),
    }
}

fn chosen(profile: &str, secrets: bool) -> Result<ToolProfile, Fault> {
    let chosen: ToolProfile = profile.parse().map_err(|_| Fault::new(FaultCode::BadRequest, "no such profile"))?;
    match (chosen, secrets) {
        (ToolProfile::All, true) => Ok(ToolProfile::AllWithSecrets),
        (_, true) => Err(Fault::new(FaultCode::BadRequest, "--secrets goes with --profile all")
            .hint("Say `gstack mcp --profile all --secrets`.")),
        (chosen, false) => Ok(chosen),
    }
}

/// Where the home is, for a client whose own environment does not say it.
fn environment(session: Option<&str>) -> Vec<(String, String)> {
    let set =
        |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value));
    let session = session.map(|name| (SESSION_VARIABLE.to_owned(), name.to_owned())).or_else(|| set(SESSION_VARIABLE));
    set(HOME_VARIABLE).into_iter().chain(session).collect()
}

fn change(client: &str, wanted: &Wanted, print: bool, json: bool) -> Result<(), Fault> {
    let known =
        McpClient::named(client).ok_or_else(|| Fault::new(FaultCode::Unknown, format!("no such client: {client}")))?;
    let report = clients::apply(known, wanted, print)?;
    if print {
        say(json, &format!("{}:", report.file.display()));
        print_line(&report.text);
        return Ok(());
    }
    show(json, &report, || match (report.changed, wanted) {
        (false, _) => format!("{}: nothing to change in {}", report.client, report.file.display()),
        (true, Wanted::Present(_)) => {
            format!("{}: gstack is in {}. Restart {} to use it.", report.client, report.file.display(), report.client)
        }
        (true, Wanted::Absent) => format!("{}: removed gstack from {}", report.client, report.file.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_asked_for_twice() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        assert_eq!(parsed(&["mcp"]).unwrap(), Mcp::Serve { profile: "core".to_owned(), secrets: false });
        assert!(chosen("core", true).is_err());
        assert_eq!(chosen("all", false).unwrap(), ToolProfile::All);
        assert_eq!(chosen("all", true).unwrap(), ToolProfile::AllWithSecrets);
        assert!(parsed(&["mcp", "--profile", "some"]).is_err());
        assert!(parsed(&["mcp", "install", "emacs"]).is_err());
        let installed = parsed(&["mcp", "install", "codex", "--print"]).unwrap();
        assert!(matches!(installed, Mcp::Install { client, print: true, .. } if client == "codex"));
    }
}
