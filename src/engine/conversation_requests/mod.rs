//! What panels and terminals ask of a conversation: to open it, to send it a message, to stop, move, rename or delete it.
//!
//! Owns the path from a request to the conversation's gate, and the order of the steps. The service `conversations` is
//! the store; `conversation_task` runs the turns.

mod branch;
mod error;
mod history;
mod messages;
mod tab_set;
mod terminal;

use crate::agents::AgentPool;
use crate::browsers::Browsers;
use crate::conversations::Conversations;
use crate::ports::Ports;
use crate::spare::Spare;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use crate::upgrade::Upgrade;
use crate::worktrees::Worktrees;
use gstack_base::home::Home;

/// A handle to the requests about conversations. Cheap to clone.
#[derive(Clone)]
pub struct ConversationRequests {
    pub(crate) home: Home,
    pub(crate) agents: AgentPool,
    pub(crate) browsers: Browsers,
    pub(crate) conversations: Conversations,
    pub(crate) ports: Ports,
    pub(crate) spare: Spare,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    pub(crate) upgrade: Upgrade,
    pub(crate) worktrees: Worktrees,
}
