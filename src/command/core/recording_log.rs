//! `recordings.json`: the recordings that are under way, so that the next daemon can say which ones were lost with this one.
//!
//! Owns the file. Holds no part of a recording. Reports each loss once, to the caller that ends such a recording.

use gstack_base::atomic;
use gstack_base::clock::{iso, now_millis};
use gstack_base::mutex::lock;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The most losses kept; the oldest are dropped.
const MOST: usize = 32;

/// The kind of recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordingKind {
    /// `video`
    Video,
    /// `har`
    Requests,
    /// `trace`
    Trace,
    /// `coverage js`
    ScriptCoverage,
    /// `coverage css`
    StyleCoverage,
}

impl RecordingKind {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Video => ("the video", "video start PATH"),
            Self::Requests => ("the recording of requests", "har start"),
            Self::Trace => ("the trace", "trace start"),
            Self::ScriptCoverage => ("the recording of js coverage", "coverage js start"),
            Self::StyleCoverage => ("the recording of css coverage", "coverage css start"),
        }
    }
}

/// A recording that has begun and is not saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    kind: RecordingKind,
    tab: TabId,
    began_at: u64,
    for_model: bool,
}

/// Cheap to clone. The default keeps no file.
#[derive(Clone, Default)]
pub struct RecordingLog(Arc<Shared>);

#[derive(Default)]
struct Shared {
    file: Option<PathBuf>,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    /// Of earlier daemons: their recordings are lost.
    left: Vec<Entry>,
    /// Of this one.
    held: Vec<Entry>,
}

impl RecordingLog {
    /// Reads what earlier daemons left.
    pub fn open(file: PathBuf) -> Self {
        let left = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, "the list of recordings under way can't be read");
                Vec::new()
            }),
            Err(_) => Vec::new(),
        };
        Self(Arc::new(Shared { file: Some(file), entries: Mutex::new(Entries { left, held: Vec::new() }) }))
    }

    /// Records the start of a recording. Drops earlier losses of its kind.
    pub fn began(&self, kind: RecordingKind, tab: TabId, for_model: bool) {
        self.change(|entries| {
            entries.left.retain(|entry| entry.kind != kind || entry.for_model != for_model);
            entries.held.retain(|entry| entry.kind != kind || entry.tab != tab);
            entries.held.push(Entry { kind, tab, began_at: now_millis(), for_model });
            true
        });
    }

    /// Records that a recording was saved or dropped.
    pub fn ended(&self, kind: RecordingKind, tab: TabId) {
        self.change(|entries| {
            let before = entries.held.len();
            entries.held.retain(|entry| entry.kind != kind || entry.tab != tab);
            entries.held.len() != before
        });
    }

    /// Returns the fault for the end of a recording that an earlier daemon lost, and forgets it; otherwise `fault`, for one that never
    /// began. A model is told only of its own kind's recordings, in this tab. `tab` is `None` if no tab is open.
    pub fn lost_or(&self, kind: RecordingKind, tab: Option<TabId>, for_model: bool, fault: Fault) -> Fault {
        let mut lost = None;
        self.change(|entries| {
            let is_meant = |entry: &Entry| entry.kind == kind && entry.for_model == for_model;
            let here = entries.left.iter().rposition(|entry| is_meant(entry) && Some(entry.tab) == tab);
            let any = || entries.left.iter().rposition(is_meant).filter(|_| !for_model);
            lost = here.or_else(any).map(|at| entries.left.remove(at));
            lost.is_some()
        });
        lost.map_or(fault, |entry| entry.fault())
    }

    fn change(&self, change: impl FnOnce(&mut Entries) -> bool) {
        let mut entries = lock(&self.0.entries);
        if !change(&mut entries) {
            return;
        }
        let Some(file) = &self.0.file else { return };
        let mut all: Vec<&Entry> = entries.left.iter().chain(&entries.held).collect();
        all.drain(..all.len().saturating_sub(MOST));
        let text = serde_json::to_vec(&all).unwrap_or_default();
        let written = if all.is_empty() { remove(file) } else { atomic::write(file, &text) };
        if let Err(error) = written {
            tracing::warn!(%error, "the list of recordings under way can't be written");
        }
    }
}

fn remove(file: &Path) -> std::io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

impl Entry {
    fn fault(&self) -> Fault {
        let (what, again) = self.kind.words();
        let (tab, began) = (self.tab, iso(self.began_at));
        let message =
            format!("{what} of tab {tab}, which began at {began}, was lost: the daemon ended before it was saved");
        Fault::new(FaultCode::NotFound, message).hint(format!("Start again: gstack {again}"))
    }
}

#[cfg(test)]
mod tests {
    use super::RecordingKind::{Requests, Video};
    use super::*;

    fn told(log: &RecordingLog, kind: RecordingKind, tab: u32, for_model: bool) -> String {
        let fault = Fault::new(FaultCode::NotFound, "none");
        log.lost_or(kind, Some(TabId(tab)), for_model, fault).message
    }

    #[test]
    fn what_a_daemon_did_not_save_is_told_once_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recordings.json");
        let open = || RecordingLog::open(file.clone());
        let first = open();
        first.began(Video, TabId(1), false);
        first.began(Requests, TabId(1), false);
        first.began(Requests, TabId(2), true);
        first.ended(Video, TabId(1));
        assert_eq!(told(&first, Requests, 1, false), "none", "it is still under way");
        let second = open();
        assert_eq!(told(&second, Video, 1, false), "none", "it was saved");
        assert_eq!(told(&second, Requests, 1, true), "none", "a model is not told of another tab's");
        let said = told(&second, Requests, 9, false);
        assert!(
            said.starts_with("the recording of requests of tab 1, which began at 20") && said.contains("lost"),
            "{said}"
        );
        assert_eq!(told(&second, Requests, 9, false), "none", "it is told once");
        assert!(told(&open(), Requests, 2, true).contains("lost"), "the other one is still known");
        assert!(!file.exists(), "nothing is under way");
    }

    #[test]
    fn a_new_recording_makes_an_old_loss_uninteresting_and_garbage_is_no_recording() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recordings.json");
        RecordingLog::open(file.clone()).began(Video, TabId(1), false);
        let next = RecordingLog::open(file.clone());
        next.began(Video, TabId(2), false);
        next.ended(Video, TabId(2));
        assert_eq!(told(&next, Video, 1, false), "none");
        for number in 0..100 {
            next.began(Video, TabId(number), false);
        }
        let kept: Vec<Entry> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(kept.len(), MOST);
        fs::write(&file, "{garbage").unwrap();
        assert_eq!(told(&RecordingLog::open(file), Video, 1, false), "none");
    }
}
