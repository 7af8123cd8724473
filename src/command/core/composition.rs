//! The commands that a `chain` or a `tab-each` runs.
//!
//! Owns parsing both forms, and so the class of such a call. Runs nothing.

use super::arguments::{Arguments, usage};
use super::call::Call;
use crate::registry;
use crate::spec::{Spec, TabUse};
use gstack_protocol::command::LARGEST_CHAIN;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::Value;

pub(crate) const CHAIN: &str = "chain";
pub(crate) const TAB_EACH: &str = "tab-each";
/// The parameter that holds the commands, in both forms.
pub(crate) const COMMANDS: &str = "commands";

/// Their outputs are sent as one answer.
const MOST_COMMANDS: usize = 1000;

/// Returns the commands of a `chain` or a `tab-each`. Fails unless each one exists, accepts its arguments and runs no
/// other commands.
pub(crate) fn calls(spec: &Spec, arguments: &Arguments) -> Result<Vec<Call>, Fault> {
    let words = arguments.list(COMMANDS);
    if words.iter().map(String::len).sum::<usize>() > LARGEST_CHAIN {
        let message = format!("{} was given more than {LARGEST_CHAIN} bytes", spec.name);
        return Err(Fault::new(FaultCode::TooLarge, message).hint("Run the commands in several chains."));
    }
    let calls = match words.as_slice() {
        [only] if several_run(spec) && only.trim_start().starts_with('[') => from_json(spec, only)?,
        [only] => from_tokens(spec, &split(only).map_err(|message| usage(spec, message))?)?,
        several => {
            let token = |word: &String| if word == "|" { Token::Separator } else { Token::Word(word.clone()) };
            from_tokens(spec, &several.iter().map(token).collect::<Vec<_>>())?
        }
    };
    if !several_run(spec) && calls.len() > 1 {
        return Err(usage(spec, format!("{} runs one command", spec.name)));
    }
    if calls.len() > MOST_COMMANDS {
        let message = format!("{} has {} commands, but can run at most {MOST_COMMANDS}", spec.name, calls.len());
        return Err(Fault::new(FaultCode::TooLarge, message).hint("Run the commands in several chains."));
    }
    calls.into_iter().map(|words| checked(spec, words)).collect()
}

/// Whether it takes several commands, run in sequence (`chain`), rather than one for each tab (`tab-each`).
fn several_run(spec: &Spec) -> bool {
    spec.tab != TabUse::Every
}

fn checked(spec: &Spec, mut words: Vec<String>) -> Result<Call, Fault> {
    let inner = registry::get(&words.remove(0))?;
    if inner.runs_others() {
        return Err(usage(spec, format!("{} can't be run inside {}", inner.name, spec.name)));
    }
    Call::of(inner, words)
}

/// Parses `[["goto", "url"], ["text"]]`.
fn from_json(spec: &Spec, text: &str) -> Result<Vec<Vec<String>>, Fault> {
    let wrong = |message: String| usage(spec, message);
    let listed: Vec<Vec<Value>> = serde_json::from_str(text).map_err(|error| {
        wrong(format!("Invalid JSON: {error}. A list of commands is [[\"goto\", \"url\"], [\"text\"]]"))
    })?;
    let mut calls = Vec::with_capacity(listed.len());
    for command in listed {
        let mut words = Vec::with_capacity(command.len());
        for value in command {
            match value {
                Value::String(text) => words.push(text),
                Value::Number(number) => words.push(number.to_string()),
                other => return Err(wrong(format!("{other} can't be part of a command"))),
            }
        }
        calls.push(call(spec, words)?);
    }
    if calls.is_empty() { Err(wrong("it contains no command".to_owned())) } else { Ok(calls) }
}

/// Fails unless the words contain at least a command name.
fn call(spec: &Spec, words: Vec<String>) -> Result<Vec<String>, Fault> {
    if words.is_empty() { Err(usage(spec, "one of the commands is empty".to_owned())) } else { Ok(words) }
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// An unquoted `|` or the end of a line: another command follows.
    Separator,
}

fn from_tokens(spec: &Spec, tokens: &[Token]) -> Result<Vec<Vec<String>>, Fault> {
    let words = |tokens: &[Token]| {
        tokens
            .iter()
            .filter_map(|token| match token {
                Token::Word(text) => Some(text.clone()),
                Token::Separator => None,
            })
            .collect()
    };
    tokens.split(|token| *token == Token::Separator).map(|tokens| call(spec, words(tokens))).collect()
}

/// Splits like a shell: spaces separate words, quotes group them, and a backslash escapes the next character. A `|` or
/// the end of a line separates commands. Empty lines and lines starting with `#` are skipped.
fn split(text: &str) -> Result<Vec<Token>, String> {
    let mut split = Split { tokens: Vec::new(), word: None, is_quoted: false, line_ended: false, at_line_start: true };
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', Some('"') | None) => match characters.next().ok_or("a backslash ends the line")? {
                // The line continues.
                '\n' => {}
                escaped => split.quoted().push(escaped),
            },
            (_, Some(_)) => split.quoted().push(character),
            ('"' | '\'', None) => {
                quote = Some(character);
                split.quoted();
            }
            ('\n', None) => split.end_line(),
            ('#', None) if split.begins_line() => {
                if characters.by_ref().any(|skipped| skipped == '\n') {
                    split.end_line();
                }
            }
            (space, None) if space.is_whitespace() => split.end_word(),
            (_, None) => split.word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    split.end_line();
    // The end of the last line separates nothing.
    if split.line_ended {
        split.tokens.pop();
    }
    Ok(split.tokens)
}

