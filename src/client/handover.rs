//! A newer gstack meets an older daemon: it is asked to hand over.
//!
//! Owns the comparison and the request. The daemon decides when it ends; the browser stays in its keeper.

use super::ending;
use super::http::Client;
use crate::base::home::Home;
use crate::base::lock::FileLock;
use crate::base::state::State;
use crate::protocol::VERSION;
use crate::protocol::control::{HandOver, HandingOver};
use crate::protocol::fault::Fault;
use std::time::Duration;

/// What an ending daemon takes besides the turns that it waits for.
const END_LIMIT: Duration = Duration::from_secs(15);

/// Whether the daemon that was started last is older than this program.
pub fn runs_older(home: &Home) -> bool {
    State::read(home).is_some_and(|state| is_newer(VERSION, &state.version))
}

/// Asks a daemon that is older than this program to hand over; none where there is no such daemon.
pub async fn ask(home: &Home) -> Result<Option<HandingOver>, Fault> {
    ask_for(home, VERSION).await
}

/// As [`ask`], for a program of another version than this one: `gstack upgrade` has just put it in place.
pub async fn ask_for(home: &Home, version: &str) -> Result<Option<HandingOver>, Fault> {
    let older = State::read(home).is_some_and(|state| is_newer(version, &state.version));
    // A lock that can't be looked at is taken for held: then the request says what is wrong.
    if !older || !FileLock::is_held(&home.daemon_lock()).unwrap_or(true) {
        return Ok(None);
    }
    let request = HandOver { version: version.to_owned() };
    Client::of_running(home.clone()).post("/hand-over", &request).await.map(Some)
}

/// Waits until it has ended; false where it takes longer than it said.
pub async fn ended(home: &Home, handing_over: &HandingOver) -> bool {
    ending::within(home, handing_over.pid, Duration::from_secs(handing_over.seconds) + END_LIMIT).await
}

/// Whether one version is newer than another: by their numbers; what follows a `-` or `+` makes no difference.
pub fn is_newer(ours: &str, theirs: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        let release = version.split(['-', '+']).next().unwrap_or_default();
        release.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    numbers(ours) > numbers(theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_number() {
        for (ours, theirs) in [("0.2.0", "0.1.9"), ("0.10.0", "0.9.0"), ("1.0.0", "0.99.99"), ("0.1.1", "0.1.0-rc.1")] {
            assert!(is_newer(ours, theirs) && !is_newer(theirs, ours), "{ours} {theirs}");
        }
        assert!(!is_newer("0.1.0", "0.1.0"));
    }
}
