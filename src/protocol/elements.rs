//! Page elements as the panel refers to them: refs of the last snapshot, and elements picked by a person.
//!
//! Owns the structures. Names and roles are page content: data, never markup.

use super::ids::ChromeTabId;
use serde::{Deserialize, Serialize};

/// The tab for `refs.list`, `pick.start` and `pick.stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OfTab {
    pub chrome_tab_id: ChromeTabId,
}

/// A ref of a tab's last snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct RefInfo {
    /// `@e3`
    #[serde(rename = "ref")]
    pub reference: String,
    pub role: String,
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Refs {
    /// In document order; empty before the first snapshot.
    pub refs: Vec<RefInfo>,
}

/// `refs.show`: draws the refs of the last snapshot over the page, or removes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefsShow {
    pub chrome_tab_id: ChromeTabId,
    pub show: bool,
}

/// `refs.highlight`: highlights one element of the page, or none if `ref` is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefsHighlight {
    pub chrome_tab_id: ChromeTabId,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// The answer to `pick.start`, once the person has clicked an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Picked {
    /// A ref that every command accepts: `@e17`.
    #[serde(rename = "ref")]
    pub reference: String,
    pub role: String,
    pub name: String,
    /// A CSS selector: `button#save.primary`.
    pub selector: String,
    /// The URL of the page or frame that contains it.
    pub url: String,
    /// x, y, width and height, in CSS pixels of its frame's viewport.
    pub rect: (f64, f64, f64, f64),
    /// Its opening tag and the beginning of its content, at most 500 characters.
    pub html: String,
}

/// An agent's action in a page, with its position (sent to the background, which draws the cursor).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Acting {
    pub chrome_tab_id: ChromeTabId,
    /// In CSS pixels of the page's viewport.
    pub x: f64,
    pub y: f64,
    /// Whether a button is pressed there; otherwise the pointer only moves.
    pub pressed: bool,
}
