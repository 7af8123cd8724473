//! `gstack help`: lists every command once, under headings, the everyday ones first.
//!
//! Owns the headings and their order. The texts come from the command line and the registry.

use clap::Command;
use gstack_command::registry;

/// Commands to begin with. They are listed only here.
const EVERYDAY: (&str, &[&str]) = (
    "Everyday",
    &[
        "connect",
        "chat",
        "goto",
        "snapshot",
        "click",
        "fill",
        "text",
        "screenshot",
        "tabs",
        "approvals",
        "status",
        "doctor",
    ],
);

/// The program's own commands. Browser commands are grouped by their category.
const OWN: [(&str, &[&str]); 3] = [
    (
        "Agents",
        &[
            "agents",
            "stop-turn",
            "sessions",
            "evidence",
            "policy",
            "auth",
            "panels",
            "view",
            "audit",
            "activity",
            "mcp",
            "tunnel",
        ],
    ),
    ("gstack itself", &["disconnect", "stop", "restart", "instances", "profiles", "flow", "run", "settings"]),
    ("Installation", &["install-host", "uninstall-host", "upgrade", "skill", "completions", "man"]),
];

/// Returns the headings with the command names under them, in order.
fn groups() -> Vec<(&'static str, Vec<&'static str>)> {
    let everyday = EVERYDAY.1;
    let mut groups = vec![(EVERYDAY.0, everyday.to_vec())];
    for spec in registry::all_but(everyday) {
        let title = spec.category.title();
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, names)) => names.push(spec.name),
            None => groups.push((title, vec![spec.name])),
        }
    }
    groups.extend(OWN.into_iter().map(|(title, names)| (title, names.to_vec())));
    groups
}

/// Returns clap's template for the help of the whole command line.
pub(super) fn template(own: &[Command]) -> String {
    let about = |name: &str| {
        let of_own = own.iter().find(|command| command.get_name() == name).and_then(Command::get_about);
        match of_own {
            Some(about) => about.to_string(),
            None => registry::find(name).map(|spec| spec.summary.to_owned()).unwrap_or_default(),
        }
    };
    let groups = groups();
    let names = groups.iter().flat_map(|(_, names)| names);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::from("{about}\n\n{usage-heading} {usage}\n");
    for (title, names) in groups {
        text.push_str(&format!("\n{title}:\n"));
        for name in names {
            text.push_str(&format!("  {name:<width$}  {}\n", escaped(&about(name))));
        }
    }
    text.push_str("\nOptions:\n{options}{after-help}");
    text
}

/// Removes braces, which clap reads as placeholders.
fn escaped(text: &str) -> String {
    text.replace(['{', '}'], "")
}

#[cfg(test)]
mod tests {
    use super::groups;
    use crate::cli::command_line::command;

    #[test]
    fn every_command_stands_under_one_heading_and_the_everyday_ones_come_first() {
        let listed: Vec<&str> = groups().into_iter().flat_map(|(_, names)| names).collect();
        let line = command();
        for name in line.get_subcommands().map(|sub| sub.get_name()) {
            assert_eq!(listed.iter().filter(|listed| **listed == name).count(), 1, "{name}");
        }
        assert_eq!(listed.len(), line.get_subcommands().count());
        let help = command().render_help().to_string();
        let at = |part: &str| help.find(part).unwrap_or_else(|| panic!("{part} is not in: {help}"));
        assert!(at("Everyday:\n  connect") < at("\nNavigation:\n") && at("\nNavigation:\n") < at("\nInstallation:\n"));
        assert!(help.contains("\nOptions:\n") && help.contains("Start here:"), "{help}");
        for line in help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("    ")) {
            assert!(line.trim().contains("  "), "a command without its words: {line}");
        }
    }
}
