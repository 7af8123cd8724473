//! One-time links by which the person answers an approval from elsewhere, over a transport that they configured.
//!
//! Owns the messages of creating one and of the page that it opens.

use super::basics::Millis;
use super::chat::Decision;
use super::ids::ApprovalId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `POST /approvals/link`: creates a link. Answered by [`ApprovalLink`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalLinkCreate {
    pub approval_id: ApprovalId,
}

/// A link. Whoever has it can allow or deny the approval once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalLink {
    pub url: String,
    pub expires_at: Millis,
}

impl fmt::Debug for ApprovalLink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApprovalLink(…)")
    }
}

/// What the page of a link posts: to read the approval, or with a decision to answer it.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkRequest {
    pub secret: String,
    #[serde(default)]
    pub decision: Option<Decision>,
}

/// What the page shows. Every text is safe to show as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkedApproval {
    /// The agent or client.
    pub from: String,
    /// The request in plain words.
    pub ask: String,
    /// Everything else that the card in the panel shows, in order.
    pub facts: Vec<LinkedFact>,
    /// Whether it may be allowed once. It may always be denied.
    pub may_allow: bool,
}

/// One line of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkedFact {
    pub label: String,
    pub text: String,
}
