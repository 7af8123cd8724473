//! The handle to the browsers, and the state behind it.
//!
//! Owns the locks. None is held while a change is reported or a request to a browser runs.

use super::change::BrowserChange;
use super::chosen::Chosen;
use super::current::Current;
use super::everyday::Relays;
use super::failures::Failures;
use super::remote_record::RemoteRecord;
use crate::config::ConfigFile;
use crate::ports::Ports;
use crate::provision::Provision;
use crate::tasks::Tasks;
use gstack_base::browser_names::BrowserName;
use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::mutex::lock;
use gstack_browser::tabs::{TabNumbers, TabRecord};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::BrowserRun;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// A handle to the browsers, with one of them chosen: the main one, unless `named` says otherwise. What names no tab
/// concerns the chosen one. Cheap to clone.
#[derive(Clone)]
pub struct Browsers {
    pub(super) shared: Arc<Shared>,
    pub(super) own: Arc<NamedBrowser>,
}

/// The dependencies of the browsers.
pub(crate) struct BrowserServices {
    pub(crate) home: Home,
    pub(crate) config: ConfigFile,
    /// Sends to extensions, and to the panels that hear of a lost browser.
    pub(crate) ports: Ports,
    pub(crate) tasks: Tasks,
    /// Unpacks the extension again after it crashed.
    pub(crate) provision: Provision,
    /// The only counter of tab numbers.
    pub(crate) numbers: TabNumbers,
    /// Receives each change.
    pub(crate) tell: Box<dyn Fn(BrowserChange) + Send + Sync>,
}

pub(super) struct Shared {
    pub(super) needs: BrowserServices,
    /// Has the main browser from the start, and any other from its first connection. A name keeps its entry, so that
    /// callers that open or close a browser wait for the same lock.
    pub(super) named: Mutex<BTreeMap<BrowserName, Arc<NamedBrowser>>>,
    pub(super) relays: Mutex<Relays>,
    pub(super) sessions: RemoteRecord,
}

/// The state of one browser: in use, lost, or not there.
pub(super) struct NamedBrowser {
    pub(super) name: BrowserName,
    /// The home, with the files of this browser.
    pub(super) home: Home,
    /// Held while the browser is opened or closed, so that two concurrent `connect`s open only one.
    pub(super) change: tokio::sync::Mutex<()>,
    /// Held while it is held to another list of sites.
    pub(super) limiting: tokio::sync::Mutex<()>,
    pub(super) current: Mutex<Option<Current>>,
    pub(super) chosen: Mutex<Chosen>,
    pub(super) failures: Failures,
    /// The last record that was written for the browser in use.
    pub(super) recorded: Mutex<Option<TabRecord>>,
    /// Why the browser is gone, if this daemon saw it.
    pub(super) lost: Mutex<Option<Lost>>,
    /// Set by a handoff until somebody resumes.
    pub(super) is_handed_off: AtomicBool,
}

/// How a browser went away.
#[derive(Clone, Copy)]
pub(super) struct Lost {
    pub(super) why: &'static str,
    pub(super) was_remote: bool,
}

impl NamedBrowser {
    pub(super) fn new(name: BrowserName, home: Home) -> Self {
        Self {
            name,
            chosen: Mutex::new(Chosen::open(&home)),
            home,
            change: tokio::sync::Mutex::default(),
            limiting: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            failures: Failures::default(),
            recorded: Mutex::default(),
            lost: Mutex::default(),
            is_handed_off: AtomicBool::new(false),
        }
    }
}

/// Returns the names of the home's browsers that an earlier daemon used and did not close.
fn left_in(home: &Home) -> Vec<(BrowserName, Home)> {
    let is_left = |home: &Home| {
        home.tabs_file().exists()
            || home.everyday_file().exists()
            || FileLock::is_held(&home.keeper_lock()).unwrap_or(false)
    };
    let homes = home.browsers().into_iter().map(|name| (name.clone(), home.for_browser(&name)));
    homes
        .filter_map(|(name, home)| Some((name, home.ok()?)))
        .filter(|(name, of)| name.is_main() || is_left(of))
        .collect()
}

impl Browsers {
    /// Creates the service without a browser in use. The main one is chosen.
    pub(crate) fn open(needs: BrowserServices) -> Self {
        let named: Vec<_> =
            left_in(&needs.home).into_iter().map(|(name, home)| Arc::new(NamedBrowser::new(name, home))).collect();
        let main = named.iter().find(|one| one.name.is_main()).cloned();
        let main = main.unwrap_or_else(|| Arc::new(NamedBrowser::new(BrowserName::default(), needs.home.clone())));
        let everyday: Vec<BrowserRun> = named.iter().filter_map(|one| lock(&one.chosen).get().cloned()).collect();
        let mut named: BTreeMap<_, _> = named.into_iter().map(|one| (one.name.clone(), one)).collect();
        named.insert(main.name.clone(), main.clone());
        let sessions = RemoteRecord::open(&needs.home);
        let (named, relays) = (Mutex::new(named), Mutex::new(Relays::awaiting(&everyday)));
        Self { shared: Arc::new(Shared { needs, named, relays, sessions }), own: main }
    }

    pub(super) fn needs(&self) -> &BrowserServices {
        &self.shared.needs
    }

    /// Returns the home with the files of the chosen browser.
    pub(crate) fn home(&self) -> Home {
        self.own.home.clone()
    }

    pub(super) fn tell(&self, change: BrowserChange) {
        (self.shared.needs.tell)(change);
    }

    /// Records how a terminal command ended. Adds a hint after repeated failures if no person sees the browser.
    pub(crate) fn note_outcome<T>(&self, outcome: Result<T, Fault>) -> Result<T, Fault> {
        self.own.failures.note(outcome, self.is_unseen())
    }

    /// Returns true if the browser is our own and no person sees it.
    fn is_unseen(&self) -> bool {
        let current = lock(&self.own.current).clone().filter(Current::is_connected);
        current.is_some_and(|current| current.is_ours() && current.browser.is_headless())
    }
}
