//! The handle to the agents of this home, and the state behind it.
//!
//! Owns the list of agents from the last search, and which conversations have an agent process.

use super::sandbox::agent_settings;
use super::slots::{Slots, slots_by_memory};
use crate::config::{Config, ConfigFile};
use crate::ports::Ports;
use crate::tasks::Tasks;
use gstack_agent::adapter::{Agent, AgentEnvironment, Offers};
use gstack_agent::agent_list::{self, Look};
use gstack_agent::direct::DirectAgent;
use gstack_agent::sandbox::SandboxMode;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_protocol::agents::{AgentInfo, Agents, SandboxInfo, SlashCommand};
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultWords};
use gstack_protocol::ids::{AgentName, ConversationId};
use gstack_protocol::methods::ToPanel;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A handle to the agents. Cheap to clone.
#[derive(Clone)]
pub struct AgentPool(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) home: Home,
    /// The daemon's port on 127.0.0.1, for the `gstack` that agents run in a shell.
    pub(super) port: u16,
    pub(super) config: ConfigFile,
    /// Receive the list when it changes.
    ports: Ports,
    pub(super) tasks: Tasks,
    pub(super) known: agent_list::Agents,
    /// Those that answer some messages themselves, in the order in which they are asked.
    pub(super) direct: Vec<Arc<dyn DirectAgent>>,
    slots: Slots,
    /// Held while an agent is asked one question.
    pub(super) alone: tokio::sync::Mutex<()>,
    /// The conversation whose agent was started before it had a message.
    pub(super) spare: Mutex<Option<ConversationId>>,
    /// The conversations that have an agent process.
    running: Mutex<HashSet<ConversationId>>,
}

impl AgentPool {
    /// Creates the pool without looking for agents.
    pub(crate) fn new(
        home: Home,
        port: u16,
        config: ConfigFile,
        ports: Ports,
        tasks: Tasks,
        direct: Vec<Arc<dyn DirectAgent>>,
    ) -> Self {
        let now = config.get();
        let known = agent_list::Agents::new(agent_settings(&home, &now));
        let slots = Slots::new(slot_limit(&now));
        let (spare, running) = (Mutex::default(), Mutex::default());
        let alone = tokio::sync::Mutex::default();
        Self(Arc::new(Shared { home, port, config, ports, tasks, known, direct, slots, alone, spare, running }))
    }

    /// Returns every agent with what it is missing, after this look.
    pub async fn list(&self, look: Look) -> Agents {
        self.told(self.0.known.list(look).await)
    }

    /// Returns the list as panels receive it.
    fn told(&self, mut agents: Vec<AgentInfo>) -> Agents {
        // The person's choice may be newer than the search.
        if let Some(chosen) = self.0.config.get().agents.default_name()
            && agents.iter().any(|agent| agent.name.as_str() == chosen)
        {
            agents.iter_mut().for_each(|agent| agent.default = agent.name.as_str() == chosen);
        }
        Agents { agents, sandbox: self.sandbox() }
    }

    /// Sends the list to every panel after this look, and returns it.
    pub async fn tell(&self, look: Look) -> Agents {
        let agents = self.list(look).await;
        self.0.ports.broadcast(&ToPanel::AgentsChanged(agents.clone()));
        agents
    }

