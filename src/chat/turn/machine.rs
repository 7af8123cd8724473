//! The life cycle of turns as a pure state machine: an event goes in, effects come out.
//!
//! Owns the running turn, the waiting messages, and what each state allows. Never does IO, reads no clock and draws no
//! random number: turn ids come with the messages. Every pair of state and event is defined.

pub(crate) use gstack_protocol::chat::QUEUE_LIMIT;
use gstack_protocol::chat::{ChatBody, ConversationState, TurnOutcome};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ClientMessageId, TurnId};
use std::collections::VecDeque;
use std::sync::Arc;

use super::asking::{Asks, Open, close_all};
use super::ending::{Ending, gone};
use super::vocabulary::{Effect, Event, Message, Refusal};

/// The phase of the running turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Phase {
    /// The agent is starting. `for_slot`: it waits until another one has ended.
    Starting { for_slot: bool },
    /// The agent has the message, or is being sent it.
    Running { accepted: bool },
    /// The agent waits for the answers to these approvals and questions. If it does not have the message yet, its start waits.
    WaitingForPerson { handed: Handed, open: Vec<Open> },
    /// A person stopped the turn, or it was given up with a fault, but the agent has not ended yet.
    Stopping { handed: Handed, fault: Option<Fault> },
}

/// Whether the turn's message reached the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handed {
    No,
    /// Being sent: the interrupt follows once it has arrived.
    OnItsWay,
    Yes,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Active {
    pub(super) message: Arc<Message>,
    pub(super) phase: Phase,
}

/// One conversation's turns. Cheap to clone: messages are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Machine {
    /// `None` if idle.
    pub(super) active: Option<Active>,
    queue: VecDeque<Arc<Message>>,
    /// The queue waits for the person, because the last turn did not end well. `Send` and `Continue` release it.
    held: bool,
}

impl Machine {
    pub(crate) fn state(&self) -> ConversationState {
        match self.active.as_ref().map(|active| &active.phase) {
            None => ConversationState::Idle,
            Some(Phase::Starting { for_slot: true }) => ConversationState::WaitingForSlot,
            Some(Phase::Starting { .. } | Phase::Running { .. }) => ConversationState::Running,
            Some(Phase::WaitingForPerson { .. }) => ConversationState::WaitingForApproval,
            Some(Phase::Stopping { .. }) => ConversationState::Stopping,
        }
    }

    /// Returns the id of the running turn.
    pub(crate) fn turn(&self) -> Option<&TurnId> {
        self.active.as_ref().map(|active| &active.message.turn_id)
    }

    /// Returns the waiting messages, the next one first.
    pub(crate) fn queue(&self) -> impl ExactSizeIterator<Item = &Arc<Message>> {
        self.queue.iter()
    }

    /// Returns whether messages wait for the person's `Send` or `Continue`.
    #[cfg(test)]
    pub(crate) fn held(&self) -> bool {
        self.active.is_none() && !self.queue.is_empty()
    }

