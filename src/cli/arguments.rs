//! What the command line says, as raw values. Parsing does no IO.
//!
//! Owns gstack's own subcommands and global options; the browser's commands come from the registry.

use super::approvals::{self, Approvals};
use super::audit;
use super::mcp::{self, Mcp};
use super::policy::{self, Rules};
use super::sessions::{self, Sessions};
use super::settings::{self, Wanted};
use crate::command::registry;
use crate::protocol::audit::AuditRequest;
use crate::protocol::fault::Fault;
use crate::protocol::ids::TabId;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::path::PathBuf;

/// Options that any command takes, before or after its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globals {
    pub json: bool,
    pub tab: Option<TabId>,
    pub session: Option<String>,
}

/// One invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    Connect {
        browser: Option<String>,
        headless: Option<bool>,
        url: Option<String>,
        arguments: Vec<String>,
        /// The DevTools address of somebody else's browser.
        attach: Option<String>,
        everyday: bool,
    },
    Disconnect,
    Stop,
    Restart,
    Status,
    Doctor,
    Chat {
        message: String,
        agent: Option<String>,
        /// For this message alone.
        model: Option<String>,
    },
    /// Stops the current or named tab's turn, or all.
    StopChat {
        all: bool,
    },
    /// Lets the messages run that wait for the person's go-ahead.
    ContinueChat,
    Sessions(Sessions),
    Settings(Wanted),
    StopTurns,
    Approvals(Approvals),
    Audit(AuditRequest),
    Policy(Rules),
    Mcp(Mcp),
    Agents,
    Activity {
        follow: bool,
    },
    InstallHost {
        user_data_dir: Option<PathBuf>,
        dry_run: bool,
    },
    UninstallHost {
        user_data_dir: Option<PathBuf>,
        dry_run: bool,
    },
    /// What is made from the command line itself.
    Document(Document),
    /// A command of the registry.
    Browser {
        command: String,
        args: Vec<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// The completion script for a shell.
    Completions { shell: String },
    /// The manual page.
    Manual,
}

const AFTER_HELP: &str = "\
Start here:
  gstack connect                  open a browser with the side panel
  gstack chat \"open example.com\"  talk to the agent from the terminal
  gstack snapshot -i              what can be clicked, with refs such as @e3
  gstack click @e3                click it

Help on one command: gstack help <command>. When something is wrong: gstack doctor.";

