//! The lines that go to Claude Code: messages and the host's half of the control protocol.
//!
//! Owns their shapes. A malformed line would end the process, so they are made nowhere else.

use super::options::model_name;
use crate::agent::adapter::Prompt;
use crate::agent::prompt;
use base64::Engine;
use serde_json::{Value, json};

pub fn initialize(request_id: &str) -> Vec<u8> {
    bytes(&json!({"type": "control_request", "request_id": request_id, "request": {"subtype": "initialize"}}))
}

/// Ends the running turn and whatever waits behind it.
pub fn interrupt(request_id: &str) -> Vec<u8> {
    let request = json!({"subtype": "interrupt", "cancel_queued": true});
    bytes(&json!({"type": "control_request", "request_id": request_id, "request": request}))
}

/// How the ids of [`set_model`]'s requests begin; the model follows, so that an answer says which it was.
const SET_MODEL: &str = "set-model:";

/// For the turns from now on; `None`: the default one.
pub fn set_model(model: Option<&str>) -> Vec<u8> {
    let model = model.map_or("default", model_name);
    let request_id = format!("{SET_MODEL}{}:{model}", uuid::Uuid::new_v4());
    let request = json!({"subtype": "set_model", "model": model});
    bytes(&json!({"type": "control_request", "request_id": request_id, "request": request}))
}

/// The model that a request of this id asked for.
pub fn model_asked_for(request_id: &str) -> Option<&str> {
    request_id.strip_prefix(SET_MODEL)?.split_once(':').map(|(_, model)| model)
}

pub fn user_message(message: &Prompt) -> Vec<u8> {
    let mut content = vec![json!({"type": "text", "text": prompt::message(message)})];
    content.extend(message.images.iter().map(|image| {
        let data = base64::engine::general_purpose::STANDARD.encode(&image.bytes);
        json!({"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": data}})
    }));
    let uuid = uuid::Uuid::new_v4().to_string();
    bytes(&json!({"type": "user", "message": {"role": "user", "content": content}, "uuid": uuid}))
}

/// `input` is given back as it came.
pub fn allow(request_id: &str, input: &Value) -> Vec<u8> {
    answer(request_id, &json!({"behavior": "allow", "updatedInput": input}))
}

/// `words` are what the model reads.
pub fn deny(request_id: &str, words: &str) -> Vec<u8> {
    answer(request_id, &json!({"behavior": "deny", "message": words}))
}

/// For requests that this host does not serve: an unanswered one would hold the turn up for ever.
pub fn unsupported(request_id: &str) -> Vec<u8> {
    let response = json!({"subtype": "error", "request_id": request_id, "error": "not supported by this host"});
    bytes(&json!({"type": "control_response", "response": response}))
}

fn answer(request_id: &str, response: &Value) -> Vec<u8> {
    let response = json!({"subtype": "success", "request_id": request_id, "response": response});
    bytes(&json!({"type": "control_response", "response": response}))
}

/// JSON text never holds a raw line break, so one value is one line.
fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
