//! Agents: programs (or the built-in one) that answer a person's messages and act with tools.
//!
//! Owns the adapter traits and the common events to which all agents are mapped. Never touches a browser or a journal:
//! it acts through [`adapter::Tools`] and reports [`adapter::AgentEvent`]s.

pub mod acp;
pub mod adapter;
pub(crate) mod agent_list;
pub(crate) mod builtin;
pub mod claude;
pub(crate) mod clip;
pub mod codex;
pub(crate) mod discovery;
pub(crate) mod environment;
pub(crate) mod faults;
pub(crate) mod guard;
pub mod process;
pub mod prompt;
pub(crate) mod rpc;
pub mod sandbox;
pub(crate) mod session_task;
