//! The hidden role `browser-keeper`: starts the browser, holds its DevTools pipe, and lends it to one client at a time.
//!
//! Owns the browser process and the pipe, so that a daemon can crash or be replaced while the person's browser keeps
//! running. Never reads DevTools messages other than its own, and decides nothing about pages.

mod chromium;
mod client;
mod door;
mod relay;
mod stderr_tail;

use chromium::Chromium;
use door::Door;
use gstack_base::lock::FileLock;
use gstack_base::log_filter;
use gstack_base::peer;
use gstack_base::profiles;
use gstack_base::proof::Key;
use gstack_protocol::keeper::{KeeperReport, LaunchPlan};
use relay::Relay;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A check whether a keeper runs holds the lock only briefly; a keeper holds it for its whole life.
const LOOK: Duration = Duration::from_millis(200);

/// Why the keeper ended before it served a client.
#[derive(Debug, thiserror::Error)]
enum KeeperError {
    #[error("the launch plan is not readable: {0}")]
    Plan(String),
    #[error("{what}: {source}")]
    Io { what: &'static str, source: io::Error },
    #[error("the browser did not start: {reason}")]
    Browser { reason: String, stderr: String },
}

fn io_error(what: &'static str) -> impl FnOnce(io::Error) -> KeeperError {
    move |source| KeeperError::Io { what, source }
}

/// Runs a keeper: reads the plan from stdin, writes one report line to stdout, then serves until the browser ends, a
/// client asks it to stop, or TERM arrives.
pub fn run() -> ExitCode {
    // The keeper gets its own session, so that neither the launcher nor its terminal affects the browser. A keeper that
    // already leads a process group cannot change its session, and does not need to.
    if let Err(error) = rustix::process::setsid() {
        tracing::debug!(%error, "the keeper stays in its session");
    }
    log();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(source) => return fail(&KeeperError::Io { what: "no runtime", source }),
    };
    match runtime.block_on(keep()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Logs to standard error, which is `keeper.log`.
fn log() {
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .log_internal_errors(false)
        .with_max_level(LevelFilter::TRACE)
        .with_writer(io::stderr)
        .finish()
        .with(log_filter::standard());
    if subscriber.try_init().is_err() {
        tracing::debug!("a log was begun before");
    }
}

fn fail(error: &KeeperError) -> ExitCode {
    let detail = match error {
        KeeperError::Browser { stderr, .. } => stderr.clone(),
        _ => String::new(),
    };
    report(&KeeperReport::Failed { message: error.to_string(), detail });
    ExitCode::FAILURE
}

/// Sends one line to the launcher. If the launcher has exited, the browser keeps running.
fn report(report: &KeeperReport) {
    let written = serde_json::to_string(report)
        .map_err(io::Error::other)
        .and_then(|line| writeln!(io::stdout(), "{line}").and_then(|()| io::stdout().flush()));
    if let Err(error) = written {
        tracing::info!(%error, "the starter takes no report");
    }
}

async fn keep() -> Result<(), KeeperError> {
    let plan = read_plan()?;
    let Some(_lock) = FileLock::take_within(&plan.lock, LOOK).map_err(io_error("the keeper's lock can't be taken"))?
    else {
        report(&KeeperReport::AlreadyRunning);
        return Ok(());
    };
    // Released before the keeper's lock, so that whoever waits for that one finds the profile free.
    let _profile = match plan.profile.as_ref().map(|profile| profiles::take(&profile.lock, &profile.holder)).transpose()
    {
        Ok(Some(Err(holder))) => {
            report(&KeeperReport::ProfileInUse { holder });
            return Ok(());
        }
        Ok(taken) => taken.and_then(Result::ok),
        Err(error) => return Err(io_error("the profile's lock can't be taken")(error)),
    };
    let stop = stop_on_signals()?;
    // The secret is written first, because a client that finds the socket looks for it.
    let key = Key::random();
    key.write(&plan.key).map_err(io_error("keeper.key can't be written"))?;
    let listener = peer::listen(&plan.socket).map_err(io_error("browser.sock can't be opened"))?;
    let served = serve(&plan, Door::open(listener, key), stop).await;
    // The lock is still held, so both files are ours to remove.
    for file in [&plan.socket, &plan.key] {
        if let Err(error) = std::fs::remove_file(file) {
            tracing::debug!(%error, file = %file.display(), "was already gone");
        }
    }
    served
}

async fn serve(plan: &LaunchPlan, mut door: Door, stop: CancellationToken) -> Result<(), KeeperError> {
    let (mut browser, pipe) = Chromium::start(plan).map_err(io_error("the browser can't be started"))?;
    let mut relay = Relay::new(pipe, plan, browser.pid());
    let answers = tokio::select! {
        answers = relay.wait_for_browser() => answers,
        () = browser.ended() => Err(io::Error::other("it exited immediately")),
        () = stop.cancelled() => Err(io::Error::other("it was stopped")),
    };
    if let Err(error) = answers {
        drop(relay);
        browser.end().await;
        return Err(KeeperError::Browser { reason: error.to_string(), stderr: browser.stderr_tail() });
    }
    report(&KeeperReport::Ready { pid: browser.pid(), run: plan.run.clone() });
    tokio::select! {
        () = relay.serve(&mut door) => {}
        () = browser.ended() => {}
        () = stop.cancelled() => {}
    }
    // No new client must connect to an ending browser; closing the pipe ends it.
    drop(door);
    drop(relay);
    browser.end().await;
    Ok(())
}

fn read_plan() -> Result<LaunchPlan, KeeperError> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(io_error("the launch plan is not readable"))?;
    serde_json::from_str(&text).map_err(|error| KeeperError::Plan(error.to_string()))
}

fn stop_on_signals() -> Result<CancellationToken, KeeperError> {
    let no_signals = "signals can't be listened to";
    let mut terminate = signal(SignalKind::terminate()).map_err(io_error(no_signals))?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(io_error(no_signals))?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    // Ends with the runtime, which lives exactly as long as the keeper.
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stopping.cancel();
    });
    Ok(stop)
}
