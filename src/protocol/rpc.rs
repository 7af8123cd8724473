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
    /// Always `2.0` in messages that gstack sends; not checked in those that it receives.
    #[serde(default = "version")]
    pub jsonrpc: String,
    /// The panel of the port that it comes from or goes to; absent for the background itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<PanelId>,
    /// The request's id, in a request and in its response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// What is asked or told; absent in a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The method's parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Box<RawValue>>,
    /// The answer, in the response to a request that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The fault, in the response to a request that failed.
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
    /// Creates a request.
    pub fn request<T: Serialize>(id: RequestId, method: &str, params: &T) -> Self {
        Self { id: Some(id), ..Self::notification(None, method, params) }
    }
    /// Creates a notification, for one panel or for the background.
    pub fn notification<T: Serialize>(client: Option<PanelId>, method: &str, params: &T) -> Self {
        Self { jsonrpc: version(), client, method: Some(method.to_owned()), params: raw(params), ..Self::default() }
    }
    /// Creates the answer to a request that succeeded.
    pub fn response<T: Serialize>(client: Option<PanelId>, id: RequestId, result: &T) -> Self {
        Self { jsonrpc: version(), client, id: Some(id), result: raw(result), ..Self::default() }
    }
    /// Creates the answer to a request that failed. `id` is `None` if the request's id could not be read.
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
    use crate::fault::{Fault, FaultCode};

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
