//! What an act on a tab causes: dialogs, downloads, new tabs, navigation, console errors.
//!
//! Owns the list for the time of one act. The router fills it in the reader's task, so nothing that came before a reply
//! is missing when the reply is handed out. Never answers, waits or decides.

use super::browser::Browser;
use super::dialogs::{DialogPolicy, DialogRecord};
use super::error::BrowserError;
use super::tab::Tab;
use crate::protocol::effects::{DialogAnswer, DownloadState, Effect};
use crate::protocol::ids::TabId;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::time::Instant;

/// A page can open dialogs, tabs and log errors in a loop; what is beyond is only counted.
const MOST: usize = 100;

/// The list of one act. Cheap to clone: all clones are one.
#[derive(Clone)]
pub struct Effects(Arc<Shared>);

struct Shared {
    list: Mutex<List>,
    /// Told after each change.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct List {
    noted: Vec<Noted>,
    /// What did not fit.
    more: usize,
    from: Option<(TabId, String)>,
    acts: bool,
    /// Where the act's downloads go; none: the folder of all.
    download_folder: Option<PathBuf>,
}

/// One thing as the router saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Noted {
    Dialog(DialogRecord),
    /// By its id in the browser's downloads.
    Download(String),
    /// The page asked for a tab with this address; the tab itself follows.
    WindowAsked(String),
    TabOpened(TabId),
    TabClosed(TabId),
    Navigated(String),
    ConsoleError(String),
}

impl Default for Effects {
    fn default() -> Self {
        Self(Arc::new(Shared { list: Mutex::default(), changed: watch::channel(0).0 }))
    }
}

impl Effects {
    /// Puts the downloads of the act into this folder.
    pub fn download_to(&self, folder: PathBuf) {
        self.list().download_folder = Some(folder);
    }
    pub(super) fn download_folder(&self) -> Option<PathBuf> {
        self.list().download_folder.clone()
    }
    /// Of a command that does something to the page.
    #[must_use]
    pub fn of_act(acts: bool) -> Self {
        let effects = Self::default();
        effects.list().acts = acts;
        effects
    }
    /// The tab that the act began in.
    pub(super) fn tab(&self) -> Option<TabId> {
        self.list().from.as_ref().map(|(tab, _)| *tab)
    }
    pub(super) fn begin(&self, tab: TabId, url: String) {
        self.list().from.get_or_insert((tab, url));
    }
    pub(super) fn note(&self, noted: Noted) {
        {
            let mut list = self.list();
            if list.noted.len() < MOST {
                list.noted.push(noted);
            } else {
                list.more += 1;
            }
        }
        self.changed();
    }
    pub(super) fn dialog_closed(&self, accepted: bool, text: Option<String>) {
        let open = |noted: &&mut Noted| matches!(noted, Noted::Dialog(record) if record.accepted.is_none());
        if let Some(Noted::Dialog(record)) = self.list().noted.iter_mut().rev().find(open) {
            record.accepted = Some(accepted);
            record.text = text;
        }
        self.changed();
    }
    /// A tab that the act had opened, or the act's own.
    pub(super) fn tab_closed(&self, tab: TabId) {
        let is_known = {
            let list = self.list();
            list.noted.contains(&Noted::TabOpened(tab)) || list.from.as_ref().is_some_and(|(own, _)| *own == tab)
        };
        if is_known {
            self.note(Noted::TabClosed(tab));
        }
    }
    fn changed(&self) {
        self.0.changed.send_modify(|count| *count += 1);
    }

    /// Waits until something of the kind is noted, at most until the deadline.
    pub(super) async fn wait_for(&self, deadline: Instant, wanted: impl Fn(&Noted) -> bool) {
        let mut changed = self.0.changed.subscribe();
        let noted = changed.wait_for(|_| self.list().noted.iter().any(&wanted));
        if tokio::time::timeout_at(deadline, noted).await.is_err() {
            tracing::debug!("what a page announced did not come in time");
        }
    }
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
    pub(super) fn downloads(&self) -> Vec<String> {
        let of = |noted: &Noted| if let Noted::Download(id) = noted { Some(id.clone()) } else { None };
        self.list().noted.iter().filter_map(of).collect()
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

    fn list(&self) -> MutexGuard<'_, List> {
        // Entries are written whole.
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.with_desk(|desk| {
            desk.effects = Some(effects.clone());
            desk.dialogs.during_acts = dialogs;
        })?;
        // One that a page opened after an act whose asker is gone: the page stands still until it is answered.
        if !matches!(self.with_desk(|desk| desk.dialogs.during_acts.clone())?, DialogPolicy::Ask | DialogPolicy::Leave)
            && self.open_dialog().is_some()
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
        self.tab.with_desk(|desk| desk.effects = None).unwrap_or_default();
        self.tab.browser().shared.recording_changed(false);
    }
}