/// The whole command line, for parsing, help and completions.
pub fn command() -> Command {
    let own = [
        Command::new("connect")
            .about("Open a browser with the side panel, or find the one that is open")
            .arg(Arg::new("browser").long("browser").value_name("PATH").help("The browser's program"))
            .arg(Arg::new("headless").long("headless").action(ArgAction::SetTrue).help("Without a window"))
            .arg(
                Arg::new("headed")
                    .long("headed")
                    .action(ArgAction::SetTrue)
                    .conflicts_with("headless")
                    .help("With a window, even where no display was found"),
            )
            .arg(
                Arg::new("attach")
                    .long("attach")
                    .value_name("URL")
                    .conflicts_with_all(["browser", "headless", "headed", "arguments"])
                    .help("Drive a browser that runs with a DevTools port: http://127.0.0.1:9222 or ws://127.0.0.1:…"),
            )
            .arg(
                Arg::new("everyday")
                    .long("everyday")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(["attach", "browser", "headless", "headed", "arguments"])
                    .help("Drive your everyday browser, by way of the extension in it"),
            )
            .arg(Arg::new("url").value_name("URL").help("A page to open"))
            .arg(
                Arg::new("arguments")
                    .last(true)
                    .num_args(0..)
                    .value_name("ARG")
                    .help("Arguments for the browser itself, after --"),
            ),
        Command::new("disconnect").about("Close the browser; conversations stay"),
        Command::new("stop").about("End the gstack daemon; the browser stays open"),
        Command::new("restart").about("Close the browser and the daemon, then connect again"),
        Command::new("status").about("What runs: browser, tabs, panels, agents"),
        Command::new("doctor").about("Check every hop from the panel to the agent, with a remedy for each that fails"),
        Command::new("chat")
            .about("Send a message to the agent and stream its answer")
            .arg(
                Arg::new("message")
                    .required_unless_present_any(["stop", "continue"])
                    .num_args(1..)
                    .value_name("MESSAGE"),
            )
            .arg(Arg::new("agent").long("agent").value_name("NAME").help("The agent to ask, see `gstack agents`"))
            .arg(
                Arg::new("model")
                    .long("model")
                    .value_name("fast|deep|ID")
                    .help("The model for this message alone, see `gstack agents`"),
            )
            .arg(Arg::new("follow").long("follow").action(ArgAction::SetTrue).help("Stream the answer (always done)"))
            .arg(
                Arg::new("stop")
                    .long("stop")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(["message", "continue"])
                    .help("Stop what the agent does in this tab"),
            )
            .arg(
                Arg::new("all")
                    .long("all")
                    .action(ArgAction::SetTrue)
                    .requires("stop")
                    .conflicts_with("message")
                    .help("With --stop: in all tabs"),
            )
            .arg(
                Arg::new("continue")
                    .long("continue")
                    .action(ArgAction::SetTrue)
                    .conflicts_with("message")
                    .help("Let the messages run that wait for your go-ahead"),
            ),
        sessions::command(),
        settings::command(),
        Command::new("stop-turn").about("Stop what the agent does: in all tabs, or with --tab in one"),
        approvals::command(),
        policy::command(),
        audit::command(),
        mcp::command(),
        Command::new("agents").about("The agents that were found, and how to install the others"),
        Command::new("activity")
            .about("What was done in the browser, and by whom; secrets are left out")
            .arg(Arg::new("follow").long("follow").action(ArgAction::SetTrue).help("Go on with what comes")),
        host_command("install-host", "Register gstack with every installed Chromium-family browser"),
        host_command("uninstall-host", "Remove the registration again"),
        Command::new("completions")
            .about("Print the completion script for a shell; install/setup.sh puts it in its place")
            .arg(Arg::new("shell").required(true).value_name("SHELL").value_parser(super::shell::SHELLS)),
        Command::new("man").about("Print the manual page; to read it: gstack man | man -l -"),
    ];
    let browser = registry::all().iter().filter(|spec| is_of_browser(spec.name)).map(|spec| {
        Command::new(spec.name)
            .visible_aliases(spec.aliases)
            .about(spec.summary)
            .long_about(spec.help())
            .override_usage(format!("gstack {} {}", spec.name, spec.usage()))
            .disable_help_flag(true)
            .arg(Arg::new("args").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true).hide(true))
    });
    Command::new("gstack")
        .version(crate::protocol::VERSION)
        .about("Your coding agent in your browser's side panel, and the same browser from the terminal")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(Arg::new("json").long("json").global(true).action(ArgAction::SetTrue).help("Print JSON"))
        .arg(Arg::new("tab").long("tab").global(true).value_name("N").help("The tab to work on (or GSTACK_TAB)"))
        .arg(
            Arg::new("session")
                .long("session")
                .global(true)
                .value_name("NAME")
                .help("An isolated instance (or GSTACK_SESSION)"),
        )
        .subcommands(own)
        .subcommands(browser)
}

/// Whether the registry's command of this name is one of the command line's too: `status` is answered without a browser.
pub fn is_of_browser(name: &str) -> bool {
    name != "status"
}

fn host_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .arg(
            Arg::new("user-data-dir")
                .long("user-data-dir")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .help("A browser profile of your own instead of the installed browsers"),
        )
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Say what would be done, do nothing"))
}

