//! `tabs.json`: the tab numbers and the current tab, for the next daemon.
//!
//! Owns the file. It is deleted when the browser is closed on purpose, so a file without a browser means that the
//! browser was lost.

use super::current::Current;
use super::remote::REMOTE_NAME;
use super::service::Browsers;
use gstack_base::atomic;
use gstack_base::mutex::lock;
use gstack_browser::browser::Browser;
use gstack_browser::tabs::TabRecord;
use std::io::ErrorKind;

impl Browsers {
    /// Returns what an earlier daemon wrote for this run of the browser.
    pub(super) fn recorded_tabs(&self, browser: &str) -> TabRecord {
        let path = self.own.home.tabs_file();
        let read = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<TabRecord>(&bytes).ok());
        read.filter(|record| record.browser == browser).unwrap_or_default()
    }

    /// Returns the browser in use whose tabs are recorded and its name in the record: its run, or the address of a
    /// browser that gstack did not start. `None` for an everyday browser, whose tab numbers are kept elsewhere.
    fn recorded_browser(&self) -> Option<(Browser, String)> {
        let Current { browser, source, .. } = lock(&self.own.current).clone()?;
        if browser.gone().is_cancelled() || browser.is_relayed() {
            return None;
        }
        let name = source.name().unwrap_or_else(|| browser.run().as_str().to_owned());
        Some((browser, name))
    }

    /// Writes the tabs of the browser in use if they changed.
    pub(crate) async fn record_tabs(&self) {
        let Some((browser, name)) = self.recorded_browser() else { return };
        let record = TabRecord { browser: name, ..browser.tab_record() };
        if lock(&self.own.recorded).as_ref() == Some(&record) {
            return;
        }
        let browsers = self.clone();
        let written = tokio::task::spawn_blocking(move || browsers.write_record(record)).await;
        if let Err(error) = written {
            tracing::warn!(%error, "the numbers of the tabs were not written");
        }
    }

    fn write_record(&self, record: TabRecord) {
        // Held during the write, so that the last write is the newest record.
        let mut recorded = lock(&self.own.recorded);
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        match atomic::write(&self.own.home.tabs_file(), &bytes) {
            Ok(()) => *recorded = Some(record),
            Err(error) => tracing::warn!(%error, "the numbers of the tabs can't be written"),
        }
    }

    /// Deletes the record, because the browser was closed on purpose.
    pub(super) fn forget_recorded_tabs(&self) {
        *lock(&self.own.recorded) = None;
        *lock(&self.own.lost) = None;
        match std::fs::remove_file(self.own.home.tabs_file()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "the numbers of the tabs can't be removed"),
        }
    }

    /// Returns true if a browser was in use and disappeared without being closed by gstack.
    pub(crate) fn has_lost(&self) -> bool {
        let is_recorded = || self.own.home.tabs_file().exists();
        self.current().is_none() && (lock(&self.own.lost).is_some() || is_recorded())
    }

    /// Returns true if that browser was on another machine. gstack opens none on this machine in its place: the person
    /// chose that machine and its network.
    pub(crate) fn has_lost_remote(&self) -> bool {
        let is_recorded = || {
            let record = std::fs::read(self.own.home.tabs_file()).ok();
            let record = record.and_then(|bytes| serde_json::from_slice::<TabRecord>(&bytes).ok());
            record.is_some_and(|record| record.browser.starts_with(REMOTE_NAME))
        };
        self.has_lost() && lock(&self.own.lost).map_or_else(is_recorded, |lost| lost.was_remote)
    }

    /// Makes the recorded current tab the current one again if it is still open.
    pub(super) fn restore_current(&self, browser: &Browser, record: &TabRecord) {
        if let Some(id) = record.current
            && let Err(error) = browser.set_current(id)
        {
            tracing::debug!(%error, "the tab that was the current one is closed");
        }
    }
}
