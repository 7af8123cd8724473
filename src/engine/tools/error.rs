//! Why a call of an agent's tool does not run, as faults.
//!
//! Owns the message and the next step of each. A model reads them, so they are English. What the policy refuses is its own to say.

use crate::protocol::fault::{Fault, FaultCode};

#[derive(Debug)]
pub(super) enum ToolError {
    /// The command of this name is not an agent's to run.
    NotOffered(String),
    TurnOver,
    /// The page was never the same before and after the person answered.
    PageChanged,
    /// The text to type has a Tab in it, and more behind it.
    TypesBeyondTab,
    /// The daemon ends.
    Ending,
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Self {
        let (code, message, hint): (_, String, &'static str) = match error {
            ToolError::NotOffered(command) => {
                (FaultCode::Denied, format!("`{command}` is not offered to agents"), "Ask the person to do it.")
            }
            ToolError::TurnOver => (
                FaultCode::Cancelled,
                "the turn is over: nothing more is done for it".to_owned(),
                "Wait for the person's next message.",
            ),
            ToolError::PageChanged => (
                FaultCode::Conflict,
                "the page changed each time while the person was asked about this".to_owned(),
                "Take a snapshot: the element may say something else now.",
            ),
            ToolError::TypesBeyondTab => (
                FaultCode::BadRequest,
                "a Tab in the text moves the focus, and the rest would go elsewhere".to_owned(),
                "Type up to the Tab, press Tab, then type the rest.",
            ),
            ToolError::Ending => return Self::new(FaultCode::Updating, "gstack is ending"),
        };
        Self::new(code, message).hint(hint)
    }
}
