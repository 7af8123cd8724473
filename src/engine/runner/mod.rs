//! One conversation's task, and the way to it.
//!
//! Owns the gate through which everything that happens to a conversation passes, so that effects are carried out in
//! the order in which they were decided. The task ends when nothing is left for it to hold, and the next thing that
//! happens begins it again. What the task does is in `task` and the files beside it.

mod ahead;
mod from_agent;
mod session;
mod start;
mod task;
#[cfg(test)]
mod tests;
mod watchdog;

use super::Engine;
use super::turn_steps::Learned;
use crate::agent::adapter::AgentSession;
use crate::base::mutex::lock;
use crate::chat::turn::{ApprovalRequest, Message};
use crate::chat::{ChatError, Conversation, Effect, Event, Handled, SendAnswer};
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ApprovalId, ClientMessageId, ConversationId, QuestionId, StepId, TurnId};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use task::Task;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The way to a conversation's task. Cheap to clone.
#[derive(Clone)]
pub(super) struct Runner(Arc<Shared>);

struct Shared {
    engine: Engine,
    conversation: Arc<Conversation>,
    /// The way into the task; none while there is none.
    gate: Mutex<Option<mpsc::UnboundedSender<Input>>>,
    /// Cancelled when the present turn is stopped or over; what the tools do ends with it.
    turn: Mutex<CancellationToken>,
    /// The calls that were denied and whose steps have not ended yet. An agent is told in words only, and reports a
    /// denied call like any that failed.
    denied: Mutex<Vec<ToolCallName>>,
    /// What persons wrote in place of the text that a card asked about, until its call takes it.
    texts: Mutex<HashMap<ApprovalId, String>>,
}

/// A call of a tool as its agent named it: what joins it to its step.
#[derive(Clone, Debug)]
pub(super) struct ToolCallName {
    /// The agent's own name of the step, where it gives one.
    pub(super) id: Option<String>,
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl ToolCallName {
    /// Whether it is this step: by its name, and where the agent gives none by what it does.
    pub(super) fn is_of(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        match &self.id {
            Some(id) => id == step_id.as_str(),
            None => self.tool == tool && serde_json::from_str::<Value>(arguments).is_ok_and(|of| of == self.arguments),
        }
    }
}

enum Input {
    Effects(Vec<Effect>),
    /// Which agent answers the turn is known; none: it was stopped before that.
    Chosen {
        turn_id: TurnId,
        choice: Option<super::agents::Choice>,
    },
    /// The turn's agent may run now; none: the turn was stopped while it waited.
    Slot {
        turn_id: TurnId,
        slot: Option<super::agents::Slot>,
    },
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
    /// Its tab is gone: the agent is needed no more, once no turn runs.
    LetGo,
    /// More is known of a call's step.
    Learned(Learned),
    /// Another conversation needs the place of this one's agent, if that does nothing.
    Sleep,
    /// A person looks at it or begins to write: the agent is made ready meanwhile.
    Warm,
    /// Which agent would be made ready is known.
    Ahead(super::agents::Choice),
    /// An agent without a message is not needed any more.
    DropSpare,
    /// The conversation goes away: told when no turn runs and the agent's process has ended.
    End(oneshot::Sender<()>),
}

impl Runner {
    fn new(engine: Engine, conversation: Arc<Conversation>) -> Self {
        Self(Arc::new(Shared {
            engine,
            conversation,
            gate: Mutex::default(),
            turn: Mutex::default(),
            denied: Mutex::default(),
            texts: Mutex::default(),
        }))
    }

