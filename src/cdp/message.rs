//! The DevTools messages of a CDP client.
//!
//! Owns their form and the errors that a client gets. Never decides what is allowed.

use gstack_browser::cdp::CdpError;
use gstack_browser::devtools::target::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;

/// DevTools' own codes.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const SERVER_ERROR: i64 = -32000;
const SESSION_NOT_FOUND: i64 = -32001;

/// A command of a client. A field that comes twice is an error: two parsers may read it differently.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command<'a> {
    pub(super) id: i64,
    #[serde(borrow)]
    pub(super) method: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) session_id: Option<SessionId>,
}

/// The parameters, as values. A field that comes twice has its last value, here and in what is sent on.
pub(super) fn read(params: Option<&RawValue>) -> Result<Value, Refusal> {
    match params {
        None => Ok(json!({})),
        Some(raw) => match serde_json::from_str(raw.get()) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err(Refusal::invalid("the parameters are not an object")),
        },
    }
}

/// Why a command is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    code: i64,
    message: String,
    /// Whether the audit has it.
    pub(super) recorded: bool,
}

impl Refusal {
    /// gstack does not allow it.
    pub(super) fn denied(why: impl Into<String>) -> Self {
        Self { code: SERVER_ERROR, message: why.into(), recorded: true }
    }
    pub(super) fn unknown(method: &str) -> Self {
        let message = format!("gstack does not offer {method} to CDP clients");
        Self { code: METHOD_NOT_FOUND, message, recorded: true }
    }
    pub(super) fn invalid(what: &str) -> Self {
        Self { code: INVALID_PARAMS, message: what.to_owned(), recorded: false }
    }
    /// It could not be done.
    pub(super) fn failed(what: impl Into<String>) -> Self {
        Self { code: SERVER_ERROR, message: what.into(), recorded: false }
    }
    pub(super) fn no_session() -> Self {
        Self { code: SESSION_NOT_FOUND, message: "Session with given id not found.".to_owned(), recorded: false }
    }
    pub(super) fn message(&self) -> &str {
        &self.message
    }
}

impl From<CdpError> for Refusal {
    fn from(error: CdpError) -> Self {
        match error {
            CdpError::Protocol { code, message, .. } => Self { code, message, recorded: false },
            other => Self::failed(other.to_string()),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reply<'a, T: Serialize> {
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
}

/// Returns the reply to a command.
pub(super) fn reply<T: Serialize>(id: i64, session: Option<&SessionId>, outcome: Result<T, Refusal>) -> String {
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(Refusal { code, message, .. }) => (None, Some(json!({ "code": code, "message": message }))),
    };
    // It consists of JSON already.
    serde_json::to_string(&Reply { id, result, error, session_id: session }).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a, T: Serialize> {
    method: &'a str,
    params: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
}

/// Returns an event.
pub(super) fn event<T: Serialize>(method: &str, session: Option<&SessionId>, params: T) -> String {
    // It consists of JSON already.
    serde_json::to_string(&Event { method, params, session_id: session }).unwrap_or_default()
}

/// Returns an event of the browser as it came. `params` is JSON.
pub(super) fn forwarded(method: &str, session: &SessionId, params: &str) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    format!(r#"{{"method":{},"params":{params},"sessionId":{}}}"#, quoted(method), quoted(session.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_comes_twice_is_refused_or_has_one_meaning() {
        for twice in [
            r#"{"id":1,"method":"Page.enable","method":"Browser.close"}"#,
            r#"{"id":1,"method":"Page.enable","params":{},"params":{"url":"file:///"}}"#,
            r#"{"id":1,"method":"Page.enable","sessionId":"A","sessionId":"B"}"#,
        ] {
            assert!(serde_json::from_str::<Command<'_>>(twice).is_err(), "{twice}");
        }
        let raw = r#"{"id":1,"method":"Page.navigate","params":{"url":"http://a/","url":"file:///etc"}}"#;
        let command: Command<'_> = serde_json::from_str(raw).unwrap();
        assert_eq!(read(command.params).unwrap(), json!({ "url": "file:///etc" }));
        assert!(read(Some(&RawValue::from_string("[]".to_owned()).unwrap())).is_err());
    }
}
