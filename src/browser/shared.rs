//! The shared state of one connected browser: its tabs, its sessions and their overrides.
//!
//! Owns the state under its one lock, and the follow-ups of a change in the tab table. Never calls DevTools under the
//! lock.

use super::cdp::Cdp;
use super::devtools::page::StartScreencastParams;
use super::devtools::target::SessionId;
use super::dialogs::Dialogs;
use super::downloads::{DownloadFolders, Downloads};
use super::effects::{Effects, RecordedEffect};
use super::error::BrowserError;
use super::frames::FrameTree;
use super::init_scripts::{InitScript, InitScripts};
use super::keyboard::Keyboard;
use super::overrides::PersistentOverride;
use super::permissions::Permission;
use super::printing::Printing;
use super::refused::Refused;
use super::remote::FileSystem;
use super::reported::Reported;
use super::routes::Routes;
use super::tabs::{BrowserEvent, Follow, TabNumbers, Tabs};
use gstack_base::site_limits::SiteLimits;
use gstack_base::site_list::SiteList;
use gstack_protocol::ids::{BrowserRun, TabId, TargetId};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

/// A script that runs in every document of an engaged tab before the document's own.
#[derive(Clone, Debug)]
pub struct EarlyScript {
    /// `None`: the page's own world.
    pub world: Option<String>,
    /// The script.
    pub source: String,
}

/// The daemon's choices for a connection.
#[derive(Clone, Debug, Default)]
pub struct AttachOptions {
    /// The numbers of tabs, shared by all browsers of the daemon.
    pub numbers: TabNumbers,
    /// The browser has no window: gstack answers its dialogs and saves its downloads at any time.
    pub headless: bool,
    /// The only sites that the browser may reach.
    pub limits: SiteLimits,
    /// Where downloads go; none: a browser without a window refuses them.
    pub downloads: Option<DownloadFolders>,
    /// Scripts that run in each document before the document's own.
    pub early_scripts: Vec<EarlyScript>,
    /// Returns true if nothing may be read from this remote address, spelled as the browser reports it (`1.2.3.4`,
    /// `[::1]`). `None`: everything may be read.
    pub refuses: Option<fn(&str) -> bool>,
    /// Checks the requests of pages before they are sent: for a browser without our resolver rules.
    pub holds_back: bool,
    /// How the browser and this machine exchange files.
    pub files: FileSystem,
    /// Set for an everyday browser: no command is sent to it before a tab is used, and gstack detaches from a tab that
    /// was idle for this long.
    pub lets_go_after: Option<Duration>,
}

pub(super) struct Shared {
    pub(super) cdp: Cdp,
    pub(super) options: AttachOptions,
    pub(super) run: BrowserRun,
    pub(super) events: broadcast::Sender<BrowserEvent>,
    pub(super) state: Mutex<State>,
    pub(super) reported: Reported,
}

pub(super) struct State {
    pub(super) tabs: Tabs,
    pub(super) sessions: HashMap<SessionId, Role>,
    pub(super) engaged: HashMap<TabId, Engaged>,
    pub(super) tab_states: HashMap<TabId, TabState>,
    pub(super) downloads: Downloads,
    pub(super) keyboard: Keyboard,
    /// The print previews that pages open.
    pub(super) printing: Printing,
    /// Pages of any other browser context are incognito (or belong to a test).
    pub(super) default_context: Option<String>,
    /// The only sites that the browser may reach; the list in the configuration may change.
    pub(super) limits: SiteLimits,
    /// The list that an extension holds the whole browser to, if one was set after it was opened.
    pub(super) guard: Option<SiteList>,
}

/// The purpose of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Attached only to find the page in a tab.
    Probe(TargetId),
    Tab(TabId),
    Page(TabId),
    /// An out-of-process frame.
    Frame(TabId),
    /// A dedicated worker of the page or of a frame.
    Worker(TabId),
    /// A *tab* target that is being opened, held until it is known whether one of our pages opened it.
    Opening(TargetId),
}

impl Role {
    /// Returns the tab of a session, if known.
    pub(super) fn tab(&self) -> Option<TabId> {
        match self {
            Self::Tab(tab) | Self::Page(tab) | Self::Frame(tab) | Self::Worker(tab) => Some(*tab),
            Self::Probe(_) | Self::Opening(_) => None,
        }
    }
}

/// The attachment of an engaged tab.
pub(super) struct Engaged {
    /// The session of the *tab* target: it attaches the page, and any page that replaces it.
    pub(super) tab_session: Option<SessionId>,
    pub(super) page: Option<SessionId>,
    pub(super) frames: FrameTree,
    pub(super) phase: watch::Sender<Phase>,
}

#[derive(Clone, Debug)]
pub(super) enum Phase {
    Attaching,
    /// The page has a session: it can be navigated even if it is hung.
    Attached,
    /// The frames are known too.
    Ready,
    Failed(BrowserError),
}

