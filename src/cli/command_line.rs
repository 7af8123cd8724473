//! The command line as defined for clap: for parsing, help, completions and the manual page.
//!
//! Owns gstack's own subcommands and their options. The registry defines the browser commands. A process builds only the
//! command that it was called with: all of them take milliseconds.

use super::flow::options as flow;
use super::{
    approvals, audit, auth, cdp, evidence, help, instances, mcp, panels, policy, profiles, remote, run, sessions,
    settings, skill, tunnel, view,
};
use clap::{Arg, ArgAction, Command};
use gstack_command::registry;
use gstack_command::spec::Spec;
use std::path::PathBuf;

/// A command, and how it is built.
type Build = (&'static str, fn() -> Command);

/// gstack's own commands.
const OWN: [Build; 32] = [
    ("connect", connect),
    ("disconnect", disconnect),
    ("stop", || Command::new("stop").about("End the gstack daemon; the browser stays open")),
    ("restart", || Command::new("restart").about("Close the browser and the daemon, then connect again")),
    ("status", || Command::new("status").about("Show what is running: browser, tabs, panels, agents")),
    ("doctor", doctor),
    ("chat", chat),
    ("sessions", sessions::command),
    ("evidence", evidence::command),
    ("settings", settings::command),
    ("stop-turn", || Command::new("stop-turn").about("Stop the agents in all tabs, or in one tab with --tab")),
    ("approvals", approvals::command),
    ("policy", policy::command),
    ("instances", instances::command),
    ("profiles", profiles::command),
    ("flow", flow::command),
    ("run", run::command),
    ("panels", panels::command),
    ("view", view::command),
    ("audit", audit::command),
    ("auth", auth::command),
    ("mcp", mcp::command),
    ("cdp", cdp::command),
    ("tunnel", tunnel::command),
    ("agents", || Command::new("agents").about("List the agents that were found, and how to install others")),
    ("activity", activity),
    ("install-host", || host_command("install-host", "Register gstack with every installed Chromium-family browser")),
    ("uninstall-host", || host_command("uninstall-host", "Remove the registration")),
    ("upgrade", upgrade),
    ("skill", skill::command),
    ("completions", completions),
    ("man", || Command::new("man").about("Print the manual page; to read it: gstack man | man -l -")),
];

/// The shells with completion scripts, by their names on the command line.
pub const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

const AFTER_HELP: &str = "\
Start here:
  gstack connect                  open a browser with the side panel
  gstack chat \"open example.com\"  talk to the agent from the terminal
  gstack snapshot -i              what can be clicked, with refs such as @e3
  gstack click @e3                click it

Help on one command: gstack help <command>. When something is wrong: gstack doctor.";

/// Builds the whole command line, for documents and for what only all commands together can answer.
pub fn command() -> Command {
    with(of_browser)
}

/// Builds it with browser commands of another form.
pub(super) fn with(of_browser: impl Fn(&'static Spec) -> Command) -> Command {
    let own = own();
    let browser = registry::all().iter().copied().filter(|spec| is_of_browser(spec.name)).map(of_browser);
    root().help_template(help::template(&own)).subcommands(own).subcommands(browser)
}

/// Builds as much of the command line as clap needs for these words to answer as the whole one does.
pub(super) fn for_words(words: &[String]) -> Command {
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] | ["--help" | "-h", ..] | ["help"] => bare().help_template(help::template(&own())),
        ["--version" | "-V", ..] => bare(),
        ["help", name, ..] | [name, ..] => only(name).unwrap_or_else(command),
    }
}

/// Builds the command line with this command alone. `None`: there is no such command.
pub(super) fn only(name: &str) -> Option<Command> {
    let own = OWN.iter().find(|(own, _)| *own == name).map(|(_, build)| build());
    let found = own.or_else(|| registry::find(name).filter(|spec| is_of_browser(spec.name)).map(of_browser))?;
    Some(root().subcommand(found))
}

/// Builds the command line with a single command: with none at all, clap's usage would not ask for one.
pub(super) fn bare() -> Command {
    root().subcommand(Command::new("stop"))
}

/// Returns whether there is a command with this name or alias.
pub(super) fn has(name: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == name) || registry::find(name).is_some_and(|spec| is_of_browser(spec.name))
}

/// Returns the names of gstack's own commands.
pub(super) fn own_names() -> impl Iterator<Item = &'static str> {
    OWN.iter().map(|(name, _)| *name)
}

fn own() -> Vec<Command> {
    OWN.iter().map(|(_, build)| build()).collect()
}

fn root() -> Command {
    Command::new("gstack")
        .version(gstack_protocol::VERSION)
        .about("Your coding agent in your browser's side panel, and the same browser from the terminal")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(Arg::new("json").long("json").global(true).action(ArgAction::SetTrue).help("Print JSON"))
        .arg(Arg::new("tab").long("tab").global(true).value_name("N").help("The tab to work in (or GSTACK_TAB)"))
        .arg(
            Arg::new("session")
                .long("session")
                .global(true)
                .value_name("NAME")
                .help("An isolated instance with its own browser (or GSTACK_SESSION)"),
        )
        .arg(
            Arg::new("browser")
                .long("browser")
                .global(true)
                .value_name("NAME")
                .help("The browser to use, if several are open (or GSTACK_BROWSER_NAME); see `gstack status`"),
        )
        .arg(
            Arg::new("remote")
                .long("remote")
                .global(true)
                .value_name("SOCKET")
                .value_parser(clap::value_parser!(PathBuf))
                .help("The socket of a tunnel to the machine with the browser (see `gstack tunnel`)"),
        )
        .arg(
            Arg::new("driver")
                .long("driver")
                .global(true)
                .value_name("NAME")
                .help("Work under a name, in its own tabs (or GSTACK_DRIVER; see `gstack help lease`)"),
        )
}

