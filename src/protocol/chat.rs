//! The parts of a conversation: events with gapless numbers, and text that grows.
//!
//! The same types are the journal's lines and the panel's events. Never holds state.

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

/// How many messages may wait behind the running one. The panel has it from `extension/shared/constants.js`.
pub const QUEUE_LIMIT: usize = 5;
/// The longest text of a message, as JSON. Its event has a page and attachments too, and fits into one frame.
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

/// An event. A reader ignores a `type` that it does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ChatBody {
    /// A person's message was accepted. It waits in the queue until a `turn-started` names it.
    Message {
        client_id: ClientMessageId,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageContext>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
        /// The place where it was typed.
        from: MessageSource,
        /// The model that was asked for with it, for its turn alone: `fast`, `deep` or one of the agent's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A waiting message was taken back before its turn began.
    MessageRemoved {
        client_id: ClientMessageId,
    },
    TurnStarted {
        turn_id: TurnId,
        client_id: ClientMessageId,
        agent: AgentName,
        /// The agent's name as people know it: `Claude Code`, `Built-in`.
        agent_label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The message was exactly one command and runs without a model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        direct: bool,
    },
    /// A block of the agent's answer, as Markdown. It begins empty and grows by `chat.delta`;
    /// read back from the journal it holds all of its text.
    Text {
        turn_id: TurnId,
        text: String,
    },
    /// The agent's reasoning, where it reports it. Grows like `text`.
    Thinking {
        turn_id: TurnId,
        text: String,
    },
    /// The agent does something.
    Step {
        turn_id: TurnId,
        step_id: StepId,
        kind: StepKind,
        /// The action in plain words, without its object: `Opening`, `Clicking`.
        verb: String,
        /// The object of the action: `example.com`, `Submit`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same for readers of other languages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The tool's own name, for the details.
        tool: String,
        /// The arguments as JSON text, cut at 4 KiB. What a command types is only counted: it may be a password.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    /// More is known of a step: the name of the element that a selector found, and its arguments with the text, unless that
    /// is a password's.
    StepUpdated {
        turn_id: TurnId,
        step_id: StepId,
        /// Takes the place of the step's own; empty: that one stands.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same for readers of other languages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The same of its arguments.
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
    /// The agent may not go on until a person has answered.
    Approval {
        turn_id: TurnId,
        approval_id: ApprovalId,
        /// The sentence that is asked: `Click “Revoke key”`.
        ask: String,
        /// The same for readers of other languages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The host of the page it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<String>,
        /// The reason why gstack asks although a rule seems to cover it. The agent's own reason is `action.agentReason`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// The same as a code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why_words: Option<Box<FaultWords>>,
        /// The command as it would run, on one line: `click @e14`.
        does: String,
        /// All that it would do. Absent in conversations of older versions.
        #[serde(default)]
        action: Box<ActionRecord>,
        kind: StepKind,
        /// The answers that can be given.
        choices: Vec<Decision>,
    },
    ApprovalDone {
        turn_id: TurnId,
        approval_id: ApprovalId,
        decision: Decision,
        by: AnsweredBy,
    },
    /// The agent's plan. A later one of the same turn replaces it.
    Plan {
        turn_id: TurnId,
        entries: Vec<PlanEntry>,
    },
    /// The agent asks the person something and waits for the answer.
    Question {
        turn_id: TurnId,
        question_id: QuestionId,
        parts: Vec<QuestionPart>,
    },
    QuestionDone {
        turn_id: TurnId,
        question_id: QuestionId,
        /// One list of answers a part; none when it was withdrawn or not answered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    },
    /// Something that a person should know while the turn goes on: a retry, a rate limit.
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
        /// The tokens that the model read and wrote in this turn, if the agent reports them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// The reason of the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
}

impl ChatBody {
    /// A line of the turn that a panel says in its own language.
    pub fn notice(turn_id: TurnId, sentence: Sentence) -> Self {
        let (text, words) = FaultWords::of(sentence);
        Self::Notice { turn_id, text, words }
    }
}

/// The place where a message was typed.
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

/// One question with the answers that the agent proposes; a person may also write their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct QuestionPart {
    pub text: String,
    /// A word or two that name it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub header: String,
    pub options: Vec<QuestionOption>,
    /// More than one may be chosen.
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
    /// Read again.
    #[cfg_attr(test, ts(type = "number"))]
    pub input_tokens: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_tokens: u64,
    /// Read from the provider's cache.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub cached_tokens: u64,
    /// How much of the model's window the conversation fills now, and the window's size; 0 where not reported.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_tokens: u64,
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_window: u64,
}

/// A file kept with the conversation and read by `file.read`.
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
    /// It was cut off; whether it took effect is not known.
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

/// The one who answered an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AnsweredBy {
    Panel,
    Terminal,
    /// The turn ended, or the agent took its request back.
    Withdrawn,
    /// A rule that a person made before.
    Rule,
    /// Nobody answered in time.
    Timeout,
}
