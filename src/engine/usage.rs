//! Whether anything uses the daemon, and which kind of browser is in use.
//!
//! Owns both values for those who follow them: the daemon's idle exit and `browse.json`. Never ends anything.

use crate::browsers::Browsers;
use crate::ports::Ports;
use crate::tabs::Tabs;
use std::sync::Arc;
use tokio::sync::watch;

/// A handle to the usage. Cheap to clone.
#[derive(Clone)]
pub struct Usage(Arc<Shared>);

struct Shared {
    browsers: Browsers,
    ports: Ports,
    tabs: Tabs,
    busy: watch::Sender<bool>,
    mode: watch::Sender<&'static str>,
}

impl Usage {
    pub(crate) fn new(browsers: Browsers, ports: Ports, tabs: Tabs) -> Self {
        let (busy, mode) = (watch::Sender::new(false), watch::Sender::new("none"));
        Self(Arc::new(Shared { browsers, ports, tabs, busy, mode }))
    }

    /// Publishes whether the daemon is busy and which browser is in use, if that changed.
    pub(crate) fn update(&self) {
        let Shared { browsers, ports, tabs, busy, mode } = &*self.0;
        let is_busy = ports.panels() > 0 || tabs.turns_running() > 0 || browsers.any_open();
        busy.send_if_modified(|known| std::mem::replace(known, is_busy) != is_busy);
        let in_use = browsers.mode();
        mode.send_if_modified(|known| std::mem::replace(known, in_use) != in_use);
    }

    /// Returns a receiver of whether a panel, a turn or a browser needs the daemon.
    pub fn watch_busy(&self) -> watch::Receiver<bool> {
        self.0.busy.subscribe()
    }

    /// Returns a receiver of the mode that `status` shows.
    pub fn watch_mode(&self) -> watch::Receiver<&'static str> {
        self.0.mode.subscribe()
    }
}
