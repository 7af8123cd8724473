//! `disconnect`, `stop` and stopping turns: what ends, and what stays.

use super::remote;
use super::terminal::{say, show, visible_line};
use gstack_base::browser_names::BrowserName;
use gstack_base::lock::FileLock;
use gstack_client::ending;
use gstack_client::http::Client;
use gstack_protocol::basics::Empty;
use gstack_protocol::control::{Disconnect, Disconnected, StopTurns, Stopped, Stopping};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::remote::SecretVariables;
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
    // A new daemon also releases the sessions that one left on other machines, and finds a browser whose home was deleted.
    let kept = FileLock::is_held(&home.keeper_lock()).unwrap_or(false);
    let is_left = client.home().remote_sessions_file().exists();
    let of_browser = if kept || is_left || force { client } else { running };
    let keys = if is_left { remote::keys() } else { SecretVariables::default() };
    of_browser.post("/disconnect", &Disconnect { force, browser: name.map(ToString::to_string), keys }).await
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

/// Returns what `disconnect` did, for people.
pub(super) fn text(done: &Disconnected) -> String {
    let browser = match (done.none_open, done.closed) {
        (true, _) => "No browser was open.",
        (_, true) => "Disconnected: the browser is closed. Conversations are kept.",
        (_, false) => "Disconnected: the browser stays open without gstack. Conversations are kept.",
    };
    let mut lines = vec![browser.to_owned()];
    lines.extend(match done.released {
        0 => None,
        1 => Some("A session that was left on another machine is released.".to_owned()),
        count => Some(format!("{count} sessions that were left on other machines are released.")),
    });
    lines.extend(done.left.iter().map(|left| visible_line(&format!("Warning: {}", left.line()))));
    if !done.left.is_empty() {
        lines.push(
            "Run gstack disconnect to try again. A hosted service needs its key in the environment or in config.toml."
                .to_owned(),
        );
    }
    lines.join("\n")
}