    /// Applies an event and returns its effects.
    ///
    /// # Errors
    /// Fails if the event is refused; the state is then unchanged.
    pub(crate) fn step(&mut self, event: Event) -> Result<Vec<Effect>, Refusal> {
        Ok(match event {
            Event::Send(message) => self.send(message)?,
            Event::Unqueue(client_id) => self.unqueue(&client_id)?,
            Event::Order { client_ids, now } => self.order(client_ids, now)?,
            Event::Continue => {
                self.held = false;
                self.next()
            }
            Event::Stop => self.stop(None),
            Event::GiveUp { turn_id, fault } if self.turn() == Some(&turn_id) => self.stop(Some(fault)),
            Event::GiveUp { .. } => Vec::new(),
            Event::AgentReady(turn_id) => self.agent_ready(&turn_id),
            Event::AgentFailedToStart { turn_id, fault } => self.failed_to_start(&turn_id, fault),
            Event::PromptAccepted(turn_id) => self.prompt_accepted(&turn_id),
            Event::PromptRefused { turn_id, fault } => self.prompt_refused(&turn_id, fault),
            Event::ApprovalAsked(request) => self.ask(request, Asks::Running),
            Event::StartAsks(request) => self.ask(request, Asks::Starting),
            Event::ApprovalAnswered { approval_id, decision, by } => self.answer(approval_id, decision, by)?,
            Event::ApprovalWithdrawn(approval_id) => self.withdraw(approval_id),
            Event::QuestionAsked(request) => self.question(request, Asks::Running),
            Event::StartQuestion(request) => self.question(request, Asks::Starting),
            Event::QuestionAnswered { question_id, answers, by } => self.answer_question(question_id, answers, by)?,
            Event::QuestionWithdrawn(question_id) => self.withdraw_question(question_id),
            Event::WaitsForSlot { turn_id, waits } => {
                if let Some(Active { phase: Phase::Starting { for_slot }, .. }) = self.named(&turn_id) {
                    *for_slot = waits;
                }
                Vec::new()
            }
            Event::AgentTurnDone { outcome, model, cost_usd, usage, fault } => {
                self.agent_done(Ending { outcome, model, cost_usd, usage, fault })
            }
            Event::AgentExited { fault } => self.agent_exited(fault),
            Event::StopDeadline(turn_id) => self.stop_deadline(&turn_id),
        })
    }

    fn send(&mut self, message: Arc<Message>) -> Result<Vec<Effect>, Refusal> {
        if self.knows(&message.client_id) {
            return Err(Refusal::AlreadySent);
        }
        // Idle with a held queue: this message releases the hold, and the first message leaves the queue at once.
        let limit = if self.active.is_some() { QUEUE_LIMIT } else { QUEUE_LIMIT + 1 };
        if self.queue.len() >= limit {
            return Err(Refusal::QueueFull);
        }
        self.held = false;
        let mut effects = vec![Effect::Journal(message.body())];
        self.queue.push_back(message);
        effects.extend(self.next());
        Ok(effects)
    }

    fn knows(&self, client_id: &ClientMessageId) -> bool {
        let active = self.active.as_ref().map(|active| &active.message);
        active.into_iter().chain(&self.queue).any(|message| message.client_id == *client_id)
    }

    fn unqueue(&mut self, client_id: &ClientMessageId) -> Result<Vec<Effect>, Refusal> {
        match self.queue.iter().position(|message| message.client_id == *client_id) {
            Some(index) => {
                self.queue.remove(index);
                Ok(vec![Effect::Journal(ChatBody::MessageRemoved { client_id: client_id.clone() })])
            }
            None => Err(Refusal::NotWaiting),
        }
    }

    fn order(&mut self, client_ids: Vec<ClientMessageId>, now: bool) -> Result<Vec<Effect>, Refusal> {
        let mut ordered: VecDeque<Arc<Message>> = VecDeque::with_capacity(self.queue.len());
        for client_id in &client_ids {
            let is_new = ordered.iter().all(|message| message.client_id != *client_id);
            let waiting = self.queue.iter().find(|message| is_new && message.client_id == *client_id);
            ordered.push_back(waiting.ok_or(Refusal::NotWaiting)?.clone());
        }
        // One was sent, started or removed meanwhile, so this order is not what the person saw.
        if ordered.is_empty() || ordered.len() != self.queue.len() {
            return Err(Refusal::NotWaiting);
        }
        let mut effects = Vec::new();
        if self.queue != ordered {
            self.queue = ordered;
            effects.push(Effect::Journal(ChatBody::QueueOrdered { client_ids }));
        }
        if now {
            effects.extend(self.stop(None));
            self.held = false;
            effects.extend(self.next());
        }
        Ok(effects)
    }

    /// Starts the next turn unless one is running or the queue is held.
    fn next(&mut self) -> Vec<Effect> {
        if self.active.is_some() || self.held {
            return Vec::new();
        }
        let Some(message) = self.queue.pop_front() else { return Vec::new() };
        self.active = Some(Active { message: message.clone(), phase: Phase::Starting { for_slot: false } });
        vec![Effect::StartTurn(message)]
    }