/// Parses the arguments (without the program's name). Errors are clap's own, with its exit code and words.
pub fn parse(arguments: &[String]) -> Result<(Globals, Invocation), clap::Error> {
    let mut globals = Globals::default();
    let mut arguments = take_globals(arguments, &mut globals)?;
    // A browser's command takes every word that follows it as it is, `--` too: clap would take that one.
    if let Some((name, rest)) = arguments.split_first()
        && let Some(spec) = registry::find(name).filter(|spec| is_of_browser(spec.name))
    {
        if !matches!(rest, [only] if only == "--help" || only == "-h") {
            return Ok((globals, Invocation::Browser { command: spec.name.to_owned(), args: rest.to_vec() }));
        }
        arguments = vec!["help".to_owned(), spec.name.to_owned()];
    }
    let matches = command().try_get_matches_from(std::iter::once("gstack".to_owned()).chain(arguments))?;
    let Some((name, matches)) = matches.subcommand() else {
        return Err(usage("a command is missing"));
    };
    Ok((globals, invocation(name, matches)?))
}

/// Takes the global options out of anywhere before `--`: the browser's commands take all that follows them.
fn take_globals(arguments: &[String], globals: &mut Globals) -> Result<Vec<String>, clap::Error> {
    let mut rest = Vec::with_capacity(arguments.len());
    let mut from = arguments.iter();
    while let Some(argument) = from.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (argument.as_str(), None),
        };
        match name {
            "--" => {
                rest.push(argument.clone());
                rest.extend(from.by_ref().cloned());
            }
            "--json" if inline.is_none() => globals.json = true,
            "--tab" => {
                let value = inline.or_else(|| from.next().cloned()).ok_or_else(|| usage("--tab takes a number"))?;
                globals.tab = Some(tab_number(&value)?);
            }
            "--session" => {
                globals.session =
                    Some(inline.or_else(|| from.next().cloned()).ok_or_else(|| usage("--session takes a name"))?);
            }
            _ => rest.push(argument.clone()),
        }
    }
    Ok(rest)
}

/// The fault for a command that does not exist, with the nearest one, where that is what is wrong.
pub fn unknown_command(error: &clap::Error) -> Option<Fault> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let known = command();
    let names: Vec<&str> = known.get_subcommands().map(Command::get_name).collect();
    Some(registry::unknown_among(name, &names))
}

/// A tab's number as people write it.
pub fn tab_number(text: &str) -> Result<TabId, clap::Error> {
    text.parse().map_err(|_| usage(&format!("{text:?} is no tab number; `gstack tabs` lists them")))
}

fn usage(message: &str) -> clap::Error {
    command().error(clap::error::ErrorKind::InvalidValue, message)
}

