//! The parser of the command line, and `browser_command`, which accepts exactly what `parse` accepts: both run on many
//! command lines.

use super::arguments::{Globals, Invocation, browser_command, parse, parse_by};
use super::command_line::{command, is_of_browser};
use super::usage::{fault_of, line as usage_line, unknown_command};
use gstack_command::registry;
use gstack_protocol::fault::Fault;
use proptest::prelude::*;

/// Words that the two parsers may read differently.
const WORDS: [&str; 22] = [
    "@e3",
    "#id",
    "text=Go",
    "",
    "-i",
    "-",
    "--",
    "--json",
    "--json=yes",
    "--tab",
    "--tab=7",
    "--tab=x",
    "7",
    "--session",
    "--session=work",
    "work",
    "--help",
    "-h",
    "help",
    "--timeout",
    "--version",
    "Grüße, 你好",
];

fn names() -> Vec<&'static str> {
    let of_browser = registry::all().iter().flat_map(|spec| std::iter::once(&spec.name).chain(spec.aliases)).copied();
    of_browser.chain(["connect", "chat", "stop", "nonsense", "help", "mcp"]).collect()
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let word = || prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned);
    let words = |most| prop::collection::vec(word(), 0..most);
    let name = prop::sample::select(names()).prop_map(str::to_owned);
    (words(3), name, words(6)).prop_map(|(before, name, after)| [before, vec![name], after].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_short_way_takes_what_the_long_one_would_run_in_the_browser(line in lines()) {
        match (browser_command(&line), parse(&line)) {
            (Some((globals, command, args)), Ok((wanted, invocation))) => {
                prop_assert_eq!(globals, wanted);
                prop_assert_eq!(Invocation::Browser { command, args }, invocation);
            }
            (Some(taken), refused) => prop_assert!(false, "{taken:?} taken, {refused:?}"),
            // `gstack cdp` has subcommands of its own, so clap reads all of its lines.
            (None, Ok((_, Invocation::Browser { command, .. }))) => prop_assert_eq!(command, "cdp", "left out"),
            (None, _) => {}
        }
    }

    /// Checks that clap finds the same command and words if it can parse the line of a browser command.
    #[test]
    fn clap_reads_the_same_command_and_words(line in lines()) {
        let Some((_, name, args)) = browser_command(&line) else { return Ok(()) };
        // Clap handles these itself: the command has no such option, and reports that.
        if args.iter().any(|word| ["--", "--help", "-h", "--json=yes"].contains(&word.as_str())) {
            return Ok(());
        }
        let words = ["gstack", &name].into_iter().map(str::to_owned).chain(args.clone());
        let matches = command().try_get_matches_from(words).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let (found, inner) = matches.subcommand().ok_or_else(|| TestCaseError::fail("no command"))?;
        prop_assert_eq!(found, &name);
        let read: Vec<String> = inner.get_many::<String>("args").map(|all| all.cloned().collect()).unwrap_or_default();
        prop_assert_eq!(read, args);
    }
}

#[test]
fn every_name_of_a_browsers_command_takes_the_short_way() {
    for name in names() {
        let of_browser = registry::find(name).filter(|spec| is_of_browser(spec.name));
        let taken = browser_command(&[name.to_owned()]).map(|(_, command, _)| command);
        assert_eq!(taken.as_deref(), of_browser.map(|spec| spec.name), "{name}");
    }
}