    fn stop(&mut self, fault: Option<Fault>) -> Vec<Effect> {
        let Some(active) = &mut self.active else { return Vec::new() };
        let turn_id = active.message.turn_id.clone();
        let (handed, open) = match &mut active.phase {
            // A second stop changes nothing: the deadline is already set.
            Phase::Stopping { .. } => return Vec::new(),
            Phase::Starting { .. } => {
                active.phase = Phase::Stopping { handed: Handed::No, fault };
                self.held = true;
                return vec![Effect::ArmStopDeadline(turn_id)];
            }
            Phase::Running { accepted: true } => (Handed::Yes, Vec::new()),
            Phase::Running { accepted: false } => (Handed::OnItsWay, Vec::new()),
            Phase::WaitingForPerson { handed, open } => (*handed, std::mem::take(open)),
        };
        active.phase = Phase::Stopping { handed, fault };
        self.held = true;
        let mut effects = close_all(&turn_id, open);
        if handed == Handed::Yes {
            effects.push(Effect::Interrupt(turn_id.clone()));
        }
        effects.push(Effect::ArmStopDeadline(turn_id));
        effects
    }

    /// Returns the running turn if `turn_id` names it.
    fn named(&mut self, turn_id: &TurnId) -> Option<&mut Active> {
        self.active.as_mut().filter(|active| active.message.turn_id == *turn_id)
    }

    fn agent_ready(&mut self, turn_id: &TurnId) -> Vec<Effect> {
        let Some(active) = self.named(turn_id) else { return Vec::new() };
        match &mut active.phase {
            Phase::Starting { .. } => {
                active.phase = Phase::Running { accepted: false };
                vec![Effect::Prompt(active.message.clone())]
            }
            Phase::WaitingForPerson { handed: Handed::No, open } => {
                let mut effects = close_all(turn_id, std::mem::take(open));
                active.phase = Phase::Running { accepted: false };
                effects.push(Effect::Prompt(active.message.clone()));
                effects
            }
            Phase::Stopping { handed: Handed::No, .. } => self.end_stopped(),
            _ => Vec::new(),
        }
    }

    fn failed_to_start(&mut self, turn_id: &TurnId, fault: Fault) -> Vec<Effect> {
        match self.named(turn_id).map(|active| &active.phase) {
            Some(Phase::Starting { .. } | Phase::WaitingForPerson { handed: Handed::No, .. }) => {
                self.end(Ending::failed(fault))
            }
            Some(Phase::Stopping { handed: Handed::No, .. }) => self.end_stopped(),
            _ => Vec::new(),
        }
    }

    fn prompt_accepted(&mut self, turn_id: &TurnId) -> Vec<Effect> {
        let Some(active) = self.named(turn_id) else { return Vec::new() };
        match &mut active.phase {
            Phase::Running { accepted } => {
                *accepted = true;
                Vec::new()
            }
            Phase::WaitingForPerson { handed: handed @ Handed::OnItsWay, .. } => {
                *handed = Handed::Yes;
                Vec::new()
            }
            Phase::Stopping { handed: handed @ Handed::OnItsWay, .. } => {
                *handed = Handed::Yes;
                vec![Effect::Interrupt(turn_id.clone())]
            }
            Phase::Starting { .. } | Phase::WaitingForPerson { .. } | Phase::Stopping { .. } => Vec::new(),
        }
    }

    fn prompt_refused(&mut self, turn_id: &TurnId, fault: Fault) -> Vec<Effect> {
        match self.named(turn_id).map(|active| &active.phase) {
            Some(Phase::Running { accepted: false } | Phase::WaitingForPerson { handed: Handed::OnItsWay, .. }) => {
                self.end(Ending::failed(fault))
            }
            Some(Phase::Stopping { handed: Handed::OnItsWay, .. }) => self.end_stopped(),
            _ => Vec::new(),
        }
    }

