//! Errors over HTTP: the status derived from the code, and the message as the body.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gstack_protocol::fault::{Fault, FaultCode};

/// A fault as an HTTP response: its status, and `Fault::answer` as its body.
#[derive(Debug)]
pub(super) struct Refusal(pub Fault);

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let fault = &self.0;
        (status(fault.code), Json(fault.answer())).into_response()
    }
}

fn status(code: FaultCode) -> StatusCode {
    match code {
        FaultCode::BadRequest | FaultCode::ProtocolMismatch => StatusCode::BAD_REQUEST,
        FaultCode::Forbidden
        | FaultCode::PanelUnconfirmed
        | FaultCode::Denied
        | FaultCode::PathRefused
        | FaultCode::UrlRefused => StatusCode::FORBIDDEN,
        FaultCode::Unknown | FaultCode::NotFound | FaultCode::TabGone => StatusCode::NOT_FOUND,
        FaultCode::Conflict | FaultCode::Cancelled | FaultCode::Leased => StatusCode::CONFLICT,
        FaultCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        FaultCode::Timeout | FaultCode::OutcomeUnknown => StatusCode::GATEWAY_TIMEOUT,
        FaultCode::Element | FaultCode::Script | FaultCode::Navigation => StatusCode::UNPROCESSABLE_ENTITY,
        FaultCode::DaemonDown
        | FaultCode::Updating
        | FaultCode::BrowserDown
        | FaultCode::AgentMissing
        | FaultCode::AgentSignedOut
        | FaultCode::AgentCrashed
        | FaultCode::AgentError => StatusCode::SERVICE_UNAVAILABLE,
        FaultCode::Storage => StatusCode::INSUFFICIENT_STORAGE,
        FaultCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
