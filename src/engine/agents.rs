//! Agents from the engine's side: which one answers a conversation, their tokens, what persons have allowed them.

use super::Engine;
use super::model::model_for;
use super::tools::ConversationTools;
use crate::agent::adapter::{Agent, AgentEnvironment, Offers};
use crate::agent::builtin;
use crate::base::home::{HOME_VARIABLE, SESSION_VARIABLE};
use crate::base::lineage::{AGENT_VARIABLE, CONVERSATION_VARIABLE};
use crate::base::mutex::lock;
use crate::base::{program, site};
use crate::chat::{Conversation, Message};
use crate::protocol::agents::AgentInfo;
use crate::protocol::command::{PORT_VARIABLE, TAB_VARIABLE, TOKEN_VARIABLE};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{AgentName, ConversationId, TabId};
use crate::protocol::methods::{Agents, ToPanel};
use crate::protocol::told::Sentence;
use std::ffi::OsStr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Linux alone lets a process be the parent of what its descendants leave behind.
fn minder() -> Option<std::path::PathBuf> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let path = program::path();
    path.inspect_err(|error| tracing::warn!(%error, "agents run without a minder: this program is not found")).ok()
}

/// The agent that will answer, or why it can't.
pub(super) struct Choice {
    pub(super) agent: Arc<dyn Agent>,
    pub(super) model: Option<String>,
    /// It decides by itself, so the policy stands before what it does.
    pub(super) is_model: bool,
    /// The message is exactly one command and runs without a model.
    pub(super) direct: bool,
    pub(super) fault: Option<Fault>,
    /// What a person should know before it begins.
    pub(super) notices: Vec<Sentence>,
}

impl Engine {
    /// Every agent, with what is missing. `refresh`: look again.
    pub async fn agents(&self, refresh: bool) -> Agents {
        let known = &self.inner.agents;
        let mut agents = if refresh { known.refresh().await } else { known.list().await };
        // A person's choice may be newer than what was found.
        if let Some(chosen) = self.config().agents.default_name()
            && agents.iter().any(|agent| agent.name.as_str() == chosen)
        {
            agents.iter_mut().for_each(|agent| agent.default = agent.name.as_str() == chosen);
        }
        Agents { agents, sandbox: self.sandbox_info() }
    }

    /// Reads the configuration again and looks for agents, for a person who has changed something.
    pub async fn look_for_agents_again(&self) -> Result<Agents, Fault> {
        self.read_config_again().await?;
        let agents = self.agents(true).await;
        self.ports().broadcast(&ToPanel::AgentsChanged(agents.clone()));
        Ok(agents)
    }

    /// Takes note of a terminal's PATH. Returns whether that may lead to more agents.
    pub fn learn_path(&self, path: Option<&str>) -> bool {
        path.is_some_and(|path| self.inner.agents.learn_path(path))
    }

    pub(super) fn check_agent(&self, name: &AgentName) -> Result<(), Fault> {
        self.inner.agents.get(name).map(|_| ())
    }

