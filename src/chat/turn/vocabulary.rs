//! The types of a turn: its events and effects.
//!
//! Owns the types between the turn machine and its driver. Decides nothing.

use super::machine::QUEUE_LIMIT;
use gstack_protocol::action::ActionRecord;
use gstack_protocol::catalogue::Sentence;
use gstack_protocol::chat::{
    AnsweredBy, Attachment, ChatBody, Decision, LocalizedPhrase, MessageSource, PageContext, QuestionPart, StepKind,
    TurnOutcome, Usage,
};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ApprovalId, ClientMessageId, QuestionId, TurnId};
use std::sync::Arc;

/// A person's message, and the id of the turn that it will start.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The id of the turn that it will start.
    pub turn_id: TurnId,
    /// The id that its sender gave it.
    pub client_id: ClientMessageId,
    /// The person's text.
    pub text: String,
    /// The page that the person was viewing; `None` if none was sent along.
    pub page: Option<PageContext>,
    /// The files sent with it, already stored with the conversation.
    pub attachments: Vec<Attachment>,
    /// The place where it was typed.
    pub from: MessageSource,
    /// The model for its turn only.
    pub model: Option<String>,
}

impl Message {
    pub(super) fn body(&self) -> ChatBody {
        ChatBody::Message {
            client_id: self.client_id.clone(),
            text: self.text.clone(),
            page: self.page.clone(),
            attachments: self.attachments.clone(),
            from: self.from,
            model: self.model.clone(),
        }
    }
}

/// A request for a person's approval, as the card shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    pub approval_id: ApprovalId,
    pub ask: String,
    pub phrase: Option<LocalizedPhrase>,
    pub site: Option<String>,
    pub why: Option<Sentence>,
    pub does: String,
    pub action: Box<ActionRecord>,
    pub kind: StepKind,
    pub choices: Vec<Decision>,
}

/// A question of the agent to the person, as the card shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionRequest {
    pub question_id: QuestionId,
    pub parts: Vec<QuestionPart>,
}

/// The end of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEnd {
    pub turn_id: TurnId,
    pub outcome: TurnOutcome,
    pub model: Option<String>,
    pub cost_usd: Option<f64>,
    pub usage: Option<Usage>,
    pub fault: Option<Fault>,
}

/// An input of the turn machine. Events that answer an effect name the turn, so that a late answer is ignored.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A person sent a message.
    Send(Arc<Message>),
    /// A person removes a message that has not started.
    Unqueue(ClientMessageId),
    /// A person changes the order of the waiting messages.
    Order {
        /// All of them, the next one first.
        client_ids: Vec<ClientMessageId>,
        /// Stops the running turn, and runs the first message as soon as it has ended.
        now: bool,
    },
    /// A person releases the held queue.
    Continue,
    /// A person stops the running turn. The messages that wait are held.
    Stop,
    /// The turn cannot succeed: it is stopped, and counts as failed.
    GiveUp {
        /// The turn to stop.
        turn_id: TurnId,
        /// Why it cannot succeed.
        fault: Fault,
    },
    /// Answers `Effect::StartTurn`.
    AgentReady(TurnId),
    /// Answers `Effect::StartTurn`.
    AgentFailedToStart {
        /// The turn that could not start.
        turn_id: TurnId,
        /// Why its agent did not start.
        fault: Fault,
    },
    /// Answers `Effect::Prompt`.
    PromptAccepted(TurnId),
    /// Answers `Effect::Prompt`.
    PromptRefused {
        /// The turn whose message was refused.
        turn_id: TurnId,
        /// Why the agent did not take it.
        fault: Fault,
    },
    /// The agent or the policy asks a person for approval.
    ApprovalAsked(ApprovalRequest),
    /// The start of the turn's agent needs the person's approval.
    StartAsks(ApprovalRequest),
    /// Somebody answered an approval.
    ApprovalAnswered {
        /// The approval.
        approval_id: ApprovalId,
        /// The answer.
        decision: Decision,
        /// Where the answer came from.
        by: AnsweredBy,
    },
    /// The requester no longer waits for the approval.
    ApprovalWithdrawn(ApprovalId),
    /// The agent asks a person a question.
    QuestionAsked(QuestionRequest),
    /// The start of the turn's agent asks a question, and waits for the answer.
    StartQuestion(QuestionRequest),
    /// A person answered a question.
    QuestionAnswered {
        /// The question.
        question_id: QuestionId,
        /// One list per part; empty if the person declines to answer.
        answers: Vec<Vec<String>>,
        /// Where the answer came from.
        by: AnsweredBy,
    },
    /// The agent no longer waits for an answer.
    QuestionWithdrawn(QuestionId),
    /// If `waits`, the limit of concurrent agents is reached, and the turn's agent starts once another has ended.
    /// Otherwise it starts now.
    WaitsForSlot {
        /// The turn that waits.
        turn_id: TurnId,
        /// Whether it waits.
        waits: bool,
    },
    /// The agent of this conversation reports the end of its turn.
    AgentTurnDone {
        /// How it ended.
        outcome: TurnOutcome,
        /// The model that answered, if the agent reports it.
        model: Option<String>,
        /// The cost of the turn in US dollars, if the agent reports it.
        cost_usd: Option<f64>,
        /// The tokens of the turn, if the agent reports them.
        usage: Option<Usage>,
        /// The reason of a failure.
        fault: Option<Fault>,
    },
    /// The process of this conversation's agent has ended.
    AgentExited {
        /// The problem, if it did not end because it was asked to.
        fault: Option<Fault>,
    },
    /// Answers `Effect::ArmStopDeadline`: the agent did not stop in time.
    StopDeadline(TurnId),
}

/// An action for the driver. Effects are run in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write and push it. The conversation does this itself; the engine never sees it.
    Journal(ChatBody),
    /// Choose the agent, write `turn-started`, start the agent; answer `AgentReady` or `AgentFailedToStart`.
    StartTurn(Arc<Message>),
    /// Send the message to the agent; answer `PromptAccepted` or `PromptRefused`.
    Prompt(Arc<Message>),
    /// Ask the agent to end the turn. It answers with `AgentTurnDone` or `AgentExited`.
    Interrupt(TurnId),
    /// Cancel the turn's browser commands, and answer `StopDeadline` when the agent's time is over.
    ArmStopDeadline(TurnId),
    /// Kill the agent's process, or cancel its start. Report nothing more of it afterwards.
    KillAgent,
    /// Send the decision to the requester. An approval that ends with its turn is denied.
    AnswerApproval { approval_id: ApprovalId, decision: Decision, by: AnsweredBy },
    /// Send the answers to the requester; empty if there will be none.
    AnswerQuestion { question_id: QuestionId, answers: Vec<Vec<String>> },
    /// The turn has ended. The end is already in the journal when the engine sees this.
    TurnEnded(TurnEnd),
}

/// The reason why an event was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{QUEUE_LIMIT} messages are already waiting")]
    QueueFull,
    #[error("this message was already sent")]
    AlreadySent,
    #[error("this message is not waiting")]
    NotWaiting,
    #[error("this approval is not open: it was answered, or its turn has ended")]
    NotAsked,
    #[error("this answer was not among the choices")]
    NotAChoice,
    #[error("this question is not open: it was answered, or its turn has ended")]
    NoQuestion,
    #[error("a question of {parts} parts takes an answer to each, or none at all")]
    WrongParts { parts: usize },
}
