//! Browsers over the DevTools protocol: starting or attaching to one, its tabs, frames and navigation.
//!
//! Owns everything that speaks DevTools. Never knows about conversations, agents or the panel's protocol.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

mod address_guard;
pub mod arrival;
mod beside_others;
pub mod browser;
pub mod cdp;
mod cdp_message;
pub mod client_link;
mod contexts;
pub mod devtools;
pub mod devtools_session;
pub mod dialogs;
pub mod downloads;
mod drawing;
pub mod effect_recording;
pub mod effects;
pub mod endpoint;
mod engage;
mod entry_size;
pub mod error;
pub mod events;
mod file_choosers;
pub mod frames;
mod held_back;
pub mod init_scripts;
pub mod keep_attached;
pub mod keeper_link;
pub mod keyboard;
pub mod launch;
mod limited;
mod names;
pub mod navigate;
mod outbox;
mod overrides;
pub mod page;
mod panel_keyboard;
mod paused;
mod paused_request;
pub mod permissions;
pub mod person_input;
mod printing;
mod process_overrides;
pub mod refused;
pub mod relay;
pub mod remote;
mod remote_saving;
mod reported;
mod router;
pub mod routes;
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
mod tab_recording;
mod tab_routes;
mod tab_scripts;
pub mod tabs;
mod targets;
pub mod transport;
pub mod websocket;
mod what_is_set;
