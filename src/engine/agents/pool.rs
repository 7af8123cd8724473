//! The handle to the agents of this home, and the state behind it.
//!
//! Owns the list of agents as it was last found, and which conversations have an agent's process.

use super::sandbox::agent_settings;
use super::slots::{Slots, slots_by_memory};
use crate::agent::adapter::{Agent, AgentEnvironment, Offers};
use crate::agent::registry;
use crate::agent::sandbox::SandboxMode;
use crate::base::home::Home;
use crate::base::mutex::lock;
use crate::engine::config::{Config, ConfigFile};
use crate::engine::ports::Ports;
use crate::engine::tasks::Tasks;
use crate::protocol::agents::AgentInfo;
use crate::protocol::agents::{Agents, SandboxInfo};
use crate::protocol::fault::{Fault, FaultWords};
use crate::protocol::ids::{AgentName, ConversationId};
use crate::protocol::methods::ToPanel;
use crate::protocol::told::{self, Sentence};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// A handle to the agents. Cheap to clone.
#[derive(Clone)]
pub struct AgentPool(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) home: Home,
    /// The daemon's port on 127.0.0.1, for the `gstack` that agents run in a shell.
    pub(super) port: u16,
    pub(super) config: ConfigFile,
    /// Told when the list changes.
    ports: Ports,
    pub(super) tasks: Tasks,
    pub(super) known: registry::Agents,
    slots: Slots,
    /// The conversation whose agent was started before there was a message for it.
    pub(super) spare: Mutex<Option<ConversationId>>,
    /// The conversations that have an agent's process.
    running: Mutex<HashSet<ConversationId>>,
}

impl AgentPool {
    /// Looks for no agent yet.
    pub(in crate::engine) fn new(home: Home, port: u16, config: ConfigFile, ports: Ports, tasks: Tasks) -> Self {
        let now = config.get();
        let known = registry::Agents::new(agent_settings(&home, &now));
        let slots = Slots::new(slot_limit(&now));
        let (spare, running) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { home, port, config, ports, tasks, known, slots, spare, running }))
    }

    /// Every agent, with what is missing. `refresh`: looks for them again.
    pub async fn list(&self, refresh: bool) -> Agents {
        let known = &self.0.known;
        let agents = if refresh { known.refresh().await } else { known.list().await };
        self.told(agents)
    }

    /// The list as panels are told it.
    fn told(&self, mut agents: Vec<AgentInfo>) -> Agents {
        // A person's choice may be newer than what was found.
        if let Some(chosen) = self.0.config.get().agents.default_name()
            && agents.iter().any(|agent| agent.name.as_str() == chosen)
        {
            agents.iter_mut().for_each(|agent| agent.default = agent.name.as_str() == chosen);
        }
        Agents { agents, sandbox: self.sandbox() }
    }

    /// Tells every panel the list, and returns it. `refresh`: looks for the agents again.
    pub(in crate::engine) async fn tell(&self, refresh: bool) -> Agents {
        let agents = self.list(refresh).await;
        self.0.ports.broadcast(&ToPanel::AgentsChanged(agents.clone()));
        agents
    }

    /// Looks for agents in the background, so that the first panel is answered at once.
    pub(in crate::engine) fn look(&self) {
        let pool = self.clone();
        self.0.tasks.spawn(async move {
            let shutdown = pool.0.tasks.shutdown();
            tokio::select! {
                _ = pool.tell(true) => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Adds the folders of a terminal's PATH to the search. Returns whether that may lead to more agents.
    pub fn learn_path(&self, path: Option<&str>) -> bool {
        path.is_some_and(|path| self.0.known.learn_path(path))
    }

    /// The agent of this name. Fails if there is none.
    pub(in crate::engine) fn get(&self, name: &AgentName) -> Result<Arc<dyn Agent>, Fault> {
        self.0.known.get(name)
    }

    /// A running agent said what it offers: tells panels if that is news.
    pub(in crate::engine) fn learn_offers(&self, name: &AgentName, offers: Offers) {
        if let Some(agents) = self.0.known.learn(name, offers) {
            self.0.ports.broadcast(&ToPanel::AgentsChanged(self.told(agents)));
        }
    }

    /// Applies the configuration as it is now. Agents that run are not touched.
    pub(in crate::engine) fn configure(&self) {
        let config = self.0.config.get();
        self.0.slots.set_limit(slot_limit(&config));
        self.0.known.configure(agent_settings(&self.0.home, &config));
    }

    /// What confines agents, as it was last found. `None` before the first look, and if the person has turned it off.
    pub(in crate::engine) fn sandbox(&self) -> Option<SandboxInfo> {
        let state = self.0.known.known_sandbox().filter(|state| state.mode != SandboxMode::Off)?;
        state.found.as_ref()?;
        let (detail, words) = FaultWords::of(state.words());
        Some(SandboxInfo { in_force: state.is_in_force(), detail, words })
    }

    /// An agent, by its label, version and path, with what confines it.
    pub(in crate::engine) fn with_sandbox(&self, agent: [&str; 3]) -> Sentence {
        let [label, version, path] = agent;
        let known = self.0.known.known_sandbox().filter(|state| state.mode != SandboxMode::Off);
        match known.and_then(|state| state.found) {
            Some(Ok(mechanism)) => told::HOP_AGENT_SANDBOXED.with([label, version, path, &mechanism]),
            Some(Err(why)) => told::HOP_AGENT_UNSANDBOXED.with([label, version, path, &why]),
            None => told::HOP_AGENT.with(agent),
        }
    }

    /// The same for `status`, also while nothing was looked for or the person has turned it off.
    pub(in crate::engine) fn sandbox_status(&self) -> Option<String> {
        self.0.known.known_sandbox().map(|state| state.words().to_string())
    }

    /// The environment that agents, and git, run in, with what confines them.
    pub(in crate::engine) async fn environment(&self) -> AgentEnvironment {
        self.0.known.environment().await
    }

    pub(in crate::engine) fn slots(&self) -> &Slots {
        &self.0.slots
    }

    /// The conversation has an agent's process from now on.
    pub(in crate::engine) fn started(&self, id: &ConversationId) {
        lock(&self.0.running).insert(id.clone());
    }

    /// It has none any more.
    pub(in crate::engine) fn ended(&self, id: &ConversationId) {
        lock(&self.0.running).remove(id);
    }

    /// How many conversations have an agent's process.
    pub(in crate::engine) fn running(&self) -> usize {
        lock(&self.0.running).len()
    }
}

fn slot_limit(config: &Config) -> usize {
    config.agents.at_once.unwrap_or_else(slots_by_memory)
}
