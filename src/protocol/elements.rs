//! Elements of a page as the panel points at them: refs of the last snapshot, and what a person picks.
//!
//! Owns the shapes. Names and roles in them are the page's words: data, never markup.

use super::ids::ChromeTabId;
use serde::{Deserialize, Serialize};

/// Names the tab of `refs.list`, `pick.start` and `pick.stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OfTab {
    pub chrome_tab_id: ChromeTabId,
}

/// One ref of a tab's last snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct RefInfo {
    /// `@e3`
    #[serde(rename = "ref")]
    pub reference: String,
    pub role: String,
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Refs {
    /// In the page's order; empty before the first snapshot.
    pub refs: Vec<RefInfo>,
}

/// `refs.show`: draws the refs of the last snapshot onto the page, or takes them away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefsShow {
    pub chrome_tab_id: ChromeTabId,
    pub show: bool,
}

/// `refs.highlight`: marks one element in the page; without `ref` none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefsHighlight {
    pub chrome_tab_id: ChromeTabId,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// The answer to `pick.start`, once the person has clicked an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Picked {
    /// Usable in every command: `@e17`.
    #[serde(rename = "ref")]
    pub reference: String,
    pub role: String,
    pub name: String,
    /// As CSS names it: `button#save.primary`.
    pub selector: String,
    /// The page or frame that it lies in.
    pub url: String,
    /// x, y, width and height in CSS pixels of its frame's viewport.
    pub rect: (f64, f64, f64, f64),
    /// Its opening tag and the beginning of its content, at most 500 characters.
    pub html: String,
}

/// An action of an agent in a page, where it happens (to the background: it draws the cursor).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Acting {
    pub chrome_tab_id: ChromeTabId,
    /// In CSS pixels of the page's viewport.
    pub x: f64,
    pub y: f64,
    /// A button goes down there; otherwise the pointer only moves.
    pub pressed: bool,
}
