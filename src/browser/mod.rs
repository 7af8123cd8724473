//! Browsers over the DevTools protocol: starting or attaching to one, its tabs, frames and navigation.
//!
//! Owns everything that speaks DevTools. Never knows about conversations, agents or the panel's protocol.

mod address_guard;
pub mod arrival;
#[expect(clippy::module_inception, reason = "the folder is the layer, the module its main type")]
pub mod browser;
pub mod cdp;
pub mod devtools;
pub mod dialogs;
pub mod downloads;
pub mod effects;
pub mod endpoint;
mod engage;
pub mod error;
pub mod events;
pub mod frames;
mod held_back;
pub mod init_scripts;
pub mod keeper_link;
pub mod keyboard;
pub mod launch;
pub mod linger;
pub mod navigate;
mod outbox;
mod overrides;
pub mod page;
mod panel_keyboard;
mod paused;
mod paused_request;
pub mod permissions;
pub mod refused;
pub mod relay;
mod router;
pub mod routes;
mod saving;
mod screencast;
pub mod session;
mod shared;
pub mod tab;
mod tab_info;
mod tab_numbers;
mod tab_overrides;
mod tab_permissions;
mod tab_routes;
mod tab_scripts;
pub mod tabs;
mod targets;
pub mod told_effects;
pub mod transport;
pub mod websocket;
mod what_is_set;
