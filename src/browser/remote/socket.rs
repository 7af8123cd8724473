//! DevTools over a websocket to another machine.
//!
//! Owns the handshake and its failures. The messages themselves are `websocket`'s.

use super::endpoint::Endpoint;
use super::error::RemoteError;
use super::files::FileSystem;
use super::provider::Opened;
use crate::transport::Transport;
use crate::websocket;
use hyper::StatusCode;
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// A hosted service may start its browser during the handshake. Playwright's `connectOverCDP` waits as long.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(30);
/// In bytes. A picture of a long page or a heap snapshot has many megabytes; an endless message has more.
const LARGEST_MESSAGE: usize = 256 * 1024 * 1024;

/// Opens a DevTools connection to a browser with files of its own.
pub(super) async fn open_devtools(endpoint: &Endpoint) -> Result<Opened, RemoteError> {
    Ok(Opened { transport: open(endpoint).await?, files: FileSystem::Remote(None) })
}

/// Opens a DevTools connection to the endpoint.
pub(super) async fn open(endpoint: &Endpoint) -> Result<Transport, RemoteError> {
    let at = || endpoint.shown();
    let mut url = endpoint.url().clone();
    let scheme = if matches!(url.scheme(), "wss" | "https") { "wss" } else { "ws" };
    url.set_scheme(scheme).map_err(|()| RemoteError::NotAnAddress(at()))?;
    let mut request = url.as_str().into_client_request().map_err(|error| failure(&at(), error))?;
    for (name, value) in endpoint.headers() {
        request.headers_mut().insert(name, value.clone());
    }
    let stream = endpoint.connect().await?;
    let config =
        WebSocketConfig::default().max_message_size(Some(LARGEST_MESSAGE)).max_frame_size(Some(LARGEST_MESSAGE));
    let opened = timeout(HANDSHAKE_LIMIT, client_async_with_config(request, stream, Some(config))).await;
    let (socket, _) = opened
        .map_err(|_| RemoteError::Slow { at: at(), limit: HANDSHAKE_LIMIT })?
        .map_err(|error| failure(&at(), error))?;
    Ok(websocket::over(socket))
}

fn failure(at: &str, error: Error) -> RemoteError {
    let at = at.to_owned();
    match error {
        Error::Http(answer) => match answer.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => RemoteError::Denied(at),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => RemoteError::TooMany(at),
            status if status.is_redirection() => RemoteError::Redirects(at),
            status => RemoteError::Garbled { at, why: format!("it answered {status} to the websocket handshake") },
        },
        Error::Io(error) => RemoteError::Unreachable { at, why: error.to_string() },
        // Without the text: it may quote the address.
        Error::Url(_) => RemoteError::Garbled { at, why: "its websocket address is not valid".to_owned() },
        error => RemoteError::Garbled { at, why: error.to_string() },
    }
}
