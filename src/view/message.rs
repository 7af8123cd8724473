//! The messages of the stream: two lengths (big endian, 32 bits each), then so many bytes of JSON and of a picture.
//!
//! Owns that form. Every text in them is data, which the page shows as text.

use bytes::{BufMut, Bytes, BytesMut};
use gstack_base::visible::visible;
use gstack_protocol::fault::Fault;
use serde_json::Value;

/// Writes one message.
pub(crate) fn message(json: &Value, picture: &[u8]) -> Bytes {
    let text = json.to_string();
    let mut bytes = BytesMut::with_capacity(8 + text.len() + picture.len());
    let length = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
    bytes.put_u32(length(text.len()));
    bytes.put_u32(length(picture.len()));
    bytes.put_slice(text.as_bytes());
    bytes.put_slice(picture);
    bytes.freeze()
}

/// Returns what a page says about a fault: what happened, and what to do.
pub(crate) fn words_of(fault: &Fault) -> String {
    let mut text: String = visible(&fault.message);
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
    }
    match &fault.hint {
        None => format!("{text}."),
        Some(hint) => format!("{text}. {hint}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::fault::FaultCode;
    use serde_json::json;

    #[test]
    fn a_message_says_how_long_its_parts_are() {
        assert_eq!(&message(&json!({"a": 1}), b"xyz")[..], b"\0\0\0\x07\0\0\0\x03{\"a\":1}xyz");
    }

    #[test]
    fn a_fault_is_a_sentence_and_a_next_step() {
        let fault = Fault::new(FaultCode::NotFound, "tab 3 was closed").hint("Choose another one.");
        assert_eq!(words_of(&fault), "Tab 3 was closed. Choose another one.");
    }
}
