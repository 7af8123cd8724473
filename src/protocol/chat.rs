//! The parts of a conversation: events with consecutive numbers, and growing text.
//!
//! The journal's lines and the panel's events use the same types. Never holds state.

use super::action::ActionRecord;
pub use super::basics::{Millis, Seq};
pub use super::chat_push::{ChatDelta, ChatEventPush, ChatGap};
pub use super::conversation::{
    AllowedTab, ConversationInfo, ConversationState, EarlierConversation, HistoryPage, Subscribed, Worktree,
};
pub use super::decision::Decision;
use super::fault::{Fault, FaultWords};
use super::ids::{AgentName, ApprovalId, ClientMessageId, FileId, QuestionId, StepId, TurnId};
pub use super::page_context::{LONGEST_ADDRESS, LONGEST_SELECTION, LONGEST_TITLE, PageContext};
pub use super::sentence::SaidPhrase;
use super::sentence::Sentence;
use serde::{Deserialize, Serialize};

/// The maximum number of messages waiting behind the running one. The panel reads it from
/// `extension/shared/constants.js`.
pub const QUEUE_LIMIT: usize = 5;
/// The maximum length of a message's text, as JSON. Its event, which also contains a page and attachments, fits into
/// one frame.
pub const LONGEST_MESSAGE: usize = 640 * 1024;

/// One event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatEvent {
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    #[cfg_attr(test, ts(type = "number"))]
    pub at: Millis,
    #[serde(flatten)]
    pub body: ChatBody,
}

/// The content of an event. A reader ignores an unknown `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ChatBody {
    /// A person's message was accepted. It stays queued until a `turn-started` names it.
    Message {
        client_id: ClientMessageId,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageContext>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
        /// Where it was typed.
        from: MessageSource,
        /// The model requested for this message's turn only: `fast`, `deep` or one of the agent's models.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A queued message was removed before its turn started.
    MessageRemoved {
        client_id: ClientMessageId,
    },
    TurnStarted {
        turn_id: TurnId,
        client_id: ClientMessageId,
        agent: AgentName,
        /// The agent's display name: `Claude Code`, `Built-in`.
        agent_label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Whether the message was exactly one command, which runs without a model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        direct: bool,
    },
    /// A block of the agent's answer, as Markdown. It starts empty and grows by `chat.delta`; when read from the
    /// journal, it contains the full text.
    Text {
        turn_id: TurnId,
        text: String,
    },
    /// The agent's reasoning, if reported. Grows like `text`.
    Thinking {
        turn_id: TurnId,
        text: String,
    },
    /// The agent performs an action.
    Step {
        turn_id: TurnId,
        step_id: StepId,
        kind: StepKind,
        /// The action in plain words, without its object: `Opening`, `Clicking`.
        verb: String,
        /// The object of the action: `example.com`, `Submit`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same text as a code, for translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The tool's own name, for the details view.
        tool: String,
        /// The arguments as JSON text, cut at 4 KiB. Typed text is only counted, as it may be a password.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    /// More details of a step: the name of the element that a selector matched, and its arguments including typed text,
    /// unless it is a password.
    StepUpdated {
        turn_id: TurnId,
        step_id: StepId,
        /// Replaces the step's object; empty to keep it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same text as a code, for translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// Replaces the step's arguments; empty to keep them.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    StepDone {
        turn_id: TurnId,
        step_id: StepId,
        outcome: StepOutcome,
        #[cfg_attr(test, ts(type = "number"))]
        duration_ms: u64,
        /// The result's text, cut at 4 KiB.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        result: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Attachment>,
    },
    /// The agent must wait until a person answers.
    Approval {
        turn_id: TurnId,
        approval_id: ApprovalId,
        /// The request: `Click “Revoke key”`.
        ask: String,
        /// The same text as a code, for translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The host of the page that it concerns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<String>,
        /// Why gstack asks although a rule seems to allow it. The agent's own reason is in `action.agentReason`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// The reason as a code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why_words: Option<Box<FaultWords>>,
        /// The command as it would run, on one line: `click @e14`.
        does: String,
        /// Everything that it would do. Absent in conversations from older versions.
        #[serde(default)]
        action: Box<ActionRecord>,
        kind: StepKind,
        /// The possible answers.
        choices: Vec<Decision>,
    },
    ApprovalDone {
        turn_id: TurnId,
        approval_id: ApprovalId,
        decision: Decision,
        by: AnsweredBy,
    },
    /// The agent's plan. A later plan in the same turn replaces it.
    Plan {
        turn_id: TurnId,
        entries: Vec<PlanEntry>,
    },
    /// The agent asks the person a question and waits for the answer.
    Question {
        turn_id: TurnId,
        question_id: QuestionId,
        parts: Vec<QuestionPart>,
    },
    QuestionDone {
        turn_id: TurnId,
        question_id: QuestionId,
        /// One list of answers for each part; empty if the question was withdrawn or not answered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    },
    /// Information for the person while the turn continues: a retry, a rate limit.
    Notice {
        turn_id: TurnId,
        text: String,
        /// The text as a code, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<Box<FaultWords>>,
    },
    TurnDone {
        turn_id: TurnId,
        outcome: TurnOutcome,
        #[cfg_attr(test, ts(type = "number"))]
        duration_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The cost of this turn, in US dollars, if the agent reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// The model's input and output tokens in this turn, if the agent reports them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// The reason of a failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
}

impl ChatBody {
    /// Creates a notice that panels can translate.
    pub fn notice(turn_id: TurnId, sentence: Sentence) -> Self {
        let (text, words) = FaultWords::of(sentence);
        Self::Notice { turn_id, text, words }
    }
}

/// Where a message was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MessageSource {
    Panel,
    Terminal,
}

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PlanEntry {
    pub text: String,
    pub status: PlanStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlanStatus {
    Pending,
    Running,
    Done,
}

/// One question with suggested answers; a person may also write their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct QuestionPart {
    pub text: String,
    /// A title of one or two words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub header: String,
    pub options: Vec<QuestionOption>,
    /// Whether several answers may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct QuestionOption {
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input tokens, without those read from the cache.
    #[cfg_attr(test, ts(type = "number"))]
    pub input_tokens: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_tokens: u64,
    /// Read from the provider's cache.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub cached_tokens: u64,
    /// The number of tokens in the model's context window now, and the window's size; 0 if not reported.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_tokens: u64,
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_window: u64,
}

/// A file stored with the conversation. `file.read` returns its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Attachment {
    pub id: FileId,
    pub name: String,
    /// The media type: `image/png`.
    pub mime: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
}

/// The kind of a step, for its icon and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Navigate,
    Read,
    Act,
    Control,
    File,
    Shell,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    Ok,
    Failed,
    Denied,
    /// It was cut off; whether it took effect is unknown.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TurnOutcome {
    Done,
    Failed,
    /// A person stopped it.
    Stopped,
    /// The daemon ended while it ran.
    Interrupted,
}

/// Who or what answered an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AnsweredBy {
    Panel,
    Terminal,
    /// The turn ended, or the agent withdrew its request.
    Withdrawn,
    /// An existing rule.
    Rule,
    /// Nobody answered in time.
    Timeout,
}
