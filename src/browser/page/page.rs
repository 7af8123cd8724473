//! The handle to a tab's page during one command, and the memory of a tab between commands.
//!
//! Owns the memory (refs, last snapshot, journal). Never outlives the tab.

use super::error::PageError;
use crate::browser::Browser;
use crate::dialogs::DialogPolicy;
use crate::effect_recording::Recording;
use crate::effects::Effects;
use crate::frames::FrameId;
use crate::page::act::StyleChange;
use crate::page::console::{CaptureFile, Journal, Recorded, feed};
use crate::page::held_secrets::HeldSecrets;
use crate::page::input::{HeldInput, PointerWatch, Touch};
use crate::page::locate::{Expected, RefName, RefTable};
use crate::page::measure::Measured;
use crate::page::overlay::{Drawn, ListedRef};
use crate::page::read::{SNAPSHOT_LIMIT, SnapshotLog};
use crate::page::wait::Watch;
use crate::tab::{Tab, Work};
use gstack_base::site::SiteOrPage;
use gstack_protocol::command::ActsOn;
use gstack_protocol::ids::TabId;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// The time limit of our own script functions that do not wait. A hung page answers nothing.
pub(super) const SCRIPT_LIMIT: Duration = Duration::from_secs(10);

/// The start of the address of the browser's error page.
const ERROR_PAGE: &str = "chrome-error:";

/// The memory of all tabs of one browser. Cheap to clone.
#[derive(Clone)]
pub struct Pages {
    memories: Memories,
    /// Set once a task feeds the journals.
    fed: Arc<OnceLock<()>>,
    /// The file that page messages are also written to; `None`: memory only.
    capture: Option<CaptureFile>,
    snapshot_limit: usize,
}

impl Default for Pages {
    fn default() -> Self {
        Self { memories: Memories::default(), fed: Arc::default(), capture: None, snapshot_limit: SNAPSHOT_LIMIT }
    }
}

pub(super) type Memories = Arc<Mutex<HashMap<TabId, Arc<Memory>>>>;

/// The memory of one tab. `budget` limits what grows in it.
#[derive(Default)]
pub(super) struct Memory {
    refs: Mutex<RefTable>,
    last_snapshot: Mutex<Option<(String, String)>>,
    pub(super) snapshots: Mutex<SnapshotLog>,
    /// The refs of the last snapshot.
    pub(super) listed: Mutex<Vec<ListedRef>>,
    pub(super) drawn: Mutex<Drawn>,
    /// The element that the user picked last.
    pub(super) picked: Mutex<Option<RefName>>,
    pub(super) watch: Mutex<Option<Watch>>,
    pub(super) style_changes: Mutex<Vec<StyleChange>>,
    /// The frame that selectors are matched in; `None`: the main frame.
    pub(super) chosen_frame: Mutex<Option<FrameId>>,
    pub(super) journal: Mutex<Journal>,
    /// The hash of the last screenshot, by the name of what it shows.
    pub(super) pictures: Mutex<HashMap<String, u64>>,
    /// The recording of the tab's requests.
    pub(super) recorded_requests: Recorded,
    /// The measurements in progress.
    pub(super) measured: Measured,
    /// The mouse position, and the buttons and keys held down.
    pub(super) held: Mutex<HeldInput>,
    /// The documents into which a secret was filled.
    pub(super) held_secrets: HeldSecrets,
    /// Notified after each event added to the journal.
    pub(super) journal_grew: Notify,
}

impl Memory {
    pub(super) fn refs(&self) -> MutexGuard<'_, RefTable> {
        lock(&self.refs)
    }
    pub(super) fn last_snapshot(&self) -> MutexGuard<'_, Option<(String, String)>> {
        lock(&self.last_snapshot)
    }
    pub(super) fn journal(&self) -> MutexGuard<'_, Journal> {
        lock(&self.journal)
    }
}

