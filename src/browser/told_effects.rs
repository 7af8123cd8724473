//! Noting what an act on a tab causes for the time of that act, and telling it once the act is over.
//!
//! Owns no state: the list of an act is `Effects`. Never answers, waits for or decides about what the page asks.

use super::browser::Browser;
use super::dialogs::{DialogPolicy, DialogRecord};
use super::effects::{Effects, Noted};
use super::error::BrowserError;
use super::tab::Tab;
use crate::protocol::effects::{DialogAnswer, DownloadState, Effect};
use crate::protocol::ids::TabId;
use std::path::PathBuf;
use tokio::time::Instant;

impl Effects {
    /// Waits until it is known what became of the tabs that a page opened: one that gets a file closes again.
    pub(super) async fn wait_for_tabs(&self, browser: &Browser, deadline: Instant) {
        let mut events = browser.events();
        let undecided = |noted: &Noted| match noted {
            Noted::TabOpened(id) => {
                browser.tab(*id).and_then(|tab| tab.info()).is_ok_and(|info| is_unloaded(&info.url))
            }
            _ => false,
        };
        loop {
            {
                let list = self.list();
                let asked_for_nothing =
                    list.noted.iter().all(|noted| !matches!(noted, Noted::WindowAsked(url) if !is_unloaded(url)));
                let waits = |noted: &Noted| undecided(noted) && !asked_for_nothing;
                if !list.noted.iter().any(waits) {
                    return;
                }
            }
            if !matches!(tokio::time::timeout_at(deadline, events.recv()).await, Ok(Ok(_))) {
                return;
            }
        }
    }

    /// All of it as it is now, and how much more there was than is kept.
    pub fn told(&self, browser: &Browser) -> (Vec<Effect>, usize) {
        let list = self.list();
        let mut asked = list.noted.iter().filter_map(|noted| match noted {
            Noted::WindowAsked(url) => Some(url.as_str()),
            _ => None,
        });
        // A tab that was opened for a file and closed again is nothing that anybody has to know.
        let for_download = |id: &TabId| {
            let has = |wanted: &Noted| list.noted.contains(wanted);
            let is_download = |noted: &Noted| matches!(noted, Noted::Download(_));
            has(&Noted::TabOpened(*id)) && has(&Noted::TabClosed(*id)) && list.noted.iter().any(is_download)
        };
        let mut effects: Vec<Effect> = Vec::new();
        let mut arrived = None;
        for noted in &list.noted {
            match noted {
                Noted::Dialog(record) => effects.push(dialog(record)),
                Noted::Download(id) => effects.extend(browser.download(id).map(Effect::Download)),
                Noted::WindowAsked(_) => {}
                Noted::TabOpened(id) | Noted::TabClosed(id) if for_download(id) => {}
                Noted::TabOpened(id) => effects.push(tab_opened(browser, *id, asked.next())),
                Noted::TabClosed(id) => {
                    let current = browser.current_known();
                    effects.push(Effect::TabClosed { tab_id: *id, current });
                }
                Noted::Navigated(url) => arrived = Some(url),
                Noted::ConsoleError(text) => effects.push(Effect::ConsoleError { text: text.clone() }),
            }
        }
        if let (Some((_, from)), Some(to)) = (&list.from, arrived) {
            effects.push(Effect::Navigation { from: from.clone(), to: to.clone() });
        }
        (effects, list.more)
    }

    /// Files that are saved already.
    pub fn saved_files(&self, browser: &Browser) -> Vec<PathBuf> {
        let saved = |id: &String| {
            let download = browser.download(id).filter(|download| download.state == DownloadState::Saved)?;
            download.path.map(PathBuf::from)
        };
        self.downloads().iter().filter_map(saved).collect()
    }
}

fn dialog(record: &DialogRecord) -> Effect {
    Effect::Dialog {
        dialog: record.dialog.kind.clone(),
        message: record.dialog.message.clone(),
        answer: match record.accepted {
            Some(true) => DialogAnswer::Accepted,
            Some(false) => DialogAnswer::Dismissed,
            None => DialogAnswer::Open,
        },
        text: record.text.clone(),
    }
}

/// `asked`: the address that the page asked for, which the tab does not show before it is loaded.
fn tab_opened(browser: &Browser, id: TabId, asked: Option<&str>) -> Effect {
    let shown = browser.tab(id).and_then(|tab| tab.info()).map(|info| info.url).unwrap_or_default();
    let url = asked.filter(|_| is_unloaded(&shown)).map_or(shown, str::to_owned);
    Effect::TabOpened { tab_id: id, url }
}

fn is_unloaded(url: &str) -> bool {
    matches!(url, "" | "about:blank")
}

/// The time in which effects are noted. Ends when it is dropped.
pub struct Recording {
    tab: Tab,
}

impl Tab {
    /// Notes what happens to the tab from now on. `dialogs`: how those that an act opens are answered.
    pub fn record(&self, effects: &Effects, dialogs: DialogPolicy) -> Result<Recording, BrowserError> {
        effects.begin(self.id(), self.info()?.url);
        self.with_tab_state(|tab_state| {
            tab_state.effects = Some(effects.clone());
            tab_state.dialogs.during_acts = dialogs;
        })?;
        // One that a page opened after an act whose asker is gone: the page stands still until it is answered.
        if !matches!(
            self.with_tab_state(|tab_state| tab_state.dialogs.during_acts.clone())?,
            DialogPolicy::Ask | DialogPolicy::Leave
        ) && self.open_dialog().is_some()
        {
            self.dismiss_dialog();
        }
        if effects.list().acts {
            self.browser().shared.state().downloads.act_begins(self.id());
        }
        self.browser().shared.recording_changed(true);
        Ok(Recording { tab: self.clone() })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // A tab that was closed has none.
        self.tab.with_tab_state(|tab_state| tab_state.effects = None).unwrap_or_default();
        self.tab.browser().shared.recording_changed(false);
    }
}
