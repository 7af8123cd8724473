//! The task of one conversation: carries out the decisions of its turn machine, and ends when it holds nothing more.
//!
//! Owns the order of work and the deadlines: of a stop, a silent turn, an idle agent. `start` starts an agent,
//! `running_agent` holds a started one, `prompt` builds its input, and `from_agent` handles its output.

use super::TaskServices;
use super::control_files::Watched;
use super::running_agent::{RunningAgent, Starting};
use super::turn_steps::Steps;
use super::watchdog::Watchdog;
use crate::agents::Choice;
use crate::conversations::{ApprovalAnswer, ConversationGate, Input, QuestionAnswers};
use gstack_agent::adapter::{AgentEvent, INTERRUPT_LIMIT};
use gstack_chat::turn::{ApprovalRequest, Message};
use gstack_chat::{Conversation, Effect, Event};
use gstack_protocol::chat::ConversationState;
use gstack_protocol::ids::{ApprovalId, QuestionId, TurnId};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// The number of pending events of one agent. A flood is held back at the agent's pipe.
const AGENT_BACKLOG: usize = 256;

pub(super) struct RunningTurn {
    pub(super) id: TurnId,
    pub(super) message: Arc<Message>,
    /// Cancelled by Stop: ends the work of the tools.
    pub(super) cancel: CancellationToken,
    pub(super) watchdog: Watchdog,
}

pub(crate) struct Task {
    pub(super) services: TaskServices,
    pub(super) conversation: Arc<Conversation>,
    pub(super) gate: ConversationGate,
    pub(super) steps: Steps,
    pub(super) session: Option<RunningAgent>,
    /// The conversation's own agent while the built-in one runs a direct command.
    pub(super) resting: Option<RunningAgent>,
    /// The number of the latest start, so that late events of an earlier session are ignored.
    pub(super) generation: u64,
    pub(super) starting: Option<Starting>,
    /// The answer channels of pending approvals.
    pub(super) waiting: HashMap<ApprovalId, oneshot::Sender<ApprovalAnswer>>,
    /// The answer channels of pending questions.
    pub(super) questions: HashMap<QuestionId, oneshot::Sender<QuestionAnswers>>,
    /// Approvals by the agent's own request ids.
    pub(super) requests: HashMap<String, ApprovalId>,
    /// Questions by the agent's own request ids.
    pub(super) asked: HashMap<String, QuestionId>,
    pub(super) deadline: Option<(TurnId, Instant)>,
    pub(super) turn: Option<RunningTurn>,
    /// The control files of the folder, while a turn may change them.
    pub(super) watched: Watched,
    /// The message that the next daemon runs, because this one is being upgraded.
    held_back: Option<Arc<Message>>,
    /// The chosen agent of the turn while it waits for a slot.
    pub(super) chosen: Option<Choice>,
    /// When the idle agent process ends.
    pub(super) sleep_at: Option<Instant>,
    /// Answered when this conversation's agent has ended.
    ending: Vec<oneshot::Sender<()>>,
    pub(super) agent_events: mpsc::Sender<(u64, AgentEvent)>,
    from_agent: Option<mpsc::Receiver<(u64, AgentEvent)>>,
}

impl Task {
    pub(crate) fn new(services: TaskServices, gate: ConversationGate) -> Self {
        let (agent_events, from_agent) = mpsc::channel(AGENT_BACKLOG);
        Self {
            services,
            conversation: gate.conversation().clone(),
            gate,
            steps: Steps::default(),
            session: None,
            resting: None,
            generation: 0,
            starting: None,
            waiting: HashMap::new(),
            questions: HashMap::new(),
            requests: HashMap::new(),
            asked: HashMap::new(),
            deadline: None,
            turn: None,
            watched: Watched::default(),
            held_back: None,
            chosen: None,
            sleep_at: None,
            ending: Vec::new(),
            agent_events,
            from_agent: Some(from_agent),
        }
    }

