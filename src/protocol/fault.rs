//! Errors that a program can handle and a person can act on.
//!
//! Owns the stable codes and the structure of a fault. Never maps a particular error to a code: each layer does that
//! where it defines its errors.

use super::catalogue;
use super::sentence::{LocalizedPhrase, Sentence};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A stable code. Programs rely on it, never on the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// The message is not valid JSON, or does not match its method.
    BadRequest,
    /// No such method or command.
    Unknown,
    /// The other side's protocol version is not supported.
    ProtocolMismatch,
    /// The caller is not allowed to do this.
    Forbidden,
    /// The person has not confirmed the side panel's browser.
    PanelUnconfirmed,
    /// The named thing does not exist (tab, conversation, ref, file …).
    NotFound,
    /// The current state does not permit the request (queue full, name taken …).
    Conflict,
    /// Another driver leases the tab; the message names it.
    Leased,
    /// A size or count exceeds its limit.
    TooLarge,
    /// It exceeded its time limit.
    Timeout,
    /// A person or a newer request cancelled it.
    Cancelled,
    /// The policy or a person denied it.
    Denied,
    /// The native messaging host could not reach or start the daemon.
    DaemonDown,
    /// A newer daemon is replacing this one.
    Updating,
    /// There is no browser, or the connection to it was lost.
    BrowserDown,
    /// The tab crashed or was closed.
    TabGone,
    /// The page could not be loaded.
    Navigation,
    /// The element is missing, ambiguous or not actionable.
    Element,
    /// A script in the page threw an error.
    Script,
    /// A command that writes was interrupted; whether it took effect is unknown. Never retried automatically.
    OutcomeUnknown,
    /// The agent's program was not found.
    AgentMissing,
    /// The agent is not signed in.
    AgentSignedOut,
    /// The agent's process exited unexpectedly.
    AgentCrashed,
    /// The agent reported an error (API down, rate limit, invalid key …).
    AgentError,
    /// The disk is full or read-only, or belongs to another user.
    Storage,
    /// The path is outside the folders open to the caller.
    PathRefused,
    /// gstack does not open this address (scheme or metadata host).
    UrlRefused,
    /// A bug in gstack itself.
    Internal,
}

/// A hop between the panel and the agent, used to locate a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hop {
    /// The side panel's page.
    Panel,
    /// The extension's background worker.
    Background,
    /// The native messaging host.
    Host,
    /// The daemon.
    Daemon,
    /// The browser, and the connection to it.
    Browser,
    /// The agent's program.
    Agent,
}

/// An error as sent: the `error` of a JSON-RPC response, and the body of an HTTP error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Fault {
    /// What went wrong, for programs.
    pub code: FaultCode,
    /// The problem, for people.
    pub message: String,
    /// The next step, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// A shell command that fixes it; the panel offers to copy it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The hop that failed, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop: Option<Hop>,
    /// Message and hint as codes, if they have any, for panels that can translate them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Box<FaultWords>>,
    /// The part of the message that comes from a page, kept apart until the reader is known. Never sent.
    #[serde(skip)]
    #[cfg_attr(feature = "for-tests", ts(skip))]
    pub page_words: Option<Box<PageWords>>,
    /// Whether a request to the browser was left unanswered: it may still take effect. Never sent.
    #[serde(skip)]
    #[cfg_attr(feature = "for-tests", ts(skip))]
    pub unanswered: bool,
    /// Whether nothing was done because the page is not the one that was checked. Never sent.
    #[serde(skip)]
    #[cfg_attr(feature = "for-tests", ts(skip))]
    pub page_changed: bool,
    /// What the agent needs of the person to start. Never sent.
    #[serde(skip)]
    #[cfg_attr(feature = "for-tests", ts(skip))]
    pub needs: Option<Box<AgentNeed>>,
}

/// What an agent needs of the person to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentNeed {
    /// A folder in the home directory that it could not write, and that the person may open to it.
    Folder(PathBuf),
    /// A sign-in: the ways that it offers and can go itself.
    SignIn(Vec<SignInWay>),
}

/// A way to sign in to an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignInWay {
    /// The agent's name for it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it means; empty if the agent does not say.
    pub description: String,
}

/// A fault's sentences as codes of `protocol::catalogue`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FaultWords {
    /// What happened. If absent, only `message` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<LocalizedPhrase>,
    /// The output of a program about it, appended to the message in parentheses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The next step. If absent, only `hint` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<LocalizedPhrase>,
}

impl FaultWords {
    /// Splits a sentence into the form that is sent: its English text, and its code if it has one.
    pub fn of(sentence: Sentence) -> (String, Option<Box<Self>>) {
        let Sentence { text, phrase, said } = sentence;
        let words = phrase.map(|message| Box::new(Self { message: Some(message), said, hint: None }));
        (text, words)
    }
}

/// A fault's message in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageWords {
    /// The words that gstack chose.
    pub ours: String,
    /// The words that a page chose, which are not to be trusted.
    pub theirs: String,
}

impl Fault {
    /// Creates a fault with a message, and without a hint or a hop.
    pub fn new(code: FaultCode, message: impl Into<Sentence>) -> Self {
        let (text, words) = FaultWords::of(message.into());
        Self {
            code,
            message: text,
            hint: None,
            command: None,
            hop: None,
            words,
            page_words: None,
            unanswered: false,
            page_changed: false,
            needs: None,
        }
    }
    /// Creates the fault for a bug in gstack itself.
    pub fn internal(why: impl fmt::Display) -> Self {
        Self::new(FaultCode::Internal, why.to_string())
    }
    /// Sets the next step, for people.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Sentence>) -> Self {
        let Sentence { text, phrase, .. } = hint.into();
        self.hint = Some(text);
        if self.words.is_some() || phrase.is_some() {
            self.words.get_or_insert_default().hint = phrase;
        }
        self
    }
    /// Replaces the message.
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
    /// Sets the shell command that fixes it.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
    /// Separates our words in the message from a page's words.
    #[must_use]
    pub fn page_words(mut self, words: Option<PageWords>) -> Self {
        self.page_words = words.map(Box::new);
        self
    }
    /// Marks whether the request may still take effect.
    #[must_use]
    pub fn unanswered(mut self, unanswered: bool) -> Self {
        self.unanswered = unanswered;
        self
    }
    /// Converts an unknown outcome of a request that only reads: since nothing changed, it simply failed.
    #[must_use]
    pub fn of_reader(mut self) -> Self {
        if self.code == FaultCode::OutcomeUnknown {
            self.code = FaultCode::DaemonDown;
            self = self.hint(catalogue::CHANGED_NOTHING);
        }
        self
    }
    /// Converts the daemon's timeout for a request that writes: the outcome is unknown.
    #[must_use]
    pub fn of_writer(mut self) -> Self {
        if self.code == FaultCode::Timeout && self.hop == Some(Hop::Daemon) {
            self.code = FaultCode::OutcomeUnknown;
        }
        self
    }
    /// Returns the answer for HTTP and `--json`: `{"ok": false, "error", "hint", "outcome", "fault"}`. `outcome` is
    /// `unknown` if a command that writes was cut off, otherwise absent.
    pub fn answer(&self) -> FaultAnswer<'_> {
        FaultAnswer {
            ok: false,
            error: &self.message,
            hint: self.hint.as_deref(),
            outcome: (self.code == FaultCode::OutcomeUnknown).then_some("unknown"),
            fault: self,
        }
    }
    /// Sets the hop that failed.
    #[must_use]
    pub fn at(mut self, hop: Hop) -> Self {
        self.hop = Some(hop);
        self
    }
}

/// The return type of `Fault::answer`.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
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
