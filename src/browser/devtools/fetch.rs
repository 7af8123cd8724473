//! `Fetch`: pausing requests and answering them.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Enable<'a> {
    /// A request that matches one of them is paused.
    pub patterns: &'a [RequestPattern],
    /// Pauses requests that need HTTP credentials too.
    pub handle_auth_requests: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Disable {}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestPattern {
    /// `*` matches any text, `?` one character.
    pub url_pattern: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeaderEntry {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueRequest {
    pub request_id: String,
    /// All headers; they replace the request's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<HeaderEntry>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FulfillRequest {
    pub request_id: String,
    pub response_code: u16,
    pub response_headers: Vec<HeaderEntry>,
    /// Base64.
    pub body: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueWithAuth {
    pub request_id: String,
    pub auth_challenge_response: AuthChallengeResponse,
}

#[derive(Clone, Debug, Serialize)]
pub struct AuthChallengeResponse {
    /// `Default`, `CancelAuth` or `ProvideCredentials`.
    pub response: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ErrorReason {
    NameNotResolved,
    BlockedByClient,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailRequest {
    pub request_id: String,
    pub error_reason: ErrorReason,
}

commands! {
    Enable<'_> => Done, "Fetch.enable";
    Disable => Done, "Fetch.disable";
    FulfillRequest => Done, "Fetch.fulfillRequest";
    ContinueWithAuth => Done, "Fetch.continueWithAuth";
    ContinueRequest => Done, "Fetch.continueRequest";
    FailRequest => Done, "Fetch.failRequest";
}
