//! The daemon: takes the lock, opens its sockets, reports that it is ready, and serves until it is stopped.
//!
//! Owns start, readiness, signals, idle exit and the orderly shutdown. Never holds conversation state.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

mod flows;
mod http;
mod log;
pub mod mcp;
mod owner;
mod panel;
mod presence;
mod report;

use crate::http::Access;
use gstack_agent::direct::DirectAgent;
use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::peer;
use gstack_base::reserve;
use gstack_base::say;
use gstack_base::state::State;
use gstack_base::trouble;
use gstack_client::start::Report;
pub use gstack_engine::Provision;
use gstack_engine::{Config, Engine, MCP_PATH};
use gstack_protocol::VERSION;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
pub use http::lets_in;
use presence::{Own, Presence, Rebound};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the next daemon waits for the lock of a daemon that is ending.
const HANDOVER_LIMIT: Duration = Duration::from_secs(10);
/// How often the lock and the sockets of its holder are checked. No event reports changes of both.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The limit for open files of the daemon: two hundred conversations with their agents use about four hundred.
const MOST_FILES: u64 = 8192;
/// With fewer, the daemon could run out of files before it can serve one browser, or answer `gstack stop`.
const LEAST_FILES: u64 = 64;
/// How long tasks may take to end before the process exits without them.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(8);

/// Runs the role. `root` is the home that the launcher chose; `provision` has the installer callbacks.
pub async fn run(root: Option<&str>, provision: Provision) -> ExitCode {
    match start(root, provision).await {
        Ok(running) => {
            running.serve().await;
            ExitCode::SUCCESS
        }
        Err(report) => {
            report::send(&report);
            if let Report::Failed(fault) = &report {
                // The log may be on the full disk that this error is about.
                say::line(format_args!("the daemon could not start: {fault}"));
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
    state: State,
    shutdown: CancellationToken,
    presence: Presence,
    _lock: FileLock,
}

/// Runs everything up to "ready". An error is the report to the launcher.
async fn start(root: Option<&str>, provision: Provision) -> Result<Running, Report> {
    // The daemon gets its own session, so that neither the end of a terminal nor a kill of the browser's process group
    // ends it.
    if let Err(error) = rustix::process::setsid() {
        tracing::debug!(%error, "already in a session of its own");
    }
    raise_file_limit()?;
    outlive_size_limit();
    let home = match root {
        Some(root) => Home::at(PathBuf::from(root)),
        None => Home::locate(None),
    }
    .map_err(|e| failed(Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint())))?;
    let lock = take_lock(&home).await?;
    reserve::release_if_full(&home.reserve());
    log::start(&home);
    let config = Config::load(&home).map_err(failed)?;
    let shutdown = CancellationToken::new();
    let panel = peer::listen(&home.panel_socket()).map_err(|e| storage(&home.panel_socket(), &e))?;
    let http = peer::listen(&home.http_socket()).map_err(|e| storage(&home.http_socket(), &e))?;
    let port = http::bind_port(config.daemon.port).await.map_err(|e| {
        failed(
            Fault::new(FaultCode::Conflict, format!("no port is free on 127.0.0.1: {e}"))
                .hint("Close programs that hold many ports, or set `port` under [daemon] in config.toml."),
        )
    })?;
    let number = port.local_addr().map_err(|e| storage(home.root(), &e))?.port();
    let token = uuid::Uuid::new_v4().simple().to_string() + &uuid::Uuid::new_v4().simple().to_string();
    let flows = Arc::new(flows::FlowRunner::new(home.clone()));
    let direct: Vec<Arc<dyn DirectAgent>> = vec![flows.clone()];
    let opened = Engine::open(home.clone(), config, number, provision, direct, shutdown.clone());
    let engine = opened.await.map_err(failed)?;
    flows.heal_with(engine.clone());
    let state = State {
        pid: std::process::id(),
        port: number,
        token: token.clone(),
        version: VERSION.to_owned(),
        mode: engine.status().now().mode,
    };
    let own = |path: PathBuf| Own::at(path.clone()).map_err(|e| storage(&path, &e));
    let presence =
        Presence { lock: own(home.daemon_lock())?, panel: own(home.panel_socket())?, http: own(home.http_socket())? };
    state.write(&home).map_err(|e| storage(&home.state_file(), &e))?;
    report::send(&Report::Ready { pid: std::process::id() });
    tracing::info!(pid = std::process::id(), port = number, version = VERSION, "ready");
    let access = Access::new(&token);
    Ok(Running { home, engine, panel, http, port, access, state, shutdown, presence, _lock: lock })
}

impl Running {
    async fn serve(self) {
        let Self { home, engine, panel, http, port, access, state, shutdown, mut presence, _lock } = self;
        let tasks = TaskTracker::new();
        let router = http::router(engine.clone(), access, mcp::router(MCP_PATH, shutdown.clone(), home.clone()));
        tasks.spawn(panel::serve(panel, engine.clone(), shutdown.clone()));
        tasks.spawn(http::serve_socket(http, router.clone(), shutdown.clone()));
        tasks.spawn(http::serve_port(port, router.clone(), shutdown.clone()));
        tasks.spawn(signals(shutdown.clone()));
        tasks.spawn(idle(engine.clone(), shutdown.clone()));
        tasks.spawn(owner::watch(home.clone(), engine.clone(), shutdown.clone()));
        let keeping = tasks.spawn(keep_state(home.clone(), state, engine.usage().watch_mode(), shutdown.clone()));
        let again = |rebound: Rebound| match rebound {
            Rebound::Panel(listener) => drop(tasks.spawn(panel::serve(listener, engine.clone(), shutdown.clone()))),
            Rebound::Http(listener) => {
                drop(tasks.spawn(http::serve_socket(listener, router.clone(), shutdown.clone())));
            }
        };
        presence.keep(&shutdown, again).await;
        tasks.close();
        tracing::info!("ending");
        // First, so that no command that is cut off now takes this for a crash and starts the next daemon. Another daemon
        // may run here if this one's lock was removed.
        if presence.lock.is_there() {
            // It may be writing the file, because the browser closed a moment ago.
            keeping.await.ok();
            State::remove(&home);
        }
        let ended = async {
            engine.close().await;
            tasks.wait().await;
        };
        if tokio::time::timeout(SHUTDOWN_LIMIT, ended).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        presence.panel.remove();
        presence.http.remove();
        tracing::info!("ended");
    }
}

/// Raises the limit for open files. Many systems allow a process 256 or 1024, and more on request. Children inherit the
/// limit, so it stays moderate: some programs close every possible descriptor when they start.
fn raise_file_limit() -> Result<(), Report> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MOST_FILES, |most| most.min(MOST_FILES));
    let mut limit = current.unwrap_or(wanted);
    if limit < wanted {
        match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
            Ok(()) => limit = wanted,
            Err(error) => say::line(format_args!("the limit of open files stays at {limit}: {error}")),
        }
    }
    if limit >= LEAST_FILES {
        return Ok(());
    }
    let message = format!("gstack may open only {limit} files, and needs {LEAST_FILES}");
    Err(failed(
        Fault::new(FaultCode::Storage, message).hint("Raise the limit (ulimit -n), then try again.").at(Hop::Daemon),
    ))
}

