//! The parts of a turn: its plan, its questions, its steps, and how these and the turn end.

use super::sentence::{LocalizedPhrase, Sentence};
use serde::{Deserialize, Serialize};

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PlanEntry {
    /// The line in the agent's words.
    pub text: String,
    /// How far the agent is with it.
    pub status: PlanStatus,
}

/// How far an agent is with a line of its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// The agent is working on it.
    Running,
    /// Finished.
    Done,
}

/// One question with suggested answers; unless it is closed, a person may also write their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct QuestionPart {
    /// The question in the agent's words.
    pub text: String,
    /// A title of one or two words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub header: String,
    /// The suggested answers, in the agent's order.
    pub options: Vec<QuestionOption>,
    /// Whether several answers may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
    /// Whether only the options are answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// The question, if it is gstack's own, for a panel in another language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<LocalizedPhrase>,
}

/// A suggested answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct QuestionOption {
    /// The text to choose, which is also the answer.
    pub label: String,
    /// What choosing it means; empty if the agent gives no explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The label, if it is gstack's own. The answer stays the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<LocalizedPhrase>,
    /// The description, if it is gstack's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_words: Option<LocalizedPhrase>,
}

impl QuestionOption {
    /// Returns an answer in an agent's words.
    pub fn plain(label: impl Into<String>, description: impl Into<String>) -> Self {
        Self { label: label.into(), description: description.into(), words: None, description_words: None }
    }

    /// Returns an answer of gstack's own.
    pub fn of(label: Sentence, description: Option<Sentence>) -> Self {
        let (label, words) = label.parts();
        let (description, description_words) = description.map(Sentence::parts).unwrap_or_default();
        Self { label, description, words, description_words }
    }
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input tokens, without those read from the cache.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub input_tokens: u64,
    /// Output tokens.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub output_tokens: u64,
    /// Read from the provider's cache.
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub cached_tokens: u64,
    /// The number of tokens in the model's context window now, and the window's size; 0 if not reported.
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub context_tokens: u64,
    /// The size of the model's context window, in tokens; 0 if not reported.
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub context_window: u64,
}

/// The kind of a step, for its icon and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// Goes to an address or within the history, or opens, chooses or closes a tab.
    Navigate,
    /// Reads a page, or fetches something from the web.
    Read,
    /// Acts on a page: clicks, types, scrolls, downloads or uploads.
    Act,
    /// Runs a script, intercepts requests, handles secrets, or changes the browser.
    Control,
    /// Reads, searches or changes files.
    File,
    /// Runs a shell command.
    Shell,
    /// Anything else, such as a tool that gstack does not know.
    Other,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// It succeeded.
    Ok,
    /// It failed; its result says why.
    Failed,
    /// The policy or a person denied it, so it did nothing.
    Denied,
    /// It was stopped before anything was sent, for example while its approval waited, so it did nothing.
    NotSent,
    /// It was sent and interrupted; whether it took effect is unknown.
    Unknown,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TurnOutcome {
    /// The agent finished its answer.
    Done,
    /// The turn could not be finished; its fault says why.
    Failed,
    /// A person stopped it.
    Stopped,
    /// The daemon ended while it ran.
    Interrupted,
}
