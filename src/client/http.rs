//! Requests to the daemon over `http.sock`: whole answers and answers that come line by line.
//!
//! Owns the HTTP of a client. Never retries: whether a command ran is the caller's question.

use super::events::Events;
use super::start;
use crate::base::home::Home;
use crate::base::state::State;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use bytes::{Buf, Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;

/// A daemon that works answers this long before, also on a machine that is busy.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// A client of one daemon. Cheap to clone; each request is a connection of its own.
#[derive(Clone, Debug)]
pub struct Client {
    home: Home,
    start: bool,
    token: Option<Arc<str>>,
}

impl Client {
    /// Starts the daemon when a request finds none.
    pub fn new(home: Home) -> Self {
        Self { home, start: true, token: None }
    }
    /// Answers with a fault when no daemon runs.
    pub fn of_running(home: Home) -> Self {
        Self { home, start: false, token: None }
    }
    /// Speaks for the agent whose token this is. A daemon that is not running has no agents, so none is started.
    #[must_use]
    pub fn with_token(self, token: Option<String>) -> Self {
        Self { start: self.start && token.is_none(), token: token.map(Arc::from), ..self }
    }
    pub fn home(&self) -> &Home {
        &self.home
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        let whole = async { whole(self.send(Method::GET, path, Bytes::new()).await?).await };
        whole.await.map_err(Fault::of_reader)
    }

    pub async fn post<B: Serialize, T: DeserializeOwned>(&self, path: &str, body: &B) -> Result<T, Fault> {
        let response = self.send(Method::POST, path, encode(body)?).await?;
        whole(response).await
    }

    /// An answer of JSON lines, read one by one as they come.
    pub async fn stream<B: Serialize>(&self, path: &str, body: &B) -> Result<Lines, Fault> {
        let response = self.send(Method::POST, path, encode(body)?).await?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(Lines { body: response.into_body(), buffer: BytesMut::new() })
    }

    /// An answer of server-sent events.
    pub async fn events(&self, path: &str) -> Result<Events, Fault> {
        let response = self.send(Method::GET, path, Bytes::new()).await?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(Events::new(Lines { body: response.into_body(), buffer: BytesMut::new() }))
    }

    /// Whether the daemon answers anything: for those who ask how it is, or want it to end.
    pub async fn check_answers(&self) -> Result<(), Fault> {
        match tokio::time::timeout(ANSWER_LIMIT, self.send(Method::GET, "/health", Bytes::new())).await {
            Ok(outcome) => outcome.map(drop),
            Err(_) => Err(self.silent()),
        }
    }

    fn silent(&self) -> Fault {
        let state = State::read(&self.home);
        let named = state.as_ref().map(|state| format!(" (pid {})", state.pid)).unwrap_or_default();
        let fault = Fault::new(FaultCode::Timeout, format!("the gstack daemon{named} runs and does not answer"))
            .hint("End it: the next command starts another. The browser stays, and so does all that was said.")
            .at(Hop::Daemon);
        match state {
            Some(state) => fault.command(format!("kill -9 {}", state.pid)),
            None => fault,
        }
    }

    async fn connect(&self) -> Result<UnixStream, Fault> {
        if self.start {
            return start::connect(&self.home, self.home.http_socket()).await;
        }
        start::connect_running(&self.home.http_socket()).await.ok_or_else(|| {
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
            match self.body.frame().await {
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
    #[derive(serde::Deserialize)]
    struct Body {
        fault: Fault,
    }
    let status = response.status();
    match response.into_body().collect().await {
        Ok(body) => match serde_json::from_slice::<Body>(&body.to_bytes()) {
            Ok(body) => body.fault,
            Err(_) => Fault::new(FaultCode::Internal, format!("the daemon answered {status} without a reason")),
        },
        Err(error) => lost(&error),
    }
}

fn encode<B: Serialize>(body: &B) -> Result<Bytes, Fault> {
    serde_json::to_vec(body).map(Bytes::from).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))
}

/// The connection broke after the request was on its way: whether it took effect is not known.
fn lost(error: &hyper::Error) -> Fault {
    gone(error.to_string())
}

fn gone(how: String) -> Fault {
    Fault::new(FaultCode::OutcomeUnknown, format!("the connection to the gstack daemon was lost: {how}"))
        .hint("Look at the page before you repeat it. `gstack doctor` says which part is down.")
        .command("gstack doctor")
        .at(Hop::Daemon)
}

fn unreadable(error: &serde_json::Error) -> Fault {
    Fault::new(FaultCode::ProtocolMismatch, format!("the daemon's answer could not be read: {error}"))
        .hint("The daemon may be of another version. Run `gstack stop`, then repeat.")
        .command("gstack stop")
        .at(Hop::Daemon)
}
