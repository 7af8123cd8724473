//! Records the effects of an action on a tab while it runs, and reports them once it is over.
//!
//! Owns no state: the list of an action is `Effects`. Never answers, waits for or decides on a page's requests.

use super::browser::Browser;
use super::dialogs::{DialogPolicy, DialogRecord};
use super::effects::{Effects, RecordedEffect};
use super::error::BrowserError;
use super::tab::Tab;
use gstack_protocol::effects::{DialogAnswer, DownloadState, Effect};
use gstack_protocol::ids::TabId;
use std::path::PathBuf;
use tokio::time::Instant;

impl Effects {
    /// Waits until each tab that a page opened has loaded or closed: a tab opened for a download closes again.
    pub(super) async fn wait_for_tabs(&self, browser: &Browser, deadline: Instant) {
        let mut events = browser.events();
        let undecided = |noted: &RecordedEffect| match noted {
            RecordedEffect::TabOpened(id) => {
                browser.tab(*id).and_then(|tab| tab.info()).is_ok_and(|info| is_unloaded(&info.url))
            }
            _ => false,
        };
        loop {
            {
                let list = self.list();
                let asked_for_nothing = list
                    .noted
                    .iter()
                    .all(|noted| !matches!(noted, RecordedEffect::WindowAsked(url) if !is_unloaded(url)));
                let waits = |noted: &RecordedEffect| undecided(noted) && !asked_for_nothing;
                if !list.noted.iter().any(waits) {
                    return;
                }
            }
            if !matches!(tokio::time::timeout_at(deadline, events.recv()).await, Ok(Ok(_))) {
                return;
            }
        }
    }

    /// Returns all effects as they are now, and the number of those that did not fit.
    pub fn report(&self, browser: &Browser) -> (Vec<Effect>, usize) {
        let list = self.list();
        let mut asked = list.noted.iter().filter_map(|noted| match noted {
            RecordedEffect::WindowAsked(url) => Some(url.as_str()),
            _ => None,
        });
        // A tab that was opened for a download and closed again is not worth reporting.
        let for_download = |id: &TabId| {
            let has = |wanted: &RecordedEffect| list.noted.contains(wanted);
            let is_download = |noted: &RecordedEffect| matches!(noted, RecordedEffect::Download(_));
            has(&RecordedEffect::TabOpened(*id))
                && has(&RecordedEffect::TabClosed(*id))
                && list.noted.iter().any(is_download)
        };
        let mut effects: Vec<Effect> = Vec::new();
        let mut arrived = None;
        for noted in &list.noted {
            match noted {
                RecordedEffect::Dialog(record) => effects.push(dialog(record)),
                RecordedEffect::Download(id) => effects.extend(browser.download(id).map(Effect::Download)),
                RecordedEffect::WindowAsked(_) => {}
                RecordedEffect::TabOpened(id) | RecordedEffect::TabClosed(id) if for_download(id) => {}
                RecordedEffect::TabOpened(id) => effects.push(tab_opened(browser, *id, asked.next())),
                RecordedEffect::TabClosed(id) => {
                    let current = browser.current_known();
                    effects.push(Effect::TabClosed { tab_id: *id, current });
                }
                RecordedEffect::Navigated(url) => arrived = Some(url),
                RecordedEffect::ConsoleError(text) => effects.push(Effect::ConsoleError { text: text.clone() }),
                RecordedEffect::FileChooser { takes_many, is_picker } => {
                    effects.push(Effect::FileChooser { takes_many: *takes_many, is_picker: *is_picker })
                }
                RecordedEffect::ProgramAsked(scheme) => effects.push(Effect::ProgramAsked { scheme: scheme.clone() }),
            }
        }
        if let (Some((_, from)), Some(to)) = (&list.from, arrived) {
            effects.push(Effect::Navigation { from: from.clone(), to: to.clone() });
        }
        (effects, list.more)
    }

    /// Returns the files that are saved already.
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

/// `asked`: the address that the page requested, which the tab does not show until it has loaded.
fn tab_opened(browser: &Browser, id: TabId, asked: Option<&str>) -> Effect {
    let shown = browser.tab(id).and_then(|tab| tab.info()).map(|info| info.url).unwrap_or_default();
    let url = asked.filter(|_| is_unloaded(&shown)).map_or(shown, str::to_owned);
    Effect::TabOpened { tab_id: id, url }
}

fn is_unloaded(url: &str) -> bool {
    matches!(url, "" | "about:blank")
}

/// Records effects until it is dropped.
pub struct Recording {
    tab: Tab,
    effects: Effects,
    acts: bool,
}

impl Tab {
    /// Records the tab's effects from now on. `dialogs`: the policy for dialogs that an action opens.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn record(&self, effects: &Effects, dialogs: DialogPolicy) -> Result<Recording, BrowserError> {
        effects.begin(self.id(), self.info()?.url);
        self.with_tab_state(|tab_state| {
            tab_state.effects = Some(effects.clone());
            tab_state.dialogs.during_acts = dialogs;
        })?;
        // Dismisses a dialog that opened after its action's caller was gone: the page is blocked until it is answered.
        if !matches!(
            self.with_tab_state(|tab_state| tab_state.dialogs.during_acts.clone())?,
            DialogPolicy::Ask | DialogPolicy::Leave
        ) && self.open_dialog().is_some()
        {
            self.dismiss_dialog();
        }
        let acts = effects.list().acts;
        if acts {
            self.browser().shared.state().downloads.act_begins(self.id());
            self.intercept_choosers();
        }
        self.browser().shared.recording_changed(true);
        Ok(Recording { tab: self.clone(), effects: effects.clone(), acts })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // A command that only waits may outlast others, which record their own effects. A tab that was closed has none.
        let ended = self.tab.with_tab_state(|tab_state| {
            tab_state.effects.take_if(|recorded| recorded.is_same(&self.effects));
        });
        ended.unwrap_or_default();
        self.tab.browser().shared.recording_changed(false);
        if self.acts {
            self.tab.browser().shared.state().printing.act_ended(self.effects.clone());
            self.tab.let_choosers_open_later();
        }
    }
}