/// The parser state of `split`.
struct Split {
    tokens: Vec<Token>,
    /// The word being read.
    word: Option<String>,
    /// Part of the word is quoted, so it cannot be a separator.
    is_quoted: bool,
    /// The last token is the end of a line.
    line_ended: bool,
    /// This line contains only spaces so far.
    at_line_start: bool,
}

impl Split {
    fn quoted(&mut self) -> &mut String {
        self.is_quoted = true;
        self.word.get_or_insert_default()
    }
    fn end_word(&mut self) {
        let is_bar = self.word.as_deref() == Some("|") && !self.is_quoted;
        self.is_quoted = false;
        let Some(word) = self.word.take() else { return };
        self.at_line_start = false;
        match (is_bar, self.line_ended) {
            // A line that starts with a bar continues the previous line.
            (true, true) => {}
            (true, false) => self.tokens.push(Token::Separator),
            (false, _) => self.tokens.push(Token::Word(word)),
        }
        self.line_ended = false;
    }
    fn end_line(&mut self) {
        self.end_word();
        self.at_line_start = true;
        // After a bar, the command is on the next line.
        if matches!(self.tokens.last(), Some(Token::Word(_))) {
            self.tokens.push(Token::Separator);
            self.line_ended = true;
        }
    }
    fn begins_line(&self) -> bool {
        self.word.is_none() && self.at_line_start
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use super::super::call::Call;
    use super::{LARGEST_CHAIN, MOST_COMMANDS, calls};
    use crate::registry;
    use crate::spec::Class;

    fn words(args: &[&str]) -> Vec<String> {
        args.iter().map(|word| (*word).to_owned()).collect()
    }

    fn read(name: &str, args: &[&str]) -> Result<Vec<Vec<String>>, String> {
        let spec = registry::get(name).unwrap();
        let arguments = Arguments::parse(spec, &words(args)).map_err(|fault| fault.message)?;
        let line = |call: &Call| [&[call.spec.name.to_owned()], call.words()].concat();
        Ok(calls(spec, &arguments).map_err(|fault| fault.message)?.iter().map(line).collect())
    }

    #[test]
    fn both_forms_mean_the_same() {
        let wanted = vec![words(&["goto", "http://a/"]), words(&["fill", "#a", "b | c"]), words(&["snapshot", "-i"])];
        let json = r##"[["goto", "http://a/"], ["fill", "#a", "b | c"], ["snapshot", "-i"]]"##;
        assert_eq!(read("chain", &[json]).unwrap(), wanted);
        assert_eq!(read("chain", &["goto http://a/ | fill '#a' \"b | c\" | snapshot -i"]).unwrap(), wanted);
        assert_eq!(
            read("chain", &["goto", "http://a/", "|", "fill", "#a", "b | c", "|", "snapshot", "-i"]).unwrap(),
            wanted
        );
        assert_eq!(read("tab-each", &["snapshot", "-i"]).unwrap(), wanted[2..]);
        assert_eq!(read("tab-each", &["snapshot -i"]).unwrap(), wanted[2..]);
    }

    #[test]
    fn a_line_is_a_command() {
        let two = vec![words(&["url"]), words(&["text"])];
        for text in [
            "url\ntext",
            "url\r\ntext\r\n",
            "\n\n url \n\n\ttext\n\n",
            "# first\nurl\n  # then | this\ntext\n# end",
            "url |\n text",
            "url\n| text",
            "url | \n# a comment\ntext\n",
        ] {
            assert_eq!(read("chain", &[text]).unwrap(), two, "{text:?}");
        }
        let fill = |text: &str| read("chain", &[text]).unwrap().remove(0);
        assert_eq!(fill("fill '#a' 'one\ntwo'\nurl"), ["fill", "#a", "one\ntwo"]);
        assert_eq!(fill("fill #a one \\\n two\nurl"), ["fill", "#a", "one", "two"]);
        for wrong in ["# nothing", "\n\n", "url\n|", "| url", "url\n\n| | text"] {
            assert!(read("chain", &[wrong]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_will_not_run_is_refused_before_anything_runs() {
        for wrong in
            ["goto", "[]", "[[]]", "[1]", "nonsense", "chain url", "tab-each url", "url | | url", "url 'x", "url |"]
        {
            assert!(read("chain", &[wrong]).is_err(), "{wrong}");
        }
        assert!(read("tab-each", &["url", "|", "url"]).is_err());
        assert!(read("chain", &[&"url | ".repeat(MOST_COMMANDS)]).is_err());
        assert!(read("chain", &[&vec!["url"; MOST_COMMANDS].join(" | ")]).is_ok());
        assert!(read("chain", &["js", &"1".repeat(LARGEST_CHAIN)]).unwrap_err().contains("more than"));
    }

    #[test]
    fn the_class_is_the_highest_inside() {
        let class = |name: &str, args: &[&str]| Call::parse(name, &words(args)).unwrap().class();
        assert_eq!(class("chain", &["url | text"]), Class::Read);
        assert_eq!(class("chain", &["text | click #a"]), Class::Act);
        assert_eq!(class("chain", &["--", "click #a | js 1"]), Class::Control);
        assert_eq!(class("chain", &["text | cookies"]), Class::Secret);
        assert_eq!(class("chain", &["unreadable '"]), Class::Secret);
        assert_eq!(class("tab-each", &["text"]), Class::Read);
        assert_eq!(class("tab-each", &["chain", "text"]), Class::Secret);
        assert_eq!(class("click", &["#a"]), Class::Act);
        assert_eq!(class("js", &["1"]), Class::Control);
    }
}