/// Holders change a table only by whole entries, so a poisoned lock is usable.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pages {
    /// Sets the limit of a snapshot in bytes: lines beyond it are only counted. The default is 60,000.
    #[must_use]
    pub fn with_snapshot_limit(mut self, limit: usize) -> Self {
        self.snapshot_limit = limit;
        self
    }

    /// Writes console messages, requests and dialogs to a file, for all tabs, starting with the next tab that is
    /// engaged.
    #[must_use]
    pub fn captured_to(mut self, file: Option<CaptureFile>) -> Self {
        self.capture = file;
        self
    }

    /// Waits for the caller's turn on the tab and engages it. One command at a time works on a tab; dropping the page
    /// gives the turn to the next one.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed or cannot be attached to.
    pub async fn open(&self, tab: &Tab) -> Result<Page, PageError> {
        // Before the tab is engaged, so that no event is missed.
        self.fed.get_or_init(|| feed(tab.browser(), &self.memories, self.capture.clone()));
        let work = tab.work().await?;
        let memory = self.memory_of(tab);
        Ok(Page {
            recording: None,
            work,
            memory,
            memories: self.memories.clone(),
            only_on: None,
            acts_on: None,
            expected: None,
            snapshot_limit: self.snapshot_limit,
            pointer: None,
            touched: Mutex::default(),
        })
    }

    /// Returns the name of a ref's element in the tab's newest snapshot: `Submit` for `@e3`.
    pub fn label(&self, tab: TabId, name: &str) -> Option<String> {
        let name = RefName::parse(name)?;
        let memory = lock(&self.memories).get(&tab).cloned()?;
        memory.refs().label_of(name).map(str::to_owned)
    }

    /// Returns the role and the name of a ref's element in the tab's newest snapshot.
    pub fn role_and_name(&self, tab: TabId, name: &str) -> Option<(String, String)> {
        let name = RefName::parse(name)?;
        let memory = lock(&self.memories).get(&tab).cloned()?;
        memory.refs().role_and_name(name)
    }

    /// Returns the number of console messages and of requests remembered for a tab.
    pub(super) fn remembered(&self, tab: TabId) -> (usize, usize) {
        let memory = lock(&self.memories).get(&tab).cloned();
        memory.map(|memory| memory.journal().fill()).unwrap_or_default()
    }

    pub(super) fn memory_if_known(&self, tab: TabId) -> Option<Arc<Memory>> {
        lock(&self.memories).get(&tab).cloned()
    }

    pub(super) fn memory_of(&self, tab: &Tab) -> Arc<Memory> {
        memory_of(&mut lock(&self.memories), tab.id(), tab.browser())
    }
}

/// Returns the tab's memory. Adding a tab drops the memories of closed tabs.
pub(super) fn memory_of(memories: &mut HashMap<TabId, Arc<Memory>>, tab: TabId, browser: &Browser) -> Arc<Memory> {
    if !memories.contains_key(&tab) {
        forget_closed(memories, browser);
    }
    memories.entry(tab).or_default().clone()
}

pub(super) fn forget_closed(memories: &mut HashMap<TabId, Arc<Memory>>, browser: &Browser) {
    memories.retain(|id, _| browser.tab(*id).is_ok());
}

/// A tab's page during one command: the entry point of everything a client can do with it.
pub struct Page {
    /// First, so that it is dropped before the next command gets its turn.
    recording: Option<(Recording, Effects)>,
    work: Work,
    pub(super) memory: Arc<Memory>,
    /// Of all tabs, because they share one limit.
    pub(super) memories: Memories,
    /// Actions fail unless the tab shows this place.
    only_on: Option<SiteOrPage>,
    /// Input may go only to documents of these sites.
    pub(super) acts_on: Option<ActsOn>,
    /// Input may go only to these elements, and only in this document.
    pub(super) expected: Option<Expected>,
    pub(super) snapshot_limit: usize,
    /// Receives the positions of input.
    pub(super) pointer: Option<PointerWatch>,
    /// The mark on the element of the current action.
    pub(super) touched: Mutex<Option<Touch>>,
}

