//! The daemon: takes the lock, opens its sockets, says that it is ready, serves until it is told to end.
//!
//! Owns start, readiness, signals, idle exit and the orderly end. Never holds what conversations hold.

mod log;
mod report;

use crate::base::home::Home;
use crate::base::lock::FileLock;
use crate::base::peer;
use crate::base::state::State;
use crate::base::trouble;
use crate::client::start::Report;
use crate::engine::{Config, Engine, MCP_PATH, Provision};
use crate::http::{self, Access};
use crate::install::{binary, extension, hosts};
use crate::protocol::VERSION;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::{mcp, panel};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a daemon that is ending may hold the lock before the next one gives up waiting.
const HANDOVER_LIMIT: Duration = Duration::from_secs(10);
/// What `connect` needs of the installer.
const PROVISION: Provision = Provision {
    unpack_extension: |home| Ok(extension::unpack(home)?),
    register_host: |profile| Ok(hosts::register(profile, &binary::current()?)?),
};
/// How long tasks may take to end before the process ends without them.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(8);

/// Runs the role. `root` is the home that the starter has chosen.
pub async fn run(root: Option<&str>) -> ExitCode {
    match start(root).await {
        Ok(running) => {
            running.serve().await;
            ExitCode::SUCCESS
        }
        Err(report) => {
            report::send(&report);
            if let Report::Failed(fault) = &report {
                // The log may lie on the full disk that this is about.
                writeln!(std::io::stderr(), "gstack daemon: {fault}").ok();
            }
            ExitCode::FAILURE
        }
    }
}

struct Running {
    home: Home,
    engine: Engine,
    panel: UnixListener,
    http: UnixListener,
    port: TcpListener,
    access: Access,
    shutdown: CancellationToken,
    _lock: FileLock,
}

/// Everything up to "ready". An error is the report to the starter.
async fn start(root: Option<&str>) -> Result<Running, Report> {
    // A starter that was itself a session leader's child: ours is a session of its own, so that no
    // terminal's end and no kill of the browser's group ends the daemon.
    if let Err(error) = rustix::process::setsid() {
        tracing::debug!(%error, "already in a session of its own");
    }
    let home = match root {
        Some(root) => Home::at(PathBuf::from(root)),
        None => Home::locate(None),
    }
    .map_err(|e| failed(Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint())))?;
    let lock = take_lock(&home).await?;
    log::start(&home).map_err(|e| storage(&home, &e))?;
    let config = Config::load(&home).map_err(failed)?;
    let shutdown = CancellationToken::new();
    let panel = peer::listen(&home.panel_socket()).map_err(|e| storage(&home, &e))?;
    let http = peer::listen(&home.http_socket()).map_err(|e| storage(&home, &e))?;
    let port = http::bind_port(config.daemon.port).await.map_err(|e| {
        failed(
            Fault::new(FaultCode::Conflict, format!("no port is free on 127.0.0.1: {e}"))
                .hint("Close programs that hold many ports, or set `port` under [daemon] in config.toml."),
        )
    })?;
    let number = port.local_addr().map_err(|e| storage(&home, &e))?.port();
    let token = uuid::Uuid::new_v4().simple().to_string() + &uuid::Uuid::new_v4().simple().to_string();
    let engine = Engine::open(home.clone(), config, number, PROVISION, shutdown.clone()).await.map_err(failed)?;
    let state = State {
        pid: std::process::id(),
        port: number,
        token: token.clone(),
        version: VERSION.to_owned(),
        mode: engine.status().mode,
    };
    state.write(&home).map_err(|e| storage(&home, &e))?;
    report::send(&Report::Ready { pid: std::process::id() });
    tracing::info!(pid = std::process::id(), port = number, version = VERSION, "ready");
    let access = Access::new(&token, home.root());
    Ok(Running { home, engine, panel, http, port, access, shutdown, _lock: lock })
}

