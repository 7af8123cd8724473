//! The engine: the daemon's only state, and every operation that panels, terminals and agents can request.
//!
//! Connects the layers below, which do not know each other, and wires the services. Never parses a request and never
//! formats an answer.

mod activity;
mod agents;
mod browsers;
mod browsing;
mod chats;
mod commands;
mod config;
mod conversations;
mod folders;
mod lifecycle;
mod panel_keys;
mod panels;
mod policy;
mod ports;
mod provision;
mod runner;
mod settings;
mod spare;
mod state;
mod tabs;
mod tasks;
mod tools;
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
