//! The hint of a fault worded for an MCP client, which has tools and no command line.
//!
//! Pure. A sentence that names a terminal command names the tool instead if the client has it, and otherwise addresses
//! the person.

use gstack_command::{Spec, tool_schema};
use gstack_protocol::fault::{Fault, FaultCode};

const ASK_TO_OPEN: &str = "Ask the person to open the browser with gstack.";
const ASK: &str = "Ask the person to do it.";

/// Returns the hint of a fault. `tool` is the called tool. `has` says whether the client has a tool of this name.
pub(super) fn for_client(fault: &Fault, tool: Option<&Spec>, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let hint = fault.hint.as_deref()?;
    let mut told: Vec<String> = Vec::new();
    for sentence in sentences(hint) {
        let words = match sentence.strip_prefix("Usage: ") {
            Some(_) => tool.map(arguments_of),
            None => said_of_tools(sentence, has),
        };
        let words = words.unwrap_or_else(|| instead(fault.code).to_owned());
        if !told.contains(&words) {
            told.push(words);
        }
    }
    Some(told.join(" "))
}

fn instead(code: FaultCode) -> &'static str {
    match code {
        FaultCode::BrowserDown | FaultCode::DaemonDown | FaultCode::OutcomeUnknown => ASK_TO_OPEN,
        _ => ASK,
    }
}

/// Splits into sentences: at a line break, and at a full stop before a space and a capital letter or a backtick.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        while let Some(end) = end_of_sentence(rest) {
            found.push(&rest[..end]);
            rest = rest[end..].trim_start();
        }
        if !rest.is_empty() {
            found.push(rest);
        }
    }
    found
}

fn end_of_sentence(text: &str) -> Option<usize> {
    text.match_indices(". ")
        .map(|(at, _)| at + 1)
        .find(|end| text[*end..].trim_start().starts_with(|next: char| next.is_uppercase() || next == '`'))
}

/// Returns the sentence with tools in place of commands, or `None` if it names a command that is not one of the
/// client's tools.
fn said_of_tools(sentence: &str, has: &dyn Fn(&str) -> bool) -> Option<String> {
    // A client has no terminal; the person has.
    if sentence.starts_with("In a terminal") {
        return None;
    }
    let mut told = String::new();
    let mut rest = sentence;
    while let Some(at) = rest.find("gstack ") {
        let (before, command) = (&rest[..at], &rest[at + "gstack ".len()..]);
        let quoted = before.ends_with('`');
        let length = if quoted { command.find('`')? } else { command.trim_end_matches('.').len() };
        let name = command[..length].split_whitespace().next()?.trim_end_matches(['.', ',', ':', ';']);
        // The word alone, as in "gstack can't", is not a command.
        if !quoted && gstack_command::registry::find(name).is_none() && !is_own_command(name) {
            told.push_str(&rest[..at + "gstack ".len()]);
            rest = command;
            continue;
        }
        if !has(name) {
            return None;
        }
        told.push_str(before);
        told.push_str(name);
        rest = &command[length..];
    }
    told.push_str(rest);
    // The person types the options, so they keep their dashes.
    Some(if sentence.starts_with("The person") { told } else { without_dashes(&told) })
}

/// Returns true for a command of the program itself, which no client has as a tool.
fn is_own_command(name: &str) -> bool {
    const OWN: [&str; 29] = [
        "auth",
        "cdp",
        "instances",
        "profiles",
        "run",
        "tunnel",
        "upgrade",
        "connect",
        "disconnect",
        "stop",
        "restart",
        "status",
        "doctor",
        "chat",
        "sessions",
        "settings",
        "stop-turn",
        "approvals",
        "panels",
        "view",
        "policy",
        "audit",
        "mcp",
        "agents",
        "activity",
        "install-host",
        "uninstall-host",
        "help",
        "man",
    ];
    OWN.contains(&name)
}

/// Turns `--timeout` into the argument `timeout`.
fn without_dashes(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| {
        let letters = word.trim_start_matches(['(', '`', '"', '\'']);
        match letters.strip_prefix("--") {
            Some(name) if name.starts_with(|first: char| first.is_ascii_lowercase()) => {
                format!("{}{name}", &word[..word.len() - letters.len()])
            }
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns, for example, `Arguments of click: selector (required), timeout.`
fn arguments_of(spec: &Spec) -> String {
    let schema = tool_schema::input_schema(spec);
    let required = schema.get("required").and_then(|names| names.as_array()).cloned().unwrap_or_default();
    let names = schema.get("properties").and_then(|properties| properties.as_object());
    let mut names: Vec<&String> = names.map(|names| names.keys().collect()).unwrap_or_default();
    names.sort_by_key(|name| !required.iter().any(|known| known == *name));
    if names.is_empty() {
        return format!("{} takes no arguments.", spec.name);
    }
    let told = names.into_iter().map(|name| match required.iter().any(|known| known == name) {
        true => format!("{name} (required)"),
        false => name.clone(),
    });
    format!("Arguments of {}: {}.", spec.name, told.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::for_client;
    use gstack_command::registry;
    use gstack_protocol::fault::{Fault, FaultCode};

    fn told(code: FaultCode, hint: &str) -> String {
        let has = |name: &str| ["snapshot", "tabs", "click", "wait"].contains(&name);
        for_client(&Fault::new(code, "x").hint(hint), registry::find("hover"), &has).unwrap()
    }

    #[test]
    fn a_hint_names_tools_and_never_a_command_line() {
        for (code, hint, wanted) in [
            (FaultCode::NotFound, "`gstack tabs` lists the numbers.", "`tabs` lists the numbers."),
            (FaultCode::NotFound, "`tabs` lists them.", "`tabs` lists them."),
            (
                FaultCode::BrowserDown,
                "Open the browser again with `gstack connect` before you repeat the command.",
                "Ask the person to open the browser with gstack.",
            ),
            (
                FaultCode::Element,
                "Take a fresh snapshot: gstack snapshot -i. Or wait with --timeout 5000.",
                "Take a fresh snapshot: snapshot. Or wait with timeout 5000.",
            ),
            (
                FaultCode::BadRequest,
                "Usage: gstack click <sel> [--timeout MS]",
                "Arguments of hover: selector (required), timeout, look.",
            ),
            (FaultCode::Forbidden, "The person can allow it: gstack connect --everyday", "Ask the person to do it."),
            (
                FaultCode::Leased,
                "The person can start the client without --tab.",
                "The person can start the client without --tab.",
            ),
            (FaultCode::Forbidden, "In a terminal: bw login. Then: gstack auth unlock", "Ask the person to do it."),
            (FaultCode::Element, "Is it a captcha? Use gstack handoff \"why\".", "Ask the person to do it."),
            (FaultCode::Internal, "Something that gstack itself did wrong.", "Something that gstack itself did wrong."),
            (
                FaultCode::Element,
                "First line.\nUsage: click <sel>",
                "First line. Arguments of hover: selector (required), timeout, look.",
            ),
            (
                FaultCode::OutcomeUnknown,
                "Look at the page before you repeat the command. `gstack doctor` says which part is down.",
                "Look at the page before you repeat the command. Ask the person to open the browser with gstack.",
            ),
        ] {
            assert_eq!(told(code, hint), wanted, "{hint}");
        }
        assert_eq!(for_client(&Fault::new(FaultCode::Internal, "x"), None, &|_| true), None);
    }
}
