//! The command line as raw values. Parsing does no IO.
//!
//! Owns the invocation and the global options. `command_line` and the registry define the commands.

use super::approvals::{self, Approvals};
use super::auth::{self, Auth};
use super::cdp::{self, Cdp};
use super::command_line::{self, is_of_browser};
use super::evidence::{self, Evidence};
use super::flow::options::{self as flow, Flows};
use super::instances::{self, Instances};
use super::mcp::{self, Mcp};
use super::panels::{self, Panels};
use super::policy::{self, Rules};
use super::profiles::{self, Profiles};
use super::sessions::{self, Sessions};
use super::settings::{self, Wanted};
use super::skill::{self, Skill};
use super::view::{self, View};
use super::{audit, remote, run, tunnel};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use gstack_base::browser_names::{BadBrowserName, BrowserName};
use gstack_command::registry;
use gstack_protocol::ids::TabId;
use gstack_protocol::remote::RemoteBrowser;
use std::path::PathBuf;

/// Options that any command takes, before or after its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globals {
    /// `--json`: prints JSON instead of text.
    pub json: bool,
    /// `--tab`: the tab to work in. `None`: the one that `GSTACK_TAB` names, or the current one.
    pub tab: Option<TabId>,
    /// `--session`: the instance to use. `None`: the one that the environment names, or the usual one.
    pub session: Option<String>,
    /// `--browser`: the browser to use. `None`: that of the tab, the one that the environment names, or the main one.
    pub browser: Option<BrowserName>,
    /// `--remote`: the socket of a tunnel to the machine with the browser.
    pub remote: Option<PathBuf>,
    /// `--driver`: the name under which this shell or script drives. `None`: the one that `GSTACK_DRIVER` gives, or none.
    pub driver: Option<String>,
}

