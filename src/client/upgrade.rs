//! A newer gstack meets an older daemon: it is asked to hand over, and the newer one's daemon is started in its place.
//!
//! Owns the request and the start of the new one. The daemon decides when it ends; the browser stays in its keeper.

use super::http::Client;
use super::{ending, start};
use crate::base::home::Home;
use crate::base::lock::FileLock;
use crate::base::process::own_pid;
use crate::base::state::State;
use crate::base::upgrade::{UpgradeMark, is_newer};
use crate::protocol::VERSION;
use crate::protocol::control::{HandOver, HandingOver};
use crate::protocol::fault::{Fault, FaultCode};
use std::time::Duration;

/// What an ending daemon takes besides the turns that it waits for.
const END_LIMIT: Duration = Duration::from_secs(15);
/// Older programs of before there was a mark may start their daemon again; not for ever.
const MOST_UPGRADES: usize = 3;

/// Whether the daemon that was started last is older than this program.
pub fn runs_older(home: &Home) -> bool {
    State::read(home).is_some_and(|state| is_newer(VERSION, &state.version))
}

/// How far an upgrade came.
#[derive(Debug)]
pub enum DaemonUpgrade {
    /// No older daemon runs.
    Done,
    /// It finishes turns first, and they were not waited for.
    Busy,
    /// It has not ended in the time that it gave.
    Slow,
    /// It does not hand over.
    Refused(Fault),
}

/// Asks an older daemon to hand over, waits until it has ended and starts a newer one. Only a patient one waits for turns
/// that the daemon finishes first, after a word to `waits`.
pub async fn upgrade_daemon(home: &Home, patient: bool, waits: impl Fn(&HandingOver)) -> DaemonUpgrade {
    for _ in 0..MOST_UPGRADES {
        let handing_over = match ask(home).await {
            Ok(Some(handing_over)) => handing_over,
            Ok(None) => return DaemonUpgrade::Done,
            // It has closed its sockets: it is ending.
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
        // Without a mark it was ended in another way, or another daemon runs by now: that may be an older one again.
        if UpgradeMark::is_there(home) && start::connect(home, home.http_socket()).await.is_err() {
            // Whoever needs the daemon starts it again, and says why it does not start.
            return DaemonUpgrade::Done;
        }
    }
    DaemonUpgrade::Slow
}

/// `None` where there is no daemon that is older than this program.
async fn ask(home: &Home) -> Result<Option<HandingOver>, Fault> {
    ask_for(home, VERSION).await
}

/// Asks a daemon that is older than a version to hand over to it. For a program of another version than this one too:
/// `gstack upgrade` has just put it in place.
pub async fn ask_for(home: &Home, version: &str) -> Result<Option<HandingOver>, Fault> {
    let older = State::read(home).is_some_and(|state| is_newer(version, &state.version));
    // A lock that can't be looked at is taken for held: then the request says what is wrong.
    if !older || !FileLock::is_held(&home.daemon_lock()).unwrap_or(true) {
        return Ok(None);
    }
    let request = HandOver { version: version.to_owned(), pid: Some(own_pid()) };
    Client::of_running(home.clone()).post("/hand-over", &request).await.map(Some)
}

/// A daemon that does not answer any more.
fn ending_now(home: &Home) -> HandingOver {
    let pid = State::read(home).and_then(|state| i32::try_from(state.pid).ok());
    HandingOver { turns: 0, seconds: 0, pid }
}

/// Waits until it has ended; false where it takes longer than it said.
pub async fn ended(home: &Home, handing_over: &HandingOver) -> bool {
    ending::within(home, handing_over.pid, Duration::from_secs(handing_over.seconds) + END_LIMIT).await
}
