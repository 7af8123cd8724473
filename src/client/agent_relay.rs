//! `gstack mcp --agent-token-file FILE`: the tools of a running agent, for an agent that only uses MCP servers which it
//! starts itself.
//!
//! Owns the relay between standard input and output, a message a line, and the daemon's MCP endpoint. It presents the
//! agent's own token there, so identity, tabs and approvals are the agent's, and it ends with the agent's session. Never
//! interprets a message beyond its id and method, and never connects to anything but 127.0.0.1.

use bytes::{Bytes, BytesMut};
use gstack_protocol::agent_endpoint::AgentEndpoint;
use gstack_protocol::fault::{Fault, FaultCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The longest message of the client, in bytes; the endpoint takes no longer one.
const LONGEST_MESSAGE: u64 = 4 * 1024 * 1024;
/// Messages that wait for the client to read them.
const WAITING: usize = 16;
/// A client that has sent everything gets the answers that come within this time; one that is gone must not keep a call waiting.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// The JSON-RPC code of an answer that the daemon refused.
const REFUSED: i64 = -32000;

/// Relays standard input and output until one side ends. Fails if the file is not one of an agent of this machine, if the
/// agent has ended, or if a stream breaks.
pub async fn relay(file: &Path) -> Result<(), Fault> {
    let endpoint = read(file)?;
    relay_between(endpoint, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

fn read(file: &Path) -> Result<Endpoint, Fault> {
    let refused = |why: String| {
        Fault::new(FaultCode::BadRequest, format!("{} is no token file of a running agent: {why}", file.display()))
            .hint("gstack writes it for each agent that it starts, and removes it with the agent.")
    };
    let bytes = std::fs::read(file).map_err(|error| refused(error.to_string()))?;
    let told: AgentEndpoint = serde_json::from_slice(&bytes).map_err(|error| refused(error.to_string()))?;
    Endpoint::new(told).ok_or_else(|| refused("it names no port of 127.0.0.1".to_owned()))
}

/// The endpoint and what is presented there. Cheap to clone.
#[derive(Clone)]
struct Endpoint {
    port: u16,
    path: Arc<str>,
    token: Arc<str>,
    /// Set by the answer to `initialize`.
    session: Option<Arc<str>>,
    version: Option<Arc<str>>,
}

impl Endpoint {
    fn new(told: AgentEndpoint) -> Option<Self> {
        let uri: Uri = told.url.parse().ok()?;
        // The token must reach nobody else.
        let port = uri.port_u16().filter(|_| uri.host() == Some("127.0.0.1") && uri.scheme_str() == Some("http"))?;
        Some(Self { port, path: uri.path().into(), token: told.token.into(), session: None, version: None })
    }

    async fn send(&self, method: Method, body: Bytes) -> Result<Response<Incoming>, String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.map_err(|error| error.to_string())?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the daemon ended");
            }
        });
        let accepts = if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        let mut request = Request::builder()
            .method(method)
            .uri(&*self.path)
            .header(HOST, format!("127.0.0.1:{}", self.port))
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .header(ACCEPT, accepts)
            .header(CONTENT_TYPE, "application/json");
        for (name, value) in [(SESSION_HEADER, &self.session), (VERSION_HEADER, &self.version)] {
            if let Some(value) = value {
                request = request.header(name, &**value);
            }
        }
        let request = request.body(Full::new(body)).map_err(|error| error.to_string())?;
        sender.send_request(request).await.map_err(|error| error.to_string())
    }
}

/// The parts of a client's message that the relay needs.
struct Sent {
    /// `None` for a notification or an answer.
    id: Option<Value>,
    is_beginning: bool,
}

impl Sent {
    fn of(line: &[u8]) -> Self {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let method = message.get("method").and_then(Value::as_str);
        let id = message.get("id").filter(|id| method.is_some() && !id.is_null()).cloned();
        Self { id, is_beginning: method == Some("initialize") }
    }
}

async fn relay_between(
    mut endpoint: Endpoint,
    mut input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), Fault> {
    let (messages, to_write) = mpsc::channel(WAITING);
    let mut writing = tokio::spawn(write(output, to_write));
    // Answers are read at the same time: a call may wait for the person while the next one runs.
    let (mut answers, mut listeners) = (JoinSet::new(), JoinSet::new());
    let (over, mut session_over) = mpsc::channel::<()>(1);
    let ended = loop {
        let line = tokio::select! {
            line = next_line(&mut input) => line,
            _ = &mut writing => break Ok(()),
            Some(()) = session_over.recv() => break Ok(()),
        };
        let line = match line {
            Ok(Some(line)) if line.is_empty() => continue,
            Ok(Some(line)) => line,
            Ok(None) => {
                let all = async { while answers.join_next().await.is_some() {} };
                if tokio::time::timeout(LAST_ANSWERS, all).await.is_err() {
                    tracing::debug!("the client left before its last answer");
                }
                break Ok(());
            }
            Err(error) => break Err(Fault::new(FaultCode::BadRequest, error.to_string())),
        };
        let sent = Sent::of(&line);
        // In order: a later message must not overtake this one.
        let response = match endpoint.send(Method::POST, line).await {
            Ok(response) => response,
            Err(error) => break Err(gone(&error)),
        };
        if sent.is_beginning && response.status().is_success() {
            endpoint.session = header(&response, SESSION_HEADER);
            let told = pass_on(response, sent.id, &messages).await;
            endpoint.version = told.and_then(|told| Some(told.pointer("/result/protocolVersion")?.as_str()?.into()));
            let (listener, messages, over) = (endpoint.clone(), messages.clone(), over.clone());
            listeners.spawn(async move {
                if listen(listener, &messages).await {
                    over.send(()).await.ok();
                }
            });
        } else {
            let messages = messages.clone();
            answers.spawn(async move { drop(pass_on(response, sent.id, &messages).await) });
        }
    };
    answers.shutdown().await;
    listeners.shutdown().await;
    if endpoint.session.is_some()
        && let Err(error) = endpoint.send(Method::DELETE, Bytes::new()).await
    {
        tracing::debug!(error, "the session ended by itself");
    }
    drop(messages);
    if !writing.is_finished() {
        writing.await.ok();
    }
    ended
}