/// One parsed invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// `gstack connect`: opens a browser, or uses the one that is open.
    Connect {
        /// The name of the browser; `None` for the one of the global option.
        name: Option<BrowserName>,
        /// The path of the browser's program; `None` to search for one.
        program: Option<String>,
        /// Whether to run without a window; `None` if neither `--headless` nor `--headed` is given.
        headless: Option<bool>,
        /// A page to open.
        url: Option<String>,
        /// Arguments for the browser itself.
        arguments: Vec<String>,
        /// The DevTools address of a browser that gstack did not start.
        attach: Option<String>,
        /// Drives the person's everyday browser through its extension.
        everyday: bool,
        /// Drives a browser on another machine.
        remote: Option<RemoteBrowser>,
        /// The name of the profile to start the browser with.
        profile: Option<String>,
    },
    /// `gstack disconnect`: closes the browser.
    Disconnect {
        /// Kills a browser that does not respond.
        force: bool,
    },
    /// `gstack stop`: ends the daemon; the browser stays open.
    Stop,
    /// `gstack restart`: closes the browser and the daemon, then connects again.
    Restart,
    /// `gstack status`: shows what is running.
    Status,
    /// `gstack doctor`: checks every hop from the panel to the agent.
    Doctor {
        /// Prints a report for a maintainer, without any of the person's data.
        report: bool,
    },
    /// Replaces this program with a newer release.
    Upgrade {
        /// Only says whether there is a newer release.
        check: bool,
    },
    /// `gstack skill`: the files that tell agents about gstack.
    Skill(Skill),
    /// `gstack chat`: sends a message and prints the answer.
    Chat {
        /// The message; its words are joined with spaces.
        message: String,
        /// The agent to ask; `None` for the conversation's.
        agent: Option<String>,
        /// Applies to this message only.
        model: Option<String>,
        /// The agent's mode from this message on.
        mode: Option<String>,
    },
    /// Stops the turn of the current or named tab, or all turns.
    StopChat {
        /// Stops all turns.
        all: bool,
    },
    /// Runs the messages that wait for the person's confirmation.
    ContinueChat,
    /// `gstack sessions`: the conversations.
    Sessions(Sessions),
    /// `gstack evidence`: one turn as a file.
    Evidence(Evidence),
    /// `gstack settings`: shows or changes settings.
    Settings(Wanted),
    /// `gstack stop-turn`: stops the turns in all tabs, or with `--tab` in one.
    StopTurns,
    /// `gstack approvals`: shows and answers approvals.
    Approvals(Approvals),
    /// `gstack audit`: shows the decisions about agents' actions.
    Audit(audit::Wanted),
    /// `gstack auth`: the saved sign-ins.
    Auth(Auth),
    /// `gstack policy`: the saved permissions.
    Policy(Rules),
    /// `gstack instances`: the instances of the home.
    Instances(Instances),
    /// `gstack profiles`: the browser profiles.
    Profiles(Profiles),
    /// `gstack flow`: the flows.
    Flow(Flows),
    /// `gstack run`: a script or a flow over many browsers.
    Fleet(gstack_fleet::Wanted),
    /// `gstack panels`: the confirmed side panels.
    Panels(Panels),
    /// `view`
    View(View),
    /// `gstack mcp`: serves the browser's commands to other MCP clients.
    Mcp(Mcp),
    /// `cdp` without a method.
    Cdp(Cdp),
    /// `gstack tunnel`: gives a program on another machine its own tabs.
    Tunnel(tunnel::Wanted),
    /// `gstack agents`: lists the agents that were found.
    Agents,
    /// `gstack activity`: shows what was done in the browser, and by whom.
    Activity {
        /// Keeps printing new entries.
        follow: bool,
    },
    /// `gstack install-host`: registers gstack with browsers.
    InstallHost {
        /// A browser's user data directory to register with; `None` for all installed browsers.
        user_data_dir: Option<PathBuf>,
        /// Only prints what would be done.
        dry_run: bool,
    },
    /// `gstack uninstall-host`: undoes `install-host`.
    UninstallHost {
        /// As for `InstallHost`.
        user_data_dir: Option<PathBuf>,
        /// As for `InstallHost`.
        dry_run: bool,
    },
    /// Output that is generated from the command line's definition.
    Document(Document),
    /// A command of the registry.
    Browser {
        /// Its name in the registry.
        command: String,
        /// All words that follow it, unchanged.
        args: Vec<String>,
    },
}

impl Invocation {
    /// Returns whether `--browser` says what it concerns. The others concern all browsers, or a tab.
    pub(super) fn takes_browser(&self) -> bool {
        matches!(
            self,
            Self::Connect { .. }
                | Self::Disconnect { .. }
                | Self::Chat { .. }
                | Self::Status
                | Self::Mcp(Mcp::Serve { .. } | Mcp::Install { .. })
                | Self::Cdp(Cdp::Open(_) | Cdp::Provider(_))
                | Self::Tunnel(tunnel::Wanted::Open(_))
                | Self::View(View::Open)
        ) || matches!(self, Self::Policy(wanted) if wanted.is_about_a_browser())
            || self.runs_browser_commands()
    }

    /// Returns whether it runs browser commands as this terminal's own: one, or those of a flow.
    pub(super) fn runs_browser_commands(&self) -> bool {
        matches!(self, Self::Browser { .. }) || matches!(self, Self::Flow(wanted) if wanted.acts())
    }

    /// Returns whether it uses one instance, which is to be chosen. The others concern all instances, or none.
    pub(super) fn acts_in_an_instance(&self) -> bool {
        !matches!(
            self,
            Self::Instances(_)
                | Self::Profiles(_)
                | Self::Fleet(_)
                | Self::Upgrade { .. }
                | Self::Skill(_)
                | Self::InstallHost { .. }
                | Self::UninstallHost { .. }
        )
    }
}

/// A document that is generated from the command line's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// The completion script for a shell.
    Completions {
        /// The shell's name: `bash`, `zsh`.
        shell: String,
    },
    /// The manual page.
    Manual,
}

