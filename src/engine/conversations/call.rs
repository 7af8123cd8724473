//! A call of a tool, and what joins it to its step.

use crate::protocol::chat::SaidPhrase;
use crate::protocol::ids::StepId;
use serde_json::Value;

/// A call of a tool as its agent named it: what joins it to its step.
#[derive(Clone, Debug)]
pub(in crate::engine) struct ToolCallName {
    /// The agent's own name of the step, where it gives one.
    pub(in crate::engine) id: Option<String>,
    pub(in crate::engine) tool: String,
    pub(in crate::engine) arguments: Value,
}

impl ToolCallName {
    /// Whether it is this step: by its name, and where the agent gives none by what it does.
    pub(in crate::engine) fn is_of(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        match &self.id {
            Some(id) => id == step_id.as_str(),
            None => self.tool == tool && serde_json::from_str::<Value>(arguments).is_ok_and(|of| of == self.arguments),
        }
    }
}

/// What is known of a call's step once the page was asked, or a person has answered.
pub(in crate::engine) struct Learned {
    /// The call, as the agent named it.
    pub(in crate::engine) of: ToolCallName,
    /// What it is done to; empty: as the step says.
    pub(in crate::engine) object: String,
    pub(in crate::engine) phrase: Option<SaidPhrase>,
    /// What it is done with, as JSON; empty: as the step says.
    pub(in crate::engine) arguments: String,
}
