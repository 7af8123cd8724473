//! Files that pages make the browser download.
//!
//! Owns the list of a browser's downloads. `saving` stores the files.

use gstack_protocol::effects::{Download, DownloadState};
use gstack_protocol::ids::TabId;
use std::path::PathBuf;
use std::time::SystemTime;
use tokio::sync::watch;

/// The folders for a browser's downloads. Both exist and are private.
#[derive(Clone, Debug)]
pub struct DownloadFolders {
    /// The folder that the browser writes to; each file is named by its id.
    pub incoming: PathBuf,
    /// The folder for complete files, under their own names.
    pub saved: PathBuf,
}

pub(super) struct Downloads {
    pub(super) list: Vec<Record>,
    /// The number of actions being recorded now.
    pub(super) recordings: usize,
    /// The browser's own session reports them, although no behavior is set (`beside_others`).
    pub(super) are_reported: bool,
    pub(super) changed: watch::Sender<u64>,
}

pub(super) struct Record {
    pub(super) download: Download,
    /// The tab whose action started the download; without an action, the tab whose page started it.
    pub(super) tab: Option<TabId>,
    pub(super) folder: Option<PathBuf>,
    pub(super) since: SystemTime,
    /// An act started it.
    pub(super) is_of_act: bool,
    /// `wait --download` has returned it, or another action has begun since.
    pub(super) is_taken: bool,
}

impl Default for Downloads {
    fn default() -> Self {
        Self { list: Vec::new(), recordings: 0, are_reported: false, changed: watch::channel(0).0 }
    }
}

impl Downloads {
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Record> {
        self.list.iter_mut().rev().find(|record| record.download.id == id)
    }
    /// Marks the tab's ended downloads as taken: a wait after this action must not return them.
    pub(super) fn act_begins(&mut self, tab: TabId) {
        let ended = |record: &&mut Record| record.download.state != DownloadState::InProgress;
        for record in self.list.iter_mut().filter(ended).filter(|record| record.tab == Some(tab)) {
            record.is_taken = true;
        }
    }
    pub(super) fn told(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
    pub(super) fn running(&self) -> usize {
        self.list.iter().filter(|record| record.download.state == DownloadState::InProgress).count()
    }
    pub(super) fn fail(&mut self, id: &str, reason: &str) {
        if let Some(record) = self.get_mut(id) {
            record.download.state = DownloadState::Failed;
            record.download.reason = Some(reason.to_owned());
        }
        self.told();
    }
}
