//! What a conversation is made of: events with gapless numbers, and text that grows.
//!
//! The same types are the journal's lines and the panel's events. Never holds state.

pub use super::conversation::{
    AllowedTab, ConversationInfo, ConversationState, EarlierConversation, HistoryPage, Subscribed, Worktree,
};
use super::fault::Fault;
use super::ids::{AgentName, ApprovalId, ClientMessageId, ConversationId, FileId, QuestionId, StepId, TurnId};
use serde::{Deserialize, Serialize};

/// The number of an event within its conversation: 1, 2, 3 … without gaps.
pub type Seq = u64;
/// Milliseconds since 1970-01-01 UTC.
pub type Millis = u64;

/// One event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatEvent {
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    #[cfg_attr(test, ts(type = "number"))]
    pub at: Millis,
    #[serde(flatten)]
    pub body: ChatBody,
}

/// What happened. A reader ignores a `type` that it does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
        /// Where it was typed.
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
        /// What it does in plain words, without its object: `Opening`, `Clicking`.
        verb: String,
        /// What it is done to: `example.com`, `Submit`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The tool's own name, for the details.
        tool: String,
        /// The arguments as JSON text, cut at 4 KiB.
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
        /// The host of the page it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<String>,
        /// Why the agent wants it, where it said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// The command as it would run: `click @e14`.
        does: String,
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
    /// What the agent means to do. A later one of the same turn replaces it.
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
    },
    TurnDone {
        turn_id: TurnId,
        outcome: TurnOutcome,
        #[cfg_attr(test, ts(type = "number"))]
        duration_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// What this turn cost, in US dollars, where the agent reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// What the model read and wrote in this turn, where the agent reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
}

/// Where a message was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum MessageSource {
    Panel,
    Terminal,
}

/// The page that a person was looking at when they wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PageContext {
    pub url: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
}

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlanEntry {
    pub text: String,
    pub status: PlanStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum PlanStatus {
    Pending,
    Running,
    Done,
}

/// One question with the answers that the agent proposes; a person may also write their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QuestionOption {
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read anew.
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Attachment {
    pub id: FileId,
    pub name: String,
    /// The media type: `image/png`.
    pub mime: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
}

/// What a step is, for its icon and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    Ok,
    Failed,
    Denied,
    /// It was cut off; whether it took effect is not known.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum TurnOutcome {
    Done,
    Failed,
    /// A person stopped it.
    Stopped,
    /// The daemon ended while it ran.
    Interrupted,
}

/// A person's answer to an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    AllowOnce,
    AllowSite,
    AllowConversation,
    /// On every site, in every conversation, until the rule is taken back.
    AllowAlways,
    Deny,
}

impl Decision {
    pub fn allows(self) -> bool {
        self != Self::Deny
    }
}

/// Who answered an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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

/// `chat.delta`: text that grows the event `seq` at `offset`.
/// A receiver that already holds text at `offset` ignores that part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatDelta {
    pub conversation_id: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    /// In UTF-16 code units, as JavaScript counts.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
    pub text: String,
}

/// `chat.event`: one new event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatEventPush {
    pub conversation_id: ConversationId,
    pub event: ChatEvent,
}

/// `chat.gap`: events were left out because the panel read too slowly; it reads again from `after`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatGap {
    pub conversation_id: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub head: Seq,
}
