//! Attaching: finds the page of a tab, engages a tab, and sets up each page and frame of an engaged one.
//!
//! Owns the order of those commands. Each step starts from the reply to the previous one, in the reader task, so a
//! caller that disconnects leaves nothing half done.

use super::devtools::emulation::SetFocusEmulationEnabledParams;
use super::devtools::page::{AddScriptToEvaluateOnNewDocumentParams, SetLifecycleEventsEnabledParams};
use super::devtools::runtime::RunIfWaitingForDebuggerParams;
use super::devtools::target::{
    SessionId, SetAutoAttachParams, TargetInfo, attach_to, auto_attach_running, auto_attach_waiting, detach_from, only,
};
use super::devtools::{network, page, runtime};
use super::devtools_session::Session;
use super::error::BrowserError;
use super::frames::FrameTree;
use super::shared::{Engaged, Phase, Role, Shared, TabState};
use gstack_protocol::ids::{TabId, TargetId};
use gstack_protocol::relay::Refusal;
use std::sync::Arc;
use tokio::sync::watch;

impl Shared {
    /// Finds the page in a tab by attaching briefly to the *tab* target; the page cannot notice.
    pub(super) fn find_page(self: &Arc<Self>, target: TargetId) {
        let attach = attach_to(target.as_str());
        let shared = Arc::downgrade(self);
        let root = self.cdp.root();
        let again = root.clone();
        root.post_then(attach, move |reply| {
            let Some(shared) = shared.upgrade() else { return };
            let Ok(attached) = reply else {
                // The tab has closed, or cannot be attached to.
                let follows = shared.state().tabs.page_found(&target, None);
                shared.follow(follows);
                return;
            };
            let id = attached.session_id;
            shared.state().sessions.insert(id.clone(), Role::Probe(target.clone()));
            let later = Arc::downgrade(&shared);
            // The browser reports the pages in the tab before this reply.
            shared.cdp.session(id.clone()).post_then(auto_attach_running(), move |_| {
                let Some(shared) = later.upgrade() else { return };
                let follows = shared.state().tabs.page_found(&target, None);
                shared.follow(follows);
            });
            again.post(detach_from(id));
        });
    }

    /// Starts to engage a tab unless that has started already. Returns a receiver of the progress.
    pub(super) fn begin_to_engage(self: &Arc<Self>, tab: TabId) -> Result<watch::Receiver<Phase>, BrowserError> {
        let (attach, phase) = {
            let mut state = self.state();
            if let Some(engaged) = state.engaged.get(&tab) {
                return Ok(engaged.phase.subscribe());
            }
            let info = state.tabs.get(tab).ok_or(BrowserError::TabClosed(tab))?;
            if state.tab_states.get(&tab).is_some_and(|tab_state| tab_state.detached_by_user) {
                return Err(BrowserError::Relay(Refusal::Cancelled));
            }
            let attach = attach_to(info.target.as_str());
            let (sender, phase) = watch::channel(Phase::Attaching);
            let frames = FrameTree::default();
            state.engaged.insert(tab, Engaged { tab_session: None, page: None, frames, phase: sender });
            (attach, phase)
        };
        let shared = Arc::downgrade(self);
        self.cdp.root().post_then(attach, move |reply| {
            let Some(shared) = shared.upgrade() else { return };
            let id = match reply {
                Ok(attached) => attached.session_id,
                Err(error) => return shared.engaging_failed(tab, error.into()),
            };
            {
                let mut state = shared.state();
                let Some(engaged) = state.engaged.get_mut(&tab) else { return };
                engaged.tab_session = Some(id.clone());
                state.sessions.insert(id.clone(), Role::Tab(tab));
            }
            let later = Arc::downgrade(&shared);
            shared.cdp.session(id).post_then(auto_attach_waiting(), move |reply| {
                if let (Err(error), Some(shared)) = (reply, later.upgrade()) {
                    shared.engaging_failed(tab, error.into());
                }
            });
        });
        Ok(phase)
    }

    /// Makes the page that was attached the target of the tab's commands.
    pub(super) fn page_attached(self: &Arc<Self>, tab: TabId, session: &Session, target: &TargetInfo) {
        let (follows, held) = {
            let mut state = self.state();
            let Some(engaged) = state.engaged.get_mut(&tab) else { return };
            engaged.page = session.id().cloned();
            engaged.frames = FrameTree::default();
            engaged.phase.send_replace(Phase::Attached);
            let held = state.tab_states.get(&tab).is_some_and(|tab_state| tab_state.holds > 0);
            let tab_target = state.tabs.get(tab).map(|info| info.target.clone());
            let page = TargetId::new(target.target_id.as_str());
            (tab_target.map(|tab_target| state.tabs.page_found(&tab_target, Some(page))), held)
        };
        self.follow(follows.unwrap_or_default());
        if held {
            session.post(SetFocusEmulationEnabledParams::new(true));
        }
        self.set_up(tab, session, true);
        self.resume_screencast(tab, session);
    }

