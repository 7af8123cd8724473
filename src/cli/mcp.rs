//! `gstack mcp`: serves an MCP client, and registers gstack with clients.
//!
//! Owns the text. `mcp::stdio` owns the protocol; the installer owns the clients' configuration files.

use super::here::{browser_environment, here};
use super::terminal::{print_line, say, show};
use crate::base::home::{HOME_VARIABLE, SESSION_VARIABLE};
use crate::client::http::Client;
use crate::command::tool_profile::{Capability, ToolProfile};
use crate::install::mcp::{self as clients, McpClient, Server, Wanted};
use crate::mcp::stdio::StdioTools;
use crate::protocol::command::CommandRequest;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::TabId;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mcp {
    Serve { tools: Tools },
    Install { client: String, tools: Tools, print: bool },
    Uninstall { client: String, print: bool },
}

/// The tools that the client gets, as it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// `core` or `all`.
    profile: String,
    caps: Vec<String>,
    secrets: bool,
}

impl Tools {
    fn parse(matches: &ArgMatches) -> Self {
        Self {
            profile: matches.get_one::<String>("profile").cloned().unwrap_or_default(),
            caps: matches.get_many::<String>("caps").into_iter().flatten().cloned().collect(),
            secrets: matches.get_flag("secrets"),
        }
    }

    /// As arguments of `gstack mcp`.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.profile == "all" {
            arguments.extend(["--profile".to_owned(), self.profile.clone()]);
        }
        if !self.caps.is_empty() {
            arguments.extend(["--caps".to_owned(), self.caps.join(",")]);
        }
        if self.secrets {
            arguments.push("--secrets".to_owned());
        }
        arguments
    }

    fn chosen(&self) -> Result<ToolProfile, Fault> {
        let capabilities: Vec<Capability> = self.caps.iter().filter_map(|name| Capability::named(name)).collect();
        let profile = if self.profile == "all" { ToolProfile::all() } else { ToolProfile::with(&capabilities) };
        if capabilities == [Capability::Storage] && !self.secrets {
            return Err(Fault::new(FaultCode::BadRequest, "every command of storage is secret")
                .hint("Say `gstack mcp --caps storage --secrets`, for a client that you would give your passwords."));
        }
        if !self.secrets {
            return Ok(profile);
        }
        if self.profile != "all" && capabilities.is_empty() {
            return Err(Fault::new(FaultCode::BadRequest, "--secrets needs --profile all or --caps")
                .hint("Say `gstack mcp --profile all --secrets`, or `gstack mcp --caps storage --secrets`."));
        }
        Ok(profile.and_secrets())
    }
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
    let caps = || {
        Arg::new("caps")
            .long("caps")
            .value_name("NAMES")
            .value_delimiter(',')
            .value_parser(PossibleValuesParser::new(Capability::ALL.map(Capability::name)))
            .conflicts_with("profile")
            .help("Add groups of commands to the core, separated by commas. storage needs --secrets; scripting with --secrets runs any command")
    };
    let secrets = || {
        Arg::new("secrets")
            .long("secrets")
            .action(ArgAction::SetTrue)
            .help("With --profile all or --caps: include their cookies, storage and DevTools commands")
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
        .arg(caps())
        .arg(secrets())
        .subcommand(
            Command::new("install")
                .about("Add gstack to an MCP client's configuration")
                .arg(client())
                .arg(profile())
                .arg(caps())
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
            tools: Tools::parse(matches),
            print: matches.get_flag("print"),
        },
        Some((_, matches)) => Mcp::Uninstall { client: text(matches, "client"), print: matches.get_flag("print") },
        None => Mcp::Serve { tools: Tools::parse(matches) },
    }
}

/// Runs the subcommand. `session`: the value of `--session`. `tab`: the tab that every call works on.
pub async fn run(
    client: &Client,
    wanted: Mcp,
    (session, tab): (Option<&str>, Option<TabId>),
    json: bool,
) -> Result<(), Fault> {
    match wanted {
        Mcp::Serve { tools } => {
            let here = here()?;
            let template = CommandRequest {
                tab_id: tab,
                cwd: here.cwd,
                environment: browser_environment(),
                for_model: true,
                ..CommandRequest::default()
            };
            StdioTools::new(client.clone(), tools.chosen()?, template).serve().await
        }
        Mcp::Install { client, tools, print } => {
            tools.chosen()?;
            let server = Server::of_this_program(&tools.arguments(), environment(session))?;
            change(&client, &Wanted::Present(server), print, json)
        }
        Mcp::Uninstall { client, print } => change(&client, &Wanted::Absent, print, json),
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
        let tools = |line: &[&str]| match parsed(line).unwrap() {
            Mcp::Serve { tools } | Mcp::Install { tools, .. } => tools,
            Mcp::Uninstall { .. } => panic!("it serves no tools"),
        };
        assert_eq!(tools(&["mcp"]).chosen().unwrap(), ToolProfile::default());
        assert!(tools(&["mcp", "--secrets"]).chosen().is_err());
        assert_eq!(tools(&["mcp", "--profile", "all"]).chosen().unwrap(), ToolProfile::all());
        let secrets = tools(&["mcp", "--profile", "all", "--secrets"]);
        assert_eq!(secrets.chosen().unwrap(), ToolProfile::all().and_secrets());
        assert!(parsed(&["mcp", "--profile", "some"]).is_err());
        assert!(parsed(&["mcp", "install", "emacs"]).is_err());
        let installed = parsed(&["mcp", "install", "codex", "--print"]).unwrap();
        assert!(matches!(installed, Mcp::Install { client, print: true, .. } if client == "codex"));
    }

    #[test]
    fn capabilities_are_added_to_the_core_and_kept_by_an_installation() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        let line = ["mcp", "install", "codex", "--caps", "network,storage", "--secrets"];
        let Ok(Mcp::Install { tools, .. }) = parsed(&line) else { panic!("it is refused") };
        assert_eq!(tools.arguments(), ["--caps", "network,storage", "--secrets"]);
        let wanted = ToolProfile::with(&[Capability::Network, Capability::Storage]).and_secrets();
        assert_eq!(tools.chosen().unwrap(), wanted);
        assert!(parsed(&["mcp", "--caps", "telepathy"]).is_err());
        assert!(parsed(&["mcp", "--caps", "network", "--profile", "all"]).is_err());
    }
}
