//! Which commands a `chain` or a `tab-each` runs.
//!
//! Owns the reading of both forms, and with it the class of such a call. Runs nothing.

use super::arguments::{Arguments, usage};
use super::registry;
use super::spec::{Class, Spec};
use crate::protocol::command::LARGEST_CHAIN;
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::Value;

pub(super) const CHAIN: &str = "chain";
pub(super) const TAB_EACH: &str = "tab-each";
/// The parameter that holds the commands, in both.
pub(super) const COMMANDS: &str = "commands";

/// Their outputs travel as one answer.
const MOST_COMMANDS: usize = 1000;

/// One command of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) args: Vec<String>,
}

impl Spec {
    /// The class of a call: the spec's own; of what runs other commands the highest among them. What can't be read, or
    /// names no command, has the highest of all.
    pub fn class_of(&self, args: &[String]) -> Class {
        let calls = match self.name {
            CHAIN | TAB_EACH => Arguments::parse(self, args).and_then(|arguments| calls(self, &arguments)),
            _ => return self.class,
        };
        let classes = calls.ok().map(|calls| {
            calls.iter().map(|call| registry::find(&call.name).map_or(Class::Secret, |inner| inner.class)).max()
        });
        classes.flatten().unwrap_or(Class::Secret)
    }
}

/// The commands of a `chain` or a `tab-each`, checked: each exists, takes its arguments and runs no others itself.
pub(super) fn calls(spec: &Spec, arguments: &Arguments) -> Result<Vec<Call>, Fault> {
    let words = arguments.list(COMMANDS);
    if words.iter().map(String::len).sum::<usize>() > LARGEST_CHAIN {
        let message = format!("{} was given more than {LARGEST_CHAIN} bytes", spec.name);
        return Err(Fault::new(FaultCode::TooLarge, message).hint("Run the commands in several chains."));
    }
    let calls = match words.as_slice() {
        [only] if spec.name == CHAIN && only.trim_start().starts_with('[') => from_json(spec, only)?,
        [only] => from_words(spec, &split(only).map_err(|message| usage(spec, message))?)?,
        several => {
            let words: Vec<Word> =
                several.iter().map(|word| Word { is_bar: word == "|", text: word.clone() }).collect();
            from_words(spec, &words)?
        }
    };
    if spec.name == TAB_EACH && calls.len() > 1 {
        return Err(usage(spec, "tab-each runs one command".to_owned()));
    }
    if calls.len() > MOST_COMMANDS {
        let message = format!("{} holds {} commands, and at most {MOST_COMMANDS} run", spec.name, calls.len());
        return Err(Fault::new(FaultCode::TooLarge, message).hint("Run the commands in several chains."));
    }
    for call in &calls {
        let inner = registry::get(&call.name)?;
        if matches!(inner.name, CHAIN | TAB_EACH) {
            return Err(usage(spec, format!("{} can't be run inside {}", inner.name, spec.name)));
        }
        Arguments::parse(inner, &call.args)?;
    }
    Ok(calls)
}

/// `[["goto", "url"], ["text"]]`
fn from_json(spec: &Spec, text: &str) -> Result<Vec<Call>, Fault> {
    let wrong = |message: String| usage(spec, message);
    let listed: Vec<Vec<Value>> = serde_json::from_str(text)
        .map_err(|error| wrong(format!("This is no list of commands ([[\"goto\", \"url\"], [\"text\"]]): {error}")))?;
    let mut calls = Vec::with_capacity(listed.len());
    for command in listed {
        let mut words = Vec::with_capacity(command.len());
        for value in command {
            match value {
                Value::String(text) => words.push(text),
                Value::Number(number) => words.push(number.to_string()),
                other => return Err(wrong(format!("{other} is no word of a command"))),
            }
        }
        calls.push(call(spec, words)?);
    }
    if calls.is_empty() { Err(wrong("There is no command in it".to_owned())) } else { Ok(calls) }
}

fn call(spec: &Spec, words: Vec<String>) -> Result<Call, Fault> {
    let mut words = words.into_iter();
    let name = words.next().ok_or_else(|| usage(spec, "One of the commands is empty".to_owned()))?;
    Ok(Call { name, args: words.collect() })
}

#[derive(Debug, PartialEq, Eq)]
struct Word {
    text: String,
    /// A `|` without quotes.
    is_bar: bool,
}

fn from_words(spec: &Spec, words: &[Word]) -> Result<Vec<Call>, Fault> {
    words
        .split(|word| word.is_bar)
        .map(|words| call(spec, words.iter().map(|word| word.text.clone()).collect()))
        .collect()
}

/// As a shell splits: spaces between words, quotes around them, a backslash before a character that means itself.
fn split(line: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut quoted = false;
    let mut characters = line.chars();
    let new = || Word { text: String::new(), is_bar: false };
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', Some('"') | None) => {
                let escaped = characters.next().ok_or("a backslash ends the line")?;
                quoted = true;
                word.get_or_insert_with(new).text.push(escaped);
            }
            (_, Some(_)) => word.get_or_insert_with(new).text.push(character),
            ('"' | '\'', None) => {
                quote = Some(character);
                quoted = true;
                word.get_or_insert_with(new);
            }
            (space, None) if space.is_whitespace() => {
                if let Some(mut done) = word.take() {
                    done.is_bar = done.text == "|" && !quoted;
                    words.push(done);
                }
                quoted = false;
            }
            (_, None) => word.get_or_insert_with(new).text.push(character),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    if let Some(mut done) = word {
        done.is_bar = done.text == "|" && !quoted;
        words.push(done);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{Call, LARGEST_CHAIN, MOST_COMMANDS, calls};
    use crate::command::arguments::Arguments;
    use crate::command::registry;
    use crate::command::spec::Class;

    fn words(args: &[&str]) -> Vec<String> {
        args.iter().map(|word| (*word).to_owned()).collect()
    }

    fn read(name: &str, args: &[&str]) -> Result<Vec<Call>, String> {
        let spec = registry::get(name).unwrap();
        let arguments = Arguments::parse(spec, &words(args)).map_err(|fault| fault.message)?;
        calls(spec, &arguments).map_err(|fault| fault.message)
    }

    #[test]
    fn both_forms_mean_the_same() {
        let wanted = vec![
            Call { name: "goto".to_owned(), args: words(&["http://a/"]) },
            Call { name: "fill".to_owned(), args: words(&["#a", "b | c"]) },
            Call { name: "snapshot".to_owned(), args: words(&["-i"]) },
        ];
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
        let class = |name: &str, args: &[&str]| registry::get(name).unwrap().class_of(&words(args));
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
