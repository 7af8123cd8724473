//! Faults of tool calls that do not run.
//!
//! Owns the message and the next step of each. A model reads them, so they are in English. The policy has its own
//! faults.

use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;

/// The next step after the person used the page.
pub(super) const DECIDE_AGAIN: &str = "Look at the page as it is now, and decide again.";

#[derive(Debug)]
pub(super) enum ToolError {
    /// Agents are not offered the command of this name.
    NotOffered(String),
    TurnOver,
    /// The page kept changing while the person decided.
    PageChanged,
    /// The text to type contains a Tab followed by more text.
    TypesBeyondTab,
    /// The page's description of its tool is too long for a person to read.
    ToolTooLong(String),
    /// The page in the agent's tab offers no tool that is listed under this name.
    PageToolGone(String),
    /// The input of a page's tool is not JSON.
    InputNotJson(String),
    /// The person took over the tab and has not handed it back in time.
    PersonWorks(TabId),
    /// The action did not start, because the person used the page. `then`: what they said, and the page now.
    NotDone {
        command: &'static str,
        then: String,
    },
    /// A selector could guess a password that gstack filled in.
    AsksForValues,
    /// It would act where the person answers approvals.
    AnswersApprovals,
    /// The command line names a browser that the person did not give to this agent or client.
    OtherBrowser(String),
    /// The daemon is shutting down.
    Ending,
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Self {
        let (code, message, hint): (_, String, &'static str) = match error {
            ToolError::NotOffered(command) => {
                (FaultCode::Denied, format!("`{command}` is not offered to agents"), "Ask the person to do it.")
            }
            ToolError::AnswersApprovals => (
                FaultCode::Denied,
                "no agent acts on the page that answers approvals".to_owned(),
                "The person answers there. Work in another tab.",
            ),
            ToolError::OtherBrowser(name) => (
                FaultCode::Denied,
                format!("you have no tab in a browser named {name:?}"),
                "Work in your own tabs: `tabs` lists them. Only the person gives you a tab of another browser.",
            ),
            ToolError::TurnOver => (
                FaultCode::Cancelled,
                "the turn is over, so nothing was done".to_owned(),
                "Wait for the person's next message.",
            ),
            ToolError::PageChanged => (
                FaultCode::Conflict,
                "the page kept changing while the person was asked about this".to_owned(),
                "Take a snapshot: the element may say something else now.",
            ),
            ToolError::TypesBeyondTab => (
                FaultCode::BadRequest,
                "a Tab in the text moves the focus, and the rest would go elsewhere".to_owned(),
                "Type up to the Tab, press Tab, then type the rest.",
            ),
            ToolError::ToolTooLong(name) => (
                FaultCode::TooLarge,
                format!("the page's description of its tool {name:?} is too long to show for approval"),
                "Use the page itself instead.",
            ),
            ToolError::PageToolGone(name) => (
                FaultCode::NotFound,
                format!("the page in your tab no longer offers {name}"),
                "List the tools again, or use `webmcp-list`. Nothing was done.",
            ),
            ToolError::InputNotJson(name) => {
                (FaultCode::BadRequest, format!("the input of {name} is not JSON"), "Give it one JSON object.")
            }
            ToolError::PersonWorks(tab) => (
                FaultCode::Conflict,
                format!("the person took over tab {tab} and has not handed it back"),
                "Wait, then repeat the call. Nothing was done.",
            ),
            ToolError::NotDone { command, then } => (
                FaultCode::Cancelled,
                format!("`{command}` was not run, because the person used the page.\n{then}"),
                DECIDE_AGAIN,
            ),
            ToolError::AsksForValues => (
                FaultCode::Denied,
                "the page holds a password that gstack filled in, and this could guess it".to_owned(),
                "Use a ref of `snapshot`, or a selector without values and escapes.",
            ),
            ToolError::Ending => return Self::new(FaultCode::Updating, "gstack is ending"),
        };
        Self::new(code, message).hint(hint)
    }
}