impl Page {
    /// Limits the command to one place, if given. Fails if the tab already shows another one.
    pub async fn only_on(mut self, place: Option<SiteOrPage>) -> Result<Self, PageError> {
        self.only_on = place;
        self.check_site().await?;
        Ok(self)
    }
    /// Limits input to documents of these sites, if given. Fails if the tab shows another one.
    pub async fn acting_on(mut self, sites: Option<ActsOn>) -> Result<Self, PageError> {
        self.acts_on = sites;
        self.check_origin().await?;
        Ok(self)
    }
    /// Records effects from now on. `dialogs`: the policy for dialogs that open in this time.
    pub fn recorded(mut self, effects: &Effects, dialogs: DialogPolicy) -> Result<Self, PageError> {
        self.recording = Some((self.work.record(effects, dialogs)?, effects.clone()));
        Ok(self)
    }
    pub(super) fn effects(&self) -> Option<&Effects> {
        self.recording.as_ref().map(|(_, effects)| effects)
    }
    /// Limits the command to the elements and the document that were checked before.
    #[must_use]
    pub fn only_to(mut self, expected: Option<Expected>) -> Self {
        self.expected = expected;
        self
    }
    /// Reports each position just before input is sent there.
    #[must_use]
    pub fn watched_by(mut self, pointer: Option<PointerWatch>) -> Self {
        self.pointer = pointer;
        self
    }
    /// Returns the element that the user picked last, for `inspect` without a target. Using the ref fails if its
    /// document is gone.
    pub fn picked(&self) -> Option<RefName> {
        *lock(&self.memory.picked)
    }
    /// Fails unless the tab shows the allowed place, and the document that was checked. Called just before input is
    /// sent.
    pub(super) async fn check_site(&self) -> Result<(), PageError> {
        self.check_place().await?;
        self.check_origin().await?;
        self.check_expected_document().await
    }
    async fn check_place(&self) -> Result<(), PageError> {
        let Some(wanted) = &self.only_on else { return Ok(()) };
        let shown = SiteOrPage::of(&self.work.main_frame().await?.url);
        // The place of an error page is the failed address here, but the error page's own address in the list of tabs.
        let is_error_page = || {
            self.work.info().is_ok_and(|info| info.url.starts_with(ERROR_PAGE) && *wanted == SiteOrPage::of(&info.url))
        };
        if shown == *wanted || is_error_page() { Ok(()) } else { Err(other_site(wanted)) }
    }
    /// Like `check_site`, for the document that a script will run in: the tab's reported address may lag behind.
    pub(super) async fn check_document(&self, limit: Duration) -> Result<(), PageError> {
        if let Some(wanted) = &self.only_on
            && SiteOrPage::of(&self.document_url(limit).await?) != *wanted
        {
            return Err(other_site(wanted));
        }
        self.check_expected_document().await
    }
    /// Returns true if an action needs no check of its element: input is not limited to a place or element, and nobody
    /// watches it.
    pub(super) fn is_free(&self) -> bool {
        self.only_on.is_none() && self.acts_on.is_none() && self.expected.is_none() && self.pointer.is_none()
    }
    pub(super) fn is_bound(&self) -> bool {
        self.only_on.is_some() || self.expected.is_some()
    }
    /// Lets other commands work on the tab meanwhile: this one only waits.
    #[must_use]
    pub fn beside_others(mut self) -> Self {
        self.work.let_others_work();
        self
    }
    pub fn work(&self) -> &Work {
        &self.work
    }
    /// Returns the tab's present address.
    pub fn url(&self) -> Result<String, PageError> {
        Ok(self.work.info()?.url)
    }
}

fn other_site(wanted: &SiteOrPage) -> PageError {
    PageError::OtherSite { wanted: wanted.to_string() }
}

impl Deref for Page {
    type Target = Work;
    fn deref(&self) -> &Work {
        &self.work
    }
}
