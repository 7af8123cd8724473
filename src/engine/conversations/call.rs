//! A tool call, and how it is matched to its step.

use gstack_protocol::chat::LocalizedPhrase;
use gstack_protocol::ids::StepId;
use serde_json::Value;

/// A tool call as its agent identified it, for matching the call to its step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCallName {
    /// The agent's own id of the step, if it gives one.
    pub(crate) id: Option<String>,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

impl ToolCallName {
    /// Returns true if the call belongs to this step: compares ids or, if the agent gives none, the tool and its
    /// arguments.
    pub(crate) fn is_of(&self, step_id: &StepId, tool: &str, arguments: &str) -> bool {
        match &self.id {
            Some(id) => id == step_id.as_str(),
            None => self.tool == tool && serde_json::from_str::<Value>(arguments).is_ok_and(|of| of == self.arguments),
        }
    }
}

/// Facts about a call's step, learned from the page or from a person's answer.
pub(crate) struct Learned {
    /// The call, as the agent identified it.
    pub(crate) of: ToolCallName,
    /// The object of the step. If empty, the step keeps its own.
    pub(crate) object: String,
    pub(crate) phrase: Option<LocalizedPhrase>,
    /// The arguments, as JSON. If empty, the step keeps its own.
    pub(crate) arguments: String,
}
