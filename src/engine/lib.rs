//! The engine: the daemon's only state, and every operation that panels, terminals and agents can request.
//!
//! Connects the layers below, which do not know each other, and wires the services. Never parses a request and never
//! formats an answer.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

mod activity;
mod agents;
mod approvals;
mod browser_connection;
mod browser_events;
mod browsers;
mod command_runner;
mod commands;
mod config;
mod conversation_requests;
mod conversation_task;
mod conversations;
mod drivers;
mod elements;
mod evidence;
mod folders;
mod hops;
mod lease_requests;
mod lifecycle;
mod panel_keys;
mod panels;
mod pauses;
mod policy;
mod ports;
mod provision;
mod registrations;
mod settings;
mod sign_ins;
mod spare;
mod state;
mod status;
mod tabs;
mod tasks;
mod tools;
mod upgrade;
mod usage;
mod views;
mod worktrees;

pub use activity::{Followed, RING as ACTIVITY_RING};
pub use agents::{AgentAccess, ListedSteps, OfferedTool, PageToolOffer};
pub use approvals::LINK_PATH;
pub use config::{Config, LinkBase};
pub use drivers::{Driver, Endpoint, Taken};
pub use gstack_agent::agent_list::Look;
pub use gstack_browser::relay::FromExtension;
pub use panel_keys::{check as check_proof, confirmed_in, signed_text};
pub use policy::policy_rules_of;
pub use ports::{PortId, PortSender, PortState};
pub use provision::Provision;
pub use registrations::{CdpClient, Registrations, is_web_page};
pub use state::{Engine, MCP_PATH};
pub use views::{BegunView, VIEW_PATH, View, Views};
