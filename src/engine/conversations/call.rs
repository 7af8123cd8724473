//! A tool call, and how it is matched to its step.

use crate::protocol::chat::LocalizedPhrase;
use crate::protocol::ids::StepId;
use serde_json::Value;

/// A tool call as its agent identified it, for matching the call to its step.
#[derive(Clone, Debug)]
pub(in crate::engine) struct ToolCallName {
    /// The agent's own id of the step, if it gives one.
    pub(in crate::engine) id: Option<String>,
    pub(in crate::engine) tool: String,
    pub(in crate::engine) arguments: Value,
}

impl ToolCallName {
    /// Returns true if the call belongs to this step: compares ids or, if the agent gives none, the tool and its
    /// arguments.
    pub(in crate::engine) fn is_of(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        match &self.id {
            Some(id) => id == step_id.as_str(),
            None => self.tool == tool && serde_json::from_str::<Value>(arguments).is_ok_and(|of| of == self.arguments),
        }
    }
}

/// Facts about a call's step, learned from the page or from a person's answer.
pub(in crate::engine) struct Learned {
    /// The call, as the agent identified it.
    pub(in crate::engine) of: ToolCallName,
    /// The object of the step. If empty, the step keeps its own.
    pub(in crate::engine) object: String,
    pub(in crate::engine) phrase: Option<LocalizedPhrase>,
    /// The arguments, as JSON. If empty, the step keeps its own.
    pub(in crate::engine) arguments: String,
}
