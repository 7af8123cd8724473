//! The engine: the daemon's one state, and everything that panels, terminals and agents can ask of it.
//!
//! Joins the layers below, which do not know each other, and wires the services. Never parses a request and never formats an
//! answer.

mod activity;
mod agents;
mod approvals;
mod attach;
mod browser_changes;
mod browsers;
mod chats;
mod choosing;
mod commands;
mod config;
mod connect;
mod conversations;
mod earlier;
mod elements;
mod everyday_list;
mod folders;
mod handoff;
mod handover;
mod history;
mod hops;
mod keyboard;
mod leftovers;
mod opening;
mod panel_keys;
mod panels;
mod pointing;
mod policy;
mod ports;
mod provision;
mod runner;
mod settings;
mod spare;
mod state;
mod status;
mod tab_reports;
mod tabs;
mod tasks;
mod terminal;
mod tools;
mod turn_steps;
mod worktrees;

pub use crate::agent::adapter::{Image, Tools};
pub use crate::browser::relay::Heard;
pub use activity::{ActivityLog, Followed, RING as ACTIVITY_RING};
pub use agents::{AgentAccess, AgentPool, OfferedTool};
pub use browsers::Browsers;
pub use config::Config;
pub use conversations::Conversations;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use panel_keys::{check as check_proof, confirmed_in, signed_text};
pub use policy::PolicyService;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use policy::policy_rules_of;
pub use ports::{PortId, PortSender, Standing};
pub use provision::Provision;
pub use state::{Engine, MCP_PATH};
