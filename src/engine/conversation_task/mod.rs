//! The task of one conversation, which carries out the inputs that its gate passes on.
//!
//! Owns the agent's start, its turns and its end. The gate is in `conversations`.

mod ahead;
mod choosing;
mod earlier;
mod error;
mod from_agent;
mod prompt;
mod running_agent;
mod start;
mod task;
#[cfg(test)]
mod tests;
mod turn_marks;
mod turn_steps;
mod watchdog;

pub(super) use task::Task;

use crate::base::home::Home;
use crate::engine::agents::AgentPool;
use crate::engine::approvals::Approvals;
use crate::engine::browsers::Browsers;
use crate::engine::config::ConfigFile;
use crate::engine::conversations::Conversations;
use crate::engine::drivers::Drivers;
use crate::engine::pauses::Pauses;
use crate::engine::policy::PolicyService;
use crate::engine::ports::Ports;
use crate::engine::settings::SettingsService;
use crate::engine::spare::Spare;
use crate::engine::tabs::Tabs;
use crate::engine::tasks::Tasks;
use crate::engine::tools::AgentTools;
use crate::engine::upgrade::Upgrade;
use crate::engine::usage::Usage;
use crate::engine::worktrees::Worktrees;

/// The services that the tasks of conversations need. Cheap to clone.
#[derive(Clone)]
pub(in crate::engine) struct TaskServices {
    pub(in crate::engine) home: Home,
    pub(in crate::engine) agents: AgentPool,
    pub(in crate::engine) approvals: Approvals,
    pub(in crate::engine) browsers: Browsers,
    pub(in crate::engine) config: ConfigFile,
    pub(in crate::engine) conversations: Conversations,
    pub(in crate::engine) drivers: Drivers,
    /// The address of the agents' endpoint.
    pub(in crate::engine) mcp_url: String,
    pub(in crate::engine) pauses: Pauses,
    pub(in crate::engine) policy: PolicyService,
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) settings: SettingsService,
    pub(in crate::engine) spare: Spare,
    pub(in crate::engine) tabs: Tabs,
    pub(in crate::engine) tasks: Tasks,
    pub(in crate::engine) tools: AgentTools,
    pub(in crate::engine) upgrade: Upgrade,
    pub(in crate::engine) usage: Usage,
    pub(in crate::engine) worktrees: Worktrees,
}
