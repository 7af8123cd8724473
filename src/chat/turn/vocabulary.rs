//! The words of a turn: what can happen to it, and what is to be done then.
//!
//! Owns the types between the turn machine and its driver. Decides nothing.

use super::machine::QUEUE_LIMIT;
use crate::protocol::action::ActionRecord;
use crate::protocol::chat::{
    AnsweredBy, Attachment, ChatBody, Decision, MessageSource, PageContext, QuestionPart, SaidPhrase, StepKind,
    TurnOutcome, Usage,
};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ApprovalId, ClientMessageId, QuestionId, TurnId};
use crate::protocol::told::Told;
use std::sync::Arc;

/// A person's message, and the id of the turn that it will begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub turn_id: TurnId,
    pub client_id: ClientMessageId,
    pub text: String,
    pub page: Option<PageContext>,
    pub attachments: Vec<Attachment>,
    pub from: MessageSource,
    /// The model for its turn alone.
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

/// A request for a person's permission, as the card shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    pub approval_id: ApprovalId,
    pub ask: String,
    pub phrase: Option<SaidPhrase>,
    pub site: Option<String>,
    pub why: Option<Told>,
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

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEnd {
    pub turn_id: TurnId,
    pub outcome: TurnOutcome,
    pub model: Option<String>,
    pub cost_usd: Option<f64>,
    pub usage: Option<Usage>,
    pub fault: Option<Fault>,
}

/// What happened. The events that answer an effect name the turn: an answer that comes too late is ignored.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Send(Arc<Message>),
    Unqueue(ClientMessageId),
    /// A person lets the held queue run.
    Continue,
    Stop,
    /// Nothing comes of the turn: it is ended as after a stop, and counts as failed.
    GiveUp {
        turn_id: TurnId,
        fault: Fault,
    },
    /// Answers [`Effect::StartTurn`].
    AgentReady(TurnId),
    /// Answers [`Effect::StartTurn`].
    AgentFailedToStart {
        turn_id: TurnId,
        fault: Fault,
    },
    /// Answers [`Effect::Prompt`].
    PromptAccepted(TurnId),
    /// Answers [`Effect::Prompt`].
    PromptRefused {
        turn_id: TurnId,
        fault: Fault,
    },
    ApprovalAsked(ApprovalRequest),
    ApprovalAnswered {
        approval_id: ApprovalId,
        decision: Decision,
        by: AnsweredBy,
    },
    ApprovalWithdrawn(ApprovalId),
    QuestionAsked(QuestionRequest),
    QuestionAnswered {
        question_id: QuestionId,
        /// One list a part; empty: the person does not want to answer.
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    },
    QuestionWithdrawn(QuestionId),
    /// As many agents run as may at once: the turn's agent is made ready when another has ended, or is now.
    WaitsForSlot {
        turn_id: TurnId,
        waits: bool,
    },
    /// The agent of this conversation says that its turn is over.
    AgentTurnDone {
        outcome: TurnOutcome,
        model: Option<String>,
        cost_usd: Option<f64>,
        usage: Option<Usage>,
        fault: Option<Fault>,
    },
    /// The process of this conversation's agent is gone.
    AgentExited {
        fault: Option<Fault>,
    },
    /// Answers [`Effect::ArmStopDeadline`]: the agent did not end in time.
    StopDeadline(TurnId),
    /// After a daemon's restart: what the journal says about the time before.
    Recovered {
        interrupted: Option<TurnId>,
        waiting: Vec<Arc<Message>>,
    },
}

/// What is to be done, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write and push it. Done by the conversation; the engine never sees it.
    Journal(ChatBody),
    /// Choose the agent, write `turn-started`, make the agent ready; answer `AgentReady` or `AgentFailedToStart`.
    StartTurn(Arc<Message>),
    /// Hand the message to the agent; answer `PromptAccepted` or `PromptRefused`.
    Prompt(Arc<Message>),
    /// Ask the agent to end the turn. It answers by `AgentTurnDone` or `AgentExited`.
    Interrupt(TurnId),
    /// Cancel the turn's browser commands, and come back with `StopDeadline` when the agent's time is over.
    ArmStopDeadline(TurnId),
    /// End the agent's process, or its start. Nothing more of it may be reported afterwards.
    KillAgent,
    /// Tell the requester. A request that ends with its turn is denied.
    AnswerApproval { approval_id: ApprovalId, decision: Decision, by: AnsweredBy },
    /// Tell the requester; no answers where there are none to come.
    AnswerQuestion { question_id: QuestionId, answers: Vec<Vec<String>> },
    /// The turn is over: already in the journal when the engine sees it.
    TurnEnded(TurnEnd),
}

/// Why an event was not accepted.
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
