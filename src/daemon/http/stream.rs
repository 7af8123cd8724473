//! Streamed answers: one JSON value per line, flushed as it happens.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// The number of lines that may wait for a slow reader before the sender waits.
pub(super) const WAITING_LINES: usize = 256;

struct JsonLines<T> {
    lines: mpsc::Receiver<T>,
}

impl<T: Serialize> Stream for JsonLines<T> {
    type Item = Result<Vec<u8>, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.lines.poll_recv(context).map(|line| {
            line.map(|value| {
                // Our own types always serialize to JSON.
                let mut bytes = serde_json::to_vec(&value).unwrap_or_default();
                bytes.push(b'\n');
                Ok(bytes)
            })
        })
    }
}

/// Returns a 200 response that ends when the sender is dropped.
pub(super) fn json_lines<T: Serialize + Send + 'static>(lines: mpsc::Receiver<T>) -> Response {
    let body = Body::from_stream(JsonLines { lines });
    ([(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}
