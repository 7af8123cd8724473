//! Starting an agent for a turn: which one, whether it may run now, and its start.
//!
//! Owns the steps from a message to a session that accepts it. Each step completes with an input, so that the task can
//! handle a stop in between. Never reads an agent's output.

use super::error::TurnError;
use super::running_agent::{RunningAgent, Starting};
use super::task::Task;
use crate::agents::{AgentAccess, Choice, Slot, SlotAnswer};
use crate::conversations::Input;
use crate::tools::ConversationTools;
use gstack_agent::adapter::{Agent, AgentEnvironment, AgentSession, Launch, McpEndpoint};
use gstack_base::program;
use gstack_chat::Event;
use gstack_chat::turn::Message;
use gstack_protocol::catalogue;
use gstack_protocol::chat::ChatBody;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{AgentName, TurnId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The number of events of one agent that may wait until its session exists.
const FIRST_WORDS: usize = 256;
/// Stands for the agent of a turn that was stopped before an agent was chosen.
const UNCHOSEN: &str = "none";

/// The number of the latest start of any agent. Each start has its own, so that the outcome of a start whose task has
/// ended is never taken for that of a later task of the same conversation.
static LATEST_START: AtomicU64 = AtomicU64::new(0);

impl Task {
    /// Begins the turn with the chosen agent.
    pub(super) async fn chosen(&mut self, turn_id: TurnId, choice: Option<Choice>) {
        let Some(turn) = self.turn.as_ref().filter(|turn| turn.id == turn_id) else { return };
        let message = turn.message.clone();
        let Some(choice) = choice else { return self.end_unchosen(&message) };
        let (name, label) = (choice.agent.name(), choice.agent.label().to_owned());
        let begun =
            self.conversation.begin_turn(&message, name.clone(), label.clone(), choice.model.clone(), choice.direct);
        self.services.policy.person_said(&self.conversation, &message);
        if let Err(error) = begun {
            return self.step(Event::AgentFailedToStart { turn_id, fault: error.fault() });
        }
        // A command that the person typed themselves makes the built-in agent no owner of the agent's tabs.
        if !choice.direct {
            self.services.tabs.sets().worked_by(&self.conversation, label.clone());
        }
        self.services.turn_began(&self.conversation, label);
        let Some(choice) = self.without_fault(&turn_id, choice, None) else { return };
        let folder = self.conversation.folder();
        // The same agent switches to another model without a new process, if it can. Another mode needs a new one: its
        // sandbox may differ.
        // Only one with a model has a slot: an agent of the person's own may have the name of one without.
        let is_same = |s: &&mut RunningAgent| {
            s.agent == name && s.folder == folder && s.mode == choice.mode && s.slot.is_some() == choice.is_model
        };
        if let Some(session) = self.session.as_mut().filter(is_same) {
            let same = session.model == choice.model;
            if same || session.session.set_model(choice.model.clone()).await.is_ok() {
                session.model = choice.model;
                return self.step(Event::AgentReady(turn_id));
            }
        }
        if let Some(starting) = &mut self.starting
            && (&starting.agent, &starting.folder, &starting.mode) == (&name, &folder, &choice.mode)
            && starting.slot.is_some() == choice.is_model
        {
            starting.turn_id = Some(turn_id);
            // It switches to the turn's model once it has started.
            self.chosen = (starting.model != choice.model).then_some(choice);
            return;
        }
        if choice.direct {
            self.resting = self.session.take();
        }
        let kept = self.take_slot_for_next();
        if !choice.is_model {
            drop(kept);
            return self.start(Some(turn_id), choice, None);
        }
        self.start_in_slot(turn_id, choice, kept);
    }

    /// Shows the choice's notices and returns it, unless its agent has a fault: then asks for what it needs, or ends the turn.
    pub(super) fn without_fault(&mut self, turn_id: &TurnId, mut choice: Choice, slot: Option<Slot>) -> Option<Choice> {
        for sentence in &choice.notices {
            self.append(ChatBody::notice(turn_id.clone(), sentence.clone()));
        }
        let Some(fault) = choice.fault.take() else { return Some(choice) };
        self.not_started(turn_id.clone(), &choice.agent.name(), slot, fault);
        None
    }

    /// Starts the agent in this slot, or in the next one that is free.
    pub(super) fn start_in_slot(&mut self, turn_id: TurnId, choice: Choice, kept: Option<Slot>) {
        if let Some(slot) = kept.or_else(|| self.services.agents.slots().take_free(self.conversation.id())) {
            return self.start(Some(turn_id), choice, Some(slot));
        }
        match self.services.agents.slots().take(self.conversation.id()) {
            SlotAnswer::Now(slot) => self.start(Some(turn_id), choice, Some(slot)),
            SlotAnswer::Later { slot, idle } => {
                self.step(Event::WaitsForSlot { turn_id: turn_id.clone(), waits: true });
                self.chosen = Some(choice);
                self.wait_for_slot(turn_id, slot);
                if idle.is_some() {
                    self.services.make_room();
                }
            }
        }
    }

    /// Begins and ends a turn that was stopped before an agent was chosen, so that its message does not wait forever.
    pub(super) fn end_unchosen(&self, message: &Message) {
        let name = self.conversation.info().agent.unwrap_or_else(|| AgentName::new(UNCHOSEN));
        let label = name.to_string();
        let begun = self.conversation.begin_turn(message, name, label, None, false);
        let fault =
            begun.err().map_or_else(|| TurnError::Stopped(catalogue::TURN_STOPPED).into(), |error| error.fault());
        self.step(Event::AgentFailedToStart { turn_id: message.turn_id.clone(), fault });
    }

    fn wait_for_slot(&self, turn_id: TurnId, slot: tokio::sync::oneshot::Receiver<Slot>) {
        let Some(turn) = &self.turn else { return };
        let (gate, cancel) = (self.gate.clone(), turn.cancel.clone());
        self.services.tasks.spawn(async move {
            let slot = tokio::select! {
                slot = slot => slot.ok(),
                () = cancel.cancelled() => None,
            };
            gate.input(Input::Slot { turn_id, slot });
        });
    }

    /// Starts the agent that waited, because another agent has ended.
    pub(super) fn got_slot(&mut self, turn_id: TurnId, slot: Option<Slot>) {
        let chosen = self.chosen.take();
        if self.turn.as_ref().is_none_or(|turn| turn.id != turn_id) {
            return;
        }
        self.step(Event::WaitsForSlot { turn_id: turn_id.clone(), waits: false });
        match (slot, chosen) {
            (Some(slot), Some(choice)) => self.start(Some(turn_id), choice, Some(slot)),
            _ => self.step(Event::AgentFailedToStart {
                turn_id,
                fault: TurnError::Stopped(catalogue::TURN_STOPPED_WAITING).into(),
            }),
        }
    }

    pub(super) fn start(&mut self, turn_id: Option<TurnId>, choice: Choice, slot: Option<Slot>) {
        self.chosen = None;
        let generation = LATEST_START.fetch_add(1, Ordering::Relaxed) + 1;
        self.generation = generation;
        let cancel = CancellationToken::new();
        let Choice { agent, model, mode, is_model, .. } = choice;
        let name = agent.name();
        let (launch, tools) = self.launch(&name, (model.clone(), mode.clone()), is_model);
        let environment = self.services.agents.environment_for(self.conversation.id(), tools.token());
        let folder = launch.folder.to_string_lossy().into_owned();
        self.starting =
            Some(Starting { agent: name, model, mode, folder, turn_id, tools, cancel: cancel.clone(), slot });
        self.begin_session(generation, agent, launch, environment, cancel);
    }

    fn begin_session(
        &self,
        generation: u64,
        agent: Arc<dyn Agent>,
        mut launch: Launch,
        environment: impl Future<Output = AgentEnvironment> + Send + 'static,
        cancel: CancellationToken,
    ) {
        let (events, mut own_events) = mpsc::channel(FIRST_WORDS);
        let gate = self.gate.clone();
        let numbered = self.agent_events.clone();
        self.services.tasks.spawn(async move {
            let start = async {
                launch.environment = environment.await;
                agent.start(launch, events).await
            };
            let outcome = tokio::select! {
                outcome = start => outcome,
                () = cancel.cancelled() => Err(TurnError::Stopped(catalogue::START_STOPPED).into()),
            };
            gate.input(Input::Started { generation, outcome });
            drop(gate);
            // Its events are handled only after it is registered, or its first ones would be discarded as those of an
            // unknown session. The loop ends with the session, which drops the sender.
            while let Some(event) = own_events.recv().await {
                if numbered.send((generation, event)).await.is_err() {
                    break;
                }
            }
        });
    }

    fn launch(
        &self,
        agent: &AgentName,
        (model, mode): (Option<String>, Option<String>),
        is_model: bool,
    ) -> (Launch, Arc<ConversationTools>) {
        let tools = self.services.tools.open(self.gate.clone(), !is_model);
        let offered: Vec<String> = AgentAccess::offered(tools.as_ref()).into_iter().map(|tool| tool.name).collect();
        let launch = Launch {
            conversation_id: self.conversation.id().clone(),
            folder: self.conversation.folder().into(),
            resume: self.conversation.resume(agent),
            model,
            mode,
            system_prompt: gstack_agent::prompt::system_prompt(&offered),
            mcp: McpEndpoint {
                url: self.services.mcp_url.clone(),
                token: tools.token().to_owned(),
                tools: offered,
                program: program::path().ok(),
            },
            tools: tools.clone(),
            environment: Default::default(),
            run_files: self.services.home.run_files(),
            access: self.services.worktrees.access(&self.conversation),
            off_limits: vec![self.services.home.shared().to_owned()],
        };
        (launch, tools)
    }

    /// Switches an agent that was started in advance to the message's model, or replaces it with one that has that
    /// model.
    async fn take_model(&mut self, turn_id: TurnId, choice: Choice) {
        if let Some(session) = &mut self.session
            && session.session.set_model(choice.model.clone()).await.is_ok()
        {
            session.model = choice.model;
            return self.step(Event::AgentReady(turn_id));
        }
        let slot = self.take_slot_for_next();
        self.start(Some(turn_id), choice, slot);
    }

    pub(super) async fn started(&mut self, generation: u64, outcome: Result<Box<dyn AgentSession>, Fault>) {
        let current = generation == self.generation;
        let starting = if current { self.starting.take() } else { None };
        match (starting, outcome) {
            (Some(starting), Ok(session)) => {
                let Starting { agent, model, mode, folder, turn_id, tools, slot, .. } = starting;
                let is_informed = session.resumed();
                let (had_a_message, unsaved_session_id) = (false, None);
                self.session = Some(RunningAgent {
                    agent,
                    model,
                    mode,
                    folder,
                    generation,
                    session,
                    is_informed,
                    had_a_message,
                    unsaved_session_id,
                    own_processes: None,
                    tools,
                    slot,
                });
                self.services.agents.started(self.conversation.id());
                match (turn_id, self.chosen.take()) {
                    (Some(turn_id), Some(choice)) => self.take_model(turn_id, choice).await,
                    (Some(turn_id), None) => self.step(Event::AgentReady(turn_id)),
                    (None, _) => self.rest(),
                }
            }
            (Some(starting), Err(fault)) => {
                self.services.tools.revoke(&starting.tools);
                self.chosen = None;
                self.services.agents.unmark_spare(self.conversation.id());
                match starting.turn_id {
                    Some(turn_id) => self.not_started(turn_id, &starting.agent, starting.slot, fault),
                    None => tracing::info!(%fault, "an agent could not be made ready ahead of time"),
                }
            }
            // The turn was stopped, so no one needs it.
            (None, Ok(session)) => self.services.tasks.spawn(session.close()),
            (None, Err(_)) => {}
        }
    }
}
