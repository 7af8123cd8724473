//! The listener of one endpoint: who may connect, and the WebSocket handshake.
//!
//! Owns the checks before the first DevTools message: the host, no origin, the secret, one connection, and a process of
//! the person at the other end. A refused request learns nothing but that it was refused.

use super::session;
use gstack_base::lineage::{self, Lineage};
use gstack_base::loopback;
use gstack_base::process::Process;
use gstack_engine::{Endpoint, Engine, Taken};
use gstack_protocol::audit::AuditBy;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_util::sync::CancellationToken;

/// Any process of the machine may connect, so connections are few and short until they have shown the secret.
const MOST_CONNECTIONS: usize = 8;
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// The most refused requests of an endpoint that the audit has one by one.
const MOST_RECORDED: u32 = 20;
/// The largest message of a client. A file is sent in smaller parts by every client.
pub(super) const LARGEST_MESSAGE: usize = 32 * 1024 * 1024;
/// The most bytes of messages that are written to the client's socket ahead.
const WRITE_AHEAD: usize = 1024 * 1024;

type Socket = WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>;

struct Door {
    engine: Engine,
    endpoint: Arc<Endpoint>,
    refused: AtomicU32,
    /// Cancelled when no more connections are accepted.
    closed: CancellationToken,
}

/// Listens until the endpoint is revoked or expires, or its only connection has begun.
pub(super) async fn run(engine: Engine, endpoint: Arc<Endpoint>, listener: TcpListener) {
    let shutdown = engine.ended();
    let closed = CancellationToken::new();
    let door =
        Arc::new(Door { engine, endpoint: endpoint.clone(), refused: AtomicU32::new(0), closed: closed.clone() });
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let expired = tokio::time::sleep(endpoint.ttl);
    tokio::pin!(expired);
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            () = endpoint.revoked.cancelled() => return,
            () = closed.cancelled() => return,
            () = &mut expired => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, near)) = accepted else { continue };
        // Beyond this, the connection is closed.
        let Ok(slot) = slots.clone().try_acquire_owned() else { continue };
        let (door, serving) = (door.clone(), door.engine.clone());
        serving.spawn_task(async move {
            serve(door, stream, near).await;
            drop(slot);
        });
    }
    door.record("expire", true);
    // A connection that has begun goes on.
    if endpoint.take().is_some() {
        endpoint.revoked.cancel();
    }
}

