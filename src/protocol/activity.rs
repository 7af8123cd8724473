//! The record of everything done in the browser, by anyone: one entry for each command, without its secrets.
//!
//! Owns the structure. Arguments are redacted before they are added.

use super::basics::Millis;
use super::ids::{TabId, TurnId};
use serde::{Deserialize, Serialize};

/// An entry's number since the daemon started: 1, 2, 3 …
pub type ActivityId = u64;

/// One command that started or ended. The entry for its end replaces the entry for its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActivityEntry {
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub id: ActivityId,
    /// The start time.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub at: Millis,
    pub source: ActivitySource,
    /// The driver's name, if a registered driver asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub driver: Option<String>,
    /// The turn, if a conversation's agent asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub turn: Option<TurnId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    pub command: String,
    /// Redacted.
    pub args: Vec<String>,
    /// The elements that its refs name, in the order of its arguments, as the page named them. Redacted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(optional, as = "Option<Vec<ActivityElement>>"))]
    pub elements: Vec<ActivityElement>,
    pub outcome: ActivityOutcome,
    /// Absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional, type = "number"))]
    pub duration_ms: Option<u64>,
    /// One line about the result: `Clicked @e3 → now at https://…`, or the reason of a failure. Never page content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
}

/// An element of an entry. Its role and name are page content: data, never markup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ActivityElement {
    /// `@e3`
    #[serde(rename = "ref")]
    pub reference: String,
    pub role: String,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActivitySource {
    Terminal,
    Http,
    Mcp,
    Agent,
    Panel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActivityOutcome {
    Running,
    Ok,
    Failed,
    Unknown,
}

/// `activity.subscribe`: returns the entries after this one; later ones are pushed by `activity.entry`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ActivitySubscribe {
    #[serde(default)]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub after: ActivityId,
}

/// The entries that are still stored, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ActivityPage {
    pub entries: Vec<ActivityEntry>,
    /// Whether entries between the requested one and the first one returned are no longer stored.
    pub gap: bool,
}
