//! The handle to a tab's page while a command works on it, and what is remembered of a tab between commands.
//!
//! Owns the memory (refs, last snapshot, journal). Never outlives the tab.

use super::error::PageError;
use crate::base::site::Place;
use crate::browser::browser::Browser;
use crate::browser::dialogs::DialogPolicy;
use crate::browser::effects::Effects;
use crate::browser::frames::FrameId;
use crate::browser::page::act::StyleChange;
use crate::browser::page::console::{CaptureFile, Journal, Recorded, feed};
use crate::browser::page::input::{HeldInput, PointerWatch, Touch};
use crate::browser::page::locate::{Expected, RefName, RefTable};
use crate::browser::page::measure::Measured;
use crate::browser::page::overlay::{Drawn, ListedRef};
use crate::browser::page::read::SNAPSHOT_LIMIT;
use crate::browser::page::wait::Watch;
use crate::browser::tab::{Tab, Work};
use crate::browser::told_effects::Recording;
use crate::protocol::ids::TabId;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How long one of our own functions may take where nothing is waited for. A hung page answers nothing.
pub(super) const SCRIPT_LIMIT: Duration = Duration::from_secs(10);

/// How the browser's own page begins that it shows instead of what could not be loaded.
const ERROR_PAGE: &str = "chrome-error:";

/// What is remembered of the tabs of one browser. Cheap to clone.
#[derive(Clone)]
pub struct Pages {
    memories: Memories,
    /// A task feeds the journals.
    fed: Arc<OnceLock<()>>,
    /// Where what pages say is written, too; none: in memory only.
    capture: Option<CaptureFile>,
    snapshot_limit: usize,
}

impl Default for Pages {
    fn default() -> Self {
        Self { memories: Memories::default(), fed: Arc::default(), capture: None, snapshot_limit: SNAPSHOT_LIMIT }
    }
}

pub(super) type Memories = Arc<Mutex<HashMap<TabId, Arc<Memory>>>>;

/// What is remembered of one tab.
#[derive(Default)]
pub(super) struct Memory {
    refs: Mutex<RefTable>,
    last_snapshot: Mutex<Option<String>>,
    /// What the last snapshot gave refs to.
    pub(super) listed: Mutex<Vec<ListedRef>>,
    pub(super) drawn: Mutex<Drawn>,
    /// The element that the person picked last.
    pub(super) picked: Mutex<Option<RefName>>,
    pub(super) watch: Mutex<Option<Watch>>,
    pub(super) style_changes: Mutex<Vec<StyleChange>>,
    /// The frame that selectors are looked for in; none: the main one.
    pub(super) chosen_frame: Mutex<Option<FrameId>>,
    pub(super) journal: Mutex<Journal>,
    /// The last picture, by what was taken: a number made of its bytes.
    pub(super) pictures: Mutex<HashMap<String, u64>>,
    /// The requests are recorded.
    pub(super) recorded_requests: Recorded,
    /// What is measured until it is stopped.
    pub(super) measured: Measured,
    /// The mouse where it was left, with what is held on it and on the keyboard.
    pub(super) held: Mutex<HeldInput>,
    /// Told after each event that the journal took in.
    pub(super) journal_grew: Notify,
}

impl Memory {
    pub(super) fn refs(&self) -> MutexGuard<'_, RefTable> {
        lock(&self.refs)
    }
    pub(super) fn last_snapshot(&self) -> MutexGuard<'_, Option<String>> {
        lock(&self.last_snapshot)
    }
    pub(super) fn journal(&self) -> MutexGuard<'_, Journal> {
        lock(&self.journal)
    }
}

/// Each holder changes a table by whole entries, so a panic elsewhere leaves it usable.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pages {
    /// In bytes: what is beyond in a snapshot is only counted. The default is 60,000.
    #[must_use]
    pub fn with_snapshot_limit(mut self, limit: usize) -> Self {
        self.snapshot_limit = limit;
        self
    }

    /// Writes what pages say, ask for and show as dialogs to a file, from the first tab on that is engaged after this.
    #[must_use]
    pub fn captured_to(mut self, file: Option<CaptureFile>) -> Self {
        self.capture = file;
        self
    }

    /// Waits for its turn on the tab and engages it. One command at a time works on a tab; dropping the page lets
    /// the next one in.
    pub async fn open(&self, tab: &Tab) -> Result<Page, PageError> {
        // Before the tab is engaged, so that nothing of it is missed.
        self.fed.get_or_init(|| feed(tab.browser(), &self.memories, self.capture.clone()));
        let work = tab.work().await?;
        let memory = self.memory_of(tab);
        Ok(Page {
            recording: None,
            work,
            memory,
            only_on: None,
            expected: None,
            snapshot_limit: self.snapshot_limit,
            pointer: None,
            touched: Mutex::default(),
        })
    }

    /// What a ref is called, as the newest snapshot of its tab showed it: `Submit` for `@e3`.
    pub fn label(&self, tab: TabId, name: &str) -> Option<String> {
        let name = RefName::parse(name)?;
        let memory = lock(&self.memories).get(&tab).cloned()?;
        memory.refs().label_of(name).map(str::to_owned)
    }

    /// Console messages and requests that are remembered of a tab.
    pub(super) fn remembered(&self, tab: TabId) -> (usize, usize) {
        let memory = lock(&self.memories).get(&tab).cloned();
        memory.map(|memory| memory.journal().fill()).unwrap_or_default()
    }

    pub(super) fn memory_of(&self, tab: &Tab) -> Arc<Memory> {
        memory_of(&mut lock(&self.memories), tab.id(), tab.browser())
    }
}