    pub(super) fn conversation(&self) -> &Arc<Conversation> {
        &self.0.conversation
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

    /// Allows it once, with another text in place of the one that was asked about.
    pub(super) fn answer_with(&self, approval_id: ApprovalId, text: String, by: AnsweredBy) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id.clone(), Decision::AllowOnce, by)?;
            // Before the answer is passed on, and only if it was the one that counts.
            lock(&self.0.texts).insert(approval_id, text);
            Ok(((), handled.effects))
        })
    }

    /// The text that a person wrote when they answered this.
    pub(super) fn take_text(&self, approval_id: &ApprovalId) -> Option<String> {
        lock(&self.0.texts).remove(approval_id)
    }

    /// More is known of a call: its step says so.
    pub(super) fn learned(&self, learned: Learned) {
        self.input(Input::Learned(learned));
    }

    pub(super) fn answer_question(
        &self,
        question_id: QuestionId,
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    ) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer_question(question_id, answers, by)?;
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

    /// A tool call of the turn was denied, by the policy or by a person: its step says so.
    pub(super) fn note_denied(&self, denied: ToolCallName) {
        lock(&self.0.denied).push(denied);
    }

    /// Whether the step that failed now is one that was denied.
    fn take_denied(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        let mut denied = lock(&self.0.denied);
        let at = denied.iter().position(|denied| denied.is_of(step_id, tool, arguments));
        at.map(|at| denied.remove(at)).is_some()
    }

    /// The turn is over, and with it its calls.
    fn forget_denied(&self) {
        lock(&self.0.denied).clear();
        lock(&self.0.texts).clear();
    }

    /// Ends the agent where no turn runs: its conversation lost its tab. The next message starts it again.
    pub(super) fn let_go(&self) {
        self.input(Input::LetGo);
    }

    /// Ends the agent where no turn runs, for another conversation's.
    pub(super) fn sleep(&self) {
        self.input(Input::Sleep);
    }

    /// Makes the agent ready where there is a free place for it.
    pub(super) fn warm(&self) {
        self.input(Input::Warm);
    }

    /// Ends an agent that was made ready and was given no message yet.
    pub(super) fn drop_spare(&self) {
        self.input(Input::DropSpare);
    }

    /// Returns when no turn runs and the agent's process has ended.
    pub(super) async fn end(&self) {
        let (done, ended) = oneshot::channel();
        self.input(Input::End(done));
        // Dropped unanswered where the daemon ends: then its processes end too.
        ended.await.ok();
    }

    /// Ends what the tools do for the turn that runs now.
    pub(super) fn turn_token(&self) -> CancellationToken {
        lock(&self.0.turn).clone()
    }

    fn input(&self, input: Input) {
        self.pass(&mut lock(&self.0.gate), input);
    }

    fn gated<T, E>(&self, step: impl FnOnce(&Conversation) -> Result<(T, Vec<Effect>), E>) -> Result<T, E> {
        let mut gate = lock(&self.0.gate);
        let (value, effects) = step(&self.0.conversation)?;
        if !effects.is_empty() {
            self.pass(&mut gate, Input::Effects(effects));
        }
        Ok(value)
    }

    /// Hands something to the task; begins the task where there is none.
    fn pass(&self, gate: &mut Option<mpsc::UnboundedSender<Input>>, input: Input) {
        let sender = gate.get_or_insert_with(|| {
            let (sender, inputs) = mpsc::unbounded_channel();
            self.0.engine.spawn(Task::new(self.clone()).run(inputs));
            sender
        });
        if sender.send(input).is_err() {
            tracing::debug!("a conversation's task ended with the daemon");
        }
    }

    /// Lets go of the task's way in, unless something came meanwhile. True: the task ends now.
    fn retire(&self, inputs: &mpsc::UnboundedReceiver<Input>) -> bool {
        let mut gate = lock(&self.0.gate);
        if !inputs.is_empty() {
            return false;
        }
        *gate = None;
        true
    }
}

/// The ways to all conversations' tasks, as long as somebody holds them: a task does while it has something to do.
#[derive(Default)]
pub(super) struct Runners {
    known: HashMap<ConversationId, Weak<Shared>>,
    /// Entries of runners that are gone are looked for at this many.
    tidy_at: usize,
}

impl Runners {
    /// How many entries are kept before they are looked through for the first time.
    const FEW: usize = 64;

    pub(super) fn of(&mut self, engine: &Engine, conversation: &Arc<Conversation>) -> Runner {
        let known = self.get(conversation.id());
        // A conversation that was deleted and brought back is another one than its runner's.
        if let Some(runner) = known.filter(|runner| Arc::ptr_eq(runner.conversation(), conversation)) {
            return runner;
        }
        if self.known.len() >= self.tidy_at.max(Self::FEW) {
            self.known.retain(|_, runner| runner.strong_count() > 0);
            self.tidy_at = self.known.len() * 2;
        }
        let runner = Runner::new(engine.clone(), conversation.clone());
        self.known.insert(conversation.id().clone(), Arc::downgrade(&runner.0));
        runner
    }

    pub(super) fn get(&self, id: &ConversationId) -> Option<Runner> {
        self.known.get(id).and_then(Weak::upgrade).map(Runner)
    }
}