    /// Looks for agents in the background, so that the first panel gets its answer at once.
    pub(crate) fn look(&self) {
        let pool = self.clone();
        self.0.tasks.spawn(async move {
            let shutdown = pool.0.tasks.shutdown();
            tokio::select! {
                _ = pool.tell(Look::Again) => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Returns what is found about an agent, or without a name about the default one. Looks for agents if that was not done.
    pub(super) async fn found(&self, name: Option<&AgentName>) -> Option<AgentInfo> {
        if !self.0.known.has_looked() {
            let pool = self.clone();
            self.0.tasks.spawn(async move {
                let shutdown = pool.0.tasks.shutdown();
                tokio::select! {
                    _ = pool.tell(Look::Known) => {}
                    () = shutdown.cancelled() => {}
                }
            });
        }
        let shutdown = self.0.tasks.shutdown();
        tokio::select! {
            found = self.0.known.wait_for(name) => found,
            () = shutdown.cancelled() => None,
        }
    }

    /// Adds the folders of a terminal's PATH to the search. Returns true if that may find more agents.
    pub fn learn_path(&self, path: Option<&str>) -> bool {
        path.is_some_and(|path| self.0.known.learn_path(path))
    }

    /// Returns the commands that a message in this folder can begin with, whichever agent was chosen. Reads the disk.
    pub(crate) fn commands(&self, folder: &Path) -> Vec<SlashCommand> {
        self.0.direct.iter().flat_map(|direct| direct.commands(folder)).collect()
    }

    /// Returns the agent of this name. Fails if it does not exist.
    pub(crate) fn get(&self, name: &AgentName) -> Result<Arc<dyn Agent>, Fault> {
        self.0.known.get(name)
    }

    /// Records what a running agent offers, and tells the panels if it changed.
    pub(crate) fn learn_offers(&self, name: &AgentName, offers: Offers) {
        if let Some(agents) = self.0.known.learn(name, offers) {
            self.0.ports.broadcast(&ToPanel::AgentsChanged(self.told(agents)));
        }
    }

    /// Applies the current configuration. Running agents are not affected.
    pub(crate) fn configure(&self) {
        let config = self.0.config.get();
        self.0.slots.set_limit(slot_limit(&config));
        self.0.known.configure(agent_settings(&self.0.home, &config));
    }

    /// Returns the files of an agent's own settings that are compared after each turn.
    pub(crate) async fn settings_to_compare(&self, name: &AgentName) -> Vec<PathBuf> {
        self.0.known.settings_to_compare(name).await
    }

    /// Returns the sandbox from the last search. `None` before the first search and if the person turned it off.
    pub(crate) fn sandbox(&self) -> Option<SandboxInfo> {
        let state = self.0.known.known_sandbox().filter(|state| state.mode != SandboxMode::Off)?;
        state.found.as_ref()?;
        let (detail, words) = FaultWords::of(state.words());
        Some(SandboxInfo { in_force: state.is_in_force(), detail, words })
    }

    /// Formats an agent's label, version and path together with its sandbox.
    pub(crate) fn with_sandbox(&self, agent: [&str; 3]) -> Sentence {
        let [label, version, path] = agent;
        let known = self.0.known.known_sandbox().filter(|state| state.mode != SandboxMode::Off);
        match known.and_then(|state| state.found) {
            Some(Ok(mechanism)) => catalogue::HOP_AGENT_SANDBOXED.with([label, version, path, &mechanism]),
            Some(Err(why)) => catalogue::HOP_AGENT_UNSANDBOXED.with([label, version, path, &why]),
            None => catalogue::HOP_AGENT.with(agent),
        }
    }

    /// Describes the sandbox for `status`, even before the first search and if the person turned it off.
    pub(crate) fn sandbox_status(&self) -> Option<String> {
        self.0.known.known_sandbox().map(|state| state.words().to_string())
    }

    /// Returns the environment that agents and git run in, with their sandbox.
    pub(crate) async fn environment(&self) -> AgentEnvironment {
        self.0.known.environment().await
    }

    pub(crate) fn slots(&self) -> &Slots {
        &self.0.slots
    }

    /// Records that the conversation has an agent process.
    pub(crate) fn started(&self, id: &ConversationId) {
        lock(&self.0.running).insert(id.clone());
    }

    /// Records that the conversation no longer has an agent process.
    pub(crate) fn ended(&self, id: &ConversationId) {
        lock(&self.0.running).remove(id);
    }

    /// Returns the number of conversations that have an agent process.
    pub(crate) fn running(&self) -> usize {
        lock(&self.0.running).len()
    }
}

fn slot_limit(config: &Config) -> usize {
    config.agents.at_once.unwrap_or_else(slots_by_memory)
}
