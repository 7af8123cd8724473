//! Requests to the daemon over `http.sock`, with whole or streamed answers.
//!
//! Owns the client's HTTP. Retries only requests that may be repeated; for all others the caller decides whether they
//! took effect.

use super::events::Events;
use super::start;
use bytes::{Buf, Bytes, BytesMut};
use gstack_base::home::Home;
use gstack_base::state::State;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// The limit for the daemon's health check. A working daemon answers long before, even on a busy machine.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(9);
/// The time before the first health check. Most answers come sooner.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// The number of tries of a request that may be repeated, if daemons keep ending.
const MOST_TRIES: usize = 3;
/// The interval between health checks while the daemon works on a long request.
pub(super) const ASK_AGAIN: Duration = Duration::from_secs(5);

/// A client of one daemon. Cheap to clone. Each request uses its own connection.
#[derive(Clone, Debug)]
pub struct Client {
    home: Home,
    start: bool,
    token: Option<Arc<str>>,
    port: Option<u16>,
}

/// A connection to the daemon, over the socket or TCP.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Client {
    /// Creates a client that starts the daemon if none runs.
    pub fn new(home: Home) -> Self {
        Self { home, start: true, token: None, port: None }
    }
    /// Creates a client that returns a fault if no daemon runs.
    pub fn of_running(home: Home) -> Self {
        Self { home, start: false, token: None, port: None }
    }
    /// Authenticates as the agent that owns this token. Does not start a daemon: one that is not running has no agents.
    #[must_use]
    pub fn with_token(self, token: Option<String>) -> Self {
        Self { start: self.start && token.is_none(), token: token.map(Arc::from), ..self }
    }
    /// Connects to 127.0.0.1 instead of the socket. For an agent, whose sandbox has no sockets.
    #[must_use]
    pub fn at_port(self, port: Option<u16>) -> Self {
        Self { port, ..self }
    }
    pub fn home(&self) -> &Home {
        &self.home
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        self.reading(Method::GET, path, Bytes::new()).await
    }

    /// Sends a read-only request. Fails if the daemon refuses it or cannot be reached.
    pub async fn read<B: Serialize, T: DeserializeOwned>(&self, path: &str, body: &B) -> Result<T, Fault> {
        self.reading(Method::POST, path, encode(body)?).await
    }

    /// Retries if the daemon ended before it answered: starts the next one, or returns a fault that none runs.
    async fn reading<T: DeserializeOwned>(&self, method: Method, path: &str, body: Bytes) -> Result<T, Fault> {
        let mut tries = 1;
        loop {
            let whole = async { whole(self.send(method.clone(), path, body.clone()).await?).await };
            match self.answered(whole).await {
                Err(fault) if fault.code == FaultCode::OutcomeUnknown && tries < MOST_TRIES => tries += 1,
                outcome => return outcome.map_err(Fault::of_reader),
            }
        }
    }

    pub async fn post<B: Serialize, T: DeserializeOwned>(&self, path: &str, body: &B) -> Result<T, Fault> {
        let body = encode(body)?;
        self.answered(async { whole(self.send(Method::POST, path, body).await?).await }).await
    }

    /// Sends a request whose answer is JSON lines, and returns them as they arrive.
    pub async fn stream<B: Serialize>(&self, path: &str, body: &B) -> Result<Lines, Fault> {
        let body = encode(body)?;
        self.answered(async { self.lines(self.send(Method::POST, path, body).await?).await }).await
    }

    /// Sends a request that may be repeated, whose answer is JSON lines. Tries again if the daemon ended before it
    /// answered.
    pub async fn stream_repeatable<B: Serialize>(&self, path: &str, body: &B) -> Result<Lines, Fault> {
        let mut tries = 1;
        loop {
            match self.stream(path, body).await {
                Err(fault) if fault.code == FaultCode::OutcomeUnknown && tries < MOST_TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    /// Requests a stream of server-sent events.
    pub async fn events(&self, path: &str) -> Result<Events, Fault> {
        let lines = async { self.lines(self.send(Method::GET, path, Bytes::new()).await?).await };
        self.answered(lines).await.map(Events::new)
    }

    /// Fails if the daemon does not answer at all. For status checks.
    pub async fn check_answers(&self) -> Result<(), Fault> {
        self.answered(async { self.send(Method::GET, "/health", Bytes::new()).await.map(drop) }).await
    }

    async fn lines(&self, response: Response<Incoming>) -> Result<Lines, Fault> {
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(Lines { client: self.clone(), body: response.into_body(), buffer: BytesMut::new() })
    }

    /// Waits for an answer as long as the daemon works. Every request to a hung daemon fails after the same time with
    /// the same fault.
    async fn answered<T>(&self, answer: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        tokio::select! {
            biased;
            answer = answer => answer,
            () = self.hung() => Err(silent(&self.home)),
        }
    }

    /// Returns when the daemon does not answer a health check.
    async fn hung(&self) {
        let asker = Self { start: false, ..self.clone() };
        tokio::time::sleep(PATIENCE).await;
        // If the daemon has gone, it is not hung: the connection reports that.
        while tokio::time::timeout(ANSWER_LIMIT, asker.send(Method::GET, "/health", Bytes::new())).await.is_ok() {
            tokio::time::sleep(ASK_AGAIN).await;
        }
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, Fault> {
        if self.start {
            return Ok(Box::new(start::connect(&self.home, self.home.http_socket()).await?));
        }
        let stream: Option<Box<dyn Stream>> = match self.port {
            Some(port) => TcpStream::connect(("127.0.0.1", port)).await.ok().map(|stream| Box::new(stream) as _),
            None => start::connect_running(&self.home.http_socket()).await.map(|stream| Box::new(stream) as _),
        };
        stream.ok_or_else(|| {
            Fault::new(FaultCode::DaemonDown, "gstack is not running")
                .hint("Run `gstack connect` to open a browser with it.")
                .command("gstack connect")
                .at(Hop::Daemon)
        })
    }

    async fn send(&self, method: Method, path: &str, body: Bytes) -> Result<Response<Incoming>, Fault> {
        let stream = self.connect().await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|e| lost(&e))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "the connection to the daemon ended");
            }
        });
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("accept", "application/json")
            .header("content-type", "application/json");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.body(Full::new(body)).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
        sender.send_request(request).await.map_err(|e| lost(&e))
    }
}

