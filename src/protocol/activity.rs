//! The record of what was done in the browser, by anyone: one entry a command, without its secrets.
//!
//! Owns the shape. Arguments are redacted before they come into it.

use super::basics::Millis;
use super::ids::TabId;
use serde::{Deserialize, Serialize};

/// The number of an entry since the daemon started: 1, 2, 3 …
pub type ActivityId = u64;

/// One command, begun or ended. An entry that has ended replaces the one that began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActivityEntry {
    #[cfg_attr(test, ts(type = "number"))]
    pub id: ActivityId,
    /// When it began.
    #[cfg_attr(test, ts(type = "number"))]
    pub at: Millis,
    pub source: ActivitySource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    pub command: String,
    /// Redacted.
    pub args: Vec<String>,
    pub outcome: ActivityOutcome,
    /// Absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "number"))]
    pub duration_ms: Option<u64>,
    /// A line about the result: `Clicked @e3 → now at https://…`, or why it failed. Never page content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActivitySource {
    Terminal,
    Http,
    Mcp,
    Agent,
    Panel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActivityOutcome {
    Running,
    Ok,
    Failed,
    Unknown,
}

/// `activity.subscribe`: entries after this one, and from now on by `activity.entry`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ActivitySubscribe {
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub after: ActivityId,
}

/// The entries that are still kept, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ActivityPage {
    pub entries: Vec<ActivityEntry>,
    /// Entries between the asked one and the first given are gone.
    pub gap: bool,
}
