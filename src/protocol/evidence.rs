//! `gstack evidence`: one turn as a file that explains itself.
//!
//! Owns the request and its answer. The file is made by the engine.

use super::ids::{TabId, TurnId};
use serde::{Deserialize, Serialize};

/// `POST /evidence`: answered by [`EvidenceFile`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct EvidenceRequest {
    /// The turn's id or the start of it. If absent: the newest finished turn of the tab's conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The tab, if not the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
}

/// A finished turn as one HTML file, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EvidenceFile {
    pub turn_id: TurnId,
    /// A suggested file name.
    pub name: String,
    pub html: String,
}
