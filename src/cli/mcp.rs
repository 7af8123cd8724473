//! `gstack mcp`: serves an MCP client, and registers gstack with clients.
//!
//! Owns the text. `mcp::stdio` owns the protocol; the installer owns the clients' configuration files.

use super::here::{Place, browser_environment, here};
use super::terminal::{print_line, say, show};
use crate::install::mcp::{self as clients, McpClient, Server, Wanted};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_base::home::{HOME_VARIABLE, SESSION_VARIABLE};
use gstack_client::http::Client;
use gstack_command::tool_profile::{Capability, ToolProfile};
use gstack_daemon::mcp::stdio::StdioTools;
use gstack_protocol::command::{BROWSER_NAME_VARIABLE, CommandRequest};
use gstack_protocol::driver::DriverBegin;
use gstack_protocol::fault::{Fault, FaultCode};
use std::path::PathBuf;

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mcp {
    Serve {
        tools: Tools,
    },
    /// Serves the client at the socket of a tunnel from another machine.
    Socket {
        path: PathBuf,
    },
    /// Serves a running agent that starts its MCP servers itself.
    Agent {
        token_file: PathBuf,
    },
    Install {
        client: String,
        tools: Tools,
        print: bool,
    },
    Uninstall {
        client: String,
        print: bool,
    },
}

/// The tools that the client gets, as it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// `core` or `all`.
    profile: String,
    caps: Vec<String>,
    secrets: bool,
    /// The policy does not judge the client.
    trusted: bool,
    /// The person's name for the client.
    name: Option<String>,
    /// The client starts in the current tab.
    current_tab: bool,
}

impl Tools {
    fn parse(matches: &ArgMatches) -> Self {
        Self {
            profile: matches.get_one::<String>("profile").cloned().unwrap_or_default(),
            caps: matches.get_many::<String>("caps").into_iter().flatten().cloned().collect(),
            secrets: matches.get_flag("secrets"),
            trusted: matches.get_flag("trusted"),
            name: matches.get_one::<String>("name").cloned(),
            current_tab: matches.get_flag("current-tab"),
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
        if self.trusted {
            arguments.push("--trusted".to_owned());
        }
        if self.current_tab {
            arguments.push("--current-tab".to_owned());
        }
        if let Some(name) = &self.name {
            arguments.extend(["--name".to_owned(), name.clone()]);
        }
        arguments
    }

    fn chosen(&self) -> Result<ToolProfile, Fault> {
        let capabilities: Vec<Capability> = self.caps.iter().filter_map(|name| Capability::named(name)).collect();
        let profile = if self.profile == "all" { ToolProfile::all() } else { ToolProfile::with(&capabilities) };
        if capabilities == [Capability::Storage] && !self.secrets {
            return Err(Fault::new(FaultCode::BadRequest, "every command of storage is secret").hint(
                "Run `gstack mcp --caps storage --secrets --trusted`, for a client that you would give your passwords.",
            ));
        }
        if !self.trusted && (self.profile == "all" || !self.caps.is_empty() || self.secrets) {
            return Err(Fault::new(FaultCode::BadRequest, "tools beyond the core are only for clients that you trust")
                .hint("Add --trusted to let the client act as you do, without approvals and in every tab."));
        }
        if !self.secrets {
            return Ok(profile);
        }
        if self.profile != "all" && capabilities.is_empty() {
            return Err(Fault::new(FaultCode::BadRequest, "--secrets needs --profile all or --caps").hint(
                "Run `gstack mcp --profile all --secrets --trusted`, or `gstack mcp --caps storage --secrets \
                    --trusted`.",
            ));
        }
        Ok(profile.and_secrets())
    }
}

pub(super) fn command() -> Command {
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
    let trusted = || {
        Arg::new("trusted")
            .long("trusted")
            .action(ArgAction::SetTrue)
            .help("Let the client act as you do: without approvals, in every tab that no other driver leases")
    };
    let name = || {
        Arg::new("name")
            .long("name")
            .value_name("NAME")
            .help("A name for the client, shown beside its own in `status` and the audit")
    };
    let current_tab = || {
        Arg::new("current-tab")
            .long("current-tab")
            .action(ArgAction::SetTrue)
            .help("Start in the current tab. By default the client opens its own tab; --tab N gives it that tab")
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
        .arg(trusted())
        .arg(name())
        .arg(current_tab())
        .arg(
            Arg::new("socket")
                .long("socket")
                .value_name("PATH")
                .value_parser(clap::value_parser!(PathBuf))
                .conflicts_with_all(["profile", "caps", "secrets", "trusted", "name", "current-tab"])
                .help("Connect the client to a tunnel that `gstack tunnel` opened on the machine with the browser"),
        )
        .arg(
            Arg::new("agent-token-file")
                .long("agent-token-file")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .conflicts_with_all(["profile", "caps", "secrets", "trusted", "name", "current-tab", "socket"])
                // gstack writes the file, and passes it to agents.
                .hide(true),
        )
        .subcommand(
            Command::new("install")
                .about("Add gstack to an MCP client's configuration")
                .arg(client())
                .arg(profile())
                .arg(caps())
                .arg(secrets())
                .arg(trusted())
                .arg(name())
                .arg(current_tab())
                .arg(print()),
        )
        .subcommand(
            Command::new("uninstall")
                .about("Remove gstack from an MCP client's configuration")
                .arg(client())
                .arg(print()),
        )
}

pub(super) fn parse(matches: &ArgMatches) -> Mcp {
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned().unwrap_or_default();
    match matches.subcommand() {
        Some(("install", matches)) => Mcp::Install {
            client: text(matches, "client"),
            tools: Tools::parse(matches),
            print: matches.get_flag("print"),
        },
        Some((_, matches)) => Mcp::Uninstall { client: text(matches, "client"), print: matches.get_flag("print") },
        None => {
            let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
            match (path("socket"), path("agent-token-file")) {
                (Some(path), _) => Mcp::Socket { path },
                (None, Some(token_file)) => Mcp::Agent { token_file },
                (None, None) => Mcp::Serve { tools: Tools::parse(matches) },
            }
        }
    }
}

/// Runs the subcommand. `session`: the value of `--session`. `tab` and `browser`: where every call works. `browser_profile`:
/// the profile of a browser that a call starts.
pub(super) async fn run(
    client: &Client,
    wanted: Mcp,
    (session, (tab, browser), browser_profile): (Option<&str>, Place, Option<String>),
    json: bool,
) -> Result<(), Fault> {
    match wanted {
        Mcp::Serve { tools } => {
            let here = here()?;
            let profile = tools.chosen()?;
            // A trusted client keeps to its tab, as the person's commands with --tab do. A judged one starts there.
            let identity = DriverBegin {
                name: tools.name,
                trusted: tools.trusted,
                tab_id: tab.filter(|_| !tools.trusted),
                browser: browser.clone(),
                current_tab: tools.current_tab && !tools.trusted,
                cwd: here.cwd.clone(),
                ..DriverBegin::default()
            };
            let template = CommandRequest {
                tab_id: tab.filter(|_| tools.trusted),
                browser: browser.filter(|_| tools.trusted),
                cwd: here.cwd,
                environment: browser_environment(),
                profile: browser_profile,
                for_model: true,
                ..CommandRequest::default()
            };
            StdioTools::new(client.clone(), profile, template, identity).serve().await
        }
        // It needs no daemon here, so it has run already.
        Mcp::Socket { .. } | Mcp::Agent { .. } => Ok(()),
        Mcp::Install { client, tools, print } => {
            tools.chosen()?;
            let server = Server::of_this_program(&tools.arguments(), environment(session, browser))?;
            let next = if tools.trusted { TRUSTED_NEXT } else { JUDGED_NEXT };
            change(&client, (&Wanted::Present(server), next), print, json)
        }
        Mcp::Uninstall { client, print } => change(&client, (&Wanted::Absent, ""), print, json),
    }
}

/// The path of the home, for a client whose environment does not have it.
fn environment(session: Option<&str>, browser: Option<String>) -> Vec<(String, String)> {
    let set =
        |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value));
    let session = session.map(|name| (SESSION_VARIABLE.to_owned(), name.to_owned())).or_else(|| set(SESSION_VARIABLE));
    let browser = browser.map(|name| (BROWSER_NAME_VARIABLE.to_owned(), name));
    set(HOME_VARIABLE).into_iter().chain(session).chain(browser).collect()
}

