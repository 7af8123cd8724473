//! What can go wrong with any agent's program, each with its code, words and next step.
//!
//! Owns the words that are the same for all. What an agent's own errors mean is its adapter's.

use super::clip::one_line;
use super::process::child::ChildError;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use serde_json::Value;
use std::path::Path;

/// What an error of a program may add to our own words.
pub const LONGEST_TOLD: usize = 500;

/// An API's answer comes whole, as JSON: its message is what a person reads.
pub fn said_by_api(message: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(message).ok();
    let inner = parsed.as_ref().and_then(|value| value.pointer("/error/message")).and_then(Value::as_str);
    inner.unwrap_or(message).to_owned()
}

/// An agent's program as faults name it.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// As people know it: `Codex`.
    pub label: &'a str,
    /// The command that installs it, where there is one.
    pub install: Option<&'a str>,
    /// What shows in a terminal whether it runs at all: `codex --version`.
    pub check: &'a str,
}

impl Program<'_> {
    /// `configured`: the path that the configuration names.
    pub fn missing(self, configured: Option<&Path>) -> Fault {
        let message = match configured {
            Some(path) => format!("{} is not at {}, where the configuration says.", self.label, path.display()),
            None => format!("{} is not installed.", self.label),
        };
        self.with_install(
            Fault::new(FaultCode::AgentMissing, message)
                .hint("Install it, or set its path in the configuration; then look again."),
        )
    }

    /// It is there and does not work.
    pub fn broken(self, why: &str) -> Fault {
        let message = format!("{} does not start: {}", self.label, one_line(why, LONGEST_TOLD));
        let hint = format!("Run `{}` in a terminal; installing it again often fixes it.", self.check);
        self.with_install(Fault::new(FaultCode::AgentCrashed, message).hint(hint))
    }

    pub fn silent_start(self, seconds: u64) -> Fault {
        Fault::new(FaultCode::Timeout, format!("{} did not get ready within {seconds} s.", self.label))
            .hint(format!("Run `{}` in a terminal to see whether it starts there.", self.check))
            .at(Hop::Agent)
    }

    pub fn not_spawned(self, error: &ChildError) -> Fault {
        match error {
            ChildError::NoFolder(folder) => {
                let message = format!("The conversation's folder {} is not there.", folder.display());
                Fault::new(FaultCode::NotFound, message)
                    .hint("Choose another folder for this conversation.")
                    .at(Hop::Daemon)
            }
            ChildError::Start { .. } => self.broken(&error.to_string()),
        }
    }

    /// Its private files could not be written.
    pub fn not_written(self, error: &std::io::Error) -> Fault {
        let message = format!("{}'s configuration could not be written: {error}", self.label);
        Fault::new(FaultCode::Storage, message)
            .hint("Check that the disk is not full and that gstack's folder is yours.")
            .at(Hop::Daemon)
    }

    fn with_install(self, fault: Fault) -> Fault {
        let fault = fault.at(Hop::Agent);
        match self.install {
            Some(command) => fault.command(command),
            None => fault,
        }
    }
}

/// Its process ended when it should not have.
pub fn crashed(label: &str, how: &str, last_words: Option<&str>) -> Fault {
    let message = match last_words {
        Some(words) => format!("{label} ended unexpectedly ({how}): {words}"),
        None => format!("{label} ended unexpectedly ({how})."),
    };
    Fault::new(FaultCode::AgentCrashed, message)
        .hint("Send the message again: the conversation goes on.")
        .at(Hop::Agent)
}

/// A message came while a turn runs.
pub fn busy(label: &str) -> Fault {
    Fault::new(FaultCode::Conflict, format!("{label} still works on the message before."))
        .hint("Wait until its turn has ended.")
        .at(Hop::Agent)
}

/// Why an API gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiTrouble {
    Overloaded,
    RateLimit,
    SignIn,
    Network,
}

impl ApiTrouble {
    /// Reads the trouble from an error's words, for a program that passes on neither kind nor status: an API that fails in
    /// mid-stream reports an error event after its status 200. These are the APIs' and the HTTP clients' own words.
    pub fn from_words(said: &str) -> Option<Self> {
        const WORDS: [(ApiTrouble, &[&str]); 4] = [
            (ApiTrouble::Overloaded, &["overloaded", "at capacity", "high demand"]),
            (ApiTrouble::RateLimit, &["rate limit", "rate_limit", "too many requests", "quota"]),
            (ApiTrouble::SignIn, &["api key", "api_key", "authentication", "unauthorized"]),
            (
                ApiTrouble::Network,
                &[
                    "unable to connect",
                    "connection closed",
                    "connection error",
                    "econn",
                    "enotfound",
                    "eai_again",
                    "etimedout",
                    "fetch failed",
                    "socket hang up",
                    "timed out",
                    "error sending request",
                ],
            ),
        ];
        let said = said.to_lowercase();
        WORDS.iter().find(|(_, words)| words.iter().any(|word| said.contains(word))).map(|(trouble, _)| *trouble)
    }
}

/// Told by an agent's own API error, with what the agent said about it.
pub fn api(message: &str, said: &str, hint: &str) -> Fault {
    let said = one_line(said, LONGEST_TOLD);
    let message = if said.is_empty() { message.to_owned() } else { format!("{message} ({said})") };
    Fault::new(FaultCode::AgentError, message).hint(hint).at(Hop::Agent)
}

/// Told when an earlier session can't be gone on with.
pub const FRESH_START: &str =
    "The agent's earlier session is not there any more: it starts again and is given what was said here.";

#[cfg(test)]
mod tests {
    use super::ApiTrouble;

    #[test]
    fn words_of_apis_tell_what_the_trouble_is() {
        for (said, trouble) in [
            ("API Error: Overloaded", Some(ApiTrouble::Overloaded)),
            ("Selected model is at capacity. Please try a different model.", Some(ApiTrouble::Overloaded)),
            ("Rate limit reached for gpt-5", Some(ApiTrouble::RateLimit)),
            ("Invalid API key", Some(ApiTrouble::SignIn)),
            ("API Error: Unable to connect to API (ECONNRESET)", Some(ApiTrouble::Network)),
            ("API Error: Connection closed mid-response.", Some(ApiTrouble::Network)),
            ("API Error: Internal server error", None),
            ("", None),
        ] {
            assert_eq!(ApiTrouble::from_words(said), trouble, "{said}");
        }
    }
}
