//! DevTools over a websocket, for a browser that gstack did not start and that has an open port (`connect --attach
//! URL`), and the messages of `remote`'s websockets.
//!
//! Owns the connection from an address to whole messages. Connects only to loopback addresses: anyone who reaches a
//! DevTools port controls the browser. Other machines are `remote`'s.

use super::names::resolve;
use super::transport::{MessageSink, MessageSource, Transport};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use gstack_base::host::without_brackets;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use url::{Host, Url};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// The reasons why `connect --attach` fails.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The address is not one of this machine.
    #[error(
        "{0} is not an address of a browser on this machine (http://127.0.0.1:PORT or ws://127.0.0.1:PORT/devtools/browser/…)"
    )]
    NotLocal(String),
    /// The address does not answer as a browser does.
    #[error("no browser answers at {url}: {reason}")]
    Unreachable {
        /// The address as given.
        url: String,
        /// The cause.
        reason: String,
    },
}

impl From<AttachError> for Fault {
    fn from(error: AttachError) -> Self {
        let (code, hint) = match &error {
            AttachError::NotLocal(_) => {
                (FaultCode::BadRequest, "Give the port that the browser was started with: http://127.0.0.1:9222")
            }
            AttachError::Unreachable { .. } => (
                FaultCode::BrowserDown,
                "Start the browser with --remote-debugging-port=9222 and a --user-data-dir of its own, then try again.",
            ),
        };
        Self::new(code, error.to_string()).hint(hint).at(Hop::Browser)
    }
}

/// Connects to a browser's DevTools websocket on loopback.
///
/// # Errors
///
/// Fails if the address is not on loopback, or the browser does not accept the connection in time.
pub async fn connect(address: &str) -> Result<Transport, AttachError> {
    let url = Url::parse(address)
        .ok()
        .filter(|url| url.scheme() == "ws" && is_local(url))
        .ok_or_else(|| AttachError::NotLocal(address.to_owned()))?;
    let unreachable = |reason: String| AttachError::Unreachable { url: address.to_owned(), reason };
    let opened = timeout(CONNECT_LIMIT, open(&url)).await;
    let socket =
        opened.map_err(|_| unreachable(format!("no answer within {CONNECT_LIMIT:?}")))?.map_err(unreachable)?;
    Ok(over(socket))
}

/// Sends and receives the messages of an open websocket.
pub(super) fn over<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(socket: WebSocketStream<S>) -> Transport {
    let (sink, source) = socket.split();
    Transport { sink: Box::new(Sink { stream: sink }), source: Box::new(Source { stream: source }) }
}

async fn open(url: &Url) -> Result<WebSocketStream<TcpStream>, String> {
    let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(80));
    let addresses = resolve(without_brackets(host), port).await.map_err(|error| error.to_string())?;
    let stream = TcpStream::connect(addresses.as_slice()).await.map_err(|error| error.to_string())?;
    // Callers wait for the reply to each message, so it must not wait for the next one to fill a packet.
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    // The size of the browser's messages is trusted: a screenshot has many megabytes.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let opened = client_async_with_config(url.as_str(), stream, Some(config)).await;
    opened.map(|(socket, _)| socket).map_err(|error| error.to_string())
}

pub(super) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

struct Sink<S> {
    stream: SplitSink<WebSocketStream<S>, Message>,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> MessageSink for Sink<S> {
    fn send<'a>(&'a mut self, messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            for message in messages {
                let text = str::from_utf8(message).map_err(io::Error::other)?;
                self.stream.feed(Message::text(text)).await.map_err(io::Error::other)?;
            }
            self.stream.flush().await.map_err(io::Error::other)
        })
    }
}

struct Source<S> {
    stream: SplitStream<WebSocketStream<S>>,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> MessageSource for Source<S> {
    /// Cancel safe: the socket keeps a message that it has begun to read. It answers pings itself.
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>> {
        Box::pin(async move {
            loop {
                match self.stream.next().await {
                    Some(Ok(Message::Text(text))) => return Ok(Some(text.into())),
                    Some(Ok(Message::Binary(bytes))) => return Ok(Some(bytes)),
                    Some(Ok(Message::Close(_))) | None => return Ok(None),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(io::Error::other(error)),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{AttachError, connect};

    #[tokio::test]
    async fn only_loopback_is_attached_to() {
        for address in
            ["ws://10.0.0.1:9222/devtools/browser/x", "http://127.0.0.1:9222/", "ws://example.test/", "nonsense"]
        {
            assert!(matches!(connect(address).await, Err(AttachError::NotLocal(_))), "{address}");
        }
    }
}