    /// Looks for agents in the background, so that the first panel is answered at once.
    pub(super) fn look_for_agents(&self) {
        let engine = self.clone();
        self.spawn(async move {
            let shutdown = engine.shutdown();
            tokio::select! {
                agents = engine.agents(true) => engine.ports().broadcast(&ToPanel::AgentsChanged(agents)),
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// The agent that answers a message; without one, the one that would answer as far as that is known.
    pub(super) async fn choose(&self, conversation: &Conversation, message: Option<&Message>) -> Choice {
        let known = &self.inner.agents;
        let config = self.config();
        // Who names a model wants one.
        let one_command = |message: &&Message| {
            message.model.is_none() && message.attachments.is_empty() && builtin::is_one_command(&message.text)
        };
        if config.turns.direct_commands
            && message.filter(one_command).is_some()
            && let Ok(agent) = known.get(&AgentName::new(builtin::NAME))
        {
            return Choice { agent, model: None, is_model: false, direct: true, fault: None, notices: Vec::new() };
        }
        let chosen = self.config().agents.default_name().map(AgentName::new);
        let wanted = conversation.info().agent.or(chosen);
        let agent = match wanted.map(|name| known.get(&name)) {
            Some(Ok(agent)) => agent,
            // The one that the conversation had is configured no more.
            Some(Err(_)) | None => known.default_agent().await,
        };
        let name = agent.name();
        let of_name = |found: Vec<AgentInfo>| found.into_iter().find(|info| info.name == name);
        let mut info = of_name(known.list().await);
        if message.is_some() && info.as_ref().is_some_and(|info| info.fault.is_some()) {
            // A person may have installed it, signed in or named its program since.
            if let Err(fault) = self.read_config_again().await {
                tracing::warn!(%fault, "the configuration stays as it was");
            }
            info = of_name(known.refresh().await);
        }
        let is_model = info.as_ref().is_none_or(|info| info.has_model);
        let offered = info.as_ref().map(|info| info.models.as_slice()).unwrap_or_default();
        let configured = config.turns.models.get(name.as_str());
        let text = message.map(|message| message.text.as_str()).unwrap_or_default();
        let chosen = message.and_then(|message| message.model.clone()).or_else(|| conversation.model());
        let model = model_for(chosen.as_deref(), text, name.as_str(), offered, configured);
        let model = model.filter(|_| is_model);
        Choice { agent, model, is_model, direct: false, fault: info.and_then(|info| info.fault), notices: Vec::new() }
    }

    /// The agent that answers a message, with its folder made ready for it.
    pub(super) async fn choose_and_settle(&self, conversation: &Arc<Conversation>, message: &Message) -> Choice {
        let mut choice = self.choose(conversation, Some(message)).await;
        if choice.is_model && choice.fault.is_none() {
            match self.settle_folder(conversation).await {
                Ok(notices) => choice.notices = notices,
                Err(fault) => choice.fault = Some(fault),
            }
        }
        choice
    }

    /// The login shell's environment, the mark by which an agent's processes are known, and what `gstack` needs to
    /// speak to this daemon from a shell of the agent's: with its token, and with nothing more.
    pub(super) fn agent_environment(
        &self,
        tools: &ConversationTools,
    ) -> impl Future<Output = AgentEnvironment> + Send + 'static {
        let engine = self.clone();
        let conversation = tools.conversation();
        let own: Vec<(&str, String)> = vec![
            (AGENT_VARIABLE, self.home().root().to_string_lossy().into_owned()),
            (CONVERSATION_VARIABLE, conversation.id().to_string()),
            (TOKEN_VARIABLE, tools.token().to_owned()),
            (PORT_VARIABLE, self.inner.port.to_string()),
            (HOME_VARIABLE, self.home().root().to_string_lossy().into_owned()),
        ];
        async move {
            let mut environment = engine.inner.agents.environment().await;
            // The token says whose tabs; in which of them it works may change.
            for name in [SESSION_VARIABLE, TAB_VARIABLE] {
                environment.variables.remove(OsStr::new(name));
            }
            environment.minder = minder();
            environment.variables.extend(own.into_iter().map(|(name, value)| (name.into(), value.into())));
            environment
        }
    }

    pub(super) fn agent_started(&self, id: &ConversationId) {
        lock(&self.inner.agents_running).insert(id.clone());
    }
    pub(super) fn agent_ended(&self, id: &ConversationId) {
        lock(&self.inner.agents_running).remove(id);
    }

    /// A running agent said what it offers: panels are told where that is news.
    pub(super) fn agent_offers(&self, name: &AgentName, offers: Offers) {
        if let Some(agents) = self.inner.agents.learn(name, offers) {
            self.ports().broadcast(&ToPanel::AgentsChanged(Agents { agents, sandbox: self.sandbox_info() }));
        }
    }

    // Tokens.

    pub(super) fn admit(&self, tools: &Arc<ConversationTools>) {
        lock(&self.inner.tokens).insert(tools.token().to_owned(), tools.clone());
    }
    pub(super) fn revoke(&self, tools: &ConversationTools) {
        lock(&self.inner.tokens).remove(tools.token());
        tools.ended().cancel();
    }

    /// The tools that a token opens. Every token is compared, each in constant time.
    pub fn tools_of_token(&self, presented: &str) -> Option<Arc<ConversationTools>> {
        let tokens = lock(&self.inner.tokens);
        let mut found = None;
        for (token, tools) in tokens.iter() {
            if bool::from(token.as_bytes().ct_eq(presented.as_bytes())) {
                found = Some(tools.clone());
            }
        }
        found
    }

    /// The tools of a conversation whose agent runs.
    pub fn tools_of_conversation(&self, id: &ConversationId) -> Option<Arc<ConversationTools>> {
        lock(&self.inner.tokens).values().find(|tools| tools.conversation().id() == id).cloned()
    }

    /// The host of the page in a tab.
    pub(super) fn site_of(&self, tab: TabId) -> Option<String> {
        site::of(&self.url_in(tab)?)
    }

    /// What a tab shows, to bind to it what is allowed there.
    pub(super) fn shown_in(&self, tab: TabId) -> site::Place {
        site::Place::of(&self.url_in(tab).unwrap_or_default())
    }

    fn url_in(&self, tab: TabId) -> Option<String> {
        let (browser, _) = self.pages_with(Some(tab))?;
        Some(browser.tab(tab).ok()?.info().ok()?.url)
    }
}