    fn agent_done(&mut self, ending: Ending) -> Vec<Effect> {
        match self.active.as_ref().map(|active| &active.phase) {
            // Nothing was sent to this agent yet, so it reports another turn.
            None
            | Some(
                Phase::Starting { .. }
                | Phase::WaitingForPerson { handed: Handed::No, .. }
                | Phase::Stopping { handed: Handed::No, .. },
            ) => Vec::new(),
            Some(Phase::Running { .. } | Phase::WaitingForPerson { .. }) => self.end(ending),
            // The turn may have finished just before the stop reached it. Otherwise agents report a stop in different
            // ways.
            Some(Phase::Stopping { .. }) if ending.outcome == TurnOutcome::Done => self.end(ending),
            Some(Phase::Stopping { fault, .. }) => {
                let Ending { outcome, fault, .. } = Ending::stopped_for(fault.clone());
                self.end(Ending { outcome, fault, ..ending })
            }
        }
    }

    fn agent_exited(&mut self, fault: Option<Fault>) -> Vec<Effect> {
        match self.active.as_ref().map(|active| &active.phase) {
            // While an agent starts, the answer to `StartTurn` reports how that went. This was the previous agent.
            None
            | Some(
                Phase::Starting { .. }
                | Phase::WaitingForPerson { handed: Handed::No, .. }
                | Phase::Stopping { handed: Handed::No, .. },
            ) => Vec::new(),
            Some(Phase::Running { .. } | Phase::WaitingForPerson { .. }) => {
                self.end(Ending::failed(fault.unwrap_or_else(gone)))
            }
            Some(Phase::Stopping { .. }) => self.end_stopped(),
        }
    }

    fn stop_deadline(&mut self, turn_id: &TurnId) -> Vec<Effect> {
        match self.named(turn_id).map(|active| &active.phase) {
            Some(Phase::Stopping { .. }) => {
                let mut effects = vec![Effect::KillAgent];
                effects.extend(self.end_stopped());
                effects
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn recovered(&mut self, interrupted: Option<TurnId>, waiting: Vec<Arc<Message>>) -> Vec<Effect> {
        let waiting: Vec<_> = waiting.into_iter().filter(|message| !self.knows(&message.client_id)).collect();
        self.queue.extend(waiting);
        self.held = true;
        match interrupted {
            // The turn in the journal has ended; that does not affect a turn of this machine.
            Some(turn_id) if self.turn() != Some(&turn_id) => {
                vec![Effect::TurnEnded(Ending::interrupted().of(turn_id))]
            }
            Some(_) => self.end(Ending::interrupted()),
            None => Vec::new(),
        }
    }

    /// Ends the running turn according to the stop: stopped by a person, or given up.
    fn end_stopped(&mut self) -> Vec<Effect> {
        let fault = match self.active.as_ref().map(|active| &active.phase) {
            Some(Phase::Stopping { fault, .. }) => fault.clone(),
            _ => None,
        };
        self.end(Ending::stopped_for(fault))
    }

    /// Ends the running turn, and starts the next one if this one ended well.
    fn end(&mut self, ending: Ending) -> Vec<Effect> {
        let Some(active) = self.active.take() else { return Vec::new() };
        let (open, stopping) = match active.phase {
            Phase::WaitingForPerson { open, .. } => (open, false),
            Phase::Stopping { .. } => (Vec::new(), true),
            Phase::Starting { .. } | Phase::Running { .. } => (Vec::new(), false),
        };
        // A stop holds the queue immediately; a message sent after it releases the queue again.
        if !stopping {
            self.held = ending.outcome != TurnOutcome::Done;
        }
        let turn_id = active.message.turn_id.clone();
        let mut effects = close_all(&turn_id, open);
        effects.push(Effect::TurnEnded(ending.of(turn_id)));
        effects.extend(self.next());
        effects
    }
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
