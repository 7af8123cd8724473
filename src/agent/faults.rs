//! The faults of any agent's program, each with its code, message and next step.
//!
//! Owns the messages that are the same for all agents. Each adapter maps its agent's own errors.

use super::adapter::AgentEnvironment;
use super::clip::one_line;
use super::process::child::ChildError;
use super::process::refused::{self, LastWords};
use super::sandbox::RefusedPath;
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{AgentNeed, Fault, FaultCode, Hop};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;

/// The longest text of a program's error that is added to our own message.
pub const LONGEST_TOLD: usize = 500;

/// Returns the message for a person from an API's answer, which is passed on as a whole, as JSON.
pub fn said_by_api(message: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(message).ok();
    let inner = parsed.as_ref().and_then(|value| value.pointer("/error/message")).and_then(Value::as_str);
    inner.unwrap_or(message).to_owned()
}

/// An agent's program, as faults name it.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The name shown to people: `Codex`.
    pub label: &'a str,
    /// The command that installs it, if there is one.
    pub install: Option<&'a str>,
    /// The command that shows in a terminal whether it runs: `codex --version`.
    pub check: &'a str,
    /// It is started in the sandbox.
    pub sandboxed: bool,
}

impl Program<'_> {
    /// Returns the fault for a program that was not found. `configured`: the path from the configuration.
    pub fn missing(self, configured: Option<&Path>) -> Fault {
        let message = match configured {
            Some(path) => catalogue::AGENT_NOT_AT.with([self.label, &path.display().to_string()]),
            None => catalogue::AGENT_MISSING.with([self.label]),
        };
        self.with_install(Fault::new(FaultCode::AgentMissing, message).hint(catalogue::AGENT_INSTALL))
    }

    /// Returns the fault for a program that exists but does not work.
    pub fn broken(self, why: &str) -> Fault {
        let why = one_line(why, LONGEST_TOLD);
        let (message, hint) = match self.sandboxed {
            true => (catalogue::AGENT_BROKEN_IN_SANDBOX, catalogue::AGENT_IN_SANDBOX_NEXT),
            false => (catalogue::AGENT_BROKEN, catalogue::AGENT_TRY_COMMAND),
        };
        let fault = Fault::new(FaultCode::AgentCrashed, message.with([self.label, &why]));
        self.with_install(fault.hint(hint.with([self.check])))
    }

    /// Returns the fault for a program whose output ended before it was ready. `last_words`: its errors.
    pub fn ended(self, how: &str, last_words: Option<&LastWords>, environment: &AgentEnvironment) -> Fault {
        let refused = last_words.and_then(|words| words.refused.as_deref()).filter(|_| self.sandboxed);
        match refused {
            Some(path) => self.refused(path, environment),
            None => self.broken(last_words.map_or(how, |words| words.line.as_str())),
        }
    }

    /// Returns the fault for a program that the sandbox kept from a path.
    fn refused(self, path: &Path, environment: &AgentEnvironment) -> Fault {
        let home = environment.variables.get(OsStr::new("HOME")).map(Path::new);
        let kind = RefusedPath::of(path, environment);
        let place = match &kind {
            RefusedPath::Own(folder) => refused::place(folder, home),
            RefusedPath::Closed => path.to_owned(),
            RefusedPath::Other => refused::place(path, home),
        };
        let place = one_line(&place.display().to_string(), LONGEST_TOLD);
        let fault = |message: MessageTemplate| {
            Fault::new(FaultCode::AgentCrashed, message.with([self.label, &place])).at(Hop::Agent)
        };
        let hint = || catalogue::AGENT_NEEDS_PATH_NEXT.with([place.trim_start_matches("~/")]);
        match kind {
            RefusedPath::Own(folder) => {
                let mut fault = fault(catalogue::AGENT_NEEDS_PATH).hint(hint());
                fault.needs = Some(Box::new(AgentNeed::Folder(folder)));
                fault
            }
            RefusedPath::Other => fault(catalogue::AGENT_NEEDS_PATH).hint(hint()),
            RefusedPath::Closed => {
                fault(catalogue::AGENT_WANTS_CLOSED).hint(catalogue::AGENT_TRY_COMMAND.with([self.check]))
            }
        }
    }

    pub fn silent_start(self, seconds: u64) -> Fault {
        Fault::new(FaultCode::Timeout, catalogue::AGENT_NOT_READY.with([self.label, &seconds.to_string()]))
            .hint(catalogue::AGENT_TRY_COMMAND.with([self.check]))
            .at(Hop::Agent)
    }

    pub fn not_spawned(self, error: &ChildError) -> Fault {
        match error {
            ChildError::NoFolder(folder) => {
                let message = catalogue::FOLDER_GONE.with([&folder.display().to_string()]);
                Fault::new(FaultCode::NotFound, message).hint(catalogue::CHOOSE_ANOTHER_FOLDER).at(Hop::Daemon)
            }
            ChildError::Start { .. } => self.broken(&error.to_string()),
        }
    }

    /// Returns the fault for private files that could not be written.
    pub fn not_written(self, error: &std::io::Error) -> Fault {
        let message = catalogue::AGENT_FILES.with([self.label, &error.to_string()]);
        Fault::new(FaultCode::Storage, message).hint(catalogue::AGENT_FILES_NEXT).at(Hop::Daemon)
    }

    fn with_install(self, fault: Fault) -> Fault {
        let fault = fault.at(Hop::Agent);
        match self.install {
            Some(command) => fault.command(command),
            None => fault,
        }
    }
}

/// Returns the fault for a process that ended unexpectedly.
pub fn crashed(label: &str, how: &str, last_words: Option<&str>) -> Fault {
    let message = match last_words {
        Some(words) => catalogue::AGENT_ENDED_SAYING.with([label, how, words]),
        None => catalogue::AGENT_ENDED.with([label, how]),
    };
    Fault::new(FaultCode::AgentCrashed, message).hint(catalogue::SEND_AGAIN_GOES_ON).at(Hop::Agent)
}

/// Returns the fault for a message that was sent while a turn runs.
pub fn busy(label: &str) -> Fault {
    Fault::new(FaultCode::Conflict, catalogue::AGENT_BUSY.with([label])).hint(catalogue::WAIT_FOR_END).at(Hop::Agent)
}

/// The reason why an API gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiTrouble {
    Overloaded,
    RateLimit,
    SignIn,
    Network,
}

impl ApiTrouble {
    /// Recognises the reason from an error's text, for a program that reports neither kind nor status: an API that
    /// fails mid-stream sends an error event after its status 200. The texts are those of the APIs and HTTP clients.
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

/// Returns the fault for an API error, with the agent's text about it.
pub fn api(message: Sentence, said: &str, hint: impl Into<Sentence>) -> Fault {
    let said = one_line(said, LONGEST_TOLD);
    Fault::new(FaultCode::AgentError, message.said(&said)).hint(hint).at(Hop::Agent)
}

/// Returns the time of a limit in the local time zone: `14:05`.
pub fn local_time(seconds: Option<i64>) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds?).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M").to_string())
}

/// Returns the fault for an agent that is not signed in.
pub fn signed_out(label: &str) -> Fault {
    Fault::new(FaultCode::AgentSignedOut, catalogue::AGENT_SIGNED_OUT.with([label]))
        .hint(catalogue::SIGN_IN)
        .at(Hop::Agent)
}

/// Returns the fault if the agent never reported its first model, so that only a new process can use it.
pub fn own_model_unknown(label: &str) -> Fault {
    Fault::new(FaultCode::AgentError, catalogue::AGENT_NO_OWN_MODEL.with([label])).at(Hop::Agent)
}

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
