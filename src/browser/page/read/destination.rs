//! Where acting on an element leads, by the page's markup.

use serde::{Deserialize, Serialize};

/// What is done to an element, which may follow its link or send its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    Click,
    Enter,
    Space,
}

/// Where a click leads by the page's markup.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClickDestination {
    /// A link's address, or the one that a form is sent to; empty where neither is there.
    pub url: String,
    pub form: bool,
    /// A form is sent by it, or Enter in it.
    #[serde(default)]
    pub submits: bool,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub name: String,
    /// Keys write into it; Enter and Space are no click of it.
    #[serde(default)]
    pub takes_text: bool,
    /// Which document it is in.
    #[serde(default)]
    pub document: String,
    /// The address of that document, or the origin of who wrote it. An embedded one is not of the tab's site.
    #[serde(default)]
    pub home: String,
}
