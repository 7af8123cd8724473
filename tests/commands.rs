//! docs/COMMANDS.md is made from the registry, and this test holds it in step.
//! After a change of a command: `GSTACK_BLESS=1 cargo test --test commands`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

use gstack::command::registry;
use gstack::command::spec::{Category, Class, Spec};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Commands

Made from the registry: the command line, `POST /command`, the agents' tools and this page come from the same list.

`<x>` must be given, `[x]` may be, `…` takes all that is left. A selector is a ref of the last snapshot (`@e3`), CSS, `text=…`,
`role=button[name=\"…\"]` or `xpath=…`; it must match exactly one element.

The class says what an agent may do with it: *read* runs, *act* asks, *control* asks each time, *secret* is not offered.
Output marked *page content* comes inside an envelope that says that it is not to be trusted.
";

fn class(class: Class) -> &'static str {
    match class {
        Class::Read => "read",
        Class::Act => "act",
        Class::Control => "control",
        Class::Secret => "secret",
    }
}

/// Text inside a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn row(spec: &Spec) -> String {
    let usage = spec.usage();
    let command = if usage.is_empty() { spec.name.to_owned() } else { format!("{} {usage}", spec.name) };
    let trust = if spec.untrusted { ", page content" } else { "" };
    format!(
        "| `{}` | {} | {}{trust} | {} |",
        cell(&command),
        cell(spec.summary),
        class(spec.class),
        if spec.output.is_empty() { String::new() } else { format!("`{}`", cell(spec.output)) }
    )
}

fn page() -> String {
    let all = registry::all();
    let mut text = HEAD.to_owned();
    for category in Category::ALL {
        let specs: Vec<_> = all.iter().filter(|spec| spec.category == category).collect();
        if specs.is_empty() {
            continue;
        }
        writeln!(text, "\n## {}\n\n| command | does | class | prints |\n|---|---|---|---|", category.title()).unwrap();
        for spec in specs {
            writeln!(text, "{}", row(spec)).unwrap();
        }
    }
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

/// Words that look like commands in backticks, in the readme's table of commands.
#[test]
fn the_readme_names_only_commands_that_exist() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let command_line = gstack::cli::arguments::command();
    let known: BTreeSet<_> = command_line
        .get_subcommands()
        .flat_map(|sub| std::iter::once(sub.get_name()).chain(sub.get_all_aliases()))
        .chain(["help"])
        .collect();
    let table = readme.split("## Commands").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let in_table = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    let in_text = readme.split("gstack ").skip(1);
    let mut unknown = BTreeSet::new();
    for named in in_table.chain(in_text) {
        let word = named.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap();
        let is_word = !word.is_empty() && word.starts_with(|c: char| c.is_ascii_lowercase());
        if is_word && !known.contains(word) && !is_prose(named) {
            unknown.insert(word.to_owned());
        }
    }
    assert!(unknown.is_empty(), "the readme names {unknown:?}, which the command line does not know");
}

/// `gstack` in a sentence rather than in a command.
fn is_prose(rest: &str) -> bool {
    let until = rest.find(['`', '\n']).map_or(rest, |end| &rest[..end]);
    ["&& cd", "with ", "itself", "with", "sends "].iter().any(|words| until.starts_with(words))
}
