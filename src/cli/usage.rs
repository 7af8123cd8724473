//! What a failure reports besides its message: the command's usage, and the instance to use in the next step.
//!
//! Owns those two. Generated from the command line's definition, so every command has them.

use super::command_line;
use clap::error::ErrorKind;
use gstack_command::registry;
use gstack_protocol::fault::{Fault, FaultCode};

/// Returns whether a fault ends with a usage line.
pub(super) fn is_usage(fault: &Fault) -> bool {
    matches!(fault.code, FaultCode::BadRequest | FaultCode::Unknown)
}

/// Returns the usage line of the command that these words begin with:
/// `Usage: gstack settings set [OPTIONS] <NAME> <VALUE>`.
pub(super) fn line(words: &[String]) -> String {
    let words = || words.iter().filter(|word| !word.starts_with('-'));
    // `help click` is about `click`.
    let about = words().find(|word| *word != "help");
    let mut command = about.and_then(|word| command_line::only(word)).unwrap_or_else(command_line::bare);
    command.build();
    for word in words() {
        let Some(inner) = command.find_subcommand(word).cloned() else { break };
        command = inner;
    }
    let usage = command.render_usage().to_string();
    let alternative = |line: &str| if line.starts_with("gstack ") { format!("or: {line}") } else { line.to_owned() };
    usage.lines().map(|line| alternative(line.trim())).collect::<Vec<_>>().join(" ")
}

/// Returns the fault for an unknown command, with the most similar one. `None` for any other error.
pub(super) fn unknown_command(error: &clap::Error) -> Option<Fault> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let names: Vec<&str> = command_line::own_names().collect();
    Some(registry::unknown_among(name, &names))
}

/// Says what is missing, in the words of the browser's commands. `None` for any other error.
fn short_message(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => {
            Some(format!("this command needs {}", missing.join(" and ")))
        }
        _ => None,
    }
}

/// Converts a parse error of clap to a fault; `None` for help and version, which are not errors.
pub(super) fn fault_of(error: &clap::Error) -> Option<Fault> {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        return None;
    }
    if let Some(fault) = unknown_command(error) {
        return Some(fault);
    }
    if let Some(message) = short_message(error) {
        return Some(Fault::new(FaultCode::BadRequest, message));
    }
    let rendered = error.render().to_string();
    let (mut message, mut hints) = (Vec::new(), Vec::new());
    for line in rendered.lines().map(str::trim).take_while(|line| !line.starts_with("Usage: ")) {
        match (line.strip_prefix("error: "), line.strip_prefix("tip: ")) {
            _ if line.is_empty() || line.starts_with("For more information") => {}
            (Some(words), _) => message.push(words),
            (_, Some(tip)) => hints.push(tip),
            (None, None) => message.push(line),
        }
    }
    let fault = Fault::new(FaultCode::BadRequest, message.join(" "));
    Some(if hints.is_empty() { fault } else { fault.hint(hints.join(" ")) })
}

/// Adds the instance that `--session` names to the commands in a fault's next step.
pub(super) fn for_session(mut fault: Fault, session: Option<&str>) -> Fault {
    let Some(session) = session else { return fault };
    fault.hint = fault.hint.map(|hint| with_session(&hint, session));
    fault.command = fault.command.map(|command| with_session(&command, session));
    fault
}

/// Adds `--session` to each gstack command in a text.
pub(super) fn with_session(text: &str, session: &str) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("gstack ") {
        let (before, after) = rest.split_at(at + "gstack ".len());
        told.push_str(before);
        let word = after.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next().unwrap_or_default();
        // "gstack is …" is a sentence although a command `is` exists, and a usage line is not a command to run.
        let is_sentence = word == "is" && !told.ends_with("`gstack ");
        if command_line::has(word) && !is_sentence && !told.ends_with("Usage: gstack ") {
            told.push_str(&format!("--session {session} "));
        }
        rest = after;
    }
    told.push_str(rest);
    told
}

#[cfg(test)]
mod tests {
    use super::{fault_of, for_session, line};
    use crate::cli::arguments::parse;
    use crate::cli::command_line::command;
    use gstack_protocol::fault::{Fault, FaultCode};

    fn words(line: &[&str]) -> Vec<String> {
        line.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn every_command_has_its_usage_in_one_line() {
        for (given, usage) in [
            (&["click"][..], "Usage: gstack click <sel> ["),
            (&["open", "x"], "Usage: gstack goto <url> [--timeout MS]"),
            (&["settings", "set", "a"], "Usage: gstack settings set [OPTIONS] <NAME> <VALUE>"),
        ] {
            assert!(line(&words(given)).starts_with(usage), "{}", line(&words(given)));
        }
        for name in command().get_subcommands().map(|sub| sub.get_name().to_owned()).chain(["nonsense".to_owned()]) {
            let usage = line(&[name]);
            assert!(usage.starts_with("Usage: gstack") && usage.lines().count() == 1, "{usage}");
        }
    }

    #[test]
    fn what_clap_refuses_is_a_fault_of_ours() {
        for (given, message) in [
            (&["connect", "--headles"][..], "--headles"),
            (&["audit", "-n", "many"], "many"),
            (&["--tab", "x", "text"], "tab number"),
            (&["clik"], "Unknown command: clik"),
        ] {
            let fault = fault_of(&parse(&words(given)).unwrap_err()).unwrap();
            assert!(fault.message.contains(message) && !fault.message.contains("Usage"), "{fault:?}");
        }
        assert!(fault_of(&parse(&words(&["click", "--help"])).unwrap_err()).is_none());
    }

    #[test]
    fn the_next_step_is_for_the_instance_that_was_named() {
        let fault = Fault::new(FaultCode::BrowserDown, "x")
            .hint("gstack is here. Run `gstack connect`, or gstack stop.\nUsage: gstack click <sel>")
            .command("gstack connect");
        let told = for_session(fault.clone(), Some("work"));
        assert_eq!(
            told.hint.unwrap(),
            "gstack is here. Run `gstack --session work connect`, or gstack --session work stop.\nUsage: gstack click <sel>"
        );
        assert_eq!(told.command.unwrap(), "gstack --session work connect");
        assert_eq!(for_session(fault.clone(), None), fault);
    }
}
