//! DevTools messages in the wire format of the connection.
//!
//! Owns their serialization. Does not handle tabs.

use super::refusals;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::relay::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// An outgoing message.
#[derive(Debug)]
pub(super) enum Outbound {
    /// A DevTools message for the connection.
    Browser(Vec<u8>),
    Extension(Box<ToPanel>),
}

/// A command as received from the connection.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command {
    pub(super) id: u32,
    pub(super) method: String,
    #[serde(default)]
    pub(super) session_id: Option<String>,
    pub(super) params: Box<RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorReply<'a>>,
}

#[derive(Serialize)]
struct ErrorReply<'a> {
    code: i64,
    message: &'a str,
}

fn encoded(message: &Message<'_>) -> Outbound {
    // Serializing cannot fail: the parts are JSON already.
    Outbound::Browser(serde_json::to_vec(message).unwrap_or_default())
}

pub(super) fn answered(id: u32, session: &str, result: Option<&RawValue>) -> Outbound {
    let empty = to_raw_value(&json!({})).ok();
    encoded(&Message {
        id: Some(id),
        method: None,
        session_id: Some(session),
        params: None,
        result: result.or(empty.as_deref()),
        error: None,
    })
}

pub(super) fn done(id: u32, result: Value) -> Outbound {
    Outbound::Browser(json!({ "id": id, "result": result }).to_string().into_bytes())
}

pub(super) fn event(method: &str, session: Option<&str>, params: &Value) -> Outbound {
    let params = to_raw_value(params).ok();
    encoded(&Message {
        id: None,
        method: Some(method),
        session_id: session,
        params: params.as_deref(),
        result: None,
        error: None,
    })
}

pub(super) fn failed(id: u32, code: i64, message: &str) -> Outbound {
    encoded(&Message {
        id: Some(id),
        method: None,
        session_id: None,
        params: None,
        result: None,
        error: Some(ErrorReply { code, message }),
    })
}

pub(super) fn refused(id: u32, refusal: Refusal) -> Outbound {
    failed(id, refusals::code(refusal), &refusals::words(refusal))
}

/// Builds an event with unparsed parameters.
pub(super) fn event_as_it_came(method: &str, session: &str, params: Option<&RawValue>) -> Outbound {
    encoded(&Message { id: None, method: Some(method), session_id: Some(session), params, result: None, error: None })
}
