//! The gate of one conversation: everything that happens to the conversation passes through it.
//!
//! Owns the order: effects are carried out in the order in which they were decided. A task starts when there is work
//! and ends when it holds nothing more. `engine::conversation_task` implements the task.

use super::call::{Learned, ToolCallName};
use super::pending::ApprovalAnswer;
use crate::agents::{Choice, Slot};
use gstack_agent::adapter::AgentSession;
use gstack_base::mutex::lock;
use gstack_chat::turn::{ApprovalRequest, Message};
use gstack_chat::{ChatError, Conversation, Effect, Event, Handled, SendAnswer};
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ApprovalId, ClientMessageId, QuestionId, StepId, TurnId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A callback that starts a conversation's task, which reads the inputs that pass the gate.
pub(crate) type Start = Arc<dyn Fn(ConversationGate, mpsc::UnboundedReceiver<Input>) + Send + Sync>;

/// A handle to one conversation's task. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConversationGate(pub(super) Arc<Shared>);

pub(super) struct Shared {
    start: Start,
    conversation: Arc<Conversation>,
    /// The sender into the task. `None` while no task runs.
    /// Inputs must not be dropped or delayed, so the channel is unbounded, but its producers are bounded: messages by
    /// the conversation's queue (`QUEUE_LIMIT`), answers by what was asked, tool calls by those in
    /// progress, the start of an agent by the turn, and `Warm` by `is_to_warm`. The rest comes once per closed tab,
    /// choice or deleted conversation.
    sender: Mutex<Option<mpsc::UnboundedSender<Input>>>,
    /// True while a request to warm the agent is pending, because panels request it with every keystroke.
    is_to_warm: AtomicBool,
    /// Cancelled when the current turn is stopped or over: ends the work of its tools.
    turn: Mutex<CancellationToken>,
    /// Denied calls whose steps have not ended yet. An agent reports a denied call like any failed one.
    denied: Mutex<Vec<ToolCallName>>,
    /// Calls of the turn that have not been sent: they wait for their turn, a look at the page or an approval.
    unsent: Mutex<Vec<ToolCallName>>,
    /// Text that people wrote in place of the text in an approval, until its call takes it.
    texts: Mutex<HashMap<ApprovalId, String>>,
}

/// An input of a conversation's task.
pub(crate) enum Input {
    Effects(Vec<Effect>),
    /// The agent of the turn has been chosen. `None` if the turn was stopped before that.
    Chosen {
        turn_id: TurnId,
        choice: Option<Choice>,
    },
    /// The turn's agent may run. `None` if the turn was stopped while it waited.
    Slot {
        turn_id: TurnId,
        slot: Option<Slot>,
    },
    /// A session was started, or failed to start.
    Started {
        generation: u64,
        outcome: Result<Box<dyn AgentSession>, Fault>,
    },
    /// The person allowed what a start needs, or not.
    StartSettled {
        turn_id: TurnId,
        outcome: Result<(Choice, Option<Slot>), Fault>,
    },
    /// The conversation's tools ask the person for an approval.
    Asked {
        request: ApprovalRequest,
        answer: oneshot::Sender<ApprovalAnswer>,
    },
    /// Its tab closed: ends the agent once no turn runs.
    LetGo,
    /// A fact about a call's step is known.
    Learned(Learned),
    /// Another conversation needs this agent's slot; ends the agent if no turn runs.
    Sleep,
    /// A person opens the conversation or begins to write: starts the agent in advance.
    Warm,
    /// The agent to start in advance has been chosen.
    Ahead(Choice),
    /// The spare agent is no longer needed.
    DropSpare,
    /// The conversation goes away. Answered when no turn runs and the agent process has ended.
    End(oneshot::Sender<()>),
}

