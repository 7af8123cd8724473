//! The handle to a tab's page while a command works on it, and what is remembered of a tab between commands.
//!
//! Owns the memory (refs, last snapshot, journal). Never outlives the tab.

use super::emulation::Emulation;
use super::error::PageError;
use super::journal::{Journal, follow};
use super::marks::{Drawn, ListedRef};
use super::pointer::PointerWatch;
use super::refs::{RefName, RefTable};
use super::tidy::StyleChange;
use super::watch::Watch;
use crate::base::site;
use crate::browser::browser::Browser;
use crate::browser::frames::FrameId;
use crate::browser::tab::{Tab, Work};
use crate::protocol::ids::TabId;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How long one of our own functions may take where nothing is waited for. A hung page answers nothing.
pub(super) const SCRIPT_LIMIT: Duration = Duration::from_secs(10);

/// What is remembered of the tabs of one browser. Cheap to clone.
#[derive(Clone, Default)]
pub struct Pages {
    memories: Arc<Mutex<HashMap<TabId, Arc<Memory>>>>,
}

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
    pub(super) emulation: Emulation,
    pub(super) watch: Mutex<Option<Watch>>,
    pub(super) style_changes: Mutex<Vec<StyleChange>>,
    /// The frame that selectors are looked for in; none: the main one.
    pub(super) chosen_frame: Mutex<Option<FrameId>>,
    pub(super) journal: Mutex<Journal>,
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
    /// Waits for its turn on the tab and engages it. One command at a time works on a tab; dropping the page lets
    /// the next one in.
    pub async fn open(&self, tab: &Tab) -> Result<Page, PageError> {
        let work = tab.work().await?;
        let memory = self.memory_of(tab);
        memory.emulation.apply(work.session()).await?;
        Ok(Page { work, memory, only_on: None, pointer: None })
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
        let mut memories = lock(&self.memories);
        if !memories.contains_key(&tab.id()) {
            forget_closed(&mut memories, tab.browser());
        }
        let memory = memories.entry(tab.id()).or_default();
        follow(tab, memory);
        memory.clone()
    }
}

fn forget_closed(memories: &mut HashMap<TabId, Arc<Memory>>, browser: &Browser) {
    memories.retain(|id, _| browser.tab(*id).is_ok());
}

/// A tab's page, for one command. All that a client may do with a page hangs on it.
pub struct Page {
    work: Work,
    pub(super) memory: Arc<Memory>,
    /// Input is sent only while the tab shows this site.
    only_on: Option<String>,
    /// Told where input goes.
    pub(super) pointer: Option<PointerWatch>,
}

impl Page {
    /// Binds what is done to one site, where one is named.
    #[must_use]
    pub fn only_on(mut self, site: Option<String>) -> Self {
        self.only_on = site;
        self
    }
    /// Tells somebody where input goes, just before it is sent.
    #[must_use]
    pub fn watched_by(mut self, pointer: Option<PointerWatch>) -> Self {
        self.pointer = pointer;
        self
    }
    /// The element that the person picked last, as a target: of `inspect` without one.
    pub fn picked(&self) -> Option<RefName> {
        *lock(&self.memory.picked)
    }
    /// Asked just before input is sent.
    pub(super) async fn check_site(&self) -> Result<(), PageError> {
        let Some(wanted) = &self.only_on else { return Ok(()) };
        let url = self.work.main_frame().await?.url;
        match site::of(&url) {
            Some(now) if now == *wanted => Ok(()),
            _ => Err(PageError::OtherSite { wanted: wanted.clone() }),
        }
    }
    pub fn work(&self) -> &Work {
        &self.work
    }
    /// The address as it is now.
    pub fn url(&self) -> Result<String, PageError> {
        Ok(self.work.info()?.url)
    }
}

impl Deref for Page {
    type Target = Work;
    fn deref(&self) -> &Work {
        &self.work
    }
}