/// Waits for an ending daemon to release the lock. Returns `AlreadyRunning` if another daemon serves.
async fn take_lock(home: &Home) -> Result<FileLock, Report> {
    let free = async {
        loop {
            if let Some(lock) = FileLock::try_take(&home.daemon_lock()).map_err(|e| storage(&home.daemon_lock(), &e))? {
                return Ok(lock);
            }
            // The holder may be a new daemon whose launcher was killed. Waiting for its lock would mean waiting for its
            // end.
            if UnixStream::connect(home.http_socket()).await.is_ok() {
                return Err(Report::AlreadyRunning);
            }
            // It has no sockets, so it is ending or starting.
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    match tokio::time::timeout(HANDOVER_LIMIT, free).await {
        Ok(outcome) => outcome,
        Err(_) => {
            let named = State::read(home).map(|state| format!(" (pid {})", state.pid)).unwrap_or_default();
            let message = format!("another gstack daemon{named} holds the lock and does not answer");
            let hint = "End that process, then repeat the command. Its log is daemon.log in gstack's home.";
            Err(failed(Fault::new(FaultCode::DaemonDown, message).hint(hint).at(Hop::Daemon)))
        }
    }
}

/// Makes a write beyond the limit of a file's size (`ulimit -f`) fail like one on a full disk. Without a handler, the
/// signal would end the daemon before it could log a line.
fn outlive_size_limit() {
    let size_limit = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // The handler stays when its stream is dropped.
    if let Err(error) = signal(size_limit) {
        tracing::debug!(%error, "a file size limit would end the daemon");
    }
}

/// Shuts the daemon down in order on TERM or INT.
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

/// Rewrites `browse.json` when the kind of browser in use changes.
async fn keep_state(
    home: Home,
    mut state: State,
    mut mode: watch::Receiver<&'static str>,
    shutdown: CancellationToken,
) {
    loop {
        let now = *mode.borrow_and_update();
        if state.mode != now {
            now.clone_into(&mut state.mode);
            let (home, written) = (home.clone(), state.clone());
            let writing = tokio::task::spawn_blocking(move || written.write(&home));
            if let Ok(Err(error)) = writing.await {
                tracing::warn!(%error, "browse.json could not be written again");
            }
        }
        tokio::select! {
            changed = mode.changed() => if changed.is_err() { return },
            () = shutdown.cancelled() => return,
        }
    }
}

/// Ends the daemon after it was idle for the limit: no panel, no turn, no browser.
async fn idle(engine: Engine, shutdown: CancellationToken) {
    let mut busy = engine.usage().watch_busy();
    let mut changed = engine.watch_config();
    loop {
        let limit = engine.config().daemon.idle_exit();
        let wait = async {
            if busy.wait_for(|busy| !busy).await.is_err() {
                return;
            }
            // Idle from here on; becoming busy in that time starts over.
            if tokio::time::timeout(limit, busy.wait_for(|busy| *busy)).await.is_err() {
                tracing::info!("nobody needed the daemon for {limit:?}");
                shutdown.cancel();
            }
        };
        tokio::select! {
            () = wait => {}
            // The limit may have changed.
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

fn storage(place: &Path, error: &std::io::Error) -> Report {
    failed(
        Fault::new(FaultCode::Storage, format!("{} can't be used: {error}", place.display()))
            .hint(trouble::hint(place, error))
            .at(Hop::Daemon),
    )
}
