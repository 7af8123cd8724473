//! One conversation's task, and the way to it.
//!
//! Owns the gate through which everything that happens to a conversation passes, so that effects are carried out in
//! the order in which they were decided. What the task does with them is in `task`.

mod from_agent;
mod questions;
mod task;

use super::Engine;
use super::turn_steps::Steps;
use crate::agent::adapter::AgentSession;
use crate::chat::turn::{ApprovalRequest, Message};
use crate::chat::{ChatError, Conversation, Effect, Event, Handled, SendAnswer};
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ApprovalId, ClientMessageId, ConversationId, QuestionId};
use questions::Questions;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use task::Task;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The way to a conversation's task. Cheap to clone.
#[derive(Clone)]
pub(super) struct Runner {
    conversation: Arc<Conversation>,
    gate: Arc<Mutex<mpsc::UnboundedSender<Input>>>,
    /// Cancelled when the present turn is stopped or over; what the tools do ends with it.
    turn: Arc<Mutex<CancellationToken>>,
    questions: Arc<Questions>,
    /// The tools whose calls were denied and whose steps have not ended yet. An agent is told in words only, and
    /// reports a denied call like any that failed.
    denied: Arc<Mutex<Vec<String>>>,
}

enum Input {
    Effects(Vec<Effect>),
    /// A session that was being started is there, or why not.
    Started {
        generation: u64,
        outcome: Result<Box<dyn AgentSession>, Fault>,
    },
    /// The tools of the conversation ask a person.
    Asked {
        request: ApprovalRequest,
        answer: oneshot::Sender<(Decision, AnsweredBy)>,
    },
    /// A question of the agent was answered.
    Answered,
    /// Its tab is gone: the agent is needed no more, once no turn runs.
    LetGo,
}

impl Runner {
    pub(super) fn start(engine: Engine, conversation: Arc<Conversation>) -> Self {
        let (sender, inputs) = mpsc::unbounded_channel();
        let runner = Self {
            conversation: conversation.clone(),
            gate: Arc::new(Mutex::new(sender)),
            turn: Arc::default(),
            questions: Arc::default(),
            denied: Arc::default(),
        };
        let task = Task {
            engine: engine.clone(),
            conversation,
            runner: runner.clone(),
            steps: Steps::default(),
            session: None,
            generation: 0,
            starting: None,
            waiting: HashMap::new(),
            requests: HashMap::new(),
            deadline: None,
            turn: None,
        };
        engine.spawn(task.run(inputs));
        runner
    }

    pub(super) fn conversation(&self) -> &Arc<Conversation> {
        &self.conversation
    }

    pub(super) fn send(&self, message: Message) -> Result<SendAnswer, ChatError> {
        self.gated(|conversation| {
            let mut answer = conversation.send(message)?;
            let effects = std::mem::take(&mut answer.effects);
            Ok((answer, effects))
        })
    }

    pub(super) fn answer(&self, approval_id: ApprovalId, decision: Decision, by: AnsweredBy) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id, decision, by)?;
            Ok(((), handled.effects))
        })
    }

    pub(super) fn unqueue(&self, client_id: ClientMessageId) -> Result<(), ChatError> {
        self.gated(|conversation| conversation.unqueue(client_id).map(|()| ((), Vec::new())))
    }

    /// Any other event of a turn; gives the trouble that writing it met.
    pub(super) fn handle(&self, event: Event) -> Option<Fault> {
        let outcome: Result<_, std::convert::Infallible> = self.gated(|conversation| {
            let Handled { effects, fault } = conversation.handle(event);
            Ok((fault, effects))
        });
        match outcome {
            Ok(fault) => fault,
        }
    }

    /// Asks the person; the receiver errs when the question can't be put.
    pub(super) fn ask(&self, request: ApprovalRequest) -> oneshot::Receiver<(Decision, AnsweredBy)> {
        let (answer, receiver) = oneshot::channel();
        self.input(Input::Asked { request, answer });
        receiver
    }

    /// Answers a question of the agent. `answers` empty: the person does not want to answer.
    pub(super) fn answer_question(
        &self,
        question_id: &QuestionId,
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    ) -> Result<(), Fault> {
        self.questions.answer(&self.conversation, question_id, answers, by)?;
        self.input(Input::Answered);
        Ok(())
    }

    /// A tool call of the turn was denied, by the policy or by a person: its step says so.
    pub(super) fn note_denied(&self, tool: &str) {
        super::lock(&self.denied).push(tool.to_owned());
    }

    /// Whether the step of `tool` that failed now is one that was denied.
    fn take_denied(&self, tool: &str) -> bool {
        let mut denied = super::lock(&self.denied);
        let at = denied.iter().position(|name| name == tool);
        at.map(|at| denied.remove(at)).is_some()
    }

    /// Ends the agent where no turn runs: its conversation lost its tab. The next message starts it again.
    pub(super) fn let_go(&self) {
        self.input(Input::LetGo);
    }

    /// Ends what the tools do for the turn that runs now.
    pub(super) fn turn_token(&self) -> CancellationToken {
        super::lock(&self.turn).clone()
    }

    fn input(&self, input: Input) {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        if gate.send(input).is_err() {
            tracing::debug!("a conversation's task has ended");
        }
    }

    fn gated<T, E>(&self, step: impl FnOnce(&Conversation) -> Result<(T, Vec<Effect>), E>) -> Result<T, E> {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        let (value, effects) = step(&self.conversation)?;
        if !effects.is_empty() && gate.send(Input::Effects(effects)).is_err() {
            tracing::debug!("a conversation's task has ended");
        }
        Ok(value)
    }
}

/// All conversations' tasks.
#[derive(Default)]
pub(super) struct Runners {
    running: HashMap<ConversationId, Runner>,
}

impl Runners {
    pub(super) fn of(&mut self, engine: &Engine, conversation: &Arc<Conversation>) -> Runner {
        self.running
            .entry(conversation.id().clone())
            .or_insert_with(|| Runner::start(engine.clone(), conversation.clone()))
            .clone()
    }

    pub(super) fn get(&self, id: &ConversationId) -> Option<Runner> {
        self.running.get(id).cloned()
    }
}
