//! Requests to the daemon over `http.sock`: whole answers and answers that come line by line.
//!
//! Owns the HTTP of a client. Repeats only what changes nothing: whether anything else took effect is the caller's question.

use super::events::Events;
use super::start;
use crate::base::home::Home;
use crate::base::state::State;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use bytes::{Buf, Bytes, BytesMut};
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

/// A daemon that works says that it is well long before, also on a machine that is busy.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(9);
/// What takes longer is asked about: most answers come sooner.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// How often something that only reads is asked for, if daemons keep ending.
const MOST_TRIES: usize = 3;
/// How often a daemon is asked again that works on something long.
pub(super) const ASK_AGAIN: Duration = Duration::from_secs(5);

/// A client of one daemon. Cheap to clone; each request is a connection of its own.
#[derive(Clone, Debug)]
pub struct Client {
    home: Home,
    start: bool,
    token: Option<Arc<str>>,
    port: Option<u16>,
}

/// A connection to the daemon, by either way.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Client {
    /// Starts the daemon when a request finds none.
    pub fn new(home: Home) -> Self {
        Self { home, start: true, token: None, port: None }
    }
    /// Answers with a fault when no daemon runs.
    pub fn of_running(home: Home) -> Self {
        Self { home, start: false, token: None, port: None }
    }
    /// Speaks for the agent whose token this is. A daemon that is not running has no agents, so none is started.
    #[must_use]
    pub fn with_token(self, token: Option<String>) -> Self {
        Self { start: self.start && token.is_none(), token: token.map(Arc::from), ..self }
    }
    /// Speaks over 127.0.0.1 instead of the socket. For an agent, whose sandbox holds no socket.
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

    /// Asks for something that changes nothing.
    pub async fn read<B: Serialize, T: DeserializeOwned>(&self, path: &str, body: &B) -> Result<T, Fault> {
        self.reading(Method::POST, path, encode(body)?).await
    }

    /// Asks again if the daemon ended before it answered: the next one is started, or it is told that none runs.
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

    /// An answer of JSON lines, read one by one as they come.
    pub async fn stream<B: Serialize>(&self, path: &str, body: &B) -> Result<Lines, Fault> {
        let body = encode(body)?;
        self.answered(async { self.lines(self.send(Method::POST, path, body).await?).await }).await
    }

    /// An answer of server-sent events.
    pub async fn events(&self, path: &str) -> Result<Events, Fault> {
        let lines = async { self.lines(self.send(Method::GET, path, Bytes::new()).await?).await };
        self.answered(lines).await.map(Events::new)
    }

    /// Whether the daemon answers anything: for those who ask how it is.
    pub async fn check_answers(&self) -> Result<(), Fault> {
        self.answered(async { self.send(Method::GET, "/health", Bytes::new()).await.map(drop) }).await
    }

    async fn lines(&self, response: Response<Incoming>) -> Result<Lines, Fault> {
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(Lines { client: self.clone(), body: response.into_body(), buffer: BytesMut::new() })
    }

    /// Waits for an answer as long as the daemon works. One that is hung is told after the same time, with the same words,
    /// whatever was asked.
    async fn answered<T>(&self, answer: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        tokio::select! {
            biased;
            answer = answer => answer,
            () = self.hung() => Err(silent(&self.home)),
        }
    }

    /// Returns when the daemon does not even say that it is well.
    async fn hung(&self) {
        let asker = Self { start: false, ..self.clone() };
        tokio::time::sleep(PATIENCE).await;
        // One that is gone does not hang: the connection says that.
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
    /// The next line as a value; `None` at the end. An end in mid-line is a fault.
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        match self.next_line().await? {
            Some(line) => serde_json::from_slice(&line).map(Some).map_err(|e| unreadable(&e)),
            None => Ok(None),
        }
    }

    /// The next line, without its end.
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

/// The fault in an answer that is not a success.
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

/// The fault for a daemon that does not even say that it is well.
pub(super) fn silent(home: &Home) -> Fault {
    let state = State::read(home);
    let named = state.as_ref().map(|state| format!(" (pid {})", state.pid)).unwrap_or_default();
    let fault = Fault::new(FaultCode::Timeout, format!("the gstack daemon{named} runs and does not answer"))
        .hint("End it: the next command starts another. The browser stays, and so does all that was said.")
        .at(Hop::Daemon);
    match state {
        Some(state) => fault.command(format!("kill -9 {}", state.pid)),
        None => fault,
    }
}

fn encode<B: Serialize>(body: &B) -> Result<Bytes, Fault> {
    serde_json::to_vec(body).map(Bytes::from).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))
}

/// The connection broke after the request was on its way: whether it took effect is not known.
fn lost(error: &hyper::Error) -> Fault {
    gone(error.to_string())
}

pub(super) fn gone(how: String) -> Fault {
    Fault::new(FaultCode::OutcomeUnknown, format!("the connection to the gstack daemon was lost: {how}"))
        .hint("Look at the page before you repeat it. `gstack doctor` says which part is down.")
        .command("gstack doctor")
        .at(Hop::Daemon)
}

pub(super) fn unreadable(error: &serde_json::Error) -> Fault {
    Fault::new(FaultCode::ProtocolMismatch, format!("the daemon's answer could not be read: {error}"))
        .hint("The daemon may be of another version. Run `gstack stop`, then repeat.")
        .command("gstack stop")
        .at(Hop::Daemon)
}
