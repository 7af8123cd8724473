//! Errors in a form that a program can decide by and a person can act on.
//!
//! Owns the stable codes and the shape of a fault. Never maps a particular error to a code:
//! each layer does that where its error is defined.

use super::sentence::{SaidPhrase, Sentence};
use super::told;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A stable code. Programs decide by it, never by the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// The message was not valid JSON or not of the shape that its method takes.
    BadRequest,
    /// No such method or command.
    Unknown,
    /// The other side speaks a protocol that this one does not serve.
    ProtocolMismatch,
    /// The caller may not do this.
    Forbidden,
    /// The side panel's browser is not confirmed by the person.
    PanelUnconfirmed,
    /// The named thing does not exist (tab, conversation, ref, file …).
    NotFound,
    /// The request can't be served in the present state (queue full, name taken …).
    Conflict,
    /// A limit of size or count was passed.
    TooLarge,
    /// It took longer than its limit.
    Timeout,
    /// A person or a newer request ended it.
    Cancelled,
    /// The policy or a person said no.
    Denied,
    /// The native messaging host could not reach or start the daemon.
    DaemonDown,
    /// The daemon is handing over to a newer one.
    Updating,
    /// There is no browser, or it went away.
    BrowserDown,
    /// The tab crashed or was closed.
    TabGone,
    /// The page could not be loaded.
    Navigation,
    /// The element was not found, not unique or not actionable.
    Element,
    /// The page's script threw.
    Script,
    /// A writing command was cut off; whether it took effect is not known. Never retried by itself.
    OutcomeUnknown,
    /// The agent's program was not found.
    AgentMissing,
    /// The agent is not signed in.
    AgentSignedOut,
    /// The agent's process ended when it should not have.
    AgentCrashed,
    /// The agent reported an error (API down, rate limit, bad key …).
    AgentError,
    /// The disk is full, read-only or not ours.
    Storage,
    /// A path lies outside the folders that are open to the caller.
    PathRefused,
    /// An address that gstack does not open (scheme or metadata host).
    UrlRefused,
    /// A defect of gstack itself.
    Internal,
}

/// A hop of the way from the panel to the agent, so that trouble is named by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hop {
    Panel,
    Background,
    Host,
    Daemon,
    Browser,
    Agent,
}

/// An error as it travels: `error` of a JSON-RPC response, and the body of an HTTP error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Fault {
    pub code: FaultCode,
    /// The problem in words.
    pub message: String,
    /// The next step, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// A shell command that fixes it; the panel offers to copy it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The hop at which it broke, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop: Option<Hop>,
    /// Message and hint as codes, if they have some: a panel that has words for a code says it in its own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Box<FaultWords>>,
    /// The part of the message that a page has said, until it is known who reads it. Never travels.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub page_words: Option<Box<PageWords>>,
    /// Something was asked of the browser and not answered: it may happen all the same. Never travels.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub unanswered: bool,
}

/// A fault's sentences as codes of `protocol::told`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FaultWords {
    /// What happened. Absent: only the message says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<SaidPhrase>,
    /// What a program said about it, in its own words: they stand in brackets behind the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The next step. Absent: only the hint says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<SaidPhrase>,
}

impl FaultWords {
    /// A sentence as the wire carries it: its English, and its code if it has one.
    pub fn of(sentence: Sentence) -> (String, Option<Box<Self>>) {
        let Sentence { text, phrase, said } = sentence;
        let words = phrase.map(|message| Box::new(Self { message: Some(message), said, hint: None }));
        (text, words)
    }
}

/// A fault's message in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageWords {
    pub ours: String,
    pub theirs: String,
}

impl Fault {
    pub fn new(code: FaultCode, message: impl Into<Sentence>) -> Self {
        let (text, words) = FaultWords::of(message.into());
        Self { code, message: text, hint: None, command: None, hop: None, words, page_words: None, unanswered: false }
    }
    /// A defect of gstack itself.
    pub fn internal(why: impl fmt::Display) -> Self {
        Self::new(FaultCode::Internal, why.to_string())
    }
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Sentence>) -> Self {
        let Sentence { text, phrase, .. } = hint.into();
        self.hint = Some(text);
        if self.words.is_some() || phrase.is_some() {
            self.words.get_or_insert_default().hint = phrase;
        }
        self
    }
    /// The same with another message.
    #[must_use]
    pub fn saying(mut self, message: impl Into<Sentence>) -> Self {
        let Sentence { text, phrase, said } = message.into();
        self.message = text;
        if self.words.is_some() || phrase.is_some() {
            let words = self.words.get_or_insert_default();
            (words.message, words.said) = (phrase, said);
        }
        self
    }
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
    /// Tells our words in the message from those of a page.
    #[must_use]
    pub fn page_words(mut self, words: Option<PageWords>) -> Self {
        self.page_words = words.map(Box::new);
        self
    }
    /// Says that what was asked may happen all the same.
    #[must_use]
    pub fn unanswered(mut self, unanswered: bool) -> Self {
        self.unanswered = unanswered;
        self
    }
    /// The fault of something that only reads: cut off, it has simply failed.
    #[must_use]
    pub fn of_reader(mut self) -> Self {
        if self.code == FaultCode::OutcomeUnknown {
            self.code = FaultCode::DaemonDown;
            self = self.hint(told::CHANGED_NOTHING);
        }
        self
    }
    /// The fault of something that writes: a daemon that does not answer may have done it.
    #[must_use]
    pub fn of_writer(mut self) -> Self {
        if self.code == FaultCode::Timeout && self.hop == Some(Hop::Daemon) {
            self.code = FaultCode::OutcomeUnknown;
        }
        self
    }
    /// As HTTP and `--json` answer it: `{"ok": false, "error", "hint", "outcome", "fault"}`. `outcome` is `unknown` where a
    /// writing command was cut off, else absent.
    pub fn answer(&self) -> FaultAnswer<'_> {
        FaultAnswer {
            ok: false,
            error: &self.message,
            hint: self.hint.as_deref(),
            outcome: (self.code == FaultCode::OutcomeUnknown).then_some("unknown"),
            fault: self,
        }
    }
    #[must_use]
    pub fn at(mut self, hop: Hop) -> Self {
        self.hop = Some(hop);
        self
    }
}

/// The answer that `Fault::answer` gives.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FaultAnswer<'a> {
    ok: bool,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    fault: &'a Fault,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