/// JSON lines as they arrive.
pub struct Lines {
    client: Client,
    body: Incoming,
    buffer: BytesMut,
}

impl Lines {
    /// Returns the next line as a value, or `None` at the end. Fails if the stream ends within a line.
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        match self.next_line().await? {
            Some(line) => serde_json::from_slice(&line).map(Some).map_err(|e| unreadable(&e)),
            None => Ok(None),
        }
    }

    /// Returns the next line without its line break. Fails if the connection breaks.
    pub(super) async fn next_line(&mut self) -> Result<Option<BytesMut>, Fault> {
        loop {
            if let Some(end) = self.buffer.iter().position(|b| *b == b'\n') {
                let line = self.buffer.split_to(end);
                self.buffer.advance(1);
                return Ok(Some(line));
            }
            let body = &mut self.body;
            let frame = self.client.answered(async { Ok(body.frame().await) }).await?;
            match frame {
                None if self.buffer.is_empty() => return Ok(None),
                None => return Err(gone("it ended in the middle of an answer".to_owned())),
                Some(Err(error)) => return Err(lost(&error)),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
            }
        }
    }
}

async fn whole<T: DeserializeOwned>(response: Response<Incoming>) -> Result<T, Fault> {
    if !response.status().is_success() {
        return Err(refusal(response).await);
    }
    let body = response.into_body().collect().await.map_err(|e| lost(&e))?.to_bytes();
    serde_json::from_slice(&body).map_err(|e| unreadable(&e))
}

async fn refusal(response: Response<Incoming>) -> Fault {
    let status = response.status();
    match response.into_body().collect().await {
        Ok(body) => refused(status, &body.to_bytes()),
        Err(error) => lost(&error),
    }
}

/// Returns the fault in an unsuccessful answer.
pub(super) fn refused(status: StatusCode, body: &[u8]) -> Fault {
    #[derive(serde::Deserialize)]
    struct Body {
        fault: Fault,
    }
    match serde_json::from_slice::<Body>(body) {
        Ok(body) => body.fault,
        Err(_) => Fault::new(FaultCode::Internal, format!("the daemon answered {status} without a reason")),
    }
}

/// Returns the fault for a daemon that does not answer health checks.
pub(super) fn silent(home: &Home) -> Fault {
    let state = State::read(home);
    let named = state.as_ref().map(|state| format!(" (pid {})", state.pid)).unwrap_or_default();
    let fault = Fault::new(FaultCode::Timeout, format!("the gstack daemon{named} is running but does not answer"))
        .hint(
            "Kill that process: the next command starts a new one. The browser stays open and conversations are \
            kept.",
        )
        .at(Hop::Daemon);
    match state {
        Some(state) => fault.command(format!("kill -9 {}", state.pid)),
        None => fault,
    }
}

fn encode<B: Serialize>(body: &B) -> Result<Bytes, Fault> {
    serde_json::to_vec(body).map(Bytes::from).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))
}

/// Returns the fault for a connection that broke after the request was sent: it is unknown whether the request took
/// effect.
fn lost(error: &hyper::Error) -> Fault {
    gone(error.to_string())
}

pub(super) fn gone(how: String) -> Fault {
    Fault::new(FaultCode::OutcomeUnknown, format!("the connection to the gstack daemon was lost: {how}"))
        .hint("Look at the page before you repeat the command. `gstack doctor` says which part is down.")
        .command("gstack doctor")
        .at(Hop::Daemon)
}

pub(super) fn unreadable(error: &serde_json::Error) -> Fault {
    Fault::new(FaultCode::ProtocolMismatch, format!("the daemon's answer could not be read: {error}"))
        .hint("The daemon may have a different version. Run `gstack stop`, then repeat the command.")
        .command("gstack stop")
        .at(Hop::Daemon)
}
