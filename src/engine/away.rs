//! Everyday browsers whose extension is away: its worker was stopped, its host was killed, the browser was closed.
//!
//! Owns which of them is in use, also after a restart of the daemon, and how long a command waits for one. Never lets
//! another browser be opened in its place.

use super::Engine;
use crate::base::atomic;
use crate::base::home::Home;
use crate::base::mutex::lock;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{BrowserRun, TabId};
use crate::protocol::told;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{fs, io};

/// An extension whose worker or host was ended is back within a second or two, one whose browser was closed is not.
const BACK_WITHIN: Duration = Duration::from_secs(5);

/// The everyday browser that commands without a tab go to. Its file outlives the daemon.
pub(super) struct Chosen {
    file: PathBuf,
    run: Option<BrowserRun>,
}

impl Chosen {
    pub(super) fn open(home: &Home) -> Self {
        let file = home.everyday_file();
        let run = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { file, run }
    }

    pub(super) fn get(&self) -> Option<&BrowserRun> {
        self.run.as_ref()
    }

    pub(super) fn set(&mut self, run: Option<BrowserRun>) {
        if run == self.run {
            return;
        }
        self.run = run;
        if let Err(error) = self.write() {
            tracing::warn!(%error, "the next daemon will not know which browser is in use");
        }
    }

    fn write(&self) -> io::Result<()> {
        match &self.run {
            Some(run) => atomic::write(&self.file, &serde_json::to_vec(run)?),
            None => match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }
}

/// Since when each everyday browser is away.
#[derive(Default)]
pub(super) struct Away(HashMap<BrowserRun, Instant>);

impl Away {
    pub(super) fn begin(&mut self, run: &BrowserRun) {
        self.0.insert(run.clone(), Instant::now());
    }

    /// It is back and has told of its tabs.
    pub(super) fn end(&mut self, run: &BrowserRun) {
        self.0.remove(run);
    }

    /// Those that may come back in a moment.
    fn expected(&self) -> impl Iterator<Item = &BrowserRun> {
        self.0.iter().filter(|(_, since)| since.elapsed() < BACK_WITHIN).map(|(run, _)| run)
    }
}

impl Engine {
    /// An everyday browser is in use, be it connected now or not.
    pub(super) fn everyday_is_chosen(&self) -> bool {
        lock(&self.inner.browsers.chosen).get().is_some()
    }

    /// Waits for the everyday browser that a command is for, where that one has just gone. At once in every other case.
    pub(super) async fn everyday_back(&self, tab: Option<TabId>) {
        let mut changed = self.ports().watch();
        let settled = changed.wait_for(|()| !self.is_expected(tab));
        if tokio::time::timeout(BACK_WITHIN, settled).await.is_err() {
            // What comes next says so in words.
            tracing::debug!("an everyday browser stays away");
        }
    }

    fn is_expected(&self, tab: Option<TabId>) -> bool {
        let in_use = self.browser().map(|browser| browser.run().clone());
        let relays = lock(&self.inner.relays);
        relays.away.expected().any(|run| match (tab, &in_use) {
            (Some(tab), _) => relays.numbers.get(run).is_some_and(|numbers| numbers.keeps(tab)),
            (None, Some(in_use)) => run == in_use,
            (None, None) => true,
        })
    }
}

/// The browser in use is away: another one in its place would not be what was meant.
pub(super) fn everyday_away() -> Fault {
    Fault::new(FaultCode::BrowserDown, told::EVERYDAY_AWAY)
        .hint(told::EVERYDAY_AWAY_NEXT)
        .command("gstack disconnect")
        .at(Hop::Background)
}
