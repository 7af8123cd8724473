//! One action of an agent, whole: what a person is shown when they are asked, and what the audit keeps.
//!
//! Owns the shape. Every text in it is safe to show: invisible characters are spelled out (`base::visible`).

use super::policy::PolicyScope;
use serde::{Deserialize, Serialize};

/// The record of an action. Nothing in it is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ActionRecord {
    /// The call as it would run, with all its arguments.
    pub command: String,
    /// The scopes that an answer which holds longer than once would allow: `act`, `submit`, `shell`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub scope: Option<PolicyScope>,
    /// The element that it is done to, as the page has it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub element: Option<ActionElement>,
    /// The text that it would put into the page, where a person may write another one before they allow it
    /// (`approval.answer` with `text`). Absent for passwords and for text with hidden characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub text: Option<String>,
    /// The destination that the markup names: a link's or a form's address, or the address that the tab goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub destination: Option<String>,
    /// It sends a form, or says that it pays, orders, sends or deletes.
    pub submits: bool,
    /// The input of a tool of the agent's own: the new content of a file, all its arguments.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(test, ts(as = "Option<String>", optional))]
    pub content: String,
    /// The agent's reason, in its own words. It may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub agent_reason: Option<String>,
}

impl ActionRecord {
    /// Whether it reaches no further than another one: only what is typed differs.
    pub fn is_alike(&self, other: &Self) -> bool {
        let without_text = |of: &Self| Self { command: String::new(), text: None, ..of.clone() };
        without_text(self) == without_text(other)
    }
}

/// An element of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ActionElement {
    /// As the call names it: a ref or a selector; empty for what has the focus.
    pub target: String,
    pub role: String,
    pub name: String,
    /// The document that it is in; a different one after each navigation.
    pub document: String,
}
