//! Which agent answers a message, and with which model.
//!
//! Owns the choice among the agents found. Never looks for agents: the engine does if the chosen one has a fault.

use super::model::model_for;
use super::pool::AgentPool;
use crate::tasks::off_thread;
use gstack_agent::adapter::Agent;
use gstack_agent::builtin::{self, Builtin};
use gstack_agent::direct::DirectAgent;
use gstack_chat::{Conversation, Message};
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::catalogue::Sentence;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::AgentName;
use std::path::Path;
use std::sync::Arc;

/// The agent that answers, or the reason why it cannot.
pub(crate) struct Choice {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) model: Option<String>,
    /// The agent's mode that the person chose; `None` for the one in which it asks.
    pub(crate) mode: Option<String>,
    /// True if the agent decides what to do by itself, so the policy checks each of its actions.
    pub(crate) is_model: bool,
    /// True if the message is a command of the person's own, which runs without a model.
    pub(crate) direct: bool,
    pub(crate) fault: Option<Fault>,
    /// Notices for the person before the turn begins.
    pub(crate) notices: Vec<Sentence>,
}

impl Choice {
    /// Returns the choice of an agent that runs one command as the person.
    fn direct(agent: Arc<dyn Agent>) -> Self {
        Self { agent, model: None, mode: None, is_model: false, direct: true, fault: None, notices: Vec::new() }
    }
}

impl AgentPool {
    /// Returns the agent that answers a message, or without a message the one that would answer as far as is known.
    pub(crate) async fn choose(&self, conversation: &Conversation, message: Option<&Message>) -> Choice {
        let (known, config) = (&self.0.known, self.0.config.get());
        if config.turns.direct_commands
            && message.is_some_and(is_one_command)
            && let Ok(agent) = known.get(&AgentName::new(builtin::NAME))
        {
            return Choice::direct(agent);
        }
        let default = config.agents.default_name().map(AgentName::new);
        let wanted = conversation.info().agent.or(default);
        let named = wanted.and_then(|name| known.get(&name).ok());
        // `None` as well if the conversation's agent is no longer in the configuration.
        let name = named.as_ref().map(|agent| agent.name());
        let info = self.found(name.as_ref()).await;
        if let Some(message) = message.filter(|message| message.model.is_none())
            && let Some(agent) = self.taken(message, conversation, info.as_ref()).await
        {
            return Choice::direct(agent);
        }
        let by_default = || info.as_ref().and_then(|info| known.get(&info.name).ok());
        let agent = named.or_else(by_default).unwrap_or_else(|| Arc::new(Builtin));
        let name = agent.name();
        let is_model = info.as_ref().is_none_or(|info| info.has_model);
        let offered = info.as_ref().map(|info| info.models.as_slice()).unwrap_or_default();
        let configured = config.turns.models.get(name.as_str());
        let text = message.map(|message| message.text.as_str()).unwrap_or_default();
        let chosen = message.and_then(|message| message.model.clone()).or_else(|| conversation.model());
        let model = model_for(chosen.as_deref(), text, name.as_str(), offered, configured);
        let model = model.filter(|_| is_model);
        let (mode, fault) = (conversation.mode(), info.and_then(|info| info.fault));
        Choice { agent, model, mode, is_model, direct: false, fault, notices: Vec::new() }
    }
    /// Returns the agent that answers this message itself, whichever agent was chosen.
    async fn taken(
        &self,
        message: &Message,
        conversation: &Conversation,
        chosen: Option<&AgentInfo>,
    ) -> Option<Arc<dyn Agent>> {
        let (direct, text) = (self.0.direct.clone(), message.text.clone());
        let (folder, offered) = (conversation.folder(), chosen.map(|info| info.commands.clone()).unwrap_or_default());
        let look = move || {
            let takes = |agent: &Arc<dyn DirectAgent>| agent.takes(&text, Path::new(&folder), &offered);
            Ok(direct.into_iter().find(takes))
        };
        off_thread(look).await.ok().flatten().map(|agent| agent as Arc<dyn Agent>)
    }
}

/// Returns true if the message is one command. A message that names a model goes to that model.
fn is_one_command(message: &Message) -> bool {
    message.model.is_none() && message.attachments.is_empty() && builtin::is_one_command(&message.text)
}
