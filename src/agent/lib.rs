//! Agents: programs (or the built-in one) that answer a person's messages and act with tools.
//!
//! Owns the adapter traits and the common events to which all agents are mapped. Never touches a browser or a journal:
//! it acts through [`adapter::Tools`] and reports [`adapter::AgentEvent`]s.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

pub mod acp;
pub mod adapter;
pub mod agent_list;
pub mod builtin;
pub mod claude;
pub mod clip;
pub mod codex;
pub mod control_files;
mod default_agent;
pub mod direct;
pub mod discovery;
pub mod environment;
pub mod faults;
pub mod guard;
pub mod in_process;
pub mod process;
pub mod prompt;
pub mod rpc;
pub mod sandbox;
pub mod session_task;
