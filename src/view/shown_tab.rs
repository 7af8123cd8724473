//! The tab that a page shows, and the attachment to it.
//!
//! Owns the choice: the tab that the person took over, else the one that they chose, else the one in use. Says why there is no
//! picture. Never waits for a page that hangs.

use super::attached::Attached;
use super::attaching::Attaching;
use super::message::words_of;
use super::watching::Watching;
use gstack_browser::browser::Browser;
use gstack_browser::tabs::BrowserEvent;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use gstack_protocol::policy::PolicyBrowser;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

const NO_BROWSER: &str = "No browser is open. Its picture appears here when one opens.";
const NO_TAB: &str = "No tab is open.";
const CLOSED: &str = "This tab was closed. Choose another one.";
const CRASHED: &str = "The page in this tab has crashed. It appears here again once it is reloaded.";

/// A browser that is watched.
pub(super) struct Watched {
    pub(super) browser: Browser,
    pub(super) kind: PolicyBrowser,
    pub(super) events: broadcast::Receiver<BrowserEvent>,
}

/// Returns the next event of the watched browser; `None` if some were missed.
pub(super) async fn next_of(watched: &mut Option<Watched>) -> Option<BrowserEvent> {
    let Some(watched) = watched else { return std::future::pending().await };
    match watched.events.recv().await {
        Ok(event) => Some(event),
        // The tabs are read again.
        Err(RecvError::Lagged(_)) => None,
        Err(RecvError::Closed) => Some(BrowserEvent::Gone),
    }
}

impl Watching {
    /// Returns the tab to show.
    pub(super) fn shown(&self) -> Option<TabId> {
        let current = || self.watched.as_ref()?.browser.current_known();
        self.taken.or(self.chosen).or(self.used).or_else(current)
    }

    /// Finds the browser and the tab again, and attaches to it unless it is attached already.
    pub(super) fn look(&mut self) {
        self.is_stale = true;
        let tab = self.taken.or(self.chosen).or(self.used);
        let found = self.engine.views().browser(tab, self.view.browser.as_deref());
        match found {
            None => {
                self.watched = None;
                self.show_none(NO_BROWSER);
                return;
            }
            Some((browser, kind)) => {
                if self
                    .watched
                    .as_ref()
                    .is_none_or(|known| known.browser.run() != browser.run() || known.browser.gone().is_cancelled())
                {
                    (self.attached, self.attaching) = (None, None);
                    self.watched = Some(Watched { events: browser.events(), browser, kind });
                }
            }
        }
        self.attach();
    }

    /// Shows no tab, for this reason.
    pub(super) fn show_none(&mut self, trouble: &str) {
        (self.attached, self.attaching, self.picture) = (None, None, None);
        self.trouble = Some(trouble.to_owned());
    }

    /// Begins to attach to the page of the tab to show, unless it is attached or that has begun.
    pub(super) fn attach(&mut self) {
        let Some((browser, id)) = self.watched.as_ref().map(|known| known.browser.clone()).zip(self.shown()) else {
            return self.show_none(NO_TAB);
        };
        let Ok((tab, info)) = browser.tab(id).and_then(|tab| tab.info().map(|info| (tab, info))) else {
            return self.show_none(CLOSED);
        };
        if info.is_crashed() {
            return self.show_none(CRASHED);
        }
        let shows =
            self.attached.as_ref().is_some_and(|known| known.tab() == id && info.page.as_ref() == Some(&known.page));
        if shows || self.attaching.as_ref().is_some_and(|known| known.goes_to(id, info.page.as_ref())) {
            return;
        }
        // Its screencast ends before the next one begins.
        (self.attached, self.picture, self.trouble) = (None, None, None);
        self.attaching = Some(Attaching::begin(&self.engine, tab, info.page));
    }

    pub(super) fn made(&mut self, made: Result<Attached, Fault>) {
        (self.attaching, self.is_stale) = (None, true);
        match made {
            Ok(mut attached) => {
                attached.start(self.size);
                attached.leave_dialogs(self.taken == Some(attached.tab()));
                self.attached = Some(attached);
                // The tab may have another page by now.
                self.attach();
            }
            Err(fault) => self.trouble = Some(words_of(&fault)),
        }
    }

    pub(super) fn browser_told(&mut self, event: Option<BrowserEvent>) {
        let shown = self.shown();
        self.is_stale = true;
        match event {
            Some(BrowserEvent::Gone) => {
                (self.watched, self.used) = (None, None);
                self.look();
            }
            Some(BrowserEvent::TabOpened(info)) => {
                // A popup of the tab in use is in use.
                if self.chosen.is_none() && self.taken.is_none() && info.opener.is_some() && info.opener == shown {
                    self.used = Some(info.id);
                }
                self.attach();
            }
            Some(BrowserEvent::TabClosed(tab)) => {
                if self.used == Some(tab) {
                    self.used = None;
                }
                if self.taken == Some(tab) {
                    self.taken = None;
                    self.view.forget_taken();
                }
                self.attach();
            }
            Some(BrowserEvent::TabChanged(_) | BrowserEvent::TabCrashed(_) | BrowserEvent::SentOut(..)) | None => {
                self.attach();
            }
            Some(_) => {}
        }
    }

    /// Returns whether this page may show the tab: the person may have chosen a browser.
    pub(super) fn is_here(&self, tab: Option<TabId>) -> bool {
        self.engine.views().browser(tab, self.view.browser.as_deref()).is_some()
    }
}
