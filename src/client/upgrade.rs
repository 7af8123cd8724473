//! Upgrades an older daemon: asks it to end, and starts this program's daemon in its place.
//!
//! Owns the request and the start of the new daemon. The old daemon decides when it ends; the browser stays with its
//! keeper.

use super::http::Client;
use super::{ending, start};
use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::process::own_pid;
use gstack_base::state::State;
use gstack_base::upgrade::{UpgradeMark, is_newer};
use gstack_protocol::VERSION;
use gstack_protocol::control::{HandOver, HandingOver};
use gstack_protocol::fault::{Fault, FaultCode};
use std::time::Duration;

/// The time a daemon takes to end, besides the turns that it waits for.
const END_LIMIT: Duration = Duration::from_secs(15);
/// Programs of releases without the mark may start their older daemon again; this bounds the attempts.
const MOST_UPGRADES: usize = 3;

/// Returns whether the daemon that was started last is older than this program.
pub fn runs_older(home: &Home) -> bool {
    State::read(home).is_some_and(|state| is_newer(VERSION, &state.version))
}

/// The result of an upgrade.
#[derive(Debug)]
pub enum DaemonUpgrade {
    /// No older daemon runs.
    Done,
    /// The daemon finishes turns first, and the caller did not wait for them.
    Busy,
    /// The daemon has not ended in the time that it announced.
    Slow,
    /// The daemon refuses to end.
    Refused(Fault),
}

/// Asks an older daemon to end, waits until it has ended and starts a newer one. If the daemon finishes turns first,
/// waits for them only if `patient`, after calling `waits`.
pub async fn upgrade_daemon(home: &Home, patient: bool, waits: impl Fn(&HandingOver)) -> DaemonUpgrade {
    for _ in 0..MOST_UPGRADES {
        let handing_over = match ask(home).await {
            Ok(Some(handing_over)) => handing_over,
            Ok(None) => return DaemonUpgrade::Done,
            // It has closed its sockets, so it is ending.
            Err(fault) if matches!(fault.code, FaultCode::DaemonDown | FaultCode::OutcomeUnknown) => ending_now(home),
            Err(fault) => return DaemonUpgrade::Refused(fault),
        };
        if handing_over.turns > 0 {
            if !patient {
                return DaemonUpgrade::Busy;
            }
            waits(&handing_over);
        }
        if !ended(home, &handing_over).await {
            return DaemonUpgrade::Slow;
        }
        // Without a mark it was stopped in another way, or another daemon runs by now, which may be an older one again.
        if UpgradeMark::is_there(home) && start::connect(home, home.http_socket()).await.is_err() {
            // The next program that needs the daemon starts it, and reports why it does not start.
            return DaemonUpgrade::Done;
        }
    }
    DaemonUpgrade::Slow
}

/// Returns `None` if no daemon older than this program runs.
async fn ask(home: &Home) -> Result<Option<HandingOver>, Fault> {
    ask_for(home, VERSION).await
}

/// Asks a daemon that is older than `version` to end for it. `version` may differ from this program's: `gstack upgrade` has
/// just installed another one.
pub async fn ask_for(home: &Home, version: &str) -> Result<Option<HandingOver>, Fault> {
    let older = State::read(home).is_some_and(|state| is_newer(version, &state.version));
    // If the lock cannot be checked, assume that it is held: the request then reports what is wrong.
    if !older || !FileLock::is_held(&home.daemon_lock()).unwrap_or(true) {
        return Ok(None);
    }
    let request = HandOver { version: version.to_owned(), pid: Some(own_pid()) };
    Client::of_running(home.clone()).post("/hand-over", &request).await.map(Some)
}

/// Returns the answer for a daemon that no longer responds.
fn ending_now(home: &Home) -> HandingOver {
    let pid = State::read(home).and_then(|state| i32::try_from(state.pid).ok());
    HandingOver { turns: 0, seconds: 0, pid }
}

/// Waits until the daemon has ended. Returns false if that takes longer than it announced.
pub async fn ended(home: &Home, handing_over: &HandingOver) -> bool {
    ending::within(home, handing_over.pid, Duration::from_secs(handing_over.seconds) + END_LIMIT).await
}
