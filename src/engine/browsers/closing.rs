//! Taking a browser out of use: it was lost, closed on purpose, or left running when the daemon ends.

use super::change::BrowserChange;
use super::current::Current;
use super::error::BrowsersError;
use super::service::{Browsers, Lost};
use gstack_base::mutex::lock;
use gstack_browser::browser::Browser;
use gstack_browser::launch;
use gstack_protocol::control::Disconnected;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::methods::ToPanel;
use tokio::sync::MutexGuard;

/// All that gstack sees from its end of the connection.
const WENT_AWAY: &str = "it was closed, crashed or was killed";
const REMOTE_WENT_AWAY: &str = "it was closed, crashed or was killed, or the connection to it was lost";

const REPORTED_TOO_MUCH: &str = "it reports more tabs and frames than gstack holds";

/// The right to open or close a browser. At most one exists at a time for each.
pub(crate) struct ChangeTurn<'a>(#[expect(dead_code, reason = "held, not read")] MutexGuard<'a, ()>);

impl Browsers {
    /// Waits for the right to open or close a browser.
    pub(crate) async fn turn(&self) -> ChangeTurn<'_> {
        ChangeTurn(self.own.change.lock().await)
    }

    /// Handles the end of the connection: the browser was closed or crashed, or its keeper was killed.
    pub(super) fn gone(&self, browser: &Browser) {
        let is_it = |known: &mut Current| known.browser.run() == browser.run();
        let Some(current) = lock(&self.own.current).take_if(is_it) else { return };
        if self.needs().tasks.shutdown().is_cancelled() {
            return;
        }
        tracing::info!(name = %self.name(), "the browser is gone");
        let was_remote = current.source.requested().is_some();
        let why = match was_remote {
            _ if browser.reported_too_much() => REPORTED_TOO_MUCH,
            true => REMOTE_WENT_AWAY,
            false => WENT_AWAY,
        };
        *lock(&self.own.lost) = Some(Lost { why, was_remote });
        self.needs().tasks.spawn(self.clone().give_back(current.source));
        self.tell_closed(browser);
        self.tell(BrowserChange::InUse);
        // The panels in the other browsers are not concerned.
        let others: Vec<_> = self.all().iter().filter_map(|other| Some(other.current()?.run().clone())).collect();
        let is_of_other = |run: Option<BrowserRun>| run.is_some_and(|run| others.contains(&run));
        if self.name().is_main() {
            let ports = &self.needs().ports;
            ports.tell_where(&ToPanel::Fault(BrowsersError::Closed.into()), |port| !is_of_other(ports.run_of(port)));
        }
    }

    fn tell_closed(&self, browser: &Browser) {
        for tab in browser.tabs() {
            self.tell(BrowserChange::TabClosed(tab.id));
        }
    }

    /// Detaches from all browsers when the daemon ends; their keepers keep them running. Releases those on other machines.
    pub(crate) async fn detach_all(&self) {
        let all = self.all();
        futures_util::future::join_all(all.iter().map(Self::detach)).await;
    }

    async fn detach(&self) {
        let current = lock(&self.own.current).take();
        if let Some(current) = current {
            current.browser.detach().await;
            self.clone().give_back(current.source).await;
        }
    }

    /// Kills the browser that gstack started, and its keeper. Either may hang. Returns false if there is none. Does not need
    /// the turn, because the holder of the turn may be waiting for an answer from that browser.
    pub(crate) async fn kill(&self) -> Result<bool, Fault> {
        Ok(launch::end_by_force(&self.own.home).await?)
    }

    /// Closes the browser in use, or detaches from one that gstack did not start. Conversations stay. Fails if none is
    /// open.
    pub(crate) async fn close(&self, _turn: &ChangeTurn<'_>) -> Result<Disconnected, Fault> {
        // Taken first, so that the end of our connection is not treated as a crash. The keeper serves one client at a
        // time, so we detach before it gets the request to stop.
        let current = lock(&self.own.current).take();
        let was_chosen = self.leave_everyday();
        if current.is_none() && was_chosen {
            // The everyday browser was in use although its extension is away.
            return Ok(Disconnected { closed: false, ..Disconnected::default() });
        }
        if let Some(current) = current.as_ref().filter(|current| current.browser.is_relayed()) {
            current.browser.release_all();
            self.tell(BrowserChange::InUse);
            return Ok(Disconnected { closed: false, ..Disconnected::default() });
        }
        if let Some(current) = &current {
            self.tell_closed(&current.browser);
            current.browser.detach().await;
        }
        if let Some(current) = current.as_ref().filter(|current| !current.is_ours()) {
            let closed = current.source.ends_with_us();
            self.clone().give_back(current.source.clone()).await;
            self.forget_recorded_tabs();
            self.tell(BrowserChange::InUse);
            return Ok(Disconnected { closed, ..Disconnected::default() });
        }
        let was_lost = self.has_lost_remote() || (!self.name().is_main() && self.has_lost());
        let stopped = launch::stop(&self.own.home).await?;
        self.forget_recorded_tabs();
        self.tell(BrowserChange::InUse);
        if stopped || current.is_some() || was_lost {
            return Ok(Disconnected { closed: true, ..Disconnected::default() });
        }
        Err(BrowsersError::NothingToClose.into())
    }
}