    /// Sends everything that a page or frame of an engaged tab needs before it runs on, in order.
    pub(super) fn set_up(self: &Arc<Self>, tab: TabId, session: &Session, is_page: bool) {
        let Some(id) = session.id().cloned() else { return };
        let role = if is_page { Role::Page(tab) } else { Role::Frame(tab) };
        self.state().sessions.insert(id, role);
        session.post(page::EnableParams::default());
        session.post(SetLifecycleEventsEnabledParams::new(true));
        session.post(network::EnableParams::default());
        session.post(runtime::EnableParams {});
        for script in &self.options.early_scripts {
            if let Some(world) = &script.world {
                self.report_person(session, world);
            }
            session.post(AddScriptToEvaluateOnNewDocumentParams {
                world_name: script.world.clone(),
                run_immediately: Some(true),
                ..AddScriptToEvaluateOnNewDocumentParams::new(&script.source)
            });
        }
        self.record_in(tab, session);
        self.give_init_scripts(tab, session);
        self.stop_requests(tab, session);
        self.apply_overrides(tab, session);
        session.post(auto_attach_inner());
        self.read_frames(tab, session);
        session.post(RunIfWaitingForDebuggerParams {});
    }

    /// Sets up a worker with the tab's overrides before its script runs.
    pub(super) fn set_up_worker(self: &Arc<Self>, tab: TabId, session: &Session) {
        let Some(id) = session.id().cloned() else { return };
        self.state().sessions.insert(id, Role::Worker(tab));
        session.post(network::EnableParams::default());
        session.post(runtime::EnableParams {});
        self.stop_requests(tab, session);
        self.apply_overrides(tab, session);
        session.post(auto_attach("worker"));
        session.post(RunIfWaitingForDebuggerParams {});
    }

    /// Holds a tab that is being opened until its page reports its opener, so that it sends no request before.
    pub(super) fn tab_opening(self: &Arc<Self>, session: &Session, target: TargetId) {
        let Some(id) = session.id().cloned() else { return };
        let root = self.cdp.root();
        self.state().sessions.insert(id.clone(), Role::Opening(target));
        let shared = Arc::downgrade(self);
        let opening = session.clone();
        // The browser reports its page before this reply.
        session.post_then(auto_attach_waiting(), move |_| {
            opening.post(RunIfWaitingForDebuggerParams {});
            let Some(shared) = shared.upgrade() else { return };
            let mut state = shared.state();
            if matches!(state.sessions.get(&id), Some(Role::Opening(_))) {
                state.sessions.remove(&id);
                drop(state);
                root.post(detach_from(id));
            }
        });
    }

    /// Handles the page of a tab that is being opened. If a page of an engaged tab opened it, the new tab is engaged
    /// too and inherits that tab's overrides.
    pub(super) fn page_opening(
        self: &Arc<Self>,
        parent: &SessionId,
        tab_target: &TargetId,
        session: &Session,
        target: &TargetInfo,
    ) {
        let adopted = {
            let mut state = self.state();
            let opener = target.opener_id.as_deref().map(TargetId::new);
            let opener = opener.and_then(|page| state.tabs.by_page(&page).map(|info| info.id));
            let opener = opener.filter(|opener| state.engaged.contains_key(opener));
            let tab = state.tabs.by_target(tab_target).filter(|tab| !state.engaged.contains_key(tab));
            opener.zip(tab).map(|(opener, tab)| {
                let (phase, _) = watch::channel(Phase::Attaching);
                let tab_session = Some(parent.clone());
                state.engaged.insert(tab, Engaged { tab_session, page: None, frames: FrameTree::default(), phase });
                state.sessions.insert(parent.clone(), Role::Tab(tab));
                let overrides = state.tab_states.get(&opener).map(TabState::handed_on_overrides).unwrap_or_default();
                let routes =
                    state.tab_states.get(&opener).map(|tab_state| tab_state.routes.handed_on()).unwrap_or_default();
                let opened_by = state.tab_states.get(&opener);
                let scripts = opened_by.map(|opener| opener.init_scripts.handed_on()).unwrap_or_default();
                let dialogs = state.tab_states.get(&opener).map(|tab_state| tab_state.dialogs.during_acts.clone());
                let recording = state.tab_states.get(&opener).and_then(|opener| opener.recording.clone());
                let tab_state = state.tab_states.entry(tab).or_default();
                tab_state.recording = recording;
                tab_state.overrides = overrides;
                tab_state.routes = routes;
                tab_state.init_scripts = scripts;
                // A page that an agent's page opens follows the same dialog policy.
                tab_state.dialogs.during_acts = dialogs.unwrap_or_default();
                (tab, state.tabs.seen(target.clone(), false))
            })
        };
        match adopted {
            Some((tab, follows)) => {
                self.follow(follows);
                self.page_attached(tab, session, target);
            }
            None => session.post(RunIfWaitingForDebuggerParams {}),
        }
    }

    fn engaging_failed(&self, tab: TabId, error: BrowserError) {
        if let Some(engaged) = self.state().engaged.remove(&tab) {
            engaged.phase.send_replace(Phase::Failed(error));
        }
    }
}

/// Attaches to related targets of one type only, and holds them until they are set up.
pub(super) fn auto_attach(kind: &str) -> SetAutoAttachParams {
    auto_attach_to(&[kind])
}

/// Attaches to the targets inside a page: out-of-process frames and workers.
fn auto_attach_inner() -> SetAutoAttachParams {
    auto_attach_to(&["iframe", "worker"])
}

fn auto_attach_to(kinds: &[&str]) -> SetAutoAttachParams {
    SetAutoAttachParams { filter: Some(only(kinds)), ..auto_attach_waiting() }
}
