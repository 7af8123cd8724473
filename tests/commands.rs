//! docs/COMMANDS.md is generated from the registry and the command line, and docs/PROTOCOL.md names everything on the
//! wire: these tests keep both in sync. After a change of a command: `GSTACK_BLESS=1 cargo test --test commands`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

use clap::{Arg, Command};
use gstack::cli::arguments::{self, Invocation};
use gstack::cli::json_output::{JSON_OUTPUT, JsonOutput};
use gstack_command::Call;
use gstack_command::registry;
use gstack_command::spec::{Category, Class, Spec};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Commands

Generated from the command registry, as are the command line, `POST /command` and the agents' tools. `gstack help COMMAND` explains a command's options and says what it
prints. [The program's own commands](#the-program-itself) are at the end; [MIGRATE.md](MIGRATE.md) says what other tools call these.

`<x>` is required, `[x]` is optional, `…` takes all remaining words. A selector is a ref of the last snapshot (`@e3`), CSS, `text=…`, `label=…`, `placeholder=…`, `alt=…`,
`title=…`, `testid=…`, `role=button[name=\"…\"]` or `xpath=…`; it must match exactly one element. Text without quotes matches a part and ignores case, text in quotes matches
the whole, `/…/` is a regular expression. `>>` searches within the previous match: `li >> has-text=Lamp >> role=button`; `has=`, `has-not=`, `has-text=`, `visible=true` and
`nth=0` (`-1` is the last) narrow the matches.

In brackets is the class, which says how an agent may use a command. *read* runs without asking. *act*, *download* and *upload* ask. *control* and *intercept* ask on each site,
*page-tool* for each site and tool, *sign-in* for each saved sign-in. *secret* is not offered to agents. *page content* comes inside an envelope that marks it as untrusted.

With `--json`, and over HTTP, the answer is an object: `output`, the text that is printed; `data`, of the type at the end of each entry; `files`, the paths that it wrote;
`effects`, what it caused (`--quiet` suppresses the lines about these). Types are in TypeScript notation; `…` means that there may be other fields.
";

const JSON_HEAD: &str = "
What they print with `--json`, in TypeScript notation. The named types are those of [openapi.json](openapi.json), which the daemon also serves as
`/openapi.json`. A command that fails also prints a `FaultAnswer`; its exit code is not 0.
";

fn class(class: Class) -> &'static str {
    match class {
        Class::Read => "read",
        Class::Act => "act",
        Class::Download => "download",
        Class::Upload => "upload",
        Class::PageTool => "page-tool",
        Class::SignIn => "sign-in",
        Class::Control => "control",
        Class::Intercept => "intercept",
        Class::Secret => "secret",
    }
}

fn entry(spec: &Spec) -> String {
    let usage = spec.usage();
    let command = if usage.is_empty() { spec.name.to_owned() } else { format!("{} {usage}", spec.name) };
    let trust = if spec.untrusted { ", page content" } else { "" };
    let data = if spec.data.is_empty() { String::new() } else { format!(". `{}`", spec.data) };
    format!("- `{command}` ({}{trust}): {}{data}", class(spec.class), spec.summary)
}

/// Formats an argument as it is written: `<ID>`, `[URL]`, `[--site HOST]`.
fn written(arg: &Arg) -> String {
    let value = value_name(arg);
    if arg.is_last_set() {
        return format!("[-- {value}…]");
    }
    let dots = if arg.get_num_args().is_some_and(|many| many.max_values() > 1) { "…" } else { "" };
    let word = if arg.is_positional() { format!("{value}{dots}") } else { option(arg) };
    match (arg.is_required_set(), arg.is_positional()) {
        (true, true) => format!("<{word}>"),
        (true, false) => word,
        (false, _) => format!("[{word}]"),
    }
}

fn value_name(arg: &Arg) -> String {
    arg.get_value_names().map_or_else(|| arg.get_id().to_string().to_uppercase(), |names| names.join(" "))
}

fn option(arg: &Arg) -> String {
    if arg.is_positional() {
        return value_name(arg);
    }
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let value = if arg.get_action().takes_values() { format!(" {}", value_name(arg)) } else { String::new() };
    format!("{short}--{}{value}", arg.get_long().unwrap())
}

fn meaning(arg: &Arg) -> String {
    let values: Vec<_> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    match (help.is_empty(), arg.get_action().takes_values() && !values.is_empty()) {
        (_, false) => help,
        (true, true) => values.join(", "),
        (false, true) => format!("{help} ({})", values.join(", ")),
    }
}

fn own_command(command: &Command, name: &str, text: &mut String) {
    let words: Vec<_> = std::iter::once(name.to_owned())
        .chain(command.get_arguments().filter(|arg| !arg.is_hide_set()).map(written))
        .collect();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(text, "- `{}`: {}", words.join(" "), about.replace('\n', " ")).unwrap();
    for sub in command.get_subcommands() {
        own_command(sub, &format!("{name} {}", sub.get_name()), text);
    }
}

