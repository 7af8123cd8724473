//! `disconnect`, `stop` and stopping turns: what ends, and what stays.

use super::terminal::{say, show};
use crate::base::browser_names::BrowserName;
use crate::base::lock::FileLock;
use crate::client::ending;
use crate::client::http::Client;
use crate::protocol::basics::Empty;
use crate::protocol::control::{Disconnect, Disconnected, StopTurns, Stopped, Stopping};
use crate::protocol::fault::{Fault, FaultCode};
use std::time::Duration;

/// The daemon itself needs less: it gives its tasks a shorter time.
const STOP_LIMIT: Duration = Duration::from_secs(15);

pub(super) async fn stop_turns(running: &Client, request: StopTurns, json: bool) -> Result<(), Fault> {
    let stopped: Stopped = running.post("/stop-turns", &request).await?;
    let words = match stopped.turns {
        0 => "Nothing was running.".to_owned(),
        1 => "Stopped 1 turn.".to_owned(),
        n => format!("Stopped {n} turns."),
    };
    show(json, &stopped, || words)
}

/// Closes a browser. `name`: the main one if absent.
///
/// # Errors
///
/// Fails if it is not open, or it cannot be closed.
pub(super) async fn disconnect(
    client: &Client,
    running: &Client,
    force: bool,
    name: Option<&BrowserName>,
) -> Result<Disconnected, Fault> {
    let home = name.map_or_else(|| client.home().clone(), |name| client.home().with_browser(name));
    // If the browser outlived its daemon, start a new daemon, which attaches to the browser to close it.
    let kept = FileLock::is_held(&home.keeper_lock()).unwrap_or(false);
    let of_browser = if kept { client } else { running };
    of_browser.post("/disconnect", &Disconnect { force, browser: name.map(ToString::to_string) }).await
}

/// Stops the daemon and waits for its end. Succeeds if none runs.
pub(super) async fn stop(running: &Client, json: bool) -> Result<(), Fault> {
    match running.post::<_, Stopping>("/stop", &Empty {}).await {
        Ok(Stopping { pid }) => {
            if !ending::within(running.home(), pid, STOP_LIMIT).await {
                return Err(Fault::new(FaultCode::Timeout, "the daemon has not ended yet")
                    .hint("Wait a moment, then run `gstack status`."));
            }
            say(
                json,
                match running.home().kept_browsers().unwrap_or_default().len() {
                    0 => "Stopped.",
                    1 => "Stopped. The browser stays open; the next command uses it again.",
                    _ => "Stopped. The browsers stay open; the next command uses them again.",
                },
            );
            Ok(())
        }
        Err(fault) if fault.code == FaultCode::DaemonDown => {
            say(json, "gstack was not running.");
            Ok(())
        }
        Err(fault) => Err(fault),
    }
}
