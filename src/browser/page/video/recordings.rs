//! All recordings whose video has not been written yet.
//!
//! Owns the list and its limit. Outlives browsers: a recording whose browser is gone stays on the list.

use super::recording::VideoRecording;
use gstack_base::mutex::lock;
use gstack_protocol::ids::TabId;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The most recordings, including ended ones: each may take 512 MiB of disk.
const MOST: usize = 4;

/// Cheap to clone: all clones share one list.
#[derive(Clone, Default)]
pub struct Recordings(Arc<Mutex<Vec<Arc<VideoRecording>>>>);

impl Recordings {
    /// Returns the recording of a tab, also if it has ended by itself.
    pub fn of(&self, tab: TabId) -> Option<Arc<VideoRecording>> {
        lock(&self.0).iter().find(|recording| recording.tab() == tab).cloned()
    }

    /// Returns the recordings whose tab is gone, the newest first.
    pub fn left(&self) -> Vec<Arc<VideoRecording>> {
        let list = lock(&self.0);
        list.iter().rev().filter(|recording| recording.has_lost_its_tab()).cloned().collect()
    }

    /// Returns whether a recording will write this file.
    pub fn takes(&self, path: &Path) -> bool {
        lock(&self.0).iter().any(|recording| recording.options.path == path)
    }

    /// Returns whether one more recording fits. Drops the oldest one whose tab is gone if that is necessary; a model's
    /// start drops no recording of a person.
    pub fn make_room(&self, for_model: bool) -> bool {
        let mut list = lock(&self.0);
        if list.len() >= MOST
            && let Some(oldest) =
                list.iter().position(|one| one.has_lost_its_tab() && (one.options.for_model || !for_model))
        {
            list.remove(oldest);
        }
        list.len() < MOST
    }

    /// Returns the recorded tabs, closed ones too.
    pub fn tabs(&self) -> Vec<TabId> {
        lock(&self.0).iter().map(|recording| recording.tab()).collect()
    }

    /// Adds a recording that has begun.
    pub fn add(&self, recording: Arc<VideoRecording>) {
        lock(&self.0).push(recording);
    }

    /// Forgets a recording whose video was written or dropped.
    pub fn remove(&self, recording: &Arc<VideoRecording>) {
        lock(&self.0).retain(|known| !Arc::ptr_eq(known, recording));
    }
}
