//! The parts of a conversation: events with consecutive numbers, and growing text.
//!
//! The journal's lines and the panel's events use the same types. Never holds state.

use super::action::ActionRecord;
pub use super::basics::{Millis, Seq};
pub use super::chat_push::{ChatDelta, ChatEventPush, ChatGap};
pub use super::conversation::{
    AllowedTab, BranchOrigin, ConversationInfo, ConversationState, EarlierConversation, HistoryPage, Subscribed,
    Worktree,
};
pub use super::decision::Decision;
use super::fault::{Fault, FaultWords};
use super::ids::{AgentName, ApprovalId, ClientMessageId, FileId, QuestionId, StepId, TurnId};
pub use super::page_context::{LONGEST_ADDRESS, LONGEST_SELECTION, LONGEST_TITLE, PageContext};
pub use super::sentence::LocalizedPhrase;
use super::sentence::Sentence;
pub use super::turn::{PlanEntry, PlanStatus, QuestionOption, QuestionPart, StepKind, StepOutcome, TurnOutcome, Usage};
use serde::{Deserialize, Serialize};

/// The maximum number of messages waiting behind the running one. The panel reads it from
/// `extension/shared/constants.js`.
pub const QUEUE_LIMIT: usize = 5;
/// The maximum length of a message's text, as JSON. Its event, which also contains a page and attachments, fits into
/// one frame.
pub const LONGEST_MESSAGE: usize = 640 * 1024;

/// Returns the length of a text as JSON, the form in which it is written and sent.
pub fn json_length(text: &str) -> usize {
    serde_json::to_vec(text).map_or(usize::MAX, |json| json.len())
}

/// One event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatEvent {
    /// Its number within the conversation.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub seq: Seq,
    /// When it was written to the journal.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub at: Millis,
    /// Its content, in the same JSON object.
    #[serde(flatten)]
    pub body: ChatBody,
}

