//! What the parts of one connected browser share: its tabs, its sessions and what was set in them.
//!
//! Owns the state under its one lock, and what a change of the tab table sets off. Never calls DevTools under the lock.

use super::cdp::Cdp;
use super::devtools::target::SessionId;
use super::dialogs::Dialogs;
use super::downloads::{DownloadFolders, Downloads};
use super::effects::{Effects, Noted};
use super::error::BrowserError;
use super::frames::FrameTree;
use super::init_scripts::InitScripts;
use super::keyboard::Keyboard;
use super::overrides::PersistentOverride;
use super::permissions::Permission;
use super::refused::Refused;
use super::routes::Routes;
use super::tabs::{BrowserEvent, Follow, TabNumbers, Tabs};
use crate::base::site_list::SiteList;
use crate::protocol::ids::{BrowserRun, TabId, TargetId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

/// Script that is in every document of an engaged tab before the document's own.
#[derive(Clone, Debug)]
pub struct EarlyScript {
    /// None: the page's own world.
    pub world: Option<String>,
    pub source: String,
}

/// What a daemon decides before it attaches.
#[derive(Clone, Debug, Default)]
pub struct AttachOptions {
    pub numbers: TabNumbers,
    /// Without a window: its dialogs are answered at any time and its downloads are saved at any time.
    pub headless: bool,
    /// The only sites that the browser reaches.
    pub only_sites: SiteList,
    /// Where downloads go; none: a browser without a window refuses them.
    pub downloads: Option<DownloadFolders>,
    pub early_scripts: Vec<EarlyScript>,
    /// Whether nothing is read from an address that answered, as the browser spells it (`1.2.3.4`, `[::1]`). None: all
    /// may be read.
    pub refuses: Option<fn(&str) -> bool>,
    /// What pages ask for is looked at before it is sent: for a browser without our resolver rules.
    pub holds_back: bool,
    /// An everyday browser: nothing of it is asked before a tab is worked on, and a tab is let go of when it was left alone
    /// for so long.
    pub lets_go_after: Option<Duration>,
}

pub(super) struct Shared {
    pub(super) cdp: Cdp,
    pub(super) options: AttachOptions,
    pub(super) run: BrowserRun,
    pub(super) events: broadcast::Sender<BrowserEvent>,
    pub(super) state: Mutex<State>,
}

pub(super) struct State {
    pub(super) tabs: Tabs,
    pub(super) sessions: HashMap<SessionId, Role>,
    pub(super) engaged: HashMap<TabId, Engaged>,
    pub(super) tab_states: HashMap<TabId, TabState>,
    pub(super) downloads: Downloads,
    pub(super) keyboard: Keyboard,
    /// Pages of another browser context are incognito (or a test's own).
    pub(super) default_context: Option<String>,
}

/// What a session was attached for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Attached only to learn which page a tab holds.
    Probe(TargetId),
    Tab(TabId),
    Page(TabId),
    /// A frame in a process of its own.
    Frame(TabId),
    /// A dedicated worker of the page or of a frame.
    Worker(TabId),
    /// A *tab* target that is just being opened and waits until it is known whether a page of ours opened it.
    Opening(TargetId),
}

impl Role {
    /// The tab that a session belongs to, once that is known.
    pub(super) fn tab(&self) -> Option<TabId> {
        match self {
            Self::Tab(tab) | Self::Page(tab) | Self::Frame(tab) | Self::Worker(tab) => Some(*tab),
            Self::Probe(_) | Self::Opening(_) => None,
        }
    }
}

/// An engaged tab's attachment.
pub(super) struct Engaged {
    /// The session of the *tab* target, through which its page is attached, also when it is replaced.
    pub(super) tab_session: Option<SessionId>,
    pub(super) page: Option<SessionId>,
    pub(super) frames: FrameTree,
    pub(super) phase: watch::Sender<Phase>,
}

#[derive(Clone, Debug)]
pub(super) enum Phase {
    Attaching,
    /// The page's session is there: it can be navigated even if it is hung.
    Attached,
    /// The frames are known too.
    Ready,
    Failed(BrowserError),
}

