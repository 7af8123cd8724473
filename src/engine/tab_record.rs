//! `tabs.json`: the numbers of the tabs and the current one, for the daemon that comes after this one.
//!
//! Owns the file. It goes with a browser that was closed on purpose, so one that is found without a browser says that
//! this was lost.

use super::Engine;
use crate::base::atomic;
use crate::base::mutex::lock;
use crate::browser::browser::Browser;
use crate::browser::tabs::TabRecord;
use std::io::ErrorKind;

impl Engine {
    /// What an earlier daemon wrote of this run of a browser.
    pub(super) fn recorded_tabs(&self, browser: &str) -> TabRecord {
        let path = self.home().tabs_file();
        let read = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<TabRecord>(&bytes).ok());
        read.filter(|record| record.browser == browser).unwrap_or_default()
    }

    /// Writes how the tabs of the browser in use are now, if that has changed.
    pub(super) async fn record_tabs(&self) {
        let Some((browser, name)) = self.recorded_browser() else { return };
        let record = TabRecord { browser: name, ..browser.tab_record() };
        if lock(&self.inner.browsers.recorded).as_ref() == Some(&record) {
            return;
        }
        let engine = self.clone();
        let written = tokio::task::spawn_blocking(move || engine.write_record(record)).await;
        if let Err(error) = written {
            tracing::warn!(%error, "the numbers of the tabs were not written");
        }
    }

    fn write_record(&self, record: TabRecord) {
        // Held while the file is written: the last one that is written is the newest.
        let mut recorded = lock(&self.inner.browsers.recorded);
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        match atomic::write(&self.home().tabs_file(), &bytes) {
            Ok(()) => *recorded = Some(record),
            Err(error) => tracing::warn!(%error, "the numbers of the tabs can't be written"),
        }
    }

    /// The browser was closed on purpose.
    pub(super) fn forget_recorded_tabs(&self) {
        *lock(&self.inner.browsers.recorded) = None;
        match std::fs::remove_file(self.home().tabs_file()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "the numbers of the tabs can't be removed"),
        }
    }

    /// A browser was in use and went away without being told to.
    pub(super) fn has_lost_browser(&self) -> bool {
        self.browser().is_none() && self.home().tabs_file().exists()
    }

    /// The tab that was the current one is that again, if it is still open.
    pub(super) fn restore_current(&self, browser: &Browser, record: &TabRecord) {
        if let Some(id) = record.current
            && let Err(error) = browser.set_current(id)
        {
            tracing::debug!(%error, "the tab that was the current one is closed");
        }
    }
}
