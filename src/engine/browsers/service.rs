//! The handle to the browsers, and the state behind it.
//!
//! Owns the locks. None is held while a change is told or a browser is asked for something.

use super::change::BrowserChange;
use super::chosen::Chosen;
use super::current::Current;
use super::everyday::Relays;
use super::failures::Failures;
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
pub struct Browsers(pub(super) Arc<Shared>);

/// What the browsers are given.
pub(in crate::engine) struct Needs {
    pub(in crate::engine) home: Home,
    pub(in crate::engine) config: ConfigFile,
    /// The way to extensions, and to panels that are told of a lost browser.
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) tasks: Tasks,
    /// Unpacks an extension that has crashed.
    pub(in crate::engine) provision: Provision,
    /// The one counter of tab numbers.
    pub(in crate::engine) numbers: TabNumbers,
    /// Told each change.
    pub(in crate::engine) tell: Box<dyn Fn(BrowserChange) + Send + Sync>,
}

pub(super) struct Shared {
    pub(super) needs: Needs,
    /// Held while a browser is opened or closed: two `connect`s at once open one.
    pub(super) change: tokio::sync::Mutex<()>,
    pub(super) current: Mutex<Option<Current>>,
    pub(super) chosen: Mutex<Chosen>,
    pub(super) relays: Mutex<Relays>,
    pub(super) failures: Failures,
    /// What was last written of the tabs of the browser in use.
    pub(super) recorded: Mutex<Option<TabRecord>>,
}

impl Browsers {
    /// Takes no browser into use yet.
    pub(in crate::engine) fn open(needs: Needs) -> Self {
        let chosen = Chosen::open(&needs.home);
        let relays = Mutex::new(Relays::awaiting(chosen.get()));
        Self(Arc::new(Shared {
            needs,
            change: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            chosen: Mutex::new(chosen),
            relays,
            failures: Failures::default(),
            recorded: Mutex::default(),
        }))
    }

    pub(super) fn needs(&self) -> &Needs {
        &self.0.needs
    }

    pub(super) fn tell(&self, change: BrowserChange) {
        (self.0.needs.tell)(change);
    }

    /// Notes how a terminal's command ended. Failures in a row get a hint if no person sees the browser.
    pub(in crate::engine) fn note_outcome<T>(&self, outcome: Result<T, Fault>) -> Result<T, Fault> {
        self.0.failures.note(outcome, self.is_unseen())
    }

    /// Our own, and no person sees it.
    fn is_unseen(&self) -> bool {
        let current = lock(&self.0.current).clone().filter(Current::is_connected);
        current.is_some_and(|current| current.attached.is_none() && current.browser.is_headless())
    }
}