/// Parses the arguments (without the program's name).
///
/// # Errors
///
/// Fails with clap's own errors, which carry the message and the exit code. Help and the version are such errors too.
pub fn parse(arguments: &[String]) -> Result<(Globals, Invocation), clap::Error> {
    parse_by(arguments, |words| match words.first() {
        // Names the command without building any other; all of them are needed only for their names.
        Some(name) if !name.is_empty() && !name.starts_with('-') && name != "help" && !command_line::has(name) => {
            Err(unknown(name))
        }
        _ => Ok(command_line::for_words(words)),
    })
}

/// Parses with the command line that `line` builds for the words.
pub(super) fn parse_by(
    arguments: &[String],
    line: impl FnOnce(&[String]) -> Result<Command, clap::Error>,
) -> Result<(Globals, Invocation), clap::Error> {
    let (globals, mut words) = take_globals(arguments).map_err(|message| usage(&message))?;
    // A browser command takes all following words unchanged, including `--`, which clap would consume.
    if let Some((name, rest)) = of_browser(&words) {
        if !asks_for_help(rest) {
            return Ok((globals, Invocation::Browser { command: name.to_owned(), args: rest.to_vec() }));
        }
        words = vec!["help".to_owned(), name.to_owned()];
    }
    let matches = line(&words)?.try_get_matches_from(std::iter::once("gstack".to_owned()).chain(words))?;
    let Some((name, matches)) = matches.subcommand() else {
        return Err(usage("a command is missing"));
    };
    Ok((globals, invocation(name, matches)?))
}

/// Returns the browser command in these arguments, by its name in the registry. `None` for any other command, and if
/// `parse` would report an error or help.
pub fn browser_command(arguments: &[String]) -> Option<(Globals, String, Vec<String>)> {
    let (globals, words) = take_globals(arguments).ok()?;
    let (name, rest) = of_browser(&words).filter(|(_, rest)| !asks_for_help(rest))?;
    Some((globals, name.to_owned(), rest.to_vec()))
}

fn of_browser(words: &[String]) -> Option<(&'static str, &[String])> {
    let (name, rest) = words.split_first()?;
    if let Some((word, after)) = rest.split_first()
        && let Some(spec) = registry::find_apart(name, word)
    {
        return Some((spec.name, after));
    }
    registry::find(name).filter(|spec| is_of_browser(spec.name)).map(|spec| (spec.name, rest))
}

fn asks_for_help(rest: &[String]) -> bool {
    matches!(rest, [only] if only == "--help" || only == "-h")
}

/// Removes the global options from all words before `--`. Done before clap parses, because a browser command takes all
/// words that follow it. The error is a message.
fn take_globals(arguments: &[String]) -> Result<(Globals, Vec<String>), String> {
    let mut globals = Globals::default();
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
                let value = inline.or_else(|| from.next().cloned()).ok_or("--tab takes a number")?;
                globals.tab = Some(value.parse().map_err(|_| not_a_tab(&value))?);
            }
            "--session" => {
                globals.session = Some(inline.or_else(|| from.next().cloned()).ok_or("--session takes a name")?);
            }
            "--browser" => {
                let name = inline.or_else(|| from.next().cloned()).ok_or("--browser takes a name")?;
                globals.browser = Some(browser_name(&name)?);
            }
            "--remote" => {
                let path = inline.or_else(|| from.next().cloned());
                globals.remote = Some(path.ok_or("--remote takes a path")?.into());
            }
            "--driver" => {
                globals.driver = Some(inline.or_else(|| from.next().cloned()).ok_or("--driver takes a name")?);
            }
            _ => rest.push(argument.clone()),
        }
    }
    Ok((globals, rest))
}

/// Parses a tab's number.
///
/// # Errors
///
/// Fails with a usage error if the text is not a number.
pub fn tab_number(text: &str) -> Result<TabId, clap::Error> {
    text.parse().map_err(|_| usage(&not_a_tab(text)))
}

