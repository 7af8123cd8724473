//! The handle to the browsers, and the state behind it.
//!
//! Owns the locks. None is held while a change is reported or a request to a browser runs.

use super::change::BrowserChange;
use super::chosen::Chosen;
use super::current::Current;
use super::everyday::Relays;
use super::failures::Failures;
use super::remote_record::RemoteRecord;
use crate::base::home::Home;
use crate::base::mutex::lock;
use crate::browser::tabs::{TabNumbers, TabRecord};
use crate::engine::config::ConfigFile;
use crate::engine::ports::Ports;
use crate::engine::provision::Provision;
use crate::engine::tasks::Tasks;
use crate::protocol::fault::Fault;
use std::sync::{Arc, Mutex};

/// A handle to the browsers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Browsers(pub(super) Arc<Shared>);

/// The dependencies of the browsers.
pub(in crate::engine) struct BrowserServices {
    pub(in crate::engine) home: Home,
    pub(in crate::engine) config: ConfigFile,
    /// Sends to extensions, and to the panels that hear of a lost browser.
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) tasks: Tasks,
    /// Unpacks the extension again after it crashed.
    pub(in crate::engine) provision: Provision,
    /// The only counter of tab numbers.
    pub(in crate::engine) numbers: TabNumbers,
    /// Receives each change.
    pub(in crate::engine) tell: Box<dyn Fn(BrowserChange) + Send + Sync>,
}

pub(super) struct Shared {
    pub(super) needs: BrowserServices,
    /// Held while a browser is opened or closed, so that two concurrent `connect`s open only one.
    pub(super) change: tokio::sync::Mutex<()>,
    pub(super) current: Mutex<Option<Current>>,
    pub(super) chosen: Mutex<Chosen>,
    pub(super) relays: Mutex<Relays>,
    pub(super) failures: Failures,
    pub(super) sessions: RemoteRecord,
    /// The last record that was written for the browser in use.
    pub(super) recorded: Mutex<Option<TabRecord>>,
}

impl Browsers {
    /// Creates the service without a browser in use.
    pub(in crate::engine) fn open(needs: BrowserServices) -> Self {
        let chosen = Chosen::open(&needs.home);
        let sessions = RemoteRecord::open(&needs.home);
        let relays = Mutex::new(Relays::awaiting(chosen.get()));
        Self(Arc::new(Shared {
            needs,
            change: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            chosen: Mutex::new(chosen),
            relays,
            failures: Failures::default(),
            sessions,
            recorded: Mutex::default(),
        }))
    }

    pub(super) fn needs(&self) -> &BrowserServices {
        &self.0.needs
    }

    pub(super) fn tell(&self, change: BrowserChange) {
        (self.0.needs.tell)(change);
    }

    /// Records how a terminal command ended. Adds a hint after repeated failures if no person sees the browser.
    pub(in crate::engine) fn note_outcome<T>(&self, outcome: Result<T, Fault>) -> Result<T, Fault> {
        self.0.failures.note(outcome, self.is_unseen())
    }

    /// Returns true if the browser is our own and no person sees it.
    fn is_unseen(&self) -> bool {
        let current = lock(&self.0.current).clone().filter(Current::is_connected);
        current.is_some_and(|current| current.attached.is_none() && current.browser.is_headless())
    }
}
