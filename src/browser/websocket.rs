//! DevTools over a websocket, for a browser that somebody else started with an open port (`connect --attach URL`).
//!
//! Owns the translation between whole messages and `chromiumoxide::Connection`, which counts ids of its own and parses
//! what it reads. Only loopback addresses: anyone who reaches a DevTools port owns the browser.

use super::transport::{MessageSink, MessageSource, Transport};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use bytes::Bytes;
use chromiumoxide::Connection;
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::{CallId, EventMessage, Message, Method, MethodId};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::{Host, Url};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error(
        "{0} is not an address of a browser on this machine (http://127.0.0.1:PORT or ws://127.0.0.1:PORT/devtools/browser/…)"
    )]
    NotLocal(String),
    #[error("no browser answers at {url}: {reason}")]
    Unreachable { url: String, reason: String },
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
pub async fn connect(address: &str) -> Result<Transport, AttachError> {
    let url = Url::parse(address)
        .ok()
        .filter(|url| url.scheme() == "ws" && is_local(url))
        .ok_or_else(|| AttachError::NotLocal(address.to_owned()))?;
    let unreachable = |reason: String| AttachError::Unreachable { url: address.to_owned(), reason };
    let connection = timeout(CONNECT_LIMIT, Connection::<AnyEvent>::connect(url.as_str()))
        .await
        .map_err(|_| unreachable(format!("no answer within {CONNECT_LIMIT:?}")))?
        .map_err(|error| unreachable(error.to_string()))?;
    let (outgoing, queue) = mpsc::unbounded_channel();
    let source = Source { connection, queue, ids: HashMap::new() };
    Ok(Transport { sink: Box::new(Sink { outgoing }), source: Box::new(source) })
}

pub(super) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Any event, its parameters unread.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnyEvent {
    method: MethodId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Method for AnyEvent {
    fn identifier(&self) -> MethodId {
        self.method.clone()
    }
}
impl EventMessage for AnyEvent {
    fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }
}

/// A command as `Cdp` writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Command {
    id: u32,
    method: String,
    #[serde(default)]
    session_id: Option<String>,
    params: Value,
}

#[derive(Serialize)]
struct Reply {
    id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<chromiumoxide::types::Error>,
}

struct Sink {
    outgoing: mpsc::UnboundedSender<Command>,
}

impl MessageSink for Sink {
    fn send<'a>(&'a mut self, messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>> {
        let sent = messages.iter().try_for_each(|message| {
            let command = serde_json::from_slice(message)?;
            self.outgoing.send(command).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
        });
        Box::pin(std::future::ready(sent))
    }
}

struct Source {
    connection: Connection<AnyEvent>,
    queue: mpsc::UnboundedReceiver<Command>,
    /// The connection's ids, and ours.
    ids: HashMap<CallId, u32>,
}

impl Source {
    fn submit(&mut self, command: Command) -> io::Result<()> {
        let session = command.session_id.map(SessionId::from);
        let call = self.connection.submit_command(command.method.into(), session, command.params)?;
        self.ids.insert(call, command.id);
        Ok(())
    }

    fn rewrite(&mut self, message: Message<AnyEvent>) -> serde_json::Result<Option<Bytes>> {
        let bytes = match message {
            Message::Event(event) => serde_json::to_vec(&event)?,
            Message::Response(response) => {
                let Some(id) = self.ids.remove(&response.id) else { return Ok(None) };
                serde_json::to_vec(&Reply { id, result: response.result, error: response.error })?
            }
        };
        Ok(Some(bytes.into()))
    }
}

impl MessageSource for Source {
    /// Cancel safe: the connection keeps what it has begun to read and to write. It writes only while it is read from.
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>> {
        Box::pin(async move {
            loop {
                let message = tokio::select! {
                    Some(command) = self.queue.recv() => {
                        self.submit(command)?;
                        continue;
                    }
                    message = self.connection.next() => message,
                };
                match message {
                    Some(Ok(message)) => {
                        if let Some(bytes) = self.rewrite(message)? {
                            return Ok(Some(bytes));
                        }
                    }
                    Some(Err(error)) => return Err(io::Error::other(error.to_string())),
                    None => return Ok(None),
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