/// Parses the name of a browser. The error is a message.
fn browser_name(text: &str) -> Result<BrowserName, String> {
    BrowserName::parse(text).map_err(|error| format!("{error}\n\ntip: {}", BadBrowserName::HINT))
}

fn not_a_tab(text: &str) -> String {
    format!("{text:?} is not a tab number; `gstack tabs` lists them")
}

fn usage(message: &str) -> clap::Error {
    command_line::bare().error(ErrorKind::InvalidValue, message)
}

/// Returns clap's error for an unknown command.
fn unknown(name: &str) -> clap::Error {
    let mut error = clap::Error::new(ErrorKind::InvalidSubcommand);
    error.insert(ContextKind::InvalidSubcommand, ContextValue::String(name.to_owned()));
    error
}

fn invocation(name: &str, matches: &ArgMatches) -> Result<Invocation, clap::Error> {
    let text = |key: &str| matches.get_one::<String>(key).cloned();
    let many = |key: &str| matches.get_many::<String>(key).map(|v| v.cloned().collect()).unwrap_or_default();
    let host = || (matches.get_one::<PathBuf>("user-data-dir").cloned(), matches.get_flag("dry-run"));
    Ok(match name {
        "connect" => Invocation::Connect {
            name: text("name").map(|name| browser_name(&name).map_err(|message| usage(&message))).transpose()?,
            program: text("program"),
            headless: match (matches.get_flag("headless"), matches.get_flag("headed")) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            url: text("url"),
            arguments: many("arguments"),
            attach: text("attach"),
            everyday: matches.get_flag("everyday"),
            remote: remote::parse(matches),
            profile: text("profile"),
        },
        "disconnect" => Invocation::Disconnect { force: matches.get_flag("force") },
        "stop" => Invocation::Stop,
        "restart" => Invocation::Restart,
        "status" => Invocation::Status,
        "doctor" => Invocation::Doctor { report: matches.get_flag("report") },
        "upgrade" => Invocation::Upgrade { check: matches.get_flag("check") },
        "skill" => Invocation::Skill(skill::parse(matches)),
        "chat" if matches.get_flag("stop") => Invocation::StopChat { all: matches.get_flag("all") },
        "chat" if matches.get_flag("continue") => Invocation::ContinueChat,
        "sessions" => Invocation::Sessions(sessions::parse(matches)),
        "evidence" => Invocation::Evidence(evidence::parse(matches)),
        "settings" => Invocation::Settings(settings::parse(matches)),
        "chat" => {
            let words: Vec<String> = many("message");
            Invocation::Chat {
                message: words.join(" "),
                agent: text("agent"),
                model: text("model"),
                mode: text("mode"),
            }
        }
        "stop-turn" => Invocation::StopTurns,
        "approvals" => Invocation::Approvals(approvals::parse(matches)),
        "policy" => Invocation::Policy(policy::parse(matches)),
        "instances" => Invocation::Instances(instances::parse(matches)),
        "flow" => Invocation::Flow(flow::parse(matches)),
        "run" => Invocation::Fleet(run::parse(matches)),
        "profiles" => Invocation::Profiles(profiles::parse(matches)),
        "panels" => Invocation::Panels(panels::parse(matches)),
        "view" => Invocation::View(view::parse(matches)),
        "audit" => Invocation::Audit(audit::parse(matches)),
        "auth" => match auth::parse(matches) {
            Ok(wanted) => Invocation::Auth(wanted),
            Err(args) => Invocation::Browser { command: "sign-in".to_owned(), args },
        },
        "mcp" => Invocation::Mcp(mcp::parse(matches)),
        "cdp" => match cdp::parse(matches) {
            Ok(wanted) => Invocation::Cdp(wanted),
            Err(args) => Invocation::Browser { command: name.to_owned(), args },
        },
        "tunnel" => Invocation::Tunnel(tunnel::parse(matches)),
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