fn parsed(line: &[&str]) -> Result<(Globals, Invocation), clap::Error> {
    parse(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

#[test]
fn a_message_needs_no_quotes() {
    assert_eq!(parsed(&["chat", "--stop", "--all"]).unwrap().1, Invocation::StopChat { all: true });
    assert_eq!(parsed(&["chat", "--continue"]).unwrap().1, Invocation::ContinueChat);
    assert!(parsed(&["chat"]).is_err() && parsed(&["chat", "--all", "x"]).is_err());
    let (_, chat) = parsed(&["chat", "open", "example.com"]).unwrap();
    assert!(
        matches!(chat, Invocation::Chat { message, agent: None, model: None, mode: None } if message == "open example.com")
    );
    let (_, chat) = parsed(&["chat", "--model", "deep", "why", "so?"]).unwrap();
    assert!(
        matches!(chat, Invocation::Chat { message, model: Some(model), .. } if message == "why so?" && model == "deep")
    );
    let (_, chat) = parsed(&["chat", "--mode", "plan", "why"]).unwrap();
    assert!(matches!(chat, Invocation::Chat { mode: Some(mode), .. } if mode == "plan"));
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
        assert_eq!(
            globals,
            Globals { json: true, tab, session: Some("work".to_owned()), ..Globals::default() },
            "{line:?}"
        );
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

/// The fault or text that is printed instead of running a command, and the exit code.
type Refusal = Box<(Option<Fault>, String, i32)>;

fn answer(parsed: Result<(Globals, Invocation), clap::Error>) -> Result<(Globals, Invocation), Refusal> {
    parsed.map_err(|error| {
        let fault = fault_of(&error);
        let text = if fault.is_some() { String::new() } else { error.render().to_string() };
        Box::new((fault, text, error.exit_code()))
    })
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Lines without a command, or with an unknown one.
const OTHERS: &str = "\n--help\n-h\nhelp\n--version\n-V\n--version x\n--help x\nhelp help\nhelp help x\nhelp --help\n\
    help nonsense\nhelp sessions x\nclik\nclik --help\nnonsense x y\n--nonsense\n--nonsens help\n-x\n-\n--\n-- click\n\
    --tab\n--tab x text\n--tab 3\n--browser B!\n-hV\nHELP\ngoto\nver\n--json\n--json clik\n--session\nconnect --name B!";

/// A process builds one command of the many, so what it says must not depend on the others.
#[test]
fn one_command_alone_answers_as_the_whole_command_line_does() {
    let whole = command();
    let of_browser = whole.get_subcommands().filter(|sub| is_of_browser(sub.get_name()));
    let aliases = of_browser.flat_map(|sub| sub.get_name_and_visible_aliases()).map(|name| format!("help {name}"));
    let own = whole
        .get_subcommands()
        .filter(|sub| registry::find(sub.get_name()).is_none_or(|spec| !is_of_browser(spec.name)));
    let own: Vec<&str> = own.map(|sub| sub.get_name()).collect();
    let in_own = own.iter().flat_map(|name| {
        let more = ["", " --help", " -h", " x y", " --nonsense", " -- a"].map(|rest| format!("{name}{rest}"));
        more.into_iter().chain([format!("help {name}"), format!("--json=yes {name}"), format!("-V {name}")])
    });
    let inner = whole
        .get_subcommands()
        .flat_map(|sub| sub.get_subcommands().map(|inner| format!("{} {} --help", sub.get_name(), inner.get_name())));
    let lines: Vec<String> = aliases.chain(in_own).chain(inner).chain(OTHERS.lines().map(str::to_owned)).collect();
    assert!(own.len() >= 30 && lines.len() > 400, "{} lines", lines.len());
    for line in lines {
        let line = words(&line);
        assert_eq!(answer(parse(&line)), answer(parse_by(&line, |_| Ok(whole.clone()))), "{line:?}");
    }
}

#[test]
fn the_usage_of_a_command_alone_is_that_in_the_whole_command_line() {
    let mut whole = command();
    whole.build();
    let names = whole.get_subcommands().map(|sub| sub.get_name().to_owned());
    let others = ["sessions show x", "help click", "help sessions show", "", "clik", "--tab x text", "policy only"];
    for line in names.chain(others.map(str::to_owned)) {
        let line = words(&line);
        let mut command = &whole;
        for word in line.iter().filter(|word| !word.starts_with('-')) {
            let Some(inner) = command.find_subcommand(word) else { break };
            command = inner;
        }
        let usage = command.clone().render_usage().to_string();
        let usage = usage.lines().map(str::trim).collect::<Vec<_>>().join(" ").replace(" gstack ", " or: gstack ");
        assert_eq!(usage_line(&line).replace(": or: ", ": "), usage.replace(": or: ", ": "), "{line:?}");
    }
}
