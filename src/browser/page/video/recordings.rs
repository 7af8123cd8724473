//! The recordings that are under way, and those whose video has not been written yet.
//!
//! Owns the list and its bound. It outlives browsers: a recording whose browser is gone is still on it.

use super::recording::VideoRecording;
use crate::base::mutex::lock;
use crate::protocol::ids::TabId;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Together, those that have ended included: each may take half a gibibyte of disk.
const MOST: usize = 4;

/// Cheap to clone: all clones are one list.
#[derive(Clone, Default)]
pub struct Recordings(Arc<Mutex<Vec<Arc<VideoRecording>>>>);

impl Recordings {
    /// The recording of a tab, also if it has ended by itself.
    pub fn of(&self, tab: TabId) -> Option<Arc<VideoRecording>> {
        lock(&self.0).iter().find(|recording| recording.tab() == tab).cloned()
    }

    /// Those whose tab is gone, the newest first.
    pub fn left(&self) -> Vec<Arc<VideoRecording>> {
        let list = lock(&self.0);
        list.iter().rev().filter(|recording| recording.has_lost_its_tab()).cloned().collect()
    }

    /// Whether one of them is to be written to this file.
    pub fn takes(&self, path: &Path) -> bool {
        lock(&self.0).iter().any(|recording| recording.options.path == path)
    }

    /// Whether there is room for one more. One that nobody has asked for since its tab went makes room.
    pub fn make_room(&self) -> bool {
        let mut list = lock(&self.0);
        if list.len() >= MOST
            && let Some(oldest) = list.iter().position(|recording| recording.has_lost_its_tab())
        {
            list.remove(oldest);
        }
        list.len() < MOST
    }

    pub fn add(&self, recording: Arc<VideoRecording>) {
        lock(&self.0).push(recording);
    }

    pub fn remove(&self, recording: &Arc<VideoRecording>) {
        lock(&self.0).retain(|known| !Arc::ptr_eq(known, recording));
    }
}