/// The tab's memory; those of closed tabs go when a new one comes.
pub(super) fn memory_of(memories: &mut HashMap<TabId, Arc<Memory>>, tab: TabId, browser: &Browser) -> Arc<Memory> {
    if !memories.contains_key(&tab) {
        forget_closed(memories, browser);
    }
    memories.entry(tab).or_default().clone()
}

fn forget_closed(memories: &mut HashMap<TabId, Arc<Memory>>, browser: &Browser) {
    memories.retain(|id, _| browser.tab(*id).is_ok());
}

/// A tab's page, for one command. All that a client may do with a page hangs on it.
pub struct Page {
    /// First, so that it ends before the next command has its turn.
    recording: Option<(Recording, Effects)>,
    work: Work,
    pub(super) memory: Arc<Memory>,
    /// Nothing is done but while the tab shows this.
    only_on: Option<Place>,
    /// Input goes to nothing else.
    pub(super) expected: Option<Expected>,
    pub(super) snapshot_limit: usize,
    /// Told where input goes.
    pub(super) pointer: Option<PointerWatch>,
    /// The mark on what is acted on.
    pub(super) touched: Mutex<Option<Touch>>,
}

impl Page {
    /// Binds what is done to one place, where one is named. An error where the tab shows another one already.
    pub async fn only_on(mut self, place: Option<Place>) -> Result<Self, PageError> {
        self.only_on = place;
        self.check_site().await?;
        Ok(self)
    }
    /// Notes what is caused from now on. `dialogs`: how those that open meanwhile are answered.
    pub fn recorded(mut self, effects: &Effects, dialogs: DialogPolicy) -> Result<Self, PageError> {
        self.recording = Some((self.work.record(effects, dialogs)?, effects.clone()));
        Ok(self)
    }
    pub(super) fn effects(&self) -> Option<&Effects> {
        self.recording.as_ref().map(|(_, effects)| effects)
    }
    /// Binds input to what was looked at before.
    #[must_use]
    pub fn only_to(mut self, expected: Option<Expected>) -> Self {
        self.expected = expected;
        self
    }
    /// Tells somebody where input goes, just before it is sent.
    #[must_use]
    pub fn watched_by(mut self, pointer: Option<PointerWatch>) -> Self {
        self.pointer = pointer;
        self
    }
    /// The element that the person picked last, for `inspect` without one. Its document may be gone: then its ref says so.
    pub fn picked(&self) -> Option<RefName> {
        *lock(&self.memory.picked)
    }
    /// Asked just before input is sent.
    pub(super) async fn check_site(&self) -> Result<(), PageError> {
        let Some(wanted) = &self.only_on else { return Ok(()) };
        let shown = Place::of(&self.work.main_frame().await?.url);
        // A failed load goes by the address that failed here, and by the error page's own where tabs are listed.
        let is_error_page =
            || self.work.info().is_ok_and(|info| info.url.starts_with(ERROR_PAGE) && *wanted == Place::of(&info.url));
        if shown == *wanted || is_error_page() { Ok(()) } else { Err(other_site(wanted)) }
    }
    /// The same of the very document that a script will run in: what tells the tab's address may lag behind.
    pub(super) async fn check_document(&self, limit: Duration) -> Result<(), PageError> {
        let Some(wanted) = &self.only_on else { return Ok(()) };
        let url = self.document_url(limit).await?;
        if Place::of(&url) == *wanted { Ok(()) } else { Err(other_site(wanted)) }
    }
    /// Nobody has to look at an element before it is acted on: input is bound to nothing, and nobody is told where it goes.
    pub(super) fn is_free(&self) -> bool {
        self.only_on.is_none() && self.expected.is_none() && self.pointer.is_none()
    }
    pub(super) fn is_bound(&self) -> bool {
        self.only_on.is_some()
    }
    pub fn work(&self) -> &Work {
        &self.work
    }
    /// The address as it is now.
    pub fn url(&self) -> Result<String, PageError> {
        Ok(self.work.info()?.url)
    }
}

fn other_site(wanted: &Place) -> PageError {
    PageError::OtherSite { wanted: wanted.to_string() }
}

impl Deref for Page {
    type Target = Work;
    fn deref(&self) -> &Work {
        &self.work
    }
}