fn gone(error: &str) -> Fault {
    Fault::new(FaultCode::DaemonDown, format!("gstack's daemon can't be reached: {error}"))
        .hint("The agent whose tools these are has ended with it.")
}

fn header(response: &Response<Incoming>, name: &str) -> Option<Arc<str>> {
    response.headers().get(name)?.to_str().ok().map(Arc::from)
}

/// Passes on what the server sends without being asked, until its session ends. Returns false if it never sends anything.
async fn listen(endpoint: Endpoint, messages: &mpsc::Sender<Vec<u8>>) -> bool {
    match endpoint.send(Method::GET, Bytes::new()).await {
        Ok(response) if response.status().is_success() => {
            pass_on(response, None, messages).await;
            true
        }
        Ok(_) | Err(_) => false,
    }
}

/// Passes on every message of an answer. Returns the last one. `id`: the request, which gets an error if it is refused.
async fn pass_on(response: Response<Incoming>, id: Option<Value>, messages: &mpsc::Sender<Vec<u8>>) -> Option<Value> {
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    let status = response.status();
    let mut body = response.into_body();
    let mut last = None;
    if is_stream {
        let mut events = EventData::default();
        while let Some(Ok(frame)) = body.frame().await {
            let Ok(data) = frame.into_data() else { continue };
            for data in events.take(&data) {
                last = serde_json::from_slice(&data).ok().or(last);
                if messages.send(data).await.is_err() {
                    return last;
                }
            }
        }
        return last;
    }
    let whole = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let told: Option<Value> = serde_json::from_slice(&whole).ok();
    let message = match (&told, id) {
        (Some(told), _) if told.get("jsonrpc").is_some() => Some(told.clone()),
        (_, Some(id)) => {
            let why = told.as_ref().and_then(|told| told.pointer("/fault/message")).and_then(Value::as_str);
            let why = why.map_or_else(|| format!("the daemon answered {status}"), str::to_owned);
            Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": REFUSED, "message": why}}))
        }
        (_, None) => None,
    };
    if let Some(message) = &message {
        messages.send(message.to_string().into_bytes()).await.ok();
    }
    message
}

/// The data of server-sent events (HTML standard, section 9.2) as it arrives.
#[derive(Default)]
struct EventData {
    buffer: BytesMut,
    data: Vec<u8>,
}

impl EventData {
    /// Returns the data of the events that end in these bytes. A message never contains a line break.
    fn take(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut whole = Vec::new();
        self.buffer.extend_from_slice(bytes);
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line = self.buffer.split_to(end + 1);
            let line = line.trim_ascii_end();
            if let Some(data) = line.strip_prefix(b"data:") {
                self.data.extend_from_slice(data.trim_ascii_start());
            } else if line.is_empty() && !self.data.is_empty() {
                whole.push(std::mem::take(&mut self.data));
            }
        }
        whole
    }
}

async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Bytes>> {
    let mut line = Vec::new();
    let read = input.take(LONGEST_MESSAGE + 1).read_until(b'\n', &mut line).await?;
    if read as u64 > LONGEST_MESSAGE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message of the MCP client is too long"));
    }
    Ok((read > 0).then(|| Bytes::copy_from_slice(line.trim_ascii())))
}

async fn write(mut output: impl AsyncWrite + Unpin, mut messages: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(mut message) = messages.recv().await {
        message.push(b'\n');
        output.write_all(&message).await?;
        output.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, EventData, Sent};
    use gstack_protocol::agent_endpoint::AgentEndpoint;
    use serde_json::json;

    #[test]
    fn the_token_goes_to_this_machine_only() {
        let at = |url: &str| {
            Endpoint::new(AgentEndpoint { url: url.to_owned(), token: "t".to_owned() }).map(|found| found.port)
        };
        assert_eq!(at("http://127.0.0.1:4711/mcp"), Some(4711));
        for elsewhere in
            ["http://example.com:80/mcp", "http://127.0.0.1.example.com:80/mcp", "https://127.0.0.1:4711/mcp", "/mcp"]
        {
            assert_eq!(at(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn events_are_put_together_across_pieces_and_heartbeats_skipped() {
        let mut events = EventData::default();
        assert!(events.take(b": beat\n\ndata: {\"a\":").is_empty());
        assert_eq!(events.take(b"1}\r\n\r\nid: 7\ndata:{}\n\ndata: x"), [b"{\"a\":1}".to_vec(), b"{}".to_vec()]);
    }

    #[test]
    fn only_a_request_gets_an_answer() {
        assert_eq!(Sent::of(br#"{"id":1,"method":"ping"}"#).id, Some(json!(1)));
        for other in [&br#"{"id":1,"result":{}}"#[..], br#"{"method":"x"}"#, b"nonsense"] {
            assert!(Sent::of(other).id.is_none());
        }
        assert!(Sent::of(br#"{"id":1,"method":"initialize"}"#).is_beginning);
    }
}
