//! What an act on a tab causes: dialogs, downloads, new tabs, navigation, console errors.
//!
//! Owns the list for the time of one act. The router fills it in the reader's task, so nothing that came before a reply
//! is missing when the reply is handed out. Never answers, waits or decides.

use super::dialogs::DialogRecord;
use crate::protocol::ids::TabId;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::time::Instant;

/// A page can open dialogs, tabs and log errors in a loop; what is beyond is only counted.
const MOST: usize = 100;

/// The list of one act. Cheap to clone: all clones are one.
#[derive(Clone)]
pub struct Effects(Arc<Shared>);

struct Shared {
    list: Mutex<List>,
    /// Told after each change.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
pub(super) struct List {
    pub(super) noted: Vec<Noted>,
    /// What did not fit.
    pub(super) more: usize,
    pub(super) from: Option<(TabId, String)>,
    pub(super) acts: bool,
    /// Where the act's downloads go; none: the folder of all.
    download_folder: Option<PathBuf>,
}

/// One thing as the router saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Noted {
    Dialog(DialogRecord),
    /// By its id in the browser's downloads.
    Download(String),
    /// The page asked for a tab with this address; the tab itself follows.
    WindowAsked(String),
    TabOpened(TabId),
    TabClosed(TabId),
    Navigated(String),
    ConsoleError(String),
}

impl Default for Effects {
    fn default() -> Self {
        Self(Arc::new(Shared { list: Mutex::default(), changed: watch::channel(0).0 }))
    }
}

impl Effects {
    /// Puts the downloads of the act into this folder.
    pub fn download_to(&self, folder: PathBuf) {
        self.list().download_folder = Some(folder);
    }
    pub(super) fn download_folder(&self) -> Option<PathBuf> {
        self.list().download_folder.clone()
    }
    /// Of a command that does something to the page.
    #[must_use]
    pub fn of_act(acts: bool) -> Self {
        let effects = Self::default();
        effects.list().acts = acts;
        effects
    }
    /// The tab that the act began in.
    pub(super) fn tab(&self) -> Option<TabId> {
        self.list().from.as_ref().map(|(tab, _)| *tab)
    }
    pub(super) fn begin(&self, tab: TabId, url: String) {
        self.list().from.get_or_insert((tab, url));
    }
    pub(super) fn note(&self, noted: Noted) {
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
        let open = |noted: &&mut Noted| matches!(noted, Noted::Dialog(record) if record.accepted.is_none());
        if let Some(Noted::Dialog(record)) = self.list().noted.iter_mut().rev().find(open) {
            record.accepted = Some(accepted);
            record.text = text;
        }
        self.changed();
    }
    /// A tab that the act had opened, or the act's own.
    pub(super) fn tab_closed(&self, tab: TabId) {
        let is_known = {
            let list = self.list();
            list.noted.contains(&Noted::TabOpened(tab)) || list.from.as_ref().is_some_and(|(own, _)| *own == tab)
        };
        if is_known {
            self.note(Noted::TabClosed(tab));
        }
    }
    fn changed(&self) {
        self.0.changed.send_modify(|count| *count += 1);
    }

    /// Waits until something of the kind is noted, at most until the deadline.
    pub(super) async fn wait_for(&self, deadline: Instant, wanted: impl Fn(&Noted) -> bool) {
        let mut changed = self.0.changed.subscribe();
        let noted = changed.wait_for(|_| self.list().noted.iter().any(&wanted));
        if tokio::time::timeout_at(deadline, noted).await.is_err() {
            tracing::debug!("what a page announced did not come in time");
        }
    }
    pub(super) fn downloads(&self) -> Vec<String> {
        let of = |noted: &Noted| if let Noted::Download(id) = noted { Some(id.clone()) } else { None };
        self.list().noted.iter().filter_map(of).collect()
    }

    pub(super) fn list(&self) -> MutexGuard<'_, List> {
        // Entries are written whole.
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