/// The content of an event. A reader ignores an unknown `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ChatBody {
    /// A person's message was accepted. It stays queued until a `turn-started` names it.
    Message {
        /// The id that its sender gave it, by which a repeated send is recognised.
        client_id: ClientMessageId,
        /// What the person wrote.
        text: String,
        /// The page that the person was viewing; absent if none was sent along.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageContext>,
        /// The files sent with it.
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
        /// The message's id.
        client_id: ClientMessageId,
    },
    /// The person changed the order of the queued messages.
    QueueOrdered {
        /// All queued messages, the next one first.
        client_ids: Vec<ClientMessageId>,
    },
    /// A message's turn begins. Everything up to `turn-done` belongs to it.
    TurnStarted {
        /// Identifies the turn in all its events.
        turn_id: TurnId,
        /// The message that the turn answers.
        client_id: ClientMessageId,
        /// The agent that runs the turn.
        agent: AgentName,
        /// The agent's display name: `Claude Code`, `Built-in`.
        agent_label: String,
        /// The model that was chosen for the turn; absent if the agent uses its default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Whether the message was a command of the person's own, which runs without a model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        direct: bool,
    },
    /// A block of the agent's answer, as Markdown. It starts empty and grows by `chat.delta`; when read from the
    /// journal, it contains the full text.
    Text {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// The block's Markdown, as far as it is known.
        text: String,
    },
    /// The agent's reasoning, if reported. Grows like `text`.
    Thinking {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// The block's Markdown, as far as it is known.
        text: String,
    },
    /// The agent performs an action.
    Step {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// Identifies the step in its later events.
        step_id: StepId,
        /// What sort of action it is, for its icon.
        kind: StepKind,
        /// The action in plain words, without its object: `Opening`, `Clicking`.
        verb: String,
        /// The object of the action: `example.com`, `Submit`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same text as a code, for translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "for-tests", ts(optional))]
        phrase: Option<LocalizedPhrase>,
        /// The tool's own name, for the details view.
        tool: String,
        /// The arguments as JSON text, cut at 4 KiB. Typed text is only counted, as it may be a password.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    /// More details of a step: the name of the element that a selector matched, and its arguments including typed text,
    /// unless it is a password.
    StepUpdated {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// The step to change.
        step_id: StepId,
        /// Replaces the step's object; empty to keep it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same text as a code, for translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "for-tests", ts(optional))]
        phrase: Option<LocalizedPhrase>,
        /// Replaces the step's arguments; empty to keep them.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    /// A step has ended.
    StepDone {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// The step that ended.
        step_id: StepId,
        /// How it ended.
        outcome: StepOutcome,
        /// The time since its `step` event, in milliseconds.
        #[cfg_attr(feature = "for-tests", ts(type = "number"))]
        duration_ms: u64,
        /// The result's text, cut at 4 KiB.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        result: String,
        /// The images that it returned, such as a screenshot.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Attachment>,
    },
    /// The agent must wait until a person answers.
    Approval {
        /// The turn that waits.
        turn_id: TurnId,
        /// Identifies the request in its answer.
        approval_id: ApprovalId,
        /// The request: `Click “Revoke key”`.
        ask: String,
        /// The same text as a code, for translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "for-tests", ts(optional))]
        phrase: Option<LocalizedPhrase>,
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
        /// What sort of action it is, for its icon.
        kind: StepKind,
        /// The possible answers.
        choices: Vec<Decision>,
    },
    /// An approval was answered, or is no longer needed.
    ApprovalDone {
        /// The turn that waited.
        turn_id: TurnId,
        /// The approval that is closed.
        approval_id: ApprovalId,
        /// The answer; `deny` unless somebody or a rule allowed it.
        decision: Decision,
        /// Where the answer came from.
        by: AnsweredBy,
    },
    /// The agent's plan. A later plan in the same turn replaces it.
    Plan {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// All lines of the plan, in order.
        entries: Vec<PlanEntry>,
    },
    /// The agent asks the person a question and waits for the answer.
    Question {
        /// The turn that waits.
        turn_id: TurnId,
        /// Identifies the question in its answer.
        question_id: QuestionId,
        /// The questions to answer together.
        parts: Vec<QuestionPart>,
    },
    /// A question was answered, or is no longer needed.
    QuestionDone {
        /// The turn that waited.
        turn_id: TurnId,
        /// The question that is closed.
        question_id: QuestionId,
        /// One list of answers for each part; empty if the question was withdrawn or not answered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<Vec<String>>,
        /// Where the answer came from.
        by: AnsweredBy,
    },
    /// Information for the person while the turn continues: a retry, a rate limit.
    Notice {
        /// The turn that it belongs to.
        turn_id: TurnId,
        /// The notice in English.
        text: String,
        /// The text as a code, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<Box<FaultWords>>,
    },
    /// The turn's last event.
    TurnDone {
        /// The turn that ended.
        turn_id: TurnId,
        /// How it ended.
        outcome: TurnOutcome,
        /// The time since its `turn-started`, in milliseconds.
        #[cfg_attr(feature = "for-tests", ts(type = "number"))]
        duration_ms: u64,
        /// The model that answered, as the agent reports it; absent if it does not.
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
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MessageSource {
    /// In the side panel.
    Panel,
    /// On the command line, with `gstack chat`.
    Terminal,
}

/// A file stored with the conversation. `file.read` returns its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Attachment {
    /// Identifies it in `file.read`.
    pub id: FileId,
    /// The file's name, without a path.
    pub name: String,
    /// The media type: `image/png`.
    pub mime: String,
    /// Its size, in bytes.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub bytes: u64,
}

/// Who or what answered an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AnsweredBy {
    /// A person, in the side panel.
    Panel,
    /// A person, on the command line.
    Terminal,
    /// A person, by a one-time link.
    Link,
    /// The turn ended, or the agent withdrew its request.
    Withdrawn,
    /// An existing rule.
    Rule,
    /// Nobody answered in time.
    Timeout,
}
