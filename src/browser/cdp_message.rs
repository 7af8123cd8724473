//! The shape of a DevTools message: what is read of one, and what is written.
//!
//! Owns the two forms. Never parses parameters or results.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outgoing<'a, P: Serialize> {
    /// First, because the keeper reads the id at the start of the message.
    pub(super) id: u32,
    pub(super) method: &'a str,
    pub(super) params: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Incoming<'a> {
    pub(super) id: Option<u32>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<IncomingError>,
}

#[derive(Deserialize)]
pub(super) struct IncomingError {
    pub(super) code: i64,
    pub(super) message: String,
    /// Some errors give the reason only here.
    #[serde(default)]
    pub(super) data: Option<String>,
}
