//! Output to the terminal: data on stdout, messages on stderr, colour only for a person.
//!
//! Owns printing, colour and exit codes. Never decides what to print.

pub(super) use gstack_base::say::tell;
pub(super) use gstack_base::visible::visible_line;
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// The exit code of a usage error, the same as clap's.
pub(super) const USAGE: u8 = 2;
/// The exit code if a command that changes something was interrupted and may have taken effect.
pub(super) const OUTCOME_UNKNOWN: u8 = 3;

/// Whether stdout and stderr get colours, decided once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    colour_out: bool,
    colour_err: bool,
}

impl Terminal {
    /// Without colours.
    #[cfg(test)]
    pub(super) const PLAIN: Self = Self { colour_out: false, colour_err: false };

    pub(super) fn detect() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            && std::env::var_os("TERM").is_none_or(|v| v != "dumb");
        Self { colour_out: wanted && io::stdout().is_terminal(), colour_err: wanted && io::stderr().is_terminal() }
    }

    /// Colours text of minor importance grey, for stdout.
    pub(super) fn dim(&self, text: &str) -> String {
        paint(self.colour_out, "2", text)
    }
    pub(super) fn bold(&self, text: &str) -> String {
        paint(self.colour_out, "1", text)
    }
    pub(super) fn good(&self, text: &str) -> String {
        paint(self.colour_out, "32", text)
    }
    pub(super) fn bad(&self, text: &str) -> String {
        paint(self.colour_out, "31", text)
    }
    pub(super) fn warm(&self, text: &str) -> String {
        paint(self.colour_out, "33", text)
    }

    /// Prints the failure and the next step on stderr, once, and returns the exit code. `usage`: the last line of a
    /// usage error, unless the fault has its own.
    pub(super) fn fail(&self, fault: &Fault, usage: Option<&str>) -> ExitCode {
        let text = told(fault, usage, &paint(self.colour_err, "31", "gstack:"));
        write_all(&mut io::stderr(), text.as_bytes());
        exit_code(fault)
    }
}

fn told(fault: &Fault, usage: Option<&str>, name: &str) -> String {
    let is_usage = |line: &&str| line.starts_with("Usage: ");
    // It may quote a page, a file or another machine.
    let mut text = format!("{name} {}\n", clean(&fault.message));
    let hint = clean(fault.hint.as_deref().unwrap_or_default());
    let words: Vec<&str> = hint.lines().filter(|line| !is_usage(line)).collect();
    if !words.is_empty() {
        text.push_str(&format!("  {}\n", words.join("\n")));
    }
    if let Some(command) = fault.command.as_ref().filter(|command| !hint.contains(*command)) {
        text.push_str(&format!("  Run: {}\n", clean(command)));
    }
    if let Some(usage) = hint.lines().find(is_usage).or(usage) {
        text.push_str(&format!("{usage}\n"));
    }
    text
}

/// Returns the exit code for a fault.
pub(super) fn exit_code(fault: &Fault) -> ExitCode {
    match fault.code {
        FaultCode::OutcomeUnknown => ExitCode::from(OUTCOME_UNKNOWN),
        FaultCode::BadRequest | FaultCode::Unknown => ExitCode::from(USAGE),
        _ => ExitCode::FAILURE,
    }
}

/// Removes everything that a terminal would interpret from text by agents and pages: control characters except line
/// breaks and tabs, and marks that change the text direction.
pub(super) fn clean(text: &str) -> String {
    text.chars().filter(|c| !is_obeyed(*c)).collect()
}

fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes in JSON what a terminal would interpret: JSON itself escapes the first 32 characters only. The data is the same.
pub(super) fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match is_obeyed(c) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => text.push(c),
        }
    }
    text
}

/// Does the same and joins the text to one line.
pub(super) fn clean_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Prints data. A closed pipe (`| head`) counts as success.
pub(super) fn print(text: &str) {
    write_all(&mut io::stdout(), text.as_bytes());
}

/// Prints data and a final line break if it has none.
pub(super) fn print_line(text: &str) {
    let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
    let mut stdout = io::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.write_all(end)).and_then(|()| stdout.flush()));
}

fn write_all(stream: &mut impl Write, bytes: &[u8]) {
    written(stream.write_all(bytes).and_then(|()| stream.flush()));
}

fn written(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        let code = if error.kind() == io::ErrorKind::BrokenPipe { 0 } else { 1 };
        std::process::exit(code);
    }
}

fn paint(colour: bool, code: &str, text: &str) -> String {
    if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// Prints a value as JSON or as text.
pub(super) fn show<T: Serialize>(json: bool, value: &T, text: impl FnOnce() -> String) -> Result<(), Fault> {
    if json {
        let encoded =
            serde_json::to_string_pretty(value).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
        print_line(&escaped(&encoded));
    } else {
        let text = text();
        if text.is_empty() { print("") } else { print_line(&text) }
    }
    Ok(())
}

/// Reports success, unless JSON was requested: then the exit code does.
pub(super) fn say(json: bool, words: &str) {
    if !json {
        print_line(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_comes_last_in_a_line_of_its_own() {
        let fault = Fault::new(FaultCode::BadRequest, "no").hint("Give x.\nUsage: gstack a <x>").command("gstack b");
        let wanted = "gstack: no\n  Give x.\n  Run: gstack b\nUsage: gstack a <x>\n";
        assert_eq!(told(&fault, Some("Usage: gstack other"), "gstack:"), wanted);
        let bare = Fault::new(FaultCode::BadRequest, "no");
        assert_eq!(told(&bare, Some("Usage: gstack a"), "gstack:"), "gstack: no\nUsage: gstack a\n");
    }

    #[test]
    fn what_an_agent_says_can_not_move_the_cursor_or_forge_a_question() {
        assert_eq!(clean("a\u{1b}[2K\u{1b}]52;c;x\u{7}b\u{9b}c\n\td"), "a[2K]52;c;xbc\n\td");
        assert_eq!(clean_line("click \"#x\r\n\u{1b}[1A\nAllow once?\""), "click \"#x [1A Allow once?\"");
        assert_eq!(clean("abc\u{202e}txt"), "abctxt");
        let fault = Fault::new(FaultCode::NotFound, "a\u{1b}[2J").hint("b\u{9b}c\u{7}").command("d\u{202e}e");
        assert_eq!(told(&fault, None, "gstack:"), "gstack: a[2J\n  bc\n  Run: de\n");
        let json = serde_json::to_string(&["a\u{1b}\u{9b}b\u{7f}\u{202e}\nü"]).unwrap();
        assert_eq!(escaped(&json), r#"["a\u001b\u009bb\u007f\u202e\nü"]"#);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&escaped(&json)).unwrap(),
            serde_json::from_str::<serde_json::Value>(&json).unwrap()
        );
        assert_eq!(clean("Grüße 你好 👩‍👩‍👧"), "Grüße 你好 👩‍👩‍👧");
    }
}