fn of_browser(spec: &Spec) -> Command {
    Command::new(spec.name)
        .visible_aliases(spec.aliases)
        .about(spec.summary)
        .long_about(spec.help())
        .override_usage(format!("gstack {} {}", spec.name, spec.usage()))
        .disable_help_flag(true)
        .arg(Arg::new("args").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true).hide(true))
}

/// Returns whether the registry's command of this name runs as a browser command. `status` does not: it is answered
/// without a browser. `cdp` does if a method follows, which `cli::cdp` finds out.
pub fn is_of_browser(name: &str) -> bool {
    !matches!(name, "status" | "cdp")
}

fn host_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .arg(
            Arg::new("user-data-dir")
                .long("user-data-dir")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .help("A browser profile to register with, instead of the installed browsers"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print what would be done, and do nothing"),
        )
}

fn connect() -> Command {
    Command::new("connect")
        .about("Open a browser with the side panel, or use the one that is open")
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("Open a browser with this name beside the others; --browser NAME then chooses it"),
        )
        .arg(Arg::new("program").long("program").value_name("PATH").help("The browser's executable"))
        .arg(Arg::new("headless").long("headless").action(ArgAction::SetTrue).help("Run the browser without a window"))
        .arg(
            Arg::new("headed")
                .long("headed")
                .action(ArgAction::SetTrue)
                .conflicts_with("headless")
                .help("Open a window even if no display was found"),
        )
        .arg(
            Arg::new("attach")
                .long("attach")
                .value_name("URL")
                .conflicts_with_all(["program", "headless", "headed", "arguments"])
                .help("Drive a browser that runs with a DevTools port: http://127.0.0.1:9222 or ws://127.0.0.1:…"),
        )
        .arg(
            Arg::new("everyday")
                .long("everyday")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["attach", "program", "headless", "headed", "arguments"])
                .help("Drive your everyday browser through its extension"),
        )
        .args(remote::arguments(&remote::LOCAL))
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("NAME")
                .conflicts_with_all(["attach", "everyday", "cdp", "grid", "provider"])
                .help("The profile to open the browser with (or GSTACK_PROFILE); created if it does not exist"),
        )
        .arg(Arg::new("url").value_name("URL").help("A page to open"))
        .arg(
            Arg::new("arguments")
                .last(true)
                .num_args(0..)
                .value_name("ARG")
                .help("Arguments for the browser itself, after --"),
        )
}

fn disconnect() -> Command {
    Command::new("disconnect").about("Close the browser; conversations are kept").arg(
        Arg::new("force")
            .long("force")
            .action(ArgAction::SetTrue)
            .help("Kill a browser that does not respond; unsaved work in pages is lost"),
    )
}

fn doctor() -> Command {
    Command::new("doctor")
        .about("Check every hop from the panel to the agent, and say how to fix the one that fails")
        .arg(
            Arg::new("report")
                .long("report")
                .action(ArgAction::SetTrue)
                .help("Print what a bug report needs, without paths, addresses, secrets or page text"),
        )
}

fn chat() -> Command {
    Command::new("chat")
        .about("Send a message to the agent and stream its answer")
        .arg(
            Arg::new("message")
                .required_unless_present_any(["stop", "continue"])
                .num_args(1..)
                .value_name("MESSAGE")
                .help("The message to the agent"),
        )
        .arg(Arg::new("agent").long("agent").value_name("NAME").help("The agent to ask; see `gstack agents`"))
        .arg(
            Arg::new("model")
                .long("model")
                .value_name("fast|deep|ID")
                .help("The model for this message only; see `gstack agents`"),
        )
        .arg(
            Arg::new("mode")
                .long("mode")
                .value_name("ID")
                .help("The agent's mode from this message on; see `gstack agents`"),
        )
        .arg(Arg::new("follow").long("follow").action(ArgAction::SetTrue).help("Stream the answer (the default)"))
        .arg(
            Arg::new("stop")
                .long("stop")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["message", "continue"])
                .help("Stop the agent in this tab"),
        )
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .requires("stop")
                .conflicts_with("message")
                .help("With --stop: stop all agents"),
        )
        .arg(
            Arg::new("continue")
                .long("continue")
                .action(ArgAction::SetTrue)
                .conflicts_with("message")
                .help("Run messages that wait for you to continue"),
        )
}

fn activity() -> Command {
    Command::new("activity")
        .about("Show what was done in the browser and by whom, without secrets")
        .arg(Arg::new("follow").long("follow").action(ArgAction::SetTrue).help("Keep printing new entries"))
}

fn upgrade() -> Command {
    Command::new("upgrade").about("Install a newer release, if there is one, and let the daemon hand over to it").arg(
        Arg::new("check").long("check").action(ArgAction::SetTrue).help(
            "Only check whether there is a newer \
            release",
        ),
    )
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print the completion script for a shell; install/install.sh installs it")
        .arg(Arg::new("shell").required(true).value_name("SHELL").value_parser(SHELLS))
}
