//! The destination of an action on an element, according to the page's markup.

use serde::{Deserialize, Serialize};

/// An action on an element that may follow its link or submit its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    Click,
    Enter,
    Space,
}

/// The destination of a click according to the page's markup.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClickDestination {
    /// The address of a link or of a form's submission; empty if there is neither.
    pub url: String,
    pub form: bool,
    /// It submits a form, or Enter in it does.
    #[serde(default)]
    pub submits: bool,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub name: String,
    /// Keys write into it: Enter and Space do not click it.
    #[serde(default)]
    pub takes_text: bool,
    /// The id of its document.
    #[serde(default)]
    pub document: String,
    /// The address of that document, or the origin of the document that created it. An embedded document may belong to
    /// another site than the tab.
    #[serde(default)]
    pub home: String,
}
