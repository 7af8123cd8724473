//! Listening: the unix socket and the port on 127.0.0.1, both until shutdown.

use super::guard::Caller;
use crate::base::peer::Peer;
use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use std::io;
use std::net::Ipv4Addr;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;

/// How many ports after the wanted one are tried before any free one is taken.
const NEIGHBOURS: u16 = 20;

impl Connected<IncomingStream<'_, UnixListener>> for Caller {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Self {
        // A peer that the kernel can't name is nobody, and the guard refuses nobody.
        Self::Socket(Peer::of(stream.io()).ok())
    }
}

impl Connected<IncomingStream<'_, TcpListener>> for Caller {
    fn connect_info(_: IncomingStream<'_, TcpListener>) -> Self {
        Self::Port
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

pub async fn serve_port(listener: TcpListener, router: Router, shutdown: CancellationToken) -> io::Result<()> {
    axum::serve(listener, router.into_make_service_with_connect_info::<Caller>())
        .with_graceful_shutdown(shutdown.cancelled_owned())
        .await
}
