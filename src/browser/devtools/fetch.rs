//! `Fetch`: requests that wait for a verdict.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Enable<'a> {
    /// A request that fits one of them waits.
    pub patterns: &'a [RequestPattern],
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestPattern {
    /// `*` is any text, `?` one character.
    pub url_pattern: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueRequest {
    pub request_id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ErrorReason {
    NameNotResolved,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailRequest {
    pub request_id: String,
    pub error_reason: ErrorReason,
}

commands! {
    Enable<'_> => Done, "Fetch.enable";
    ContinueRequest => Done, "Fetch.continueRequest";
    FailRequest => Done, "Fetch.failRequest";
}
