//! The task of one conversation, which carries out the inputs that its gate passes on.
//!
//! Owns the agent's start, its turns and its end. The gate is in `conversations`.

mod ahead;
mod choosing;
mod control_files;
mod earlier;
mod error;
mod from_agent;
mod prompt;
mod running_agent;
mod start;
mod start_approval;
mod task;
#[cfg(test)]
mod tests;
mod turn_marks;
mod turn_steps;
mod watchdog;

pub(super) use task::Task;

use crate::agents::AgentPool;
use crate::approvals::Approvals;
use crate::browsers::Browsers;
use crate::config::ConfigFile;
use crate::conversations::Conversations;
use crate::drivers::Drivers;
use crate::pauses::Pauses;
use crate::policy::PolicyService;
use crate::ports::Ports;
use crate::settings::SettingsService;
use crate::spare::Spare;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use crate::tools::AgentTools;
use crate::upgrade::Upgrade;
use crate::usage::Usage;
use crate::worktrees::Worktrees;
use gstack_base::home::Home;

/// The services that the tasks of conversations need. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TaskServices {
    pub(crate) home: Home,
    pub(crate) agents: AgentPool,
    pub(crate) approvals: Approvals,
    pub(crate) browsers: Browsers,
    pub(crate) config: ConfigFile,
    pub(crate) conversations: Conversations,
    pub(crate) drivers: Drivers,
    /// The address of the agents' endpoint.
    pub(crate) mcp_url: String,
    pub(crate) pauses: Pauses,
    pub(crate) policy: PolicyService,
    pub(crate) ports: Ports,
    pub(crate) settings: SettingsService,
    pub(crate) spare: Spare,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    pub(crate) tools: AgentTools,
    pub(crate) upgrade: Upgrade,
    pub(crate) usage: Usage,
    pub(crate) worktrees: Worktrees,
}
