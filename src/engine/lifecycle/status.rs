//! The engine's status: `gstack status`, and whether the daemon is needed.

use crate::engine::Engine;
use crate::protocol::VERSION;
use crate::protocol::control::{Status, TabOverrides};

impl Engine {
    /// Returns what `gstack status` shows.
    pub(crate) fn status(&self) -> Status {
        let browser = self.browsers().status();
        Status {
            healthy: browser.is_some(),
            mode: self.browsers().mode().to_owned(),
            url: browser.as_ref().and_then(|b| b.url.clone()),
            tabs: browser.as_ref().map_or(0, |b| b.tabs),
            pid: std::process::id(),
            browser_pid: browser.and_then(|b| b.pid),
            version: VERSION.to_owned(),
            port: self.inner.port,
            panels: self.ports().panels(),
            agents_running: self.agents().running(),
            turns_running: self.tabs().turns_running(),
            overrides: self
                .browsers()
                .current()
                .map(|browser| browser.overrides())
                .unwrap_or_default()
                .into_iter()
                .map(|(tab, set)| TabOverrides { tab, set })
                .collect(),
            drivers: self.driver_infos(),
            only_sites: self
                .browsers()
                .current()
                .map(|browser| browser.only_sites().to_string())
                .filter(|sites| !sites.is_empty()),
            policy_fault: self.policy().fault().map(|fault| fault.message),
            sandbox: self.agents().sandbox_status(),
        }
    }

    /// Publishes whether the daemon is busy and which browser is in use, if that changed.
    pub(in crate::engine) fn update_busy(&self) {
        let busy = self.ports().panels() > 0 || self.tabs().turns_running() > 0 || self.browsers().is_open();
        self.inner.busy.send_if_modified(|known| std::mem::replace(known, busy) != busy);
        let mode = self.browsers().mode();
        self.inner.mode.send_if_modified(|known| std::mem::replace(known, mode) != mode);
    }
}