/// What belongs to a tab whether or not it is engaged.
#[derive(Default)]
pub(super) struct TabState {
    /// Commands on one tab run in the order in which they asked.
    pub(super) order: Arc<tokio::sync::Mutex<()>>,
    pub(super) dialogs: Dialogs,
    /// What the act causes that is under way.
    pub(super) effects: Option<Effects>,
    pub(super) refused: Refused,
    /// What each of its pages, frames and workers is given.
    pub(super) overrides: Vec<PersistentOverride>,
    /// Which of its requests are answered, stopped or changed here.
    pub(super) routes: Routes,
    /// Permissions that were granted or denied to sites.
    pub(super) permissions: Vec<Permission>,
    /// Scripts that run in its documents before the documents' own.
    pub(super) init_scripts: InitScripts,
    /// A command of its own answers each of its requests (`Tab::judge_requests`).
    pub(super) judges_itself: bool,
    /// Commands and turns that work on the tab now.
    pub(super) holds: usize,
    /// Counts the times that holds ended, so that a lingering release knows whether it is still meant.
    pub(super) hold_round: u64,
    /// Anyone who wants the tab to stay attached although no command works on it.
    pub(super) stays: usize,
    /// Not let go of before.
    pub(super) linger_until: Option<Instant>,
    /// The person sent us out of it: not attached to before they let us in again.
    pub(super) detached_by_user: bool,
}

impl State {
    /// Notes closed tabs with the acts that caused it, under the lock under which they leave the table.
    pub(super) fn note_closed(&self, follows: &[Follow]) {
        for follow in follows {
            let Follow::Closed(tab) = follow else { continue };
            for effects in self.tab_states.values().filter_map(|tab_state| tab_state.effects.as_ref()) {
                effects.tab_closed(*tab);
            }
        }
    }

    /// The sessions of an engaged tab: with the *tab* target's all the others end, mostly without a word. What they were
    /// asked is the caller's to give up.
    pub(super) fn forget_sessions(&mut self, tab: TabId) -> Vec<SessionId> {
        self.sessions.extract_if(|_, role| role.tab() == Some(tab)).map(|(id, _)| id).collect()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.cdp.cancel();
    }
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Each change is small and leaves the state whole, whatever panicked elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn tell(&self, event: BrowserEvent) {
        if self.events.send(event).is_err() {
            tracing::trace!("nobody listens to the browser's events");
        }
    }
    /// Does what the tab table asked for. Called without the state's lock.
    pub(super) fn follow(self: &Arc<Self>, follows: Vec<Follow>) {
        for follow in follows {
            match follow {
                Follow::Tell(event) => {
                    self.note_tab(&event);
                    self.tell(event);
                }
                Follow::FindPage(target) => self.find_page(target),
                Follow::Closed(tab) => self.forget(tab),
            }
        }
    }
    /// A tab is noted by the act that made a page open it.
    fn note_tab(&self, event: &BrowserEvent) {
        let BrowserEvent::TabOpened(info) = event else { return };
        let state = self.state();
        let opener = info.opener.and_then(|opener| state.tab_states.get(&opener));
        if let Some(effects) = opener.and_then(|tab_state| tab_state.effects.as_ref()) {
            effects.note(Noted::TabOpened(info.id));
        }
    }
    fn forget(&self, tab: TabId) {
        let (ended, had_permissions) = {
            let mut state = self.state();
            let had_permissions =
                state.tab_states.remove(&tab).is_some_and(|tab_state| !tab_state.permissions.is_empty());
            if let Some(engaged) = state.engaged.remove(&tab) {
                engaged.phase.send_replace(Phase::Failed(BrowserError::TabClosed(tab)));
            }
            (state.forget_sessions(tab), had_permissions)
        };
        self.give_up(&ended);
        if had_permissions {
            self.restore_permissions();
        }
    }
    /// Calls that wait for an answer of these sessions end. Called without the state's lock.
    pub(super) fn give_up(&self, sessions: &[SessionId]) {
        for session in sessions {
            self.cdp.give_up(session);
        }
    }
}