fn own(text: &mut String) {
    let line = gstack::cli::command_line::command();
    writeln!(
        text,
        "\n## The program itself\n\nThese commands are for a person at a terminal, and agents do not get them as tools. In an agent's shell, `connect`, `stop`, `chat`, `approvals`, `policy` and `audit` are refused.\n"
    )
    .unwrap();
    let is_own = |sub: &&Command| registry::find(sub.get_name()).is_none() || sub.has_subcommands();
    for sub in line.get_subcommands().filter(is_own) {
        own_command(sub, sub.get_name(), text);
    }
    writeln!(text, "\nOptions of every command, except that `--browser`, `--driver` and `--remote` are refused where they mean nothing:\n").unwrap();
    for arg in line.get_arguments().filter(|arg| arg.is_global_set()) {
        writeln!(text, "- `{}`: {}", option(arg), meaning(arg)).unwrap();
    }
    writeln!(text, "{JSON_HEAD}").unwrap();
    for (command, prints) in JSON_OUTPUT {
        let prints = match prints {
            JsonOutput::Whole(kind) => format!("`{kind}`"),
            JsonOutput::Lines(kind) => format!("`{kind}` on each line"),
            JsonOutput::Text(what) => format!("no JSON: {what}"),
            JsonOutput::Nothing => "nothing: the exit code tells the outcome".to_owned(),
        };
        writeln!(text, "- `{command}`: {prints}").unwrap();
    }
}

fn page() -> String {
    let all = registry::all();
    let mut text = HEAD.to_owned();
    for category in Category::ALL {
        let specs: Vec<_> = all.iter().filter(|spec| spec.category == category).collect();
        if specs.is_empty() {
            continue;
        }
        writeln!(text, "\n## {}\n", category.title()).unwrap();
        for spec in &specs {
            writeln!(text, "{}", entry(spec)).unwrap();
        }
    }
    own(&mut text);
    text
}

#[test]
fn the_page_of_commands_says_what_the_registry_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/COMMANDS.md");
    let wanted = page();
    if std::env::var_os("GSTACK_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/COMMANDS.md is behind the registry. Run: GSTACK_BLESS=1 cargo test --test commands");
}

/// Checks the commands of the pages for people: those of the readme, and the words in backticks in the guide's table.
#[test]
fn the_readme_and_the_guide_name_only_commands_that_exist() {
    let guide = read("docs/GUIDE.md");
    let pages = [read("README.md"), guide.clone(), read("docs/POLICY.md"), read("docs/TROUBLE.md")].concat();
    let command_line = gstack::cli::command_line::command();
    let known: BTreeSet<_> = command_line
        .get_subcommands()
        .flat_map(|sub| std::iter::once(sub.get_name()).chain(sub.get_all_aliases()))
        .chain(["help"])
        .collect();
    let table = guide.split("## By topic").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let in_table = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    let in_text = pages.split("gstack ").skip(1);
    let mut unknown = BTreeSet::new();
    for named in in_table.chain(in_text) {
        let word = named.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap();
        let is_word = !word.is_empty() && word.starts_with(|c: char| c.is_ascii_lowercase());
        if is_word && !known.contains(word) && !is_prose(named) {
            unknown.insert(word.to_owned());
        }
    }
    assert!(unknown.is_empty(), "the pages name {unknown:?}, which the command line does not know");
}

/// Returns whether `gstack` is part of a sentence instead of a command.
fn is_prose(rest: &str) -> bool {
    let until = rest.find(['`', '\n']).map_or(rest, |end| &rest[..end]);
    ["&& cd", "with ", "itself", "with", "sends "].iter().any(|words| until.starts_with(words))
}

/// Reads a file of this tree.
fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the text between the two in a source, without either.
fn part<'a>(source: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = source.split_once(from).expect(from);
    rest.split_once(to).expect(to).0
}

/// Returns the variants of an enum as the wire writes them: `TurnDone` is `turn-done`.
fn variants(body: &str) -> Vec<String> {
    let names =
        body.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| line.starts_with(char::is_uppercase));
    let names = names.map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap());
    let kebab = names.map(|name| {
        let words = name.chars().enumerate().map(|(at, c)| match c.is_uppercase() && at > 0 {
            true => format!("-{}", c.to_ascii_lowercase()),
            false => c.to_ascii_lowercase().to_string(),
        });
        words.collect()
    });
    kebab.collect()
}

