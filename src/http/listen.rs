//! Listening: the unix socket and the port on 127.0.0.1, both until shutdown.

use super::guard::Caller;
use crate::base::peer::Peer;
use axum::extract::ConnectInfo;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections on the port at once. One more waits until another has ended.
const MOST_CONNECTIONS: usize = 128;
/// How long the head of a request may take, and an idle connection may be kept.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// After a failed accept (no file descriptors left) others get the time to close theirs.
const REST: Duration = Duration::from_millis(100);
/// How many ports after the wanted one are tried before any free one is taken.
const NEIGHBOURS: u16 = 20;

impl Connected<IncomingStream<'_, UnixListener>> for Caller {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Self {
        // A peer that the kernel can't name is nobody, and the guard refuses nobody.
        Self::Socket(Peer::of(stream.io()).ok())
    }
}

/// Listens on 127.0.0.1 at `wanted`, or the next free port where that is taken.
pub async fn bind_port(wanted: u16) -> io::Result<TcpListener> {
    for port in wanted..=wanted.saturating_add(NEIGHBOURS) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            outcome => return outcome,
        }
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
}

pub async fn serve_socket(listener: UnixListener, router: Router, shutdown: CancellationToken) -> io::Result<()> {
    axum::serve(listener, router.into_make_service_with_connect_info::<Caller>())
        .with_graceful_shutdown(shutdown.cancelled_owned())
        .await
}

/// Serves the port. Anybody on this machine can connect, so what a connection costs before its token is seen is bounded:
/// how many there are, and how long a request's head may take.
pub async fn serve_port(listener: TcpListener, router: Router, shutdown: CancellationToken) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let tasks = TaskTracker::new();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { break };
        let (stream, peer) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(REST).await;
                    continue;
                }
            },
        };
        let service = TowerToHyperService::new(router.clone().layer(Extension(ConnectInfo(Caller::Port(Some(peer))))));
        let shutdown = shutdown.clone();
        tasks.spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
            let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));
            let outcome = tokio::select! {
                outcome = connection.as_mut() => outcome,
                () = shutdown.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = outcome {
                tracing::debug!(%error, "a connection on the port ended");
            }
            drop(place);
        });
    }
    tasks.close();
    tasks.wait().await;
    Ok(())
}