    pub(crate) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        let Some(mut from_agent) = self.from_agent.take() else { return };
        let shutdown = self.services.tasks.shutdown();
        loop {
            let deadline = self.deadline.as_ref().map(|(_, at)| *at);
            let gives_up =
                self.turn.as_ref().filter(|_| self.deadline.is_none()).and_then(|turn| turn.watchdog.deadline());
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                () = at(deadline) => {
                    if let Some((turn_id, _)) = self.deadline.take() {
                        self.close_steps(&turn_id);
                        self.step(Event::StopDeadline(turn_id));
                    }
                }
                () = at(gives_up) => self.check_deadlines(),
                () = at(self.sleep_at) => self.end_session(),
                Some(input) = inputs.recv() => self.input(input).await,
                Some((generation, event)) = from_agent.recv() => self.on_agent_event(generation, event).await,
            }
            self.pause_watchdog();
            if self.is_done() {
                if !self.ending.is_empty() {
                    self.end_all_and_wait().await;
                    // The requester may have disconnected.
                    self.ending.drain(..).for_each(|done| done.send(()).unwrap_or_default());
                }
                if self.session.is_none() && self.gate.retire(&inputs) {
                    return;
                }
            }
        }
        self.end_all();
    }

    /// Returns true if no turn runs and none is about to.
    fn is_done(&self) -> bool {
        let rests = self.session.is_none() || !self.ending.is_empty();
        let nothing_waits = self.waiting.is_empty() && self.questions.is_empty();
        rests
            && nothing_waits
            && self.turn.is_none()
            && self.starting.is_none()
            && self.conversation.state() == ConversationState::Idle
    }

    pub(super) fn step(&self, event: Event) {
        if let Some(fault) = self.gate.handle(event) {
            self.services.ports.tell_fault(&fault);
        }
    }

    /// Pauses the watchdog while the turn waits for a person or for a slot, or the person has taken over.
    fn pause_watchdog(&mut self) {
        if let Some(turn) = &mut self.turn {
            let waits = matches!(
                self.conversation.state(),
                ConversationState::WaitingForApproval | ConversationState::WaitingForSlot
            );
            match self.services.pauses.of(self.conversation.id()) {
                Some(pause) => turn.watchdog.pause(true, pause.since.into()),
                None => turn.watchdog.pause(waits, Instant::now()),
            }
        }
    }

    fn check_deadlines(&mut self) {
        // Nothing wakes this task when the person takes over.
        self.pause_watchdog();
        let Some(turn) = &mut self.turn else { return };
        let turn_id = turn.id.clone();
        if let Some(fault) = turn.watchdog.verdict(Instant::now()) {
            tracing::warn!(turn = %turn_id, "{fault}");
            self.step(Event::GiveUp { turn_id, fault });
        }
    }

    async fn on_agent_event(&mut self, generation: u64, event: AgentEvent) {
        if self.session.as_ref().is_some_and(|session| session.generation == generation) {
            if let Some(turn) = &mut self.turn
                && let Some(fault) = turn.watchdog.note_event(&event, Instant::now())
            {
                let turn_id = turn.id.clone();
                self.step(Event::GiveUp { turn_id, fault });
            }
            return self.agent_event(event).await;
        }
        // The resting agent reports only its exit.
        if matches!(event, AgentEvent::Exited { .. })
            && let Some(session) = self.resting.take_if(|session| session.generation == generation)
        {
            self.close(session);
        }
    }

    pub(super) async fn input(&mut self, input: Input) {
        match input {
            Input::Effects(effects) => {
                for effect in effects {
                    self.effect(effect).await;
                }
            }
            Input::Chosen { turn_id, choice } => self.chosen(turn_id, choice).await,
            Input::Slot { turn_id, slot } => self.got_slot(turn_id, slot),
            Input::Started { generation, outcome } => self.started(generation, outcome).await,
            Input::StartSettled { turn_id, outcome } => self.start_settled(turn_id, outcome),
            // The request may have been withdrawn before it arrived here.
            Input::Asked { answer, .. } if answer.is_closed() => {}
            Input::Asked { request, answer } => self.asked(request, answer),
            Input::Learned(learned) => {
                let turn = self.turn.as_ref().map(|turn| turn.id.clone());
                if let Some(body) = turn.and_then(|turn| self.steps.learned(&turn, learned)) {
                    self.append(body);
                }
            }
            Input::LetGo => self.end_if_tabless(),
            Input::Sleep if self.turn.is_none() => self.end_current(),
            // This agent works again, but another one may be idle.
            Input::Sleep => self.services.make_room(),
            Input::Warm => {
                self.gate.begins_to_warm();
                self.look_ahead();
            }
            Input::Ahead(choice) => self.start_ahead(choice),
            Input::DropSpare => self.end_spare(),
            Input::End(done) => self.ending.push(done),
        }
    }

    /// Shows an approval card.
    pub(super) fn asked(&mut self, request: ApprovalRequest, answer: oneshot::Sender<ApprovalAnswer>) {
        self.show(request.approval_id.clone(), answer, Event::ApprovalAsked(request));
    }

    /// Shows an approval card without which the turn's agent does not start.
    pub(super) fn start_asked(&mut self, request: ApprovalRequest, answer: oneshot::Sender<ApprovalAnswer>) {
        self.show(request.approval_id.clone(), answer, Event::StartAsks(request));
    }

    fn show(&mut self, approval_id: ApprovalId, answer: oneshot::Sender<ApprovalAnswer>, event: Event) {
        self.waiting.insert(approval_id.clone(), answer);
        self.services.tabs.change_work(&self.conversation, |doing| doing.waiting = true);
        self.step(event);
        // The request was withdrawn just before its card existed, so the withdrawal had nothing to close.
        if self.waiting.get(&approval_id).is_some_and(oneshot::Sender::is_closed) {
            self.step(Event::ApprovalWithdrawn(approval_id));
        }
        self.services.approvals.changed();
    }

    async fn effect(&mut self, effect: Effect) {
        match effect {
            // The conversation has written the entry, or reported the failure to the sender of the message.
            Effect::Journal(_) => {}
            Effect::StartTurn(message) => self.start_turn(message),
            Effect::Prompt(message) => self.prompt(&message).await,
            Effect::Interrupt(_) => {
                if let Some(session) = &mut self.session
                    && timeout(INTERRUPT_LIMIT, session.session.interrupt()).await.is_err()
                {
                    tracing::warn!("an agent does not take an interrupt; its process is ended instead");
                }
            }
            Effect::ArmStopDeadline(turn_id) => {
                if let Some(message) = self.held_back.take_if(|message| message.turn_id == turn_id) {
                    return self.end_unchosen(&message);
                }
                if let Some(turn) = &self.turn {
                    turn.cancel.cancel();
                }
                self.deadline = Some((turn_id, Instant::now() + INTERRUPT_LIMIT));
            }
            Effect::KillAgent => self.end_current(),
            Effect::AnswerApproval { approval_id, decision, by } => {
                if let Some(waiting) = self.waiting.remove(&approval_id) {
                    // The requester may have been cancelled.
                    waiting.send((decision, by)).ok();
                }
                self.services.approvals.changed();
                self.tell_waiting();
            }
            Effect::AnswerQuestion { question_id, answers } => {
                if let Some(waiting) = self.questions.remove(&question_id) {
                    // The requester may have been cancelled.
                    waiting.send(answers).ok();
                }
                self.services.approvals.changed();
                self.tell_waiting();
            }
            Effect::TurnEnded(end) => {
                self.deadline = None;
                self.requests.clear();
                self.asked.clear();
                self.steps.clear();
                self.gate.forget_denied();
                if let Some(turn) = self.turn.take() {
                    turn.cancel.cancel();
                }
                tracing::info!(turn = %end.turn_id, outcome = ?end.outcome, "turn ended");
                self.services.turn_ended(&self.conversation);
                self.rest();
                self.end_if_tabless();
            }
        }
    }

    /// Shows in the tab's badge whether anything waits for the person.
    pub(super) fn tell_waiting(&self) {
        let waiting = !self.waiting.is_empty() || !self.questions.is_empty();
        self.services.tabs.change_work(&self.conversation, |doing| doing.waiting = waiting);
    }

    fn start_turn(&mut self, message: Arc<Message>) {
        if self.services.upgrade.is_under_way() {
            // It waits in the journal: the next daemon runs it, unless a person stops it first.
            self.held_back = Some(message);
            return;
        }
        let cancel = CancellationToken::new();
        self.gate.begin_turn(cancel.clone());
        let watchdog = Watchdog::new(&self.services.config.get(), Instant::now());
        let id = message.turn_id.clone();
        self.turn = Some(RunningTurn { id, message: message.clone(), cancel: cancel.clone(), watchdog });
        self.sleep_at = None;
        self.services.agents.slots().set_idle(self.conversation.id(), false);
        // Looking for agents may take long, so it runs outside the task, which can still handle a stop.
        let (services, gate, turn_id) = (self.services.clone(), self.gate.clone(), message.turn_id.clone());
        self.services.tasks.spawn(async move {
            let choice = tokio::select! {
                choice = services.choose_and_settle(gate.conversation(), &message) => Some(choice),
                () = cancel.cancelled() => None,
            };
            gate.input(Input::Chosen { turn_id, choice });
        });
    }
}

/// Waits for the deadline, or forever if there is none.
async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
