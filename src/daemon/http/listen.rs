//! Listeners: the Unix socket and the port on 127.0.0.1, both until shutdown and with a limited number of connections.
//!
//! Owns accepting. The other end of a connection is identified here, once, before its first byte is read.

use super::caller::{Caller, PortPeer};
use super::connection_slots::{ConnectionSlot, ConnectionSlots};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use gstack_base::peer::Peer;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The limit for concurrent connections on the port, where any user of the machine may connect.
const MOST_ON_PORT: usize = 128;
/// The limits for concurrent connections on the socket, in total and per process.
const MOST_ON_SOCKET: usize = 512;
const MOST_OF_ONE: usize = 128;
/// How long the head of a request may take, and how long an idle connection is kept.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// The delay after a failed accept (no file descriptors left), so that others can close theirs.
const REST: Duration = Duration::from_millis(100);
/// The number of ports after the requested one to try before any free one is taken.
const NEIGHBOURS: u16 = 20;

/// Listens on 127.0.0.1 at `wanted`, or at the next free port if that is taken. Fails if no port is free.
pub(crate) async fn bind_port(wanted: u16) -> io::Result<TcpListener> {
    for port in wanted..=wanted.saturating_add(NEIGHBOURS) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            outcome => return outcome,
        }
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
}

/// Serves `http.sock`.
pub(crate) async fn serve_socket(listener: UnixListener, router: Router, shutdown: CancellationToken) {
    serve(listener, ConnectionSlots::new(MOST_ON_SOCKET, MOST_OF_ONE), router, shutdown).await;
}

/// Serves the port.
pub(crate) async fn serve_port(listener: TcpListener, router: Router, shutdown: CancellationToken) {
    serve(listener, ConnectionSlots::new(MOST_ON_PORT, MOST_ON_PORT), router, shutdown).await;
}

/// A listener that identifies its clients.
trait Door {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// Returns the connection, its other end, and the process there if known.
    fn next(&self) -> impl Future<Output = io::Result<(Self::Stream, Caller, Option<i32>)>> + Send;
}

impl Door for UnixListener {
    type Stream = UnixStream;
    async fn next(&self) -> io::Result<(UnixStream, Caller, Option<i32>)> {
        let (stream, _) = self.accept().await?;
        let peer = Peer::of(&stream).ok();
        let owner = peer.as_ref().and_then(Peer::pid);
        Ok((stream, Caller::Socket(peer), owner))
    }
}

impl Door for TcpListener {
    type Stream = TcpStream;
    async fn next(&self) -> io::Result<(TcpStream, Caller, Option<i32>)> {
        let (stream, near) = self.accept().await?;
        let far = stream.local_addr()?;
        Ok((stream, Caller::Port(PortPeer::new(near, far)), None))
    }
}

async fn serve<D: Door>(door: D, places: ConnectionSlots, router: Router, shutdown: CancellationToken) {
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            accepted = door.next() => accepted,
        };
        match accepted {
            Ok((stream, caller, owner)) => match places.take(owner) {
                Some(place) => {
                    tasks.spawn(connection(stream, caller, place, router.clone(), shutdown.clone()));
                }
                None => tracing::warn!("too many requests are in work: a connection was closed"),
            },
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::select! {
                    () = shutdown.cancelled() => break,
                    () = tokio::time::sleep(REST) => {}
                }
            }
        }
    }
    // From here on no client can connect to the ending daemon: a new daemon starts instead.
    drop(door);
    tasks.close();
    tasks.wait().await;
}

async fn connection<S>(stream: S, caller: Caller, place: ConnectionSlot, router: Router, shutdown: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let inner = TowerToHyperService::new(router);
    let held = place.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        let working = held.work();
        request.extensions_mut().insert(ConnectInfo(caller.clone()));
        let answer = inner.call(request);
        async move {
            let answer: Result<Response<Body>, Infallible> = answer.await;
            // A streamed response is in progress until its last frame.
            answer.map(|answer| {
                answer.map(|body| {
                    body.map_frame(move |frame| {
                        let _: &super::connection_slots::Working = &working;
                        frame
                    })
                })
            })
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
    let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = place.ended() => return,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended");
    }
}
