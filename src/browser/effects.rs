//! The effects of an action on a tab: dialogs, downloads, new tabs, navigation, console errors.
//!
//! Owns the list for the duration of one action. The router fills it in the reader task, so it holds everything that
//! came before a reply when the caller gets that reply. Never answers, waits or decides.

use super::dialogs::DialogRecord;
use gstack_protocol::ids::TabId;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::time::Instant;

/// A page can open dialogs and tabs or log errors in a loop; entries beyond this are only counted.
const MOST: usize = 100;

/// The list of one action. Cheap to clone: all clones share one list.
#[derive(Clone)]
pub struct Effects(Arc<Shared>);

struct Shared {
    list: Mutex<List>,
    /// Notified after each change.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
pub(super) struct List {
    pub(super) noted: Vec<RecordedEffect>,
    /// The number of entries that did not fit.
    pub(super) more: usize,
    pub(super) from: Option<(TabId, String)>,
    pub(super) acts: bool,
    /// Fields that the page changed after an earlier action had reported their value, a sentence for each.
    changed_late: Vec<String>,
    /// The folder for the action's downloads; `None`: the default folder.
    download_folder: Option<PathBuf>,
}

/// One effect as the router recorded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordedEffect {
    Dialog(DialogRecord),
    /// The id in the browser's downloads.
    Download(String),
    /// The page asked for a tab with this address; `TabOpened` follows.
    WindowAsked(String),
    TabOpened(TabId),
    TabClosed(TabId),
    Navigated(String),
    ConsoleError(String),
    /// A file chooser that was not shown.
    FileChooser {
        takes_many: bool,
        /// It has no field, to which `upload` could give files.
        is_picker: bool,
    },
    /// The page asked for an address that another program opens; its scheme.
    ProgramAsked(String),
}

impl Default for Effects {
    fn default() -> Self {
        Self(Arc::new(Shared { list: Mutex::default(), changed: watch::channel(0).0 }))
    }
}

impl Effects {
    /// Saves the action's downloads in this folder.
    pub fn download_to(&self, folder: PathBuf) {
        self.list().download_folder = Some(folder);
    }
    pub(super) fn changed_late(&self, said: &[String]) {
        let mut list = self.list();
        let room = MOST.saturating_sub(list.changed_late.len());
        list.changed_late.extend(said.iter().take(room).cloned());
    }
    /// Returns what the page changed after an earlier action had reported it: the page's words.
    pub fn late_changes(&self) -> Vec<String> {
        self.list().changed_late.clone()
    }
    pub(super) fn download_folder(&self) -> Option<PathBuf> {
        self.list().download_folder.clone()
    }
    /// Creates a list; `acts` is true for a command that acts on the page.
    #[must_use]
    pub fn of_act(acts: bool) -> Self {
        let effects = Self::default();
        effects.list().acts = acts;
        effects
    }
    /// Returns true for a clone of this list.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// Returns the tab that the action began in.
    pub(super) fn tab(&self) -> Option<TabId> {
        self.list().from.as_ref().map(|(tab, _)| *tab)
    }
    pub(super) fn begin(&self, tab: TabId, url: String) {
        self.list().from.get_or_insert((tab, url));
    }
    pub(super) fn note(&self, noted: RecordedEffect) {
        {
            let mut list = self.list();
            if list.noted.len() < MOST {
                list.noted.push(noted);
            } else {
                list.more += 1;
            }
        }
        self.changed();
    }
    pub(super) fn dialog_closed(&self, accepted: bool, text: Option<String>) {
        let open =
            |noted: &&mut RecordedEffect| matches!(noted, RecordedEffect::Dialog(record) if record.accepted.is_none());
        if let Some(RecordedEffect::Dialog(record)) = self.list().noted.iter_mut().rev().find(open) {
            record.accepted = Some(accepted);
            record.text = text;
        }
        self.changed();
    }
    /// Records that a tab closed, if the action opened it or began in it.
    pub(super) fn tab_closed(&self, tab: TabId) {
        let is_known = {
            let list = self.list();
            list.noted.contains(&RecordedEffect::TabOpened(tab))
                || list.from.as_ref().is_some_and(|(own, _)| *own == tab)
        };
        if is_known {
            self.note(RecordedEffect::TabClosed(tab));
        }
    }
    fn changed(&self) {
        self.0.changed.send_modify(|count| *count += 1);
    }

    /// Waits until an entry matches `wanted`, at most until the deadline.
    pub(super) async fn wait_for(&self, deadline: Instant, wanted: impl Fn(&RecordedEffect) -> bool) {
        let mut changed = self.0.changed.subscribe();
        let noted = changed.wait_for(|_| self.list().noted.iter().any(&wanted));
        if tokio::time::timeout_at(deadline, noted).await.is_err() {
            tracing::debug!("what a page announced did not come in time");
        }
    }
    pub(super) fn downloads(&self) -> Vec<String> {
        let of =
            |noted: &RecordedEffect| if let RecordedEffect::Download(id) = noted { Some(id.clone()) } else { None };
        self.list().noted.iter().filter_map(of).collect()
    }

    pub(super) fn list(&self) -> MutexGuard<'_, List> {
        // A panic cannot leave an entry half written.
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
