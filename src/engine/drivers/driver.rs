//! One registered driver, and the calls that it has running.
//!
//! Owns what the registration says. Never ends a registration.

use super::names::DriverNames;
use crate::base::browser_names::BrowserName;
use crate::base::mutex::lock;
use crate::base::process::Process;
use crate::chat::Conversation;
use crate::protocol::driver::{DriverKind, DriverName};
use crate::protocol::ids::{BrowserRun, DriverId, TabId};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A registered driver.
pub(crate) struct Driver {
    pub(in crate::engine) id: DriverId,
    pub(in crate::engine) kind: DriverKind,
    /// `cursor (work)`. What people see, and what `--to` takes.
    pub(in crate::engine) name: String,
    /// The two parts of the name, for surfaces that say which one is proved by nothing.
    names: DriverNames,
    pub(in crate::engine) trusted: bool,
    /// The browser in which it opens its first tab. Chosen by the person.
    pub(in crate::engine) opens_in: BrowserName,
    /// It acts for a program on another machine.
    pub(in crate::engine) tunnel: Option<TunnelFacts>,
    /// The only browser that a CDP client drives. `None` for others, which drive any.
    pub(in crate::engine) browser: Option<BrowserRun>,
    /// The registration ends with it.
    pub(in crate::engine) process: Process,
    /// Has the driver's tab set. Detached: the store does not know it.
    pub(in crate::engine) conversation: Arc<Conversation>,
    /// Held while the driver gets its first tab, so that two calls at once do not open two.
    pub(in crate::engine) opening: tokio::sync::Mutex<()>,
    /// The calls that run, with their tabs.
    running: Mutex<Vec<(TabId, CancellationToken)>>,
}

/// What a registration consists of.
pub(in crate::engine) struct NewDriver<'a> {
    pub(in crate::engine) kind: DriverKind,
    pub(in crate::engine) client: &'a str,
    /// The person's name for it.
    pub(in crate::engine) label: Option<&'a str>,
    pub(in crate::engine) trusted: bool,
    pub(in crate::engine) opens_in: BrowserName,
    pub(in crate::engine) tunnel: Option<TunnelFacts>,
    pub(in crate::engine) browser: Option<BrowserRun>,
    pub(in crate::engine) process: Process,
}

/// What is known of a tunnel.
pub(in crate::engine) struct TunnelFacts {
    /// The other machine, as the person named it.
    pub(in crate::engine) to: Option<String>,
    pub(in crate::engine) expires_at: u64,
    /// Cancelled by the person.
    pub(in crate::engine) revoked: CancellationToken,
}

impl Driver {
    pub(super) fn new(name: String, names: DriverNames, new: NewDriver<'_>, conversation: Arc<Conversation>) -> Self {
        Self {
            id: DriverId::random(),
            kind: new.kind,
            name,
            names,
            trusted: new.trusted,
            opens_in: new.opens_in,
            tunnel: new.tunnel,
            browser: new.browser,
            process: new.process,
            conversation,
            opening: tokio::sync::Mutex::default(),
            running: Mutex::default(),
        }
    }

    /// Returns true if it acts with the person's authority.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Returns true if it works only in tabs of its set, whoever it acts for.
    pub(in crate::engine) fn has_own_tabs(&self) -> bool {
        !self.trusted || self.kind == DriverKind::Terminal
    }

    /// Returns the person's name for it.
    pub(super) fn label(&self) -> Option<&str> {
        self.names.label.as_deref()
    }

    /// Returns what panels call it.
    pub(in crate::engine) fn shown_name(&self) -> DriverName {
        DriverName { name: self.name.clone(), client: self.names.client.clone(), label: self.names.label.clone() }
    }

    /// Records that a call runs in a tab. `taken` is cancelled if the person takes the tab back before the returned
    /// value is dropped.
    pub(in crate::engine) fn runs_in(self: &Arc<Self>, tab: TabId, taken: CancellationToken) -> RunningCall {
        lock(&self.running).push((tab, taken.clone()));
        RunningCall { driver: self.clone(), taken }
    }

    /// Returns true if a call still runs in a tab that the person took back.
    pub(in crate::engine) fn is_taken_back_in(&self, tab: TabId) -> bool {
        lock(&self.running).iter().any(|(of, taken)| *of == tab && taken.is_cancelled())
    }

    /// Cancels the calls that run in a tab.
    pub(in crate::engine) fn cancel_in(&self, tab: TabId) {
        lock(&self.running).iter().filter(|(of, _)| *of == tab).for_each(|(_, taken)| taken.cancel());
    }
}

/// A call that runs in a tab. Dropping it ends the record.
pub(in crate::engine) struct RunningCall {
    driver: Arc<Driver>,
    taken: CancellationToken,
}

impl RunningCall {
    /// Returns true if the person took the tab back.
    pub(in crate::engine) fn is_taken_back(&self) -> bool {
        self.taken.is_cancelled()
    }

    /// Resolves when the person takes the tab back.
    pub(in crate::engine) async fn taken_back(&self) {
        self.taken.cancelled().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Removes this call, and others that the person took back: in those there is nothing left to cancel.
        self.taken.cancel();
        lock(&self.driver.running).retain(|(_, taken)| !taken.is_cancelled());
    }
}