impl ConversationGate {
    pub(super) fn new(start: Start, conversation: Arc<Conversation>) -> Self {
        Self(Arc::new(Shared {
            start,
            conversation,
            sender: Mutex::default(),
            is_to_warm: AtomicBool::new(false),
            turn: Mutex::default(),
            denied: Mutex::default(),
            unsent: Mutex::default(),
            texts: Mutex::default(),
        }))
    }

    pub(crate) fn conversation(&self) -> &Arc<Conversation> {
        &self.0.conversation
    }

    pub(crate) fn send(&self, message: Message) -> Result<SendAnswer, ChatError> {
        self.gated(|conversation| {
            let mut answer = conversation.send(message)?;
            let effects = std::mem::take(&mut answer.effects);
            Ok((answer, effects))
        })
    }

    pub(crate) fn answer(&self, approval_id: ApprovalId, decision: Decision, by: AnsweredBy) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id, decision, by)?;
            Ok(((), handled.effects))
        })
    }

    /// Allows the action once, with other text in place of the text in the approval.
    pub(crate) fn answer_with(&self, approval_id: ApprovalId, text: String, by: AnsweredBy) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id.clone(), Decision::AllowOnce, by)?;
            // Stored before the answer is passed on, and only if this answer was the one that counts.
            lock(&self.0.texts).insert(approval_id, text);
            Ok(((), handled.effects))
        })
    }

    /// Takes the text that a person wrote in their answer to this approval.
    pub(crate) fn take_text(&self, approval_id: &ApprovalId) -> Option<String> {
        lock(&self.0.texts).remove(approval_id)
    }

    /// Records a fact about a call in its step.
    pub(crate) fn learned(&self, learned: Learned) {
        self.input(Input::Learned(learned));
    }

    pub(crate) fn answer_question(
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

    pub(crate) fn unqueue(&self, client_id: ClientMessageId) -> Result<(), ChatError> {
        self.gated(|conversation| conversation.unqueue(client_id).map(|()| ((), Vec::new())))
    }

    pub(crate) fn order(&self, client_ids: Vec<ClientMessageId>, now: bool) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.order(client_ids, now)?;
            Ok(((), handled.effects))
        })
    }

    /// Handles any other event of a turn. Returns the fault if the event could not be written.
    pub(crate) fn handle(&self, event: Event) -> Option<Fault> {
        let outcome: Result<_, std::convert::Infallible> = self.gated(|conversation| {
            let Handled { effects, fault } = conversation.handle(event);
            Ok((fault, effects))
        });
        match outcome {
            Ok(fault) => fault,
        }
    }

    /// Asks the person. `answer` is dropped if the approval cannot be shown.
    pub(super) fn ask(&self, request: ApprovalRequest, answer: oneshot::Sender<ApprovalAnswer>) {
        self.input(Input::Asked { request, answer });
    }

    /// Records that the policy or a person denied a tool call of the turn, so that its step shows it.
    pub(crate) fn note_denied(&self, denied: ToolCallName) {
        lock(&self.0.denied).push(denied);
    }

    /// Returns true if the step that failed was a denied one, and forgets it.
    pub(crate) fn take_denied(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        let mut denied = lock(&self.0.denied);
        let at = denied.iter().position(|denied| denied.is_of(step_id, tool, arguments));
        at.map(|at| denied.remove(at)).is_some()
    }

    /// Records that a call has arrived and nothing of it has been sent yet.
    pub(crate) fn note_unsent(&self, call: ToolCallName) {
        lock(&self.0.unsent).push(call);
    }

    /// Records that a call is about to be sent, or has failed without a stop.
    pub(crate) fn note_sent(&self, call: &ToolCallName) {
        let mut unsent = lock(&self.0.unsent);
        if let Some(at) = unsent.iter().position(|one| one == call) {
            unsent.remove(at);
        }
    }

    /// Returns true if nothing of this step's call was sent, and forgets it.
    pub(crate) fn take_unsent(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        let mut unsent = lock(&self.0.unsent);
        let at = unsent.iter().position(|call| call.is_of(step_id, tool, arguments));
        at.map(|at| unsent.remove(at)).is_some()
    }

    /// Forgets the denied calls of the turn, because it is over.
    pub(crate) fn forget_denied(&self) {
        lock(&self.0.denied).clear();
        lock(&self.0.unsent).clear();
        lock(&self.0.texts).clear();
    }

    /// Ends the agent if no turn runs, because its conversation lost its tab. The next message starts it again.
    pub(crate) fn let_go(&self) {
        self.input(Input::LetGo);
    }

    /// Ends the agent if no turn runs, because another conversation needs its slot.
    pub(crate) fn sleep(&self) {
        self.input(Input::Sleep);
    }

    /// Starts the agent in advance if a slot is free.
    pub(crate) fn warm(&self) {
        if !self.0.is_to_warm.swap(true, Ordering::Relaxed) {
            self.input(Input::Warm);
        }
    }

    /// Marks the pending warm request as begun.
    pub(crate) fn begins_to_warm(&self) {
        self.0.is_to_warm.store(false, Ordering::Relaxed);
    }

    /// Ends an agent that was started in advance and got no message.
    pub(crate) fn drop_spare(&self) {
        self.input(Input::DropSpare);
    }

    /// Returns when no turn runs and the agent process has ended.
    pub(crate) async fn end(&self) {
        let (done, ended) = oneshot::channel();
        self.input(Input::End(done));
        // Dropped without an answer if the daemon ends; its processes then end too.
        ended.await.ok();
    }

    /// Begins a turn: replaces the token of the previous one.
    pub(crate) fn begin_turn(&self, token: CancellationToken) {
        *lock(&self.0.turn) = token;
    }

    /// Returns the token that ends the tool work of the current turn.
    pub(crate) fn turn_token(&self) -> CancellationToken {
        lock(&self.0.turn).clone()
    }

    pub(crate) fn input(&self, input: Input) {
        self.pass(&mut lock(&self.0.sender), input);
    }

    fn gated<T, E>(&self, step: impl FnOnce(&Conversation) -> Result<(T, Vec<Effect>), E>) -> Result<T, E> {
        let mut sender = lock(&self.0.sender);
        let (value, effects) = step(&self.0.conversation)?;
        if !effects.is_empty() {
            self.pass(&mut sender, Input::Effects(effects));
        }
        Ok(value)
    }

    /// Sends an input to the task. Starts the task if none runs.
    fn pass(&self, sender: &mut Option<mpsc::UnboundedSender<Input>>, input: Input) {
        let sender = sender.get_or_insert_with(|| {
            let (sender, inputs) = mpsc::unbounded_channel();
            (self.0.start)(self.clone(), inputs);
            sender
        });
        if sender.send(input).is_err() {
            tracing::debug!("a conversation's task ended with the daemon");
        }
    }

    /// Closes the gate, unless an input has arrived. Returns true if the task can end.
    pub(crate) fn retire(&self, inputs: &mpsc::UnboundedReceiver<Input>) -> bool {
        let mut sender = lock(&self.0.sender);
        if !inputs.is_empty() {
            return false;
        }
        *sender = None;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_base::home::Home;
    use gstack_chat::Store;
    use gstack_chat::store::NewConversation;

    #[test]
    fn a_panel_that_asks_with_each_letter_fills_no_queue() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path().join("home")).unwrap()).unwrap();
        let conversation = store.create(NewConversation { folder: "/".to_owned(), page: None });
        // A busy task: nothing reads its inputs.
        let (kept, waiting) = std::sync::mpsc::channel();
        let start: Start = Arc::new(move |_, inputs| kept.send(inputs).unwrap());
        let gate = ConversationGate::new(start, conversation);
        (0..1000).for_each(|_| gate.warm());
        let inputs = waiting.recv().unwrap();
        assert_eq!(inputs.len(), 1);
        gate.begins_to_warm();
        gate.warm();
        assert_eq!(inputs.len(), 2, "what is asked after it has begun counts");
    }
}