/// The notes for the person about the client that they installed.
const JUDGED_NEXT: &str = "\nIt asks before it acts in a page: `gstack approvals --watch` shows its requests, \
    `gstack policy allow act --site HOST` answers for a site, and --trusted lets it act as you do.";
const TRUSTED_NEXT: &str = "\nIt acts as you do, and nothing is asked.";

fn change(client: &str, (wanted, next): (&Wanted, &str), print: bool, json: bool) -> Result<(), Fault> {
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
            format!("{0}: gstack is in {1}. Restart {0} to use it.{next}", report.client, report.file.display())
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
            Mcp::Uninstall { .. } | Mcp::Socket { .. } | Mcp::Agent { .. } => panic!("it serves no tools"),
        };
        assert_eq!(tools(&["mcp"]).chosen().unwrap(), ToolProfile::default());
        assert!(tools(&["mcp", "--secrets"]).chosen().is_err());
        assert_eq!(tools(&["mcp", "--profile", "all", "--trusted"]).chosen().unwrap(), ToolProfile::all());
        let secrets = tools(&["mcp", "--profile", "all", "--secrets", "--trusted"]);
        assert_eq!(secrets.chosen().unwrap(), ToolProfile::all().and_secrets());
        for judged in [
            &["mcp", "--profile", "all"][..],
            &["mcp", "--caps", "network"],
            &["mcp", "--caps", "network", "--name", "x"],
        ] {
            assert!(tools(judged).chosen().is_err(), "{judged:?}");
        }
        assert!(parsed(&["mcp", "--profile", "some"]).is_err());
        assert!(parsed(&["mcp", "install", "emacs"]).is_err());
        let installed = parsed(&["mcp", "install", "codex", "--print"]).unwrap();
        assert!(matches!(installed, Mcp::Install { client, print: true, .. } if client == "codex"));
    }

    #[test]
    fn capabilities_are_added_to_the_core_and_kept_by_an_installation() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        let line = ["mcp", "install", "codex", "--caps", "network,storage", "--secrets", "--trusted", "--name", "work"];
        let Ok(Mcp::Install { tools, .. }) = parsed(&line) else { panic!("it is refused") };
        assert_eq!(tools.arguments(), ["--caps", "network,storage", "--secrets", "--trusted", "--name", "work"]);
        let wanted = ToolProfile::with(&[Capability::Network, Capability::Storage]).and_secrets();
        assert_eq!(tools.chosen().unwrap(), wanted);
        assert!(parsed(&["mcp", "--caps", "telepathy"]).is_err());
        assert!(parsed(&["mcp", "--caps", "network", "--profile", "all"]).is_err());
    }
}
