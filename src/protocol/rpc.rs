//! JSON-RPC 2.0 envelopes with one addition: `client`, the panel of the port that a message belongs to.
//!
//! Owns only the outer structure: parameters and results stay raw until the method is known.

use super::fault::Fault;
use super::ids::PanelId;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A request's id: a number counted up by its sender.
pub type RequestId = u64;

/// Any message in either direction. Its fields determine its kind: `method` with `id` is a request, `method` alone a
/// notification, `id` alone a response.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Envelope {
    #[serde(default = "version")]
    pub jsonrpc: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<PanelId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

fn version() -> String {
    "2.0".to_owned()
}

/// Serializes a type defined in this crate. Such a value always has a JSON form.
fn raw<T: Serialize>(value: &T) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}

impl Envelope {
    pub fn request<T: Serialize>(id: RequestId, method: &str, params: &T) -> Self {
        Self { id: Some(id), ..Self::notification(None, method, params) }
    }
    pub fn notification<T: Serialize>(client: Option<PanelId>, method: &str, params: &T) -> Self {
        Self { jsonrpc: version(), client, method: Some(method.to_owned()), params: raw(params), ..Self::default() }
    }
    pub fn response<T: Serialize>(client: Option<PanelId>, id: RequestId, result: &T) -> Self {
        Self { jsonrpc: version(), client, id: Some(id), result: raw(result), ..Self::default() }
    }
    pub fn failure(client: Option<PanelId>, id: Option<RequestId>, fault: Fault) -> Self {
        Self { jsonrpc: version(), client, id, error: Some(fault), ..Self::default() }
    }
    /// Returns the bytes of the message, without a frame. An error about a message whose id could not be read has a
    /// null id, as JSON-RPC 2.0 requires.
    pub fn encode(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct WithoutId<'a> {
            id: (),
            #[serde(flatten)]
            envelope: &'a Envelope,
        }
        match (&self.error, self.id) {
            (Some(_), None) => serde_json::to_vec(&WithoutId { id: (), envelope: self }),
            _ => serde_json::to_vec(self),
        }
        .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Envelope;
    use crate::protocol::fault::{Fault, FaultCode};

    #[test]
    fn an_error_about_a_message_without_an_id_has_the_id_null() {
        let encoded = |id| {
            let failure = Envelope::failure(None, id, Fault::new(FaultCode::BadRequest, "no"));
            serde_json::from_slice::<serde_json::Value>(&failure.encode()).unwrap()
        };
        let error = serde_json::json!({ "code": "bad-request", "message": "no" });
        assert_eq!(encoded(None), serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }));
        assert_eq!(encoded(Some(7)), serde_json::json!({ "jsonrpc": "2.0", "id": 7, "error": error }));
        let read: Envelope =
            serde_json::from_str(r#"{"jsonrpc":"2.0","id":null,"error":{"code":"bad-request","message":"no"}}"#)
                .unwrap();
        assert!(read.id.is_none() && read.error.is_some());
    }
}