fn invocation(name: &str, matches: &ArgMatches) -> Result<Invocation, clap::Error> {
    let text = |key: &str| matches.get_one::<String>(key).cloned();
    let many = |key: &str| matches.get_many::<String>(key).map(|v| v.cloned().collect()).unwrap_or_default();
    let host = || (matches.get_one::<PathBuf>("user-data-dir").cloned(), matches.get_flag("dry-run"));
    Ok(match name {
        "connect" => Invocation::Connect {
            browser: text("browser"),
            headless: match (matches.get_flag("headless"), matches.get_flag("headed")) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            url: text("url"),
            arguments: many("arguments"),
            attach: text("attach"),
            everyday: matches.get_flag("everyday"),
        },
        "disconnect" => Invocation::Disconnect,
        "stop" => Invocation::Stop,
        "restart" => Invocation::Restart,
        "status" => Invocation::Status,
        "doctor" => Invocation::Doctor,
        "chat" if matches.get_flag("stop") => Invocation::StopChat { all: matches.get_flag("all") },
        "chat" if matches.get_flag("continue") => Invocation::ContinueChat,
        "sessions" => Invocation::Sessions(sessions::parse(matches)),
        "settings" => Invocation::Settings(settings::parse(matches)),
        "chat" => {
            let words: Vec<String> = many("message");
            Invocation::Chat { message: words.join(" "), agent: text("agent"), model: text("model") }
        }
        "stop-turn" => Invocation::StopTurns,
        "approvals" => Invocation::Approvals(approvals::parse(matches)),
        "policy" => Invocation::Policy(policy::parse(matches)),
        "audit" => Invocation::Audit(audit::parse(matches)),
        "mcp" => Invocation::Mcp(mcp::parse(matches)),
        "agents" => Invocation::Agents,
        "activity" => Invocation::Activity { follow: matches.get_flag("follow") },
        "install-host" => {
            let (user_data_dir, dry_run) = host();
            Invocation::InstallHost { user_data_dir, dry_run }
        }
        "uninstall-host" => {
            let (user_data_dir, dry_run) = host();
            Invocation::UninstallHost { user_data_dir, dry_run }
        }
        "completions" => Invocation::Document(Document::Completions { shell: text("shell").unwrap_or_default() }),
        "man" => Invocation::Document(Document::Manual),
        other => Invocation::Browser { command: other.to_owned(), args: many("args") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &[&str]) -> Result<(Globals, Invocation), clap::Error> {
        parse(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    fn browser(line: &[&str]) -> (Globals, Vec<String>) {
        match parsed(line).unwrap() {
            (globals, Invocation::Browser { args, .. }) => (globals, args),
            (_, other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn global_options_are_taken_before_and_after_a_command() {
        let tab = Some("7".parse().unwrap());
        for line in [
            &["--json", "--tab", "7", "--session", "work", "click", "@e3"][..],
            &["click", "@e3", "--tab=7", "--session=work", "--json"],
        ] {
            let (globals, args) = browser(line);
            assert_eq!(globals, Globals { json: true, tab, session: Some("work".to_owned()) }, "{line:?}");
            assert_eq!(args, ["@e3"], "{line:?}");
        }
    }

    #[test]
    fn what_follows_two_dashes_belongs_to_the_command() {
        let (globals, args) = browser(&["fill", "@e3", "--", "--json", "--tab"]);
        assert_eq!(globals, Globals::default());
        assert!(args.ends_with(&["--json".to_owned(), "--tab".to_owned()]), "{args:?}");
        let (_, connect) = parsed(&["connect", "--headless", "--", "--lang=de"]).unwrap();
        assert!(
            matches!(connect, Invocation::Connect { headless: Some(true), arguments, .. } if arguments == ["--lang=de"])
        );
    }

    #[test]
    fn a_wrong_or_missing_value_is_a_usage_error() {
        for line in
            [&["--tab", "x", "text"][..], &["text", "--tab"], &["text", "--session"], &["approvals", "nonsense"], &[]]
        {
            assert_eq!(parsed(line).unwrap_err().exit_code(), 2, "{line:?}");
        }
    }

    #[test]
    fn a_command_that_does_not_exist_brings_the_nearest_to_mind() {
        for (typed, near) in [("clik", "click"), ("conect", "connect"), ("aprovals", "approvals")] {
            let fault = unknown_command(&parsed(&[typed]).unwrap_err()).unwrap();
            assert_eq!(fault.hint, Some(format!("Did you mean: {near}?")));
        }
        assert!(unknown_command(&parsed(&["--tab", "x", "url"]).unwrap_err()).is_none());
    }

    #[test]
    fn every_command_has_its_help_behind_both_spellings() {
        for line in [&["click", "--help"][..], &["help", "click"], &["click", "-h"], &["connect", "--help"]] {
            let error = parsed(line).unwrap_err();
            assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{line:?}");
            assert!(error.to_string().contains("--"), "{error}");
        }
        assert_eq!(browser(&["type", "--", "--help"]).1.last().map(String::as_str), Some("--help"));
    }

    #[test]
    fn a_message_needs_no_quotes() {
        assert_eq!(parsed(&["chat", "--stop", "--all"]).unwrap().1, Invocation::StopChat { all: true });
        assert_eq!(parsed(&["chat", "--continue"]).unwrap().1, Invocation::ContinueChat);
        assert!(parsed(&["chat"]).is_err() && parsed(&["chat", "--all", "x"]).is_err());
        let (_, chat) = parsed(&["chat", "open", "example.com"]).unwrap();
        assert!(
            matches!(chat, Invocation::Chat { message, agent: None, model: None } if message == "open example.com")
        );
        let (_, chat) = parsed(&["chat", "--model", "deep", "why", "so?"]).unwrap();
        assert!(
            matches!(chat, Invocation::Chat { message, model: Some(model), .. } if message == "why so?" && model == "deep")
        );
    }
}
