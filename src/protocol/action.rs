//! One action of an agent in full, as shown to a person for approval and as recorded in the audit.
//!
//! Owns the structure. Every text in it is safe to show: invisible characters are spelled out (`base::visible`).

use super::policy::PolicyScope;
use serde::{Deserialize, Serialize};

/// The record of an action, never shortened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ActionRecord {
    /// The call as it would run, with all its arguments.
    pub command: String,
    /// The scopes that a lasting approval would allow: `act`, `submit`, `shell`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub scope: Option<PolicyScope>,
    /// The element it acts on, in the page's current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub element: Option<ActionElement>,
    /// The further elements it acts on, such as the drop target of a drag.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<Vec<ActionElement>>", optional))]
    pub other_elements: Vec<ActionElement>,
    /// The document that it acts in, if it names no element; each navigation creates a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub document: Option<String>,
    /// The text that it would type into the page, if a person may edit it before they allow the action
    /// (`approval.answer` with `text`). Absent for passwords and for text with hidden characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub text: Option<String>,
    /// The destination in the markup: the address of a link or form, or the address that the tab goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub destination: Option<String>,
    /// Whether it submits a form, or is labelled as paying, ordering, sending or deleting.
    pub submits: bool,
    /// The input of one of the agent's own tools: a file's new content, or all arguments. For a page's tool, what its page says
    /// about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<String>", optional))]
    pub content: String,
    /// The reason given by the agent. It may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub agent_reason: Option<String>,
}

impl ActionRecord {
    /// Whether both records have the same effect: they differ only in the typed text.
    pub fn is_alike(&self, other: &Self) -> bool {
        let without_text = |of: &Self| Self { command: String::new(), text: None, ..of.clone() };
        without_text(self) == without_text(other)
    }
}

/// An element of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ActionElement {
    /// As named by the call: a ref or a selector; empty for the focused element.
    pub target: String,
    pub role: String,
    pub name: String,
    /// The document that contains it; each navigation creates a new one.
    pub document: String,
}
