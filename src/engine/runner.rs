//! One conversation's task: carries out what its turn machine decides, and feeds it with what agents report.
//!
//! Owns the agent's session of the conversation. Everything that happens to the conversation passes
//! through its gate, so that effects are carried out in the order in which they were decided.

use super::Engine;
use super::tools::ConversationTools;
use super::turn_steps::Steps;
use crate::agent::adapter::{
    AgentEvent, AgentSession, Image, Launch, McpEndpoint, PermissionAnswer, PermissionAsked, Prompt,
};
use crate::chat::turn::{ApprovalRequest, Message};
use crate::chat::{BlockKind, ChatError, Conversation, Effect, Event, Handled, SendAnswer};
use crate::protocol::chat::{ChatBody, ConversationState, Decision, PageContext};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{AgentName, ApprovalId, ConversationId, TurnId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// How long an agent may take to end its turn after an interrupt before its process is ended instead.
const STOP_LIMIT: Duration = Duration::from_millis(800);
/// Events of one agent that may wait; a flood is held back at the agent's pipe.
const AGENT_BACKLOG: usize = 256;

/// The way to a conversation's task. Cheap to clone.
#[derive(Clone)]
pub(super) struct Runner {
    conversation: Arc<Conversation>,
    gate: Arc<Mutex<mpsc::UnboundedSender<Input>>>,
    /// Cancelled when the present turn is stopped or over; what the tools do ends with it.
    turn: Arc<Mutex<CancellationToken>>,
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
        answer: oneshot::Sender<Decision>,
    },
    /// Its tab is gone: the agent is needed no more, once no turn runs.
    LetGo,
}