async fn serve(door: Arc<Door>, stream: TcpStream, near: SocketAddr) {
    let Ok(far) = stream.local_addr() else { return };
    stream.set_nodelay(true).ok();
    let ended = door.endpoint.revoked.clone();
    let service = service_fn(move |request| {
        let door = door.clone();
        async move { Ok::<_, Infallible>(one_answer(door.answer(request, near, far).await)) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT).max_buf_size(16 * 1024);
    let connection = server.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::select! {
        outcome = connection => if let Err(error) = outcome { tracing::debug!(%error, "a connection to a CDP endpoint ended") },
        () = ended.cancelled() => {}
    }
}

/// Ends the connection with its answer, unless that is the handshake. Some clients accept a handshake only if its
/// `Connection` names nothing but `Upgrade`, so the server is not told to close every connection.
fn one_answer(mut answer: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

impl Door {
    fn record(&self, what: &str, allowed: bool) {
        if let Err(fault) =
            self.engine.registrations().record_of_endpoint(&self.endpoint, what, allowed, AuditBy::Default)
        {
            tracing::warn!(%fault, "the audit does not have what happened at a CDP endpoint");
        }
    }

    fn refuse(&self, why: &str) -> Response<Full<Bytes>> {
        if self.refused.fetch_add(1, Ordering::Relaxed) < MOST_RECORDED {
            self.record(&format!("refuse: {why}"), false);
        }
        let mut refused = Response::new(Full::from("gstack: this connection is refused\n"));
        *refused.status_mut() = StatusCode::FORBIDDEN;
        refused
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        near: SocketAddr,
        far: SocketAddr,
    ) -> Response<Full<Bytes>> {
        if let Err(why) = check_headers(request.headers(), request.uri().authority().is_some(), self.endpoint.port) {
            return self.refuse(why);
        }
        let path = request.uri().path();
        let (secret, wanted) = match path.strip_prefix("/devtools/browser/") {
            Some(secret) => (secret, Wanted::Socket),
            None => match path.strip_suffix("/json/version").or_else(|| path.strip_suffix("/json/version/")) {
                Some(before) => (before.trim_start_matches('/'), Wanted::Version),
                None => ("", Wanted::Version),
            },
        };
        if !self.endpoint.opens_with(secret) {
            return self.refuse("wrong secret");
        }
        if request.method() != Method::GET {
            return self.refuse("not a GET");
        }
        match wanted {
            Wanted::Version => self.version(),
            Wanted::Socket => self.upgrade(request, near, far).await,
        }
    }

    /// Answers `/json/version`, which some clients read to find the socket.
    fn version(&self) -> Response<Full<Bytes>> {
        let url = format!("ws://127.0.0.1:{}/devtools/browser/{}", self.endpoint.port, self.endpoint.secret());
        let version = serde_json::json!({
            "Browser": "Chrome/gstack",
            "Protocol-Version": "1.3",
            "webSocketDebuggerUrl": url,
        });
        let mut answer = Response::new(Full::from(version.to_string()));
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        answer
    }

    async fn upgrade(
        self: Arc<Self>,
        mut request: Request<Incoming>,
        near: SocketAddr,
        far: SocketAddr,
    ) -> Response<Full<Bytes>> {
        let headers = request.headers();
        let is = |name, value: &str| {
            headers.get(name).is_some_and(|known| known.as_bytes().eq_ignore_ascii_case(value.as_bytes()))
        };
        let Some(key) = headers.get(header::SEC_WEBSOCKET_KEY).map(|key| derive_accept_key(key.as_bytes())) else {
            return self.refuse("no WebSocket");
        };
        if !is(header::UPGRADE, "websocket") || !is(header::SEC_WEBSOCKET_VERSION, "13") {
            return self.refuse("no WebSocket");
        }
        let name = client_name(headers);
        let Some(taken) = self.endpoint.take() else { return self.refuse("in use or used before") };
        let process = match tokio::task::spawn_blocking(move || person_at(near, far)).await {
            Ok(Some(process)) => process,
            Ok(None) | Err(_) => return self.refuse("not a process of the person"),
        };
        let upgrade = hyper::upgrade::on(&mut request);
        if !self.endpoint.reconnect {
            self.closed.cancel();
        }
        let (door, engine) = (self.clone(), self.engine.clone());
        engine.spawn_task(async move {
            let Ok(upgraded) = upgrade.await else { return };
            let config = WebSocketConfig::default()
                .max_message_size(Some(LARGEST_MESSAGE))
                .max_frame_size(Some(LARGEST_MESSAGE))
                .write_buffer_size(0)
                .max_write_buffer_size(WRITE_AHEAD.max(LARGEST_MESSAGE) * 4);
            let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
            door.run(socket, taken, &name, process).await;
        });
        let mut answer = Response::new(Full::default());
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = answer.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(key) = HeaderValue::from_str(&key) {
            headers.insert(header::SEC_WEBSOCKET_ACCEPT, key);
        }
        answer
    }

    async fn run(&self, mut socket: Socket, taken: Taken, name: &str, process: Process) {
        match self.engine.registrations().begin_cdp_client(&self.endpoint, name, process).await {
            Ok(client) => {
                taken.connected(client.name());
                let given = session::given(&self.engine, &self.endpoint, &client);
                session::run(client, given, &self.endpoint, socket).await;
            }
            Err(fault) => {
                self.record(&format!("refuse: {}", fault.message), false);
                session::close(&mut socket, &fault.message).await;
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Wanted {
    Version,
    Socket,
}

/// Refuses what a web page could send, and a name that leads here by DNS rebinding.
fn check_headers(headers: &HeaderMap, is_absolute: bool, port: u16) -> Result<(), &'static str> {
    if headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site") {
        return Err("sent by a web page");
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    let own = |host: &HeaderValue| {
        let known = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        known.iter().any(|known| host.as_bytes().eq_ignore_ascii_case(known.as_bytes()))
    };
    if is_absolute || !hosts.next().is_some_and(own) || hosts.next().is_some() {
        return Err("foreign host");
    }
    Ok(())
}

/// Returns what the program calls itself: the first product of its user agent.
fn client_name(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let product = agent.split([' ', '/']).next().unwrap_or_default();
    if product.is_empty() { "CDP client".to_owned() } else { product.to_owned() }
}

/// Returns the process at the other end. `None` unless all processes that hold it are the person's and descend from no
/// agent.
fn person_at(near: SocketAddr, far: SocketAddr) -> Option<Process> {
    let found = loopback::holders(near, far);
    let all = found.iter().all(|holder| lineage::of(&holder.process) == Lineage::Person);
    found.into_iter().next().filter(|_| all).map(|holder| holder.process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_foreign_names_are_refused() {
        let check = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            check_headers(&headers, false, 4000)
        };
        assert!(check(&[("host", "127.0.0.1:4000")]).is_ok() && check(&[("host", "LOCALHOST:4000")]).is_ok());
        for wrong in
            ["evil.example:4000", "127.0.0.1:4001", "127.0.0.1", "127.0.0.1.evil.example:4000", "[::1]:4000", ""]
        {
            assert!(check(&[("host", wrong)]).is_err(), "{wrong}");
        }
        assert!(check(&[]).is_err() && check(&[("host", "localhost:4000"), ("host", "localhost:4000")]).is_err());
        for page in [("origin", "null"), ("origin", "http://127.0.0.1:4000"), ("sec-fetch-site", "none")] {
            assert!(check(&[("host", "localhost:4000"), page]).is_err(), "{page:?}");
        }
    }

    #[test]
    fn a_client_is_named_after_its_user_agent() {
        let name = |agent: &'static str| {
            client_name(&HeaderMap::from_iter([(header::USER_AGENT, HeaderValue::from_static(agent))]))
        };
        assert_eq!(name("Playwright/1.65 (x64; debian 13) node/22"), "Playwright");
        assert_eq!(name("Puppeteer 25.16.0"), "Puppeteer");
        assert_eq!(client_name(&HeaderMap::new()), "CDP client");
    }
}
