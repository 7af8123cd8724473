//! `tabs.json`: the numbers of the tabs and the current one, for the daemon that comes after this one.
//!
//! Owns the file. It goes with a browser that was closed on purpose, so one that is found without a browser says that
//! this was lost.

use super::current::Current;
use super::service::Browsers;
use crate::base::atomic;
use crate::base::mutex::lock;
use crate::browser::browser::Browser;
use crate::browser::tabs::TabRecord;
use std::io::ErrorKind;

impl Browsers {
    /// What an earlier daemon wrote of this run of a browser.
    pub(super) fn recorded_tabs(&self, browser: &str) -> TabRecord {
        let path = self.needs().home.tabs_file();
        let read = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<TabRecord>(&bytes).ok());
        read.filter(|record| record.browser == browser).unwrap_or_default()
    }

    /// The browser in use whose tabs are written down, and its name there: its run, or the address of somebody else's.
    /// `None` for an everyday browser, which numbers its tabs by itself.
    fn recorded_browser(&self) -> Option<(Browser, String)> {
        let Current { browser, attached, .. } = lock(&self.0.current).clone()?;
        if browser.gone().is_cancelled() || browser.is_relayed() {
            return None;
        }
        let name = attached.unwrap_or_else(|| browser.run().as_str().to_owned());
        Some((browser, name))
    }

    /// Writes how the tabs of the browser in use are now, if that has changed.
    pub(in crate::engine) async fn record_tabs(&self) {
        let Some((browser, name)) = self.recorded_browser() else { return };
        let record = TabRecord { browser: name, ..browser.tab_record() };
        if lock(&self.0.recorded).as_ref() == Some(&record) {
            return;
        }
        let browsers = self.clone();
        let written = tokio::task::spawn_blocking(move || browsers.write_record(record)).await;
        if let Err(error) = written {
            tracing::warn!(%error, "the numbers of the tabs were not written");
        }
    }

    fn write_record(&self, record: TabRecord) {
        // Held while the file is written: the last one that is written is the newest.
        let mut recorded = lock(&self.0.recorded);
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        match atomic::write(&self.needs().home.tabs_file(), &bytes) {
            Ok(()) => *recorded = Some(record),
            Err(error) => tracing::warn!(%error, "the numbers of the tabs can't be written"),
        }
    }

    /// The browser was closed on purpose.
    pub(super) fn forget_recorded_tabs(&self) {
        *lock(&self.0.recorded) = None;
        match std::fs::remove_file(self.needs().home.tabs_file()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "the numbers of the tabs can't be removed"),
        }
    }

    /// A browser was in use and went away without being told to.
    pub(in crate::engine) fn has_lost(&self) -> bool {
        self.current().is_none() && self.needs().home.tabs_file().exists()
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
