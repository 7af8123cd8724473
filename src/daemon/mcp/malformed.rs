//! Messages that are not MCP requests, and the JSON-RPC errors that answer them.
//!
//! Pure. The SDK drops messages that it cannot parse and reports a call without parameters as an unknown method, but a
//! client must learn its actual mistake. Sources: JSON-RPC 2.0 section 5.1, MCP 2025-11-25 "Error handling".

use serde_json::{Map, Value, json};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// A JSON-RPC error as it is sent.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    code: i32,
    message: &'static str,
    /// Null if the message has no readable id.
    id: Value,
}

impl Answer {
    pub(super) fn too_long() -> Self {
        Self { code: INVALID_REQUEST, message: "The message is too long", id: Value::Null }
    }
    pub(super) fn to_json(&self) -> Vec<u8> {
        let error = json!({ "code": self.code, "message": self.message });
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string().into_bytes()
    }
    /// Returns true if only the parameters of the request are wrong.
    pub(super) fn is_about_params(&self) -> bool {
        self.code == INVALID_PARAMS
    }
}

/// Returns the answer to a malformed message, or `None` if the message is valid or needs no answer (a notification).
pub(super) fn answer_to(message: &[u8]) -> Option<Answer> {
    let Ok(value) = serde_json::from_slice::<Value>(message) else {
        return Some(Answer { code: PARSE_ERROR, message: "The message is not valid JSON", id: Value::Null });
    };
    let invalid = |message, id| Some(Answer { code: INVALID_REQUEST, message, id });
    let Value::Object(message) = value else {
        return invalid("the message is not a JSON-RPC object; batches are not supported", Value::Null);
    };
    let id = match message.get("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
        _ => Value::Null,
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("`jsonrpc` must be \"2.0\"", id);
    }
    let method = match message.get("method") {
        // An answer to one of our requests.
        None if message.contains_key("result") || message.contains_key("error") => return None,
        None => return invalid("`method` is missing", id),
        Some(Value::String(method)) => method,
        Some(_) => return invalid("`method` must be a string", id),
    };
    if !message.contains_key("id") {
        return None;
    }
    // The SDK drops a request with another id, and its client would wait for ever.
    if !(id.is_string() || id.is_i64()) {
        return invalid("`id` must be a string or an integer of at most 64 bits", id);
    }
    let empty = Map::new();
    let wrong = match message.get("params") {
        None => of_params(method, &empty),
        Some(Value::Object(params)) => of_params(method, params),
        Some(_) => Some("`params` must be an object"),
    };
    wrong.map(|message| Answer { code: INVALID_PARAMS, message, id })
}

/// Returns what is wrong with the parameters of a method that requires some.
fn of_params(method: &str, params: &Map<String, Value>) -> Option<&'static str> {
    match method {
        "tools/call" => match (params.get("name"), params.get("arguments")) {
            (Some(Value::String(_)), None | Some(Value::Object(_) | Value::Null)) => None,
            (Some(Value::String(_)), Some(_)) => Some("`arguments` must be an object"),
            _ => Some("`name` must be the name of a tool"),
        },
        "tools/list" => match params.get("cursor") {
            None | Some(Value::String(_) | Value::Null) => None,
            Some(_) => Some("`cursor` must be a string"),
        },
        "initialize" => {
            let text = |value: Option<&Value>| value.is_some_and(Value::is_string);
            let client = params.get("clientInfo");
            let named = text(client.and_then(|client| client.get("name")));
            let versioned = text(client.and_then(|client| client.get("version")));
            match (text(params.get("protocolVersion")), params.get("capabilities").is_some_and(Value::is_object)) {
                (true, true) if named && versioned => None,
                _ => Some(
                    "`initialize` needs `protocolVersion`, `capabilities` and `clientInfo` with `name` and `version`",
                ),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, answer_to};
    use serde_json::{Value, json};

    fn told(message: &str) -> Option<(i64, Value)> {
        let answer: Value = serde_json::from_slice(&answer_to(message.as_bytes())?.to_json()).unwrap();
        assert!(answer["jsonrpc"] == "2.0" && answer["error"]["message"].is_string() && answer.get("id").is_some());
        Some((answer["error"]["code"].as_i64().unwrap(), answer["id"].clone()))
    }

    #[test]
    fn what_is_malformed_is_answered_by_its_own_code_and_id() {
        for (message, code, id) in [
            ("", -32700, json!(null)),
            ("{\"jsonrpc\":\"2.0\",", -32700, json!(null)),
            ("\u{7f}", -32700, json!(null)),
            ("[]", -32600, json!(null)),
            ("7", -32600, json!(null)),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, json!(null)),
            (r#"{"id":1,"method":"ping"}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, json!("a")),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, json!(1)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, json!(1.5)),
            (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, -32600, json!(u64::MAX)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602, json!(1)),
            (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{}}"#, -32602, json!("x")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#, -32602, json!(1)),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"url","arguments":[]}}"#,
                -32602,
                json!(1),
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}"#, -32602, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#, -32602, json!(1)),
        ] {
            assert_eq!(told(message), Some((code, id)), "{message}");
        }
        // 2^70: JSON readers differ in the last digit.
        let (code, id) = told(r#"{"jsonrpc":"2.0","id":1180591620717411303424,"method":"ping"}"#).unwrap();
        assert!(code == -32600 && id.as_f64().is_some_and(|id| (id / 70_f64.exp2() - 1.0).abs() < 1e-9), "{id}");
        assert_eq!(Answer::too_long().id, Value::Null);
    }

    #[test]
    fn what_can_be_handled_is_left_alone() {
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":-9223372036854775808,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"unheard/of","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/odd","params":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"url"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"url","arguments":null}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}"#,
        ] {
            assert_eq!(told(message), None, "{message}");
        }
    }
}