impl Running {
    async fn serve(self) {
        let Self { home, engine, panel, http, port, access, shutdown, _lock } = self;
        let tasks = TaskTracker::new();
        let router = http::router(engine.clone(), access, mcp::router(MCP_PATH, shutdown.clone()));
        tasks.spawn(panel::serve(panel, engine.clone(), shutdown.clone()));
        tasks.spawn(told(http::serve_socket(http, router.clone(), shutdown.clone())));
        tasks.spawn(told(http::serve_port(port, router, shutdown.clone())));
        tasks.spawn(signals(shutdown.clone()));
        tasks.spawn(idle(engine.clone(), shutdown.clone()));
        tasks.close();
        shutdown.cancelled().await;
        tracing::info!("ending");
        let ended = async {
            engine.close().await;
            tasks.wait().await;
        };
        if tokio::time::timeout(SHUTDOWN_LIMIT, ended).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        State::remove(&home);
        for socket in [home.panel_socket(), home.http_socket()] {
            // The next daemon replaces what is left.
            std::fs::remove_file(socket).ok();
        }
        tracing::info!("ended");
    }
}

/// Waits for the one before to end; a living one is not an error but the answer.
async fn take_lock(home: &Home) -> Result<FileLock, Report> {
    let path = home.daemon_lock();
    if let Some(lock) = FileLock::try_take(&path).map_err(|e| storage(home, &e))? {
        return Ok(lock);
    }
    if std::os::unix::net::UnixStream::connect(home.http_socket()).is_ok() {
        return Err(Report::AlreadyRunning);
    }
    // Its sockets are gone, so it is ending: the lock comes free in a moment.
    let waiting = tokio::task::spawn_blocking(move || FileLock::take(&path));
    match tokio::time::timeout(HANDOVER_LIMIT, waiting).await {
        Ok(Ok(Ok(lock))) => Ok(lock),
        Ok(Ok(Err(error))) => Err(storage(home, &error)),
        Ok(Err(_)) | Err(_) => {
            let named = State::read(home).map(|state| format!(" (pid {})", state.pid)).unwrap_or_default();
            let message = format!("another gstack daemon{named} holds the lock and does not answer");
            let hint = "End that process, then repeat. Its log is daemon.log in gstack's home.";
            Err(failed(Fault::new(FaultCode::DaemonDown, message).hint(hint).at(Hop::Daemon)))
        }
    }
}

async fn told(server: impl Future<Output = std::io::Result<()>>) {
    if let Err(error) = server.await {
        tracing::error!(%error, "a listener ended");
    }
}

/// TERM and INT end the daemon in order.
async fn signals(shutdown: CancellationToken) {
    let (Ok(mut term), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        tracing::error!("signals can't be watched");
        return;
    };
    tokio::select! {
        _ = term.recv() => tracing::info!("told to end by TERM"),
        _ = interrupt.recv() => tracing::info!("told to end by INT"),
        () = shutdown.cancelled() => {}
    }
    shutdown.cancel();
}

/// Ends the daemon when nobody has needed it for long: no panel, no turn, no browser.
async fn idle(engine: Engine, shutdown: CancellationToken) {
    let mut busy = engine.watch_busy();
    let mut changed = engine.watch_config();
    loop {
        let limit = engine.config().daemon.idle_exit();
        let wait = async {
            if busy.wait_for(|busy| !busy).await.is_err() {
                return;
            }
            // Idle from here on; becoming busy again in that time starts over.
            if tokio::time::timeout(limit, busy.wait_for(|busy| *busy)).await.is_err() {
                tracing::info!("nobody needed the daemon for {limit:?}");
                shutdown.cancel();
            }
        };
        tokio::select! {
            () = wait => {}
            // The limit may be another one now.
            _ = changed.changed() => {}
            () = shutdown.cancelled() => {}
        }
        if shutdown.is_cancelled() || busy.has_changed().is_err() {
            return;
        }
    }
}

fn failed(fault: Fault) -> Report {
    Report::Failed(fault)
}

fn storage(home: &Home, error: &std::io::Error) -> Report {
    failed(
        Fault::new(FaultCode::Storage, format!("{} can't be used: {error}", home.root().display()))
            .hint(trouble::hint(home.root(), error))
            .at(Hop::Daemon),
    )
}
