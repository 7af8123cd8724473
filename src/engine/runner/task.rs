//! The task of one conversation: carries out what its turn machine decides.
//!
//! Owns the agent's session: starting it, handing it messages, ending it. What it reports is read in `from_agent`.

use super::{Input, Runner};
use crate::agent::adapter::{AgentEvent, AgentSession, Image, Launch, McpEndpoint, Prompt};
use crate::chat::turn::Message;
use crate::chat::{Conversation, Effect, Event};
use crate::engine::tools::ConversationTools;
use crate::engine::turn_steps::Steps;
use crate::engine::{Engine, lock};
use crate::protocol::chat::{AnsweredBy, ConversationState, Decision, PageContext};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{AgentName, ApprovalId, TurnId};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// How long an agent may take to end its turn after an interrupt before its process is ended instead.
const STOP_LIMIT: Duration = Duration::from_millis(800);
/// Events of one agent that may wait; a flood is held back at the agent's pipe.
const AGENT_BACKLOG: usize = 256;

/// A started agent and what belongs to it.
pub(super) struct Session {
    pub(super) agent: AgentName,
    pub(super) model: Option<String>,
    pub(super) generation: u64,
    pub(super) session: Box<dyn AgentSession>,
    pub(super) tools: Arc<ConversationTools>,
}

pub(super) struct Starting {
    pub(super) agent: AgentName,
    pub(super) model: Option<String>,
    pub(super) turn_id: TurnId,
    pub(super) tools: Arc<ConversationTools>,
    pub(super) cancel: CancellationToken,
}

pub(super) struct Turn {
    pub(super) id: TurnId,
    /// Cancelled by Stop: what the tools do ends with it.
    pub(super) cancel: CancellationToken,
}

pub(super) struct Task {
    pub(super) engine: Engine,
    pub(super) conversation: Arc<Conversation>,
    pub(super) runner: Runner,
    pub(super) steps: Steps,
    pub(super) session: Option<Session>,
    /// Counts the sessions: a late word of an earlier one is not taken for the present one's.
    pub(super) generation: u64,
    pub(super) starting: Option<Starting>,
    /// Who waits for the answer of an approval.
    pub(super) waiting: HashMap<ApprovalId, oneshot::Sender<(Decision, AnsweredBy)>>,
    /// The agent's own request ids of its approvals.
    pub(super) requests: HashMap<String, ApprovalId>,
    pub(super) deadline: Option<(TurnId, Instant)>,
    pub(super) turn: Option<Turn>,
}

