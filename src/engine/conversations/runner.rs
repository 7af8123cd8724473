//! One conversation's gate: everything that happens to the conversation passes through it.
//!
//! Owns the order: effects are carried out in the order in which they were decided. A task is started when something is to
//! be done, and ends when it holds nothing any more. What the task does is in `engine::runner`.

use super::call::{Learned, ToolCallName};
use crate::agent::adapter::AgentSession;
use crate::base::mutex::lock;
use crate::chat::turn::{ApprovalRequest, Message};
use crate::chat::{ChatError, Conversation, Effect, Event, Handled, SendAnswer};
use crate::engine::agents::{Choice, Slot};
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ApprovalId, ClientMessageId, QuestionId, StepId, TurnId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Starts a conversation's task, which reads what passes the gate.
pub(in crate::engine) type Start = Arc<dyn Fn(Runner, mpsc::UnboundedReceiver<Input>) + Send + Sync>;

/// A handle to one conversation's task. Cheap to clone.
#[derive(Clone)]
pub(in crate::engine) struct Runner(pub(super) Arc<Shared>);

pub(super) struct Shared {
    start: Start,
    conversation: Arc<Conversation>,
    /// The way into the task. `None` while no task runs.
    /// Nothing in it may be left out or wait, and what puts into it is bounded: messages by the conversation's queue
    /// ([`crate::chat::turn::QUEUE_LIMIT`]), answers by what was asked, calls of tools by those under way, the start of an
    /// agent by the turn, and `Warm` by `is_to_warm`. The rest comes once for each end of a tab, a choice or a conversation.
    gate: Mutex<Option<mpsc::UnboundedSender<Input>>>,
    /// The task was asked to make its agent ready, and has not begun to: panels ask with each letter.
    is_to_warm: AtomicBool,
    /// Cancelled when the present turn is stopped or over: ends what the tools do.
    turn: Mutex<CancellationToken>,
    /// The calls that were denied and whose steps have not ended yet. An agent reports a denied call like any that
    /// failed.
    denied: Mutex<Vec<ToolCallName>>,
    /// What persons wrote in place of the text that a card asked about, until its call takes it.
    texts: Mutex<HashMap<ApprovalId, String>>,
}

/// What a conversation's task is told.
pub(in crate::engine) enum Input {
    Effects(Vec<Effect>),
    /// Which agent answers the turn is known. `None`: the turn was stopped before that.
    Chosen {
        turn_id: TurnId,
        choice: Option<Choice>,
    },
    /// The turn's agent may run now. `None`: the turn was stopped while it waited.
    Slot {
        turn_id: TurnId,
        slot: Option<Slot>,
    },
    /// A session was started, or could not be.
    Started {
        generation: u64,
        outcome: Result<Box<dyn AgentSession>, Fault>,
    },
    /// The tools of the conversation ask a person.
    Asked {
        request: ApprovalRequest,
        answer: oneshot::Sender<(Decision, AnsweredBy)>,
    },
    /// Its tab is gone: ends the agent once no turn runs.
    LetGo,
    /// More is known of a call's step.
    Learned(Learned),
    /// Another conversation needs the slot of this one's agent, if no turn runs here.
    Sleep,
    /// A person looks at it or begins to write: the agent is made ready meanwhile.
    Warm,
    /// Which agent would be made ready is known.
    Ahead(Choice),
    /// An agent without a message is not needed any more.
    DropSpare,
    /// The conversation goes away. Answered when no turn runs and the agent's process has ended.
    End(oneshot::Sender<()>),
}

impl Runner {
    pub(super) fn new(start: Start, conversation: Arc<Conversation>) -> Self {
        Self(Arc::new(Shared {
            start,
            conversation,
            gate: Mutex::default(),
            is_to_warm: AtomicBool::new(false),
            turn: Mutex::default(),
            denied: Mutex::default(),
            texts: Mutex::default(),
        }))
    }

    pub(in crate::engine) fn conversation(&self) -> &Arc<Conversation> {
        &self.0.conversation
    }

    pub(in crate::engine) fn send(&self, message: Message) -> Result<SendAnswer, ChatError> {
        self.gated(|conversation| {
            let mut answer = conversation.send(message)?;
            let effects = std::mem::take(&mut answer.effects);
            Ok((answer, effects))
        })
    }

