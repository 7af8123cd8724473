//! The lines sent to Claude Code: messages and the host's half of the control protocol.
//!
//! Owns their format. A malformed line would end the process, so they are created only here.

use super::options::model_name;
use crate::adapter::Prompt;
use crate::prompt;
use base64::Engine;
use serde_json::{Value, json};

pub(super) fn initialize(request_id: &str) -> Vec<u8> {
    bytes(&json!({"type": "control_request", "request_id": request_id, "request": {"subtype": "initialize"}}))
}

/// Ends the running turn and all queued messages.
pub(super) fn interrupt(request_id: &str) -> Vec<u8> {
    let request = json!({"subtype": "interrupt", "cancel_queued": true});
    bytes(&json!({"type": "control_request", "request_id": request_id, "request": request}))
}

/// The prefix of the ids of [`set_model`]'s requests. The model is part of the id, so that an answer identifies it.
const SET_MODEL: &str = "set-model:";

/// Sets the model for all following turns; `None` for the default one.
pub(super) fn set_model(model: Option<&str>) -> Vec<u8> {
    let model = model.map_or("default", model_name);
    let request_id = format!("{SET_MODEL}{}:{model}", uuid::Uuid::new_v4());
    let request = json!({"subtype": "set_model", "model": model});
    bytes(&json!({"type": "control_request", "request_id": request_id, "request": request}))
}

/// Returns the model that the request with this id asked for.
pub(super) fn model_asked_for(request_id: &str) -> Option<&str> {
    request_id.strip_prefix(SET_MODEL)?.split_once(':').map(|(_, model)| model)
}

/// Returns the line of a message with this id.
pub(super) fn user_message(message: &Prompt, uuid: &str) -> Vec<u8> {
    let mut content = vec![json!({"type": "text", "text": prompt::message(message)})];
    content.extend(message.images.iter().map(|image| {
        let data = base64::engine::general_purpose::STANDARD.encode(&image.bytes);
        json!({"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": data}})
    }));
    bytes(&json!({"type": "user", "message": {"role": "user", "content": content}, "uuid": uuid}))
}

/// Allows a request. `input` is returned unchanged.
pub(super) fn allow(request_id: &str, input: &Value) -> Vec<u8> {
    answer(request_id, &json!({"behavior": "allow", "updatedInput": input}))
}

/// Denies a request. The model reads `words`.
pub(super) fn deny(request_id: &str, words: &str) -> Vec<u8> {
    answer(request_id, &json!({"behavior": "deny", "message": words}))
}

/// Refuses a request that this host does not support: without an answer the turn would hang.
pub(super) fn unsupported(request_id: &str) -> Vec<u8> {
    let response = json!({"subtype": "error", "request_id": request_id, "error": "not supported by this host"});
    bytes(&json!({"type": "control_response", "response": response}))
}

fn answer(request_id: &str, response: &Value) -> Vec<u8> {
    let response = json!({"subtype": "success", "request_id": request_id, "response": response});
    bytes(&json!({"type": "control_response", "response": response}))
}

/// Encodes a value as one line: JSON text never contains a raw line break.
fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
