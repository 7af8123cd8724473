//! One JSON-RPC message per line: parsed leniently, written exactly.
//!
//! Owns the envelope. Parameters and results stay text until their type is known.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Whether messages contain `"jsonrpc":"2.0"`. Both forms are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Without it: Codex's app-server.
    Plain,
    /// With it: ACP.
    JsonRpc2,
}

/// One message from an agent.
#[derive(Debug)]
pub enum Incoming {
    /// The answer to a request of ours.
    Answer {
        id: u64,
        outcome: Result<Box<RawValue>, RpcError>,
    },
    /// A request of the agent with its own `id`, a number or a string.
    Request {
        id: Value,
        method: String,
        params: Box<RawValue>,
    },
    Notification {
        method: String,
        params: Box<RawValue>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub data: Option<Value>,
}

/// The JSON-RPC code for an unknown method.
pub const NO_SUCH_METHOD: i64 = -32601;

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<RpcError>,
}

/// Parses one line. `None` if it is not such a message: programs print other things too.
pub fn parse(line: &str) -> Option<Incoming> {
    let line = line.trim_start();
    if !line.starts_with('{') {
        return None;
    }
    let envelope: Envelope = match serde_json::from_str(line) {
        Ok(envelope) => envelope,
        Err(error) => {
            // Its text may contain what pages or people said, so log only the position.
            tracing::debug!(line = error.line(), column = error.column(), "a line of an agent was skipped");
            return None;
        }
    };
    let Envelope { id, method, params, result, error } = envelope;
    let params = params.unwrap_or_else(|| RawValue::NULL.to_owned());
    match (method, id.filter(|id| !id.is_null())) {
        (Some(method), Some(id)) => Some(Incoming::Request { id, method, params }),
        (Some(method), None) => Some(Incoming::Notification { method, params }),
        (None, Some(id)) => {
            let outcome = match error {
                Some(error) => Err(error),
                None => Ok(result.unwrap_or_else(|| RawValue::NULL.to_owned())),
            };
            Some(Incoming::Answer { id: id.as_u64()?, outcome })
        }
        (None, None) => None,
    }
}

/// Parses a method's parameters. `None` if they have another type, which is logged without their text.
pub fn read<'a, T: Deserialize<'a>>(params: &'a RawValue, what: &str) -> Option<T> {
    match serde_json::from_str(params.get()) {
        Ok(value) => Some(value),
        Err(error) => {
            tracing::debug!(what, column = error.column(), "a message of an agent has an unknown shape");
            None
        }
    }
}

impl Dialect {
    pub fn request(self, id: u64, method: &str, params: Value) -> Vec<u8> {
        self.line([("id", id.into()), ("method", method.into()), ("params", params)])
    }

    pub fn notification(self, method: &str, params: Option<Value>) -> Vec<u8> {
        let fields = [("method", Some(method.into())), ("params", params)];
        self.line(fields.into_iter().filter_map(|(name, value)| Some((name, value?))))
    }

    pub fn answer(self, id: &Value, result: Value) -> Vec<u8> {
        self.line([("id", id.clone()), ("result", result)])
    }

    /// Refuses a request that this host does not support: without an answer the turn would hang.
    pub fn unsupported(self, id: &Value) -> Vec<u8> {
        let error = serde_json::json!({"code": NO_SUCH_METHOD, "message": "not supported by this host"});
        self.line([("id", id.clone()), ("error", error)])
    }

    /// Encodes a message as one line: JSON text never contains a raw line break.
    fn line<'a>(self, fields: impl IntoIterator<Item = (&'a str, Value)>) -> Vec<u8> {
        let version = (self == Self::JsonRpc2).then(|| ("jsonrpc", Value::from("2.0")));
        let all = version.into_iter().chain(fields).map(|(name, value)| (name.to_owned(), value));
        Value::Object(all.collect()).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Incoming, parse};
    use serde_json::json;

    #[test]
    fn answers_requests_and_notifications_are_told_apart_whatever_the_order_of_keys() {
        assert!(matches!(parse(r#"{"result":{"a":1},"id":7}"#), Some(Incoming::Answer { id: 7, outcome: Ok(_) })));
        let refused = parse(r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no","more":1},"id":7}"#);
        assert!(matches!(refused, Some(Incoming::Answer { outcome: Err(error), .. }) if error.message == "no"));
        let asked = parse(r#"{"params":{"x":[1]},"id":"a","method":"m"}"#);
        assert!(
            matches!(asked, Some(Incoming::Request { id, method, params }) if id == "a" && method == "m" && params.get() == r#"{"x":[1]}"#)
        );
        assert!(matches!(parse(r#"{"method":"m","id":null}"#), Some(Incoming::Notification { .. })));
    }

    #[test]
    fn what_is_no_message_is_skipped() {
        for line in ["", "text", "[1]", "{}", "{broken", r#"{"id":-1}"#, r#"{"id":"ours","result":1}"#] {
            assert!(parse(line).is_none(), "{line}");
        }
    }

    #[test]
    fn what_goes_out_has_the_form_of_its_dialect() {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let request = Dialect::Plain.request(1, "a/b", json!({"x": "line\nbreak"}));
        assert_eq!(text(request), r#"{"id":1,"method":"a/b","params":{"x":"line\nbreak"}}"#);
        assert_eq!(text(Dialect::JsonRpc2.notification("n", None)), r#"{"jsonrpc":"2.0","method":"n"}"#);
        assert_eq!(text(Dialect::Plain.answer(&json!(0), json!({}))), r#"{"id":0,"result":{}}"#);
    }
}