    pub(in crate::engine) fn answer(
        &self,
        approval_id: ApprovalId,
        decision: Decision,
        by: AnsweredBy,
    ) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id, decision, by)?;
            Ok(((), handled.effects))
        })
    }

    /// Allows the action once, with another text in place of the one that was asked about.
    pub(in crate::engine) fn answer_with(
        &self,
        approval_id: ApprovalId,
        text: String,
        by: AnsweredBy,
    ) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id.clone(), Decision::AllowOnce, by)?;
            // Before the answer is passed on, and only if it was the one that counts.
            lock(&self.0.texts).insert(approval_id, text);
            Ok(((), handled.effects))
        })
    }

    /// The text that a person wrote when they answered this.
    pub(in crate::engine) fn take_text(&self, approval_id: &ApprovalId) -> Option<String> {
        lock(&self.0.texts).remove(approval_id)
    }

    /// More is known of a call: its step says so.
    pub(in crate::engine) fn learned(&self, learned: Learned) {
        self.input(Input::Learned(learned));
    }

    pub(in crate::engine) fn answer_question(
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

    pub(in crate::engine) fn unqueue(&self, client_id: ClientMessageId) -> Result<(), ChatError> {
        self.gated(|conversation| conversation.unqueue(client_id).map(|()| ((), Vec::new())))
    }

    /// Handles any other event of a turn. Returns the fault of writing it, if there was one.
    pub(in crate::engine) fn handle(&self, event: Event) -> Option<Fault> {
        let outcome: Result<_, std::convert::Infallible> = self.gated(|conversation| {
            let Handled { effects, fault } = conversation.handle(event);
            Ok((fault, effects))
        });
        match outcome {
            Ok(fault) => fault,
        }
    }

    /// Asks the person. The receiver fails if the question cannot be asked.
    pub(in crate::engine) fn ask(&self, request: ApprovalRequest) -> oneshot::Receiver<(Decision, AnsweredBy)> {
        let (answer, receiver) = oneshot::channel();
        self.input(Input::Asked { request, answer });
        receiver
    }

    /// A tool call of the turn was denied, by the policy or by a person: its step says so.
    pub(in crate::engine) fn note_denied(&self, denied: ToolCallName) {
        lock(&self.0.denied).push(denied);
    }

    /// Whether the step that failed now is one that was denied.
    pub(in crate::engine) fn take_denied(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        let mut denied = lock(&self.0.denied);
        let at = denied.iter().position(|denied| denied.is_of(step_id, tool, arguments));
        at.map(|at| denied.remove(at)).is_some()
    }

    /// The turn is over, and with it its calls.
    pub(in crate::engine) fn forget_denied(&self) {
        lock(&self.0.denied).clear();
        lock(&self.0.texts).clear();
    }

    /// Ends the agent if no turn runs, because its conversation lost its tab. The next message starts it again.
    pub(in crate::engine) fn let_go(&self) {
        self.input(Input::LetGo);
    }

    /// Ends the agent if no turn runs, for another conversation's.
    pub(in crate::engine) fn sleep(&self) {
        self.input(Input::Sleep);
    }

    /// Makes the agent ready if there is a free slot.
    pub(in crate::engine) fn warm(&self) {
        if !self.0.is_to_warm.swap(true, Ordering::Relaxed) {
            self.input(Input::Warm);
        }
    }

    /// The task begins to make its agent ready.
    pub(in crate::engine) fn begins_to_warm(&self) {
        self.0.is_to_warm.store(false, Ordering::Relaxed);
    }

    /// Ends an agent that was made ready and was given no message yet.
    pub(in crate::engine) fn drop_spare(&self) {
        self.input(Input::DropSpare);
    }

    /// Returns when no turn runs and the agent's process has ended.
    pub(in crate::engine) async fn end(&self) {
        let (done, ended) = oneshot::channel();
        self.input(Input::End(done));
        // Dropped unanswered where the daemon ends: then its processes end too.
        ended.await.ok();
    }

    /// A turn begins: replaces the token of the one before.
    pub(in crate::engine) fn begin_turn(&self, token: CancellationToken) {
        *lock(&self.0.turn) = token;
    }

    /// Ends what the tools do for the turn that runs now.
    pub(in crate::engine) fn turn_token(&self) -> CancellationToken {
        lock(&self.0.turn).clone()
    }

    pub(in crate::engine) fn input(&self, input: Input) {
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

    /// Passes something to the task. Starts the task if none runs.
    fn pass(&self, gate: &mut Option<mpsc::UnboundedSender<Input>>, input: Input) {
        let sender = gate.get_or_insert_with(|| {
            let (sender, inputs) = mpsc::unbounded_channel();
            (self.0.start)(self.clone(), inputs);
            sender
        });
        if sender.send(input).is_err() {
            tracing::debug!("a conversation's task ended with the daemon");
        }
    }

    /// Closes the way into the task, unless something came meanwhile. True: the task ends now.
    pub(in crate::engine) fn retire(&self, inputs: &mpsc::UnboundedReceiver<Input>) -> bool {
        let mut gate = lock(&self.0.gate);
        if !inputs.is_empty() {
            return false;
        }
        *gate = None;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::home::Home;
    use crate::chat::Store;
    use crate::chat::store::NewConversation;

    #[test]
    fn a_panel_that_asks_with_each_letter_fills_no_queue() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path().join("home")).unwrap()).unwrap();
        let conversation = store.create(NewConversation { folder: "/".to_owned(), page: None });
        // A task that is busy: nobody takes what comes.
        let (kept, waiting) = std::sync::mpsc::channel();
        let start: Start = Arc::new(move |_, inputs| kept.send(inputs).unwrap());
        let runner = Runner::new(start, conversation);
        (0..1000).for_each(|_| runner.warm());
        let inputs = waiting.recv().unwrap();
        assert_eq!(inputs.len(), 1);
        runner.begins_to_warm();
        runner.warm();
        assert_eq!(inputs.len(), 2, "what is asked after it has begun counts");
    }
}