impl Runner {
    pub(super) fn start(engine: Engine, conversation: Arc<Conversation>) -> Self {
        let (sender, inputs) = mpsc::unbounded_channel();
        let runner =
            Self { conversation: conversation.clone(), gate: Arc::new(Mutex::new(sender)), turn: Arc::default() };
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

    pub(super) fn answer(
        &self,
        approval_id: ApprovalId,
        decision: Decision,
        by: crate::protocol::chat::AnsweredBy,
    ) -> Result<(), ChatError> {
        self.gated(|conversation| {
            let handled = conversation.answer(approval_id, decision, by)?;
            Ok(((), handled.effects))
        })
    }

    pub(super) fn unqueue(&self, client_id: crate::protocol::ids::ClientMessageId) -> Result<(), ChatError> {
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
    pub(super) fn ask(&self, request: ApprovalRequest) -> oneshot::Receiver<Decision> {
        let (answer, receiver) = oneshot::channel();
        self.input(Input::Asked { request, answer });
        receiver
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

/// A started agent and what belongs to it.
struct Session {
    agent: AgentName,
    model: Option<String>,
    generation: u64,
    session: Box<dyn AgentSession>,
    tools: Arc<ConversationTools>,
}

struct Starting {
    agent: AgentName,
    model: Option<String>,
    turn_id: TurnId,
    tools: Arc<ConversationTools>,
    cancel: CancellationToken,
}

struct Turn {
    id: TurnId,
    /// Cancelled by Stop: what the tools do ends with it.
    cancel: CancellationToken,
}

struct Task {
    engine: Engine,
    conversation: Arc<Conversation>,
    runner: Runner,
    steps: Steps,
    session: Option<Session>,
    /// Counts the sessions: a late word of an earlier one is not taken for the present one's.
    generation: u64,
    starting: Option<Starting>,
    /// Who waits for the answer of an approval.
    waiting: HashMap<ApprovalId, oneshot::Sender<Decision>>,
    /// The agent's own request ids of its approvals.
    requests: HashMap<String, ApprovalId>,
    deadline: Option<(TurnId, Instant)>,
    turn: Option<Turn>,
}

impl Task {
    async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
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

    fn step(&self, event: Event) {
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
            }
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
            Effect::AnswerApproval { approval_id, decision } => {
                if let Some(waiting) = self.waiting.remove(&approval_id) {
                    // Whoever asked may have been cancelled.
                    waiting.send(decision).ok();
                }
                let waiting = !self.waiting.is_empty();
                self.engine.working(&self.conversation, |doing| doing.waiting = waiting);
            }
            Effect::TurnEnded(end) => {
                self.deadline = None;
                self.requests.clear();
                self.steps.clear();
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
        *super::lock(&self.runner.turn) = cancel.clone();
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
        if let Err(error) = begun {
            return self.step(Event::AgentFailedToStart { turn_id, fault: error.fault() });
        }
        self.engine.turn_began(&self.conversation);
        if let Some(fault) = choice.fault {
            return self.step(Event::AgentFailedToStart { turn_id, fault });
        }
        let name = choice.agent.name();
        if self.session.as_ref().is_some_and(|s| s.agent == name && s.model == choice.model) {
            return self.step(Event::AgentReady(turn_id));
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

    async fn agent_event(&mut self, event: AgentEvent) {
        let Some(turn_id) = self.turn.as_ref().map(|turn| turn.id.clone()) else {
            return self.between_turns(event);
        };
        match event {
            AgentEvent::SessionStarted { resume, model: _ } => self.remember_session(resume),
            AgentEvent::TextStarted | AgentEvent::ThinkingStarted => self.conversation.finish_block(),
            AgentEvent::TextDelta(text) => self.grow(&turn_id, BlockKind::Text, &text),
            AgentEvent::ThinkingDelta(text) => self.grow(&turn_id, BlockKind::Thinking, &text),
            AgentEvent::StepStarted { step_id, words, tool, arguments } => {
                let doing = format!("{} {}", words.verb, words.object);
                self.engine.working(&self.conversation, |working| working.doing = doing.trim().to_owned());
                let body = self.steps.begin(turn_id, step_id, words, tool, arguments);
                self.append(body);
            }
            AgentEvent::StepDone { step_id, outcome, result, images } => {
                let body = self.steps.end(turn_id, step_id, outcome, result);
                let conversation = self.conversation.clone();
                let body = Steps::with_images(body, images, &conversation).await;
                self.append(body);
            }
            AgentEvent::PermissionAsked(asked) => self.permission(asked),
            AgentEvent::PermissionWithdrawn { request } => {
                if let Some(approval_id) = self.requests.remove(&request) {
                    self.step(Event::ApprovalWithdrawn(approval_id));
                }
            }
            AgentEvent::Notice(text) => self.append(ChatBody::Notice { turn_id, text }),
            AgentEvent::TurnDone { outcome, model, cost_usd, fault } => {
                self.close_steps(&turn_id);
                self.step(Event::AgentTurnDone { outcome, model, cost_usd, fault });
            }
            AgentEvent::Exited { fault } => {
                self.close_steps(&turn_id);
                self.end_session();
                self.step(Event::AgentExited { fault });
            }
        }
    }

    /// What an agent says while no turn runs counts for its session only.
    fn between_turns(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::SessionStarted { resume, .. } => self.remember_session(resume),
            AgentEvent::Exited { .. } => {
                self.end_session();
                self.step(Event::AgentExited { fault: None });
            }
            // Dropping it denies.
            AgentEvent::PermissionAsked(asked) => {
                asked.answer.send(PermissionAnswer::Deny("No turn is running.".to_owned())).ok();
            }
            _ => {}
        }
    }

    fn remember_session(&self, resume: String) {
        if let Some(session) = &self.session {
            self.conversation.set_resume(session.agent.clone(), Some(resume));
        }
    }

    fn grow(&self, turn_id: &TurnId, kind: BlockKind, text: &str) {
        if let Err(error) = self.conversation.grow(turn_id, kind, text) {
            self.engine.tell_fault(&error.fault());
        }
    }

    fn append(&self, body: ChatBody) {
        if let Err(error) = self.conversation.append(body) {
            self.engine.tell_fault(&error.fault());
        }
    }

    /// A turn's end leaves no step open: what was not reported is unknown.
    fn close_steps(&mut self, turn_id: &TurnId) {
        for body in self.steps.end_all(turn_id) {
            self.append(body);
        }
    }

    /// The agent wants to use a tool of its own.
    fn permission(&mut self, asked: PermissionAsked) {
        if asked.read_only {
            asked.answer.send(PermissionAnswer::Allow).ok();
            return;
        }
        let approval_id = ApprovalId::random();
        self.requests.insert(asked.request, approval_id.clone());
        let (answer, decided) = oneshot::channel();
        self.waiting.insert(approval_id.clone(), answer);
        self.engine.working(&self.conversation, |doing| doing.waiting = true);
        let limit = self.engine.approval_limit();
        let runner = self.runner.clone();
        let waiting_id = approval_id.clone();
        self.engine.spawn(async move {
            let answer = match timeout(limit, decided).await {
                Ok(Ok(decision)) if decision.allows() => PermissionAnswer::Allow,
                Ok(_) => PermissionAnswer::Deny("The person said no.".to_owned()),
                Err(_) => {
                    let by = crate::protocol::chat::AnsweredBy::Timeout;
                    if let Err(error) = runner.answer(waiting_id, Decision::Deny, by) {
                        tracing::debug!(%error, "an approval was answered while it ran out");
                    }
                    PermissionAnswer::Deny("Nobody answered in time, so it was not allowed.".to_owned())
                }
            };
            // The agent may have taken it back or ended.
            asked.answer.send(answer).ok();
        });
        self.step(Event::ApprovalAsked(ApprovalRequest {
            approval_id,
            ask: asked.ask,
            site: None,
            why: asked.why,
            does: asked.does,
            kind: asked.kind,
            choices: vec![Decision::AllowOnce, Decision::Deny],
        }));
    }

    /// A conversation without a tab keeps no agent between its turns: nobody would ever end it.
    fn end_unneeded(&mut self) {
        if self.conversation.state() == ConversationState::Idle && self.conversation.info().tab_id.is_none() {
            self.end_agent();
        }
    }

    /// Ends the agent, or its start.
    fn end_agent(&mut self) {
        if let Some(starting) = self.starting.take() {
            starting.cancel.cancel();
            self.engine.revoke(&starting.tools);
        }
        self.end_session();
    }

    fn end_session(&mut self) {
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