/// State of a tab that does not depend on whether it is engaged.
#[derive(Default)]
pub(super) struct TabState {
    /// Runs the commands on one tab in the order of their requests.
    pub(super) order: Arc<tokio::sync::Mutex<()>>,
    pub(super) dialogs: Dialogs,
    /// The effects of the action in progress.
    pub(super) effects: Option<Effects>,
    pub(super) refused: Refused,
    /// The overrides for each of its pages, frames and workers.
    pub(super) overrides: Vec<PersistentOverride>,
    /// The requests that are answered, stopped or changed by gstack.
    pub(super) routes: Routes,
    /// Permissions granted or denied to sites.
    pub(super) permissions: Vec<Permission>,
    /// Scripts that run in its documents before the documents' own.
    pub(super) init_scripts: InitScripts,
    /// The script that reports what the person does; `None` if that is not recorded.
    pub(super) recording: Option<Arc<InitScript>>,
    /// The screencast of a recording; `None` if the tab is not recorded.
    pub(super) screencast: Option<StartScreencastParams>,
    /// The running command answers each of the tab's requests itself (`Tab::judge_requests`).
    pub(super) judges_itself: bool,
    /// The number of holds: commands and turns working on the tab now.
    pub(super) holds: usize,
    /// The number of CDP clients in the tab: they answer its dialogs.
    pub(super) cdp_clients: usize,
    /// A CDP client worked here by gstack's own session: gstack detaches once nothing runs, which undoes what it changed.
    pub(super) must_detach: bool,
    /// Counts the acts, so that the delayed end of an interception can tell whether a newer act has begun.
    pub(super) chooser_round: u64,
    /// Counts the starts of holds and stays, so that a delayed release can tell whether a newer one has begun.
    pub(super) hold_round: u64,
    /// The number of `KeepAttached`s: callers that keep the tab attached without a command.
    pub(super) kept_attached: usize,
    /// The earliest time at which gstack may detach.
    pub(super) linger_until: Option<Instant>,
    /// The user ended the attachment: gstack does not attach again until the user allows it.
    pub(super) detached_by_user: bool,
    /// What its pages may still read, such as copies of uploaded files.
    pub(super) kept: Vec<Box<dyn Any + Send>>,
}

impl State {
    /// Records closed tabs in the effects of the actions that caused them, under the lock that removes them from the
    /// table.
    pub(super) fn note_closed(&self, follows: &[Follow]) {
        for follow in follows {
            let Follow::Closed(tab) = follow else { continue };
            for effects in self.tab_states.values().filter_map(|tab_state| tab_state.effects.as_ref()) {
                effects.tab_closed(*tab);
            }
        }
    }

    /// Removes the sessions of an engaged tab and returns their ids. They all end with the *tab* target's session,
    /// mostly without an event. The caller must fail their pending commands.
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
    /// Whether gstack started the browser, with resolver rules.
    pub(super) fn has_resolver_rules(&self) -> bool {
        !self.options.holds_back && self.options.lets_go_after.is_none()
    }
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Each change is small and cannot be left half done by a panic elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn tell(&self, event: BrowserEvent) {
        if self.events.send(event).is_err() {
            tracing::trace!("nobody listens to the browser's events");
        }
    }
    /// Runs the follow-ups of a change in the tab table. Must be called without the state's lock.
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
    /// Records a new tab in the effects of the action that made a page open it, and for the panel that it takes the
    /// keyboard from.
    fn note_tab(&self, event: &BrowserEvent) {
        let BrowserEvent::TabOpened(info) = event else { return };
        let Some(opener) = info.opener else { return };
        let mut state = self.state();
        let back = state.engaged.contains_key(&opener).then(|| state.keyboard.note_popup()).flatten();
        if let Some(effects) = state.tab_states.get(&opener).and_then(|tab_state| tab_state.effects.as_ref()) {
            effects.note(RecordedEffect::TabOpened(info.id));
        }
        drop(state);
        if let Some(panel) = back {
            panel.restore();
        }
    }
    fn forget(self: &Arc<Self>, tab: TabId) {
        let (ended, removed) = {
            let mut state = self.state();
            let removed = state.tab_states.remove(&tab);
            if let Some(engaged) = state.engaged.remove(&tab) {
                engaged.phase.send_replace(Phase::Failed(BrowserError::TabClosed(tab)));
            }
            (state.forget_sessions(tab), removed)
        };
        self.give_up(&ended);
        self.override_again(tab);
        if removed.is_some_and(|tab_state| !tab_state.permissions.is_empty()) {
            self.restore_permissions();
        }
    }
    /// Fails pending commands of these sessions. Must be called without the state's lock.
    pub(super) fn give_up(&self, sessions: &[SessionId]) {
        for session in sessions {
            self.cdp.give_up(session);
        }
    }
}
