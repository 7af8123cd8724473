//! What panels and terminals ask of a conversation: to open it, to send it a message, to stop, move, rename or delete it.
//!
//! Owns the path from a request to the conversation's gate, and the order of the steps. The service `conversations` is
//! the store; `conversation_task` runs the turns.

mod error;
mod history;
mod messages;
mod tab_set;
mod terminal;

use crate::base::home::Home;
use crate::engine::agents::AgentPool;
use crate::engine::browsers::Browsers;
use crate::engine::conversations::Conversations;
use crate::engine::ports::Ports;
use crate::engine::spare::Spare;
use crate::engine::tabs::Tabs;
use crate::engine::tasks::Tasks;
use crate::engine::upgrade::Upgrade;
use crate::engine::worktrees::Worktrees;

/// A handle to the requests about conversations. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConversationRequests {
    pub(in crate::engine) home: Home,
    pub(in crate::engine) agents: AgentPool,
    pub(in crate::engine) browsers: Browsers,
    pub(in crate::engine) conversations: Conversations,
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) spare: Spare,
    pub(in crate::engine) tabs: Tabs,
    pub(in crate::engine) tasks: Tasks,
    pub(in crate::engine) upgrade: Upgrade,
    pub(in crate::engine) worktrees: Worktrees,
}
