//! Browsers over the DevTools protocol: starting or attaching to one, its tabs, frames and navigation.
//!
//! Owns everything that speaks DevTools. Never knows about conversations, agents or the panel's protocol.

mod address_guard;
pub mod arrival;
#[expect(clippy::module_inception, reason = "the folder is the layer, the module its main type")]
pub mod browser;
pub(crate) mod cdp;
mod cdp_message;
pub mod devtools;
pub mod devtools_session;
pub mod dialogs;
pub mod downloads;
mod drawing;
pub(crate) mod effect_recording;
pub mod effects;
pub(crate) mod endpoint;
mod engage;
pub mod error;
pub mod events;
mod file_choosers;
pub mod frames;
mod held_back;
pub(crate) mod init_scripts;
pub(crate) mod keep_attached;
pub mod keeper_link;
pub(crate) mod keyboard;
pub mod launch;
pub(crate) mod navigate;
mod outbox;
mod overrides;
pub mod page;
mod panel_keyboard;
mod paused;
mod paused_request;
pub(crate) mod permissions;
mod person_input;
pub(crate) mod refused;
pub(crate) mod relay;
mod router;
pub(crate) mod routes;
mod saving;
mod screencast;
mod sent_presses;
mod shared;
pub mod tab;
mod tab_dialogs;
mod tab_info;
mod tab_numbers;
mod tab_overrides;
mod tab_permissions;
mod tab_routes;
mod tab_scripts;
pub mod tabs;
mod targets;
pub(crate) mod transport;
pub mod websocket;
mod what_is_set;