#[test]
fn the_page_of_the_protocol_names_every_method_event_and_fault() {
    let page = read("docs/PROTOCOL.md");
    let methods = read("src/protocol/methods.rs");
    let methods: Vec<_> = methods.lines().filter_map(|line| line.strip_prefix("    \"")?.split('"').next()).collect();
    let (chat, fault) = (read("src/protocol/chat.rs"), read("src/protocol/fault.rs"));
    let events = variants(part(&chat, "pub enum ChatBody {", "\n}"));
    let codes = variants(part(&fault, "pub enum FaultCode {", "\n}"));
    assert!(methods.len() > 50 && events.len() > 10 && codes.len() > 20, "the sources are written otherwise now");
    let names = methods.into_iter().map(str::to_owned).chain(events).chain(codes);
    let missing: Vec<_> =
        names.filter(|name| !page.contains(&format!("`{name}`")) && !page.contains(&format!("`{name} {{"))).collect();
    assert!(missing.is_empty(), "docs/PROTOCOL.md does not name {missing:?}");
}

/// Splits a line into words like a shell, as far as the guide needs it.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = None;
    for letter in line.chars() {
        match letter {
            '"' | '\'' if quoted.is_none() => quoted = Some(letter),
            _ if quoted == Some(letter) => quoted = None,
            ' ' if quoted.is_none() => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

#[test]
fn every_line_of_the_guide_for_agents_is_a_command_line_that_is_understood() {
    let guide = gstack::install::skill::guide() + gstack::install::skill::more();
    let blocks = guide.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.split_once("gstack ").map(|(_, rest)| rest));
    let inline = guide.split('`').filter_map(|code| code.strip_prefix("gstack "));
    let mut seen = 0;
    for line in lines.chain(inline.filter(|code| !code.contains("COMMAND") && !code.contains('\n') && *code != "help"))
    {
        let words = shell_words(line.split(" #").next().unwrap());
        let (_, invocation) = arguments::parse(&words).unwrap_or_else(|error| panic!("gstack {line}: {error}"));
        // `chain` reads its commands from standard input.
        if let Invocation::Browser { command, args } = invocation
            && command != "chain"
        {
            Call::parse(&command, &args).unwrap_or_else(|fault| panic!("gstack {line}: {fault}"));
        }
        seen += 1;
    }
    assert!(seen > 90, "{seen} lines were found");
}

/// Every command of another tool has its row in docs/MIGRATE.md, each of our commands there exists with its options, and
/// a row without one says why or names the way around. What differs from gstack's own older version has its reason.
#[test]
fn the_page_for_users_of_other_tools_names_all_their_commands_and_only_ours() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/MIGRATE.md")).unwrap();
    let own = gstack::cli::command_line::command();
    let mut sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    for peer in ["agent-browser", "playwright-cli", "chrome-devtools-mcp"] {
        let list: Value =
            serde_json::from_slice(&std::fs::read(root.join(format!("tests/peers/{peer}.json"))).unwrap()).unwrap();
        let theirs: Vec<&str> =
            list["commands"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let at = sections.iter().position(|section| section.lines().next() == Some(peer)).unwrap();
        let section = sections.remove(at);
        let rows: Vec<Vec<&str>> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `"))
            .map(|line| line.split(" | ").map(str::trim).collect())
            .collect();
        let named: Vec<&str> = rows.iter().map(|row| row[0].trim_end_matches('`')).collect();
        assert_eq!(named, theirs, "{peer}");
        let missing = rows.iter().filter(|row| row[1] == "—").count();
        for row in rows.iter().filter(|row| row[1] == "—") {
            let reason = row.get(2).map_or("", |cell| cell.trim_end_matches('|').trim());
            assert!(!reason.is_empty(), "{peer}: {} has no counterpart and no reason", row[0]);
        }
        let version = list["version"].as_str().unwrap();
        let said = format!("Version {version}: {} commands, {missing} without a counterpart.", theirs.len());
        assert!(section.contains(&said), "{peer}: {said}");
        for row in rows.iter().filter(|row| row[1] != "—") {
            let mut words = row[1].trim_matches('`').split(' ');
            let name = words.next().unwrap();
            let Some(spec) = registry::find(name) else {
                assert!(own.find_subcommand(name).is_some(), "{peer}: {} is no command", row[1]);
                continue;
            };
            let known = |word: &str| spec.flags.iter().any(|flag| flag.name == word || flag.alias == word);
            let flags: Vec<&str> = words.filter(|word| word.starts_with('-')).collect();
            assert!(flags.iter().all(|word| known(word)), "{peer}: {}", row[1]);
        }
    }
    let [older] = sections[..] else { panic!("sections without a list") };
    let rows: Vec<Vec<&str>> = older
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map(|line| line.split(" | ").map(str::trim).collect())
        .collect();
    assert!(older.starts_with("browse, ") && !rows.is_empty(), "{older}");
    for row in rows {
        let name = row[0].split([' ', '`']).next().unwrap();
        assert!(registry::find(name).is_some() || own.find_subcommand(name).is_some(), "{name} is no command");
        assert!(row.len() == 3 && row.iter().all(|cell| !cell.is_empty()), "{name}: three cells");
    }
}
