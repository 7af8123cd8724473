//! Files that pages make the browser save.
//!
//! Owns the list of a browser's downloads. How they are saved is in `saving`.

use crate::protocol::effects::{Download, DownloadState};
use crate::protocol::ids::TabId;
use std::path::PathBuf;
use tokio::sync::watch;

/// Where a browser's downloads go. Both folders exist and are private.
#[derive(Clone, Debug)]
pub struct DownloadFolders {
    /// Where the browser writes, each file named by its id.
    pub incoming: PathBuf,
    /// Where whole files get their names.
    pub saved: PathBuf,
}

pub(super) struct Downloads {
    pub(super) list: Vec<Record>,
    /// Acts that are being noted now.
    pub(super) recordings: usize,
    pub(super) changed: watch::Sender<u64>,
}

pub(super) struct Record {
    pub(super) download: Download,
    /// The tab whose act began it; without an act the one whose page did.
    pub(super) tab: Option<TabId>,
    pub(super) folder: Option<PathBuf>,
    /// `wait --download` has given it, or another act has begun since.
    pub(super) is_taken: bool,
}

impl Default for Downloads {
    fn default() -> Self {
        Self { list: Vec::new(), recordings: 0, changed: watch::channel(0).0 }
    }
}

impl Downloads {
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Record> {
        self.list.iter_mut().rev().find(|record| record.download.id == id)
    }
    /// What ended before an act is not what is waited for after it.
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
