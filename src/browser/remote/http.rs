//! HTTP requests to an endpoint: one connection each, bounded in time and size.
//!
//! Owns the request and the reading of its answer. Never follows a redirect.

use super::endpoint::Endpoint;
use super::error::RemoteError;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// How long an answer may take that needs no work there.
pub(super) const SHORT: Duration = Duration::from_secs(30);
/// The largest answer that is not a file.
pub(super) const SMALL: usize = 1024 * 1024;

/// A Selenium Grid answers a request without a charset with an error.
const JSON: &str = "application/json; charset=utf-8";

/// The answer of an endpoint.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

/// The bounds of one answer.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) limit: Duration,
    pub(super) largest: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { limit: SHORT, largest: SMALL }
    }
}

/// Sends a request to the endpoint's address and reads the whole answer.
///
/// Fails for redirects and for refused credentials; any other status is the caller's.
pub(super) async fn send(
    endpoint: &Endpoint,
    method: Method,
    body: Option<&Value>,
    bounds: Bounds,
) -> Result<Answer, RemoteError> {
    let answered = timeout(bounds.limit, exchange(endpoint, method, body, bounds.largest)).await;
    let answer = answered.unwrap_or_else(|_| Err(RemoteError::Slow { at: endpoint.shown(), limit: bounds.limit }))?;
    match answer.status {
        status if status.is_redirection() => Err(RemoteError::Redirects(endpoint.shown())),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(RemoteError::Denied(endpoint.shown())),
        _ => Ok(answer),
    }
}

async fn exchange(
    endpoint: &Endpoint,
    method: Method,
    body: Option<&Value>,
    largest: usize,
) -> Result<Answer, RemoteError> {
    let at = || endpoint.shown();
    let failed = |error: hyper::Error| RemoteError::Unreachable { at: at(), why: error.to_string() };
    let stream = endpoint.connect().await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
    let url = endpoint.url();
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let mut request = Request::builder().method(method).uri(path);
    request = request.header(HOST, format!("{}{port}", url.host_str().unwrap_or_default()));
    for (name, value) in endpoint.headers() {
        request = request.header(name, value);
    }
    let text = body.map(Value::to_string);
    if text.is_some() {
        request = request.header(CONTENT_TYPE, JSON);
    }
    let request = request.body(Full::new(Bytes::from(text.unwrap_or_default())));
    let request = request.map_err(|error| RemoteError::Garbled { at: at(), why: error.to_string() })?;
    let answered = async {
        let response = sender.send_request(request).await.map_err(failed)?;
        let status = response.status();
        let body = Limited::new(response.into_body(), largest).collect().await.map_err(|error| match error
            .is::<LengthLimitError>(
        ) {
            true => RemoteError::Garbled { at: at(), why: format!("its answer has more than {largest} bytes") },
            false => RemoteError::Unreachable { at: at(), why: error.to_string() },
        })?;
        Ok(Answer { status, body: body.to_bytes() })
    };
    // The connection is polled while the request runs, and ends with it.
    tokio::pin!(connection);
    tokio::pin!(answered);
    tokio::select! {
        answer = &mut answered => answer,
        ended = &mut connection => match ended {
            Ok(()) => answered.await,
            Err(error) => Err(failed(error)),
        },
    }
}
