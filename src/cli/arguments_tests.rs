//! Checks that `browser_command` accepts exactly what `parse` accepts: runs both parsers on many command lines.

use super::arguments::{Globals, Invocation, browser_command, parse};
use super::command_line::{command, is_of_browser};
use crate::command::registry;
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
            (None, Ok((_, Invocation::Browser { .. }))) => prop_assert!(false, "left out"),
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
    assert!(matches!(chat, Invocation::Chat { message, agent: None, model: None } if message == "open example.com"));
    let (_, chat) = parsed(&["chat", "--model", "deep", "why", "so?"]).unwrap();
    assert!(
        matches!(chat, Invocation::Chat { message, model: Some(model), .. } if message == "why so?" && model == "deep")
    );
}
