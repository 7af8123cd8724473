//! Agents without a model that answer some messages themselves, whichever agent was chosen.
//!
//! Owns the interface. The engine asks each of them before it chooses; the daemon registers them.

use super::adapter::Agent;
use gstack_protocol::agents::SlashCommand;
use std::path::Path;

/// The prefix of the tools that run flows: `flow_NAME`.
pub const FLOW_TOOL_PREFIX: &str = "flow_";

/// An agent that runs commands which a person typed as a message. It acts as the person.
pub trait DirectAgent: Agent {
    /// Returns whether it answers a message. `folder` is the conversation's, `offered` what its own agent takes: a command of
    /// the same name. May read the disk.
    fn takes(&self, message: &str, folder: &Path, offered: &[SlashCommand]) -> bool;
    /// Returns the commands that a message can begin with, for the list that `/` opens. May read the disk.
    fn commands(&self, folder: &Path) -> Vec<SlashCommand>;
}
