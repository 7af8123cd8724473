//! The DevTools events of network and frames that the journal reads.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NetworkEvent {
    pub(super) request_id: String,
    #[serde(default)]
    pub(super) loader_id: String,
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    #[serde(rename = "documentURL", default)]
    pub(super) document_url: String,
    /// Set for a socket.
    #[serde(default)]
    pub(super) url: String,
    #[serde(default)]
    pub(super) wall_time: Option<f64>,
    #[serde(default)]
    pub(super) timestamp: Option<f64>,
    #[serde(default)]
    pub(super) request: Option<NetworkRequest>,
    #[serde(default)]
    pub(super) response: Option<NetworkResponse>,
    #[serde(default)]
    pub(super) redirect_response: Option<NetworkResponse>,
    #[serde(default)]
    pub(super) encoded_data_length: Option<f64>,
    #[serde(default)]
    pub(super) error_text: Option<String>,
    #[serde(default)]
    pub(super) error_message: Option<String>,
}

/// A WebSocket's handshake has only headers.
#[derive(Deserialize)]
pub(super) struct NetworkRequest {
    #[serde(default)]
    pub(super) method: String,
    #[serde(default)]
    pub(super) url: String,
}

#[derive(Deserialize)]
pub(super) struct NetworkResponse {
    #[serde(default)]
    pub(super) status: u16,
}