impl Task {
    pub(super) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        let (agent_events, mut from_agent) = mpsc::channel::<(u64, AgentEvent)>(AGENT_BACKLOG);
        let shutdown = self.engine.shutdown();
        loop {
            let deadline = self.deadline.as_ref().map(|(_, at)| *at);
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                () = at(deadline) => {
                    if let Some((turn_id, _)) = self.deadline.take() {
                        self.step(Event::StopDeadline(turn_id));
                    }
                }
                Some(input) = inputs.recv() => self.input(input, &agent_events).await,
                Some((generation, event)) = from_agent.recv() => {
                    if self.session.as_ref().is_some_and(|session| session.generation == generation) {
                        self.agent_event(event).await;
                    }
                }
            }
        }
        self.end_agent();
    }

    pub(super) fn step(&self, event: Event) {
        if let Some(fault) = self.runner.handle(event) {
            self.engine.tell_fault(&fault);
        }
    }

    async fn input(&mut self, input: Input, agent_events: &mpsc::Sender<(u64, AgentEvent)>) {
        match input {
            Input::Effects(effects) => {
                for effect in effects {
                    self.effect(effect, agent_events).await;
                }
            }
            Input::Started { generation, outcome } => self.started(generation, outcome),
            Input::Asked { request, answer } => {
                self.waiting.insert(request.approval_id.clone(), answer);
                self.engine.working(&self.conversation, |doing| doing.waiting = true);
                self.step(Event::ApprovalAsked(request));
                self.engine.approvals_changed();
            }
            Input::Answered => self.note_waiting(),
            Input::LetGo => self.end_unneeded(),
        }
    }

    async fn effect(&mut self, effect: Effect, agent_events: &mpsc::Sender<(u64, AgentEvent)>) {
        match effect {
            // Written by the conversation, or told to whoever sent the message.
            Effect::Journal(_) | Effect::Rejected(_) => {}
            Effect::StartTurn(message) => self.start_turn(&message, agent_events).await,
            Effect::Prompt(message) => self.prompt(&message).await,
            Effect::Interrupt(_) => {
                if let Some(session) = &mut self.session
                    && timeout(STOP_LIMIT, session.session.interrupt()).await.is_err()
                {
                    tracing::warn!("an agent does not take an interrupt; its process is ended instead");
                }
            }
            Effect::ArmStopDeadline(turn_id) => {
                if let Some(turn) = &self.turn {
                    turn.cancel.cancel();
                }
                self.deadline = Some((turn_id, Instant::now() + STOP_LIMIT));
            }
            Effect::KillAgent => self.end_agent(),
            Effect::AnswerApproval { approval_id, decision, by } => {
                if let Some(waiting) = self.waiting.remove(&approval_id) {
                    // Whoever asked may have been cancelled.
                    waiting.send((decision, by)).ok();
                }
                self.engine.approvals_changed();
                self.note_waiting();
            }
            Effect::TurnEnded(end) => {
                self.deadline = None;
                self.requests.clear();
                self.close_questions();
                self.steps.clear();
                lock(&self.runner.denied).clear();
                if let Some(turn) = self.turn.take() {
                    turn.cancel.cancel();
                }
                tracing::info!(turn = %end.turn_id, outcome = ?end.outcome, "turn ended");
                self.engine.turn_ended(&self.conversation);
                self.end_unneeded();
            }
        }
    }

    async fn start_turn(&mut self, message: &Arc<Message>, agent_events: &mpsc::Sender<(u64, AgentEvent)>) {
        let cancel = CancellationToken::new();
        *lock(&self.runner.turn) = cancel.clone();
        self.turn = Some(Turn { id: message.turn_id.clone(), cancel });
        let shutdown = self.engine.shutdown();
        let choice = tokio::select! {
            choice = self.engine.choose(&self.conversation) => choice,
            () = shutdown.cancelled() => return,
        };
        let begun = self.conversation.begin_turn(
            message,
            choice.agent.name(),
            choice.agent.label().to_owned(),
            choice.model.clone(),
        );
        let turn_id = message.turn_id.clone();
        self.engine.person_said(&self.conversation, message);
        if let Err(error) = begun {
            return self.step(Event::AgentFailedToStart { turn_id, fault: error.fault() });
        }
        self.engine.turn_began(&self.conversation, choice.agent.label().to_owned());
        if let Some(fault) = choice.fault {
            return self.step(Event::AgentFailedToStart { turn_id, fault });
        }
        let name = choice.agent.name();
        if let Some(session) = self.session.as_mut().filter(|session| session.agent == name) {
            let same = session.model == choice.model;
            if same || session.session.set_model(choice.model.clone()).await.is_ok() {
                session.model = choice.model;
                return self.step(Event::AgentReady(turn_id));
            }
        }
        self.end_session();
        self.generation += 1;
        let generation = self.generation;
        let cancel = CancellationToken::new();
        let (launch, tools) = self.launch(&name, choice.model.clone(), choice.is_model);
        self.starting = Some(Starting { agent: name, model: choice.model, turn_id, tools, cancel: cancel.clone() });
        let environment = self.engine.agent_environment();
        let (events, mut own_events) = mpsc::channel(AGENT_BACKLOG);
        let agent = choice.agent;
        let runner = self.runner.clone();
        let numbered = agent_events.clone();
        self.engine.spawn(async move {
            let mut launch: Launch = launch;
            let start = async {
                launch.environment = environment.await;
                agent.start(launch, events).await
            };
            let outcome = tokio::select! {
                outcome = start => outcome,
                () = cancel.cancelled() => Err(Fault::new(FaultCode::Cancelled, "the start was stopped").at(Hop::Agent)),
            };
            runner.input(Input::Started { generation, outcome });
            // What it says is heard only after it is there, or its first words would be taken for a stranger's.
            // This ends with the session: its sender is dropped then.
            while let Some(event) = own_events.recv().await {
                if numbered.send((generation, event)).await.is_err() {
                    break;
                }
            }
        });
    }

    fn launch(&self, agent: &AgentName, model: Option<String>, is_model: bool) -> (Launch, Arc<ConversationTools>) {
        let tools = ConversationTools::new(self.engine.clone(), self.runner.clone(), !is_model);
        self.engine.admit(&tools);
        let offered: Vec<String> = tools.offered().into_iter().map(|tool| tool.name).collect();
        let info = self.conversation.info();
        let launch = Launch {
            conversation_id: self.conversation.id().clone(),
            folder: info.folder.into(),
            resume: self.conversation.resume(agent),
            model,
            system_prompt: crate::agent::prompt::system_prompt(&offered),
            mcp: McpEndpoint { url: self.engine.mcp_url(), token: tools.token().to_owned(), tools: offered },
            tools: tools.clone(),
            environment: Default::default(),
            run_files: self.engine.home().run_files(),
            off_limits: vec![self.engine.home().root().to_owned()],
        };
        (launch, tools)
    }

    fn started(&mut self, generation: u64, outcome: Result<Box<dyn AgentSession>, Fault>) {
        let current = generation == self.generation;
        let starting = if current { self.starting.take() } else { None };
        match (starting, outcome) {
            (Some(starting), Ok(session)) => {
                let Starting { agent, model, turn_id, tools, .. } = starting;
                self.session = Some(Session { agent, model, generation, session, tools });
                self.engine.agent_started(self.conversation.id());
                self.step(Event::AgentReady(turn_id));
            }
            (Some(starting), Err(fault)) => {
                self.engine.revoke(&starting.tools);
                self.step(Event::AgentFailedToStart { turn_id: starting.turn_id, fault });
            }
            // Stopped meanwhile: nobody needs it.
            (None, Ok(session)) => self.engine.spawn(session.close()),
            (None, Err(_)) => {}
        }
    }

    async fn prompt(&mut self, message: &Arc<Message>) {
        let turn_id = message.turn_id.clone();
        let prompt = Prompt { text: message.text.clone(), page: self.page(message), images: self.images(message) };
        let Some(session) = &mut self.session else {
            let fault = Fault::new(FaultCode::AgentCrashed, "the agent ended before it got the message").at(Hop::Agent);
            return self.step(Event::PromptRefused { turn_id, fault });
        };
        match session.session.prompt(prompt).await {
            Ok(()) => self.step(Event::PromptAccepted(turn_id)),
            Err(fault) => {
                // What takes no message takes the next one neither: that one gets a new process.
                self.end_session();
                self.step(Event::PromptRefused { turn_id, fault });
            }
        }
    }

    /// The page as it is now, with what the person had selected when they wrote.
    fn page(&self, message: &Message) -> Option<PageContext> {
        let now = self.engine.page_of(&self.conversation);
        let selection = message.page.as_ref().and_then(|page| page.selection.clone());
        match now {
            Some(page) => Some(PageContext { selection, ..page }),
            None => message.page.clone(),
        }
    }

    fn images(&self, message: &Message) -> Vec<Image> {
        let pictures = message.attachments.iter().filter(|file| file.mime.starts_with("image/"));
        pictures
            .filter_map(|file| match self.conversation.file_path(&file.id).map(std::fs::read) {
                Ok(Ok(bytes)) => Some(Image { mime: file.mime.clone(), bytes }),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "an attachment can't be read");
                    None
                }
                Err(error) => {
                    tracing::warn!(%error, "an attachment is not there");
                    None
                }
            })
            .collect()
    }

    /// A conversation without a tab keeps no agent between its turns: nobody would ever end it.
    pub(super) fn end_unneeded(&mut self) {
        if self.conversation.state() == ConversationState::Idle && self.conversation.info().tab_id.is_none() {
            self.end_agent();
        }
    }

    /// Ends the agent, or its start.
    pub(super) fn end_agent(&mut self) {
        if let Some(starting) = self.starting.take() {
            starting.cancel.cancel();
            self.engine.revoke(&starting.tools);
        }
        self.end_session();
    }

    pub(super) fn end_session(&mut self) {
        if let Some(session) = self.session.take() {
            self.engine.revoke(&session.tools);
            self.engine.agent_ended(self.conversation.id());
            self.engine.spawn(session.session.close());
        }
    }
}

/// Waits for the deadline, or for ever where there is none.
async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
