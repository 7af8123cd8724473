//! From strings to a command's arguments, and the errors of that.
//!
//! Owns the grammar: flags anywhere before `--`, the rest by position. Does no IO.

use super::spec::{Kind, Spec};
use crate::protocol::fault::{Fault, FaultCode};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    #[error("{command} needs <{argument}>")]
    Missing { command: &'static str, argument: &'static str },
    #[error("{command} takes no more arguments, but got {extra:?}")]
    TooMany { command: &'static str, extra: String },
    #[error("Unknown {command} flag: {flag}")]
    UnknownFlag { command: &'static str, flag: String },
    #[error("{flag} of {command} needs a value")]
    NoValue { command: &'static str, flag: &'static str },
    #[error("{name} of {command} must be a number, not {text:?}")]
    NoNumber { command: &'static str, name: &'static str, text: String },
}

impl UsageError {
    fn command(&self) -> &'static str {
        match self {
            Self::Missing { command, .. }
            | Self::TooMany { command, .. }
            | Self::UnknownFlag { command, .. }
            | Self::NoValue { command, .. }
            | Self::NoNumber { command, .. } => command,
        }
    }
}

impl From<UsageError> for Fault {
    fn from(error: UsageError) -> Self {
        let command = error.command();
        let usage = super::registry::find(command).map(Spec::usage).unwrap_or_default();
        Self::new(FaultCode::BadRequest, error.to_string()).hint(format!("Usage: {command} {usage}"))
    }
}

/// Arguments that fit their command.
#[derive(Clone, Debug)]
pub struct Arguments {
    spec: &'static Spec,
    positional: Vec<String>,
    flags: BTreeMap<&'static str, String>,
}

impl Arguments {
    pub(super) fn parse(spec: &'static Spec, given: &[String]) -> Result<Self, UsageError> {
        let mut parsed = Self { spec, positional: Vec::new(), flags: BTreeMap::new() };
        let takes_text = spec.arguments.iter().any(|a| a.rest && a.kind == Kind::Text);
        let mut given = given.iter();
        while let Some(text) = given.next() {
            if text == "--" {
                parsed.positional.extend(given.by_ref().cloned());
                break;
            }
            let (name, inline) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (text.as_str(), None),
            };
            match spec.flags.iter().find(|flag| flag.name == name) {
                Some(flag) if flag.value.is_some() => {
                    let value = inline.or_else(|| given.next().cloned());
                    let value = value.ok_or(UsageError::NoValue { command: spec.name, flag: flag.name })?;
                    if flag.kind == Kind::Number && value.parse::<f64>().is_err() {
                        return Err(UsageError::NoNumber { command: spec.name, name: flag.name, text: value });
                    }
                    parsed.flags.insert(flag.name, value);
                }
                Some(flag) if inline.is_none() => {
                    parsed.flags.insert(flag.name, String::new());
                }
                // `-5` and `-` are values, and so is anything where free text is typed.
                _ if looks_like_flag(text) && !takes_text => {
                    return Err(UsageError::UnknownFlag { command: spec.name, flag: text.clone() });
                }
                _ => parsed.positional.push(text.clone()),
            }
        }
        parsed.check()?;
        Ok(parsed)
    }

    fn check(&self) -> Result<(), UsageError> {
        let command = self.spec.name;
        for (at, argument) in self.spec.arguments.iter().enumerate() {
            match self.positional.get(at) {
                None if argument.required => return Err(UsageError::Missing { command, argument: argument.name }),
                Some(text) if argument.kind == Kind::Number && text.parse::<f64>().is_err() => {
                    return Err(UsageError::NoNumber { command, name: argument.name, text: text.clone() });
                }
                _ => {}
            }
        }
        let open_end = self.spec.arguments.last().is_some_and(|last| last.rest);
        match self.positional.get(self.spec.arguments.len()) {
            Some(extra) if !open_end => Err(UsageError::TooMany { command, extra: extra.clone() }),
            _ => Ok(()),
        }
    }

    /// A required argument by its name; a `rest` one joined by single spaces.
    pub fn text(&self, name: &str) -> String {
        self.optional(name).unwrap_or_default()
    }

    /// An argument by its name, where it was given.
    pub fn optional(&self, name: &str) -> Option<String> {
        let at = self.spec.arguments.iter().position(|argument| argument.name == name)?;
        if self.spec.arguments[at].rest {
            return self.positional.get(at..).filter(|rest| !rest.is_empty()).map(|rest| rest.join(" "));
        }
        self.positional.get(at).cloned()
    }

    /// What a `rest` argument took, one by one.
    pub fn rest(&self, name: &str) -> Vec<String> {
        let at = self.spec.arguments.iter().position(|argument| argument.name == name);
        at.and_then(|at| self.positional.get(at..)).map(<[String]>::to_vec).unwrap_or_default()
    }

    /// Whether a switch was given.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains_key(flag)
    }

    /// A flag's value.
    pub fn value(&self, flag: &str) -> Option<&str> {
        self.flags.get(flag).map(String::as_str)
    }

    /// A flag's value as a number; `parse` has checked that it is one.
    pub fn number(&self, flag: &str) -> Option<f64> {
        self.value(flag).and_then(|text| text.parse().ok())
    }
}

fn looks_like_flag(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    text.starts_with('-') && name.starts_with(|c: char| c.is_ascii_alphabetic())
}
