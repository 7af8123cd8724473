//! Attaching: which page a tab holds, engaging a tab, and setting up each page and frame of an engaged one.
//!
//! Owns the order of the commands that do so. Each step follows from the reply to the one before in the reader's task, so
//! that a caller who goes away leaves nothing half done.

use super::browser::{Engaged, Phase, Role, Shared};
use super::error::BrowserError;
use super::frames::FrameTree;
use super::session::Session;
use super::targets::TargetInfo;
use crate::protocol::ids::{TabId, TargetId};
use chromiumoxide::cdp::browser_protocol::emulation::SetFocusEmulationEnabledParams;
use chromiumoxide::cdp::browser_protocol::network::EnableParams as NetworkEnable;
use chromiumoxide::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, EnableParams as PageEnable, SetLifecycleEventsEnabledParams,
};
use chromiumoxide::cdp::browser_protocol::target::{
    AttachToTargetParams, DetachFromTargetParams, FilterEntry, SessionId, SetAutoAttachParams, TargetFilter,
};
use chromiumoxide::cdp::js_protocol::runtime::{EnableParams as RuntimeEnable, RunIfWaitingForDebuggerParams};
use std::sync::Arc;
use tokio::sync::watch;

impl Shared {
    /// Learns which page a tab holds, by a short attachment to the *tab* target: nothing in the page notices.
    pub(super) fn find_page(self: &Arc<Self>, target: TargetId) {
        let attach = attach_to(&target);
        let shared = Arc::downgrade(self);
        let root = self.cdp.root();
        let again = root.clone();
        root.post_then(attach, move |reply| {
            let Some(shared) = shared.upgrade() else { return };
            let Ok(attached) = reply else {
                // The tab closed meanwhile, or is one that can't be attached to.
                let follows = shared.state().tabs.page_found(&target, None);
                shared.follow(follows);
                return;
            };
            let id = attached.session_id;
            shared.state().sessions.insert(id.clone(), Role::Probe(target.clone()));
            let mut auto = SetAutoAttachParams::new(true, false);
            auto.flatten = Some(true);
            let later = Arc::downgrade(&shared);
            // The pages in the tab are reported before this reply.
            shared.cdp.session(id.clone()).post_then(auto, move |_| {
                let Some(shared) = later.upgrade() else { return };
                let follows = shared.state().tabs.page_found(&target, None);
                shared.follow(follows);
            });
            again.post(detach_from(id));
        });
    }

    /// Begins to engage a tab where that has not begun. The receiver is told how it goes on.
    pub(super) fn begin_to_engage(self: &Arc<Self>, tab: TabId) -> Result<watch::Receiver<Phase>, BrowserError> {
        let (attach, phase) = {
            let mut state = self.state();
            if let Some(engaged) = state.engaged.get(&tab) {
                return Ok(engaged.phase.subscribe());
            }
            let info = state.tabs.get(tab).ok_or(BrowserError::TabClosed(tab))?;
            let attach = attach_to(&info.target);
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
            let mut auto = SetAutoAttachParams::new(true, true);
            auto.flatten = Some(true);
            shared.cdp.session(id).post_then(auto, move |reply| {
                if let (Err(error), Some(shared)) = (reply, later.upgrade()) {
                    shared.engaging_failed(tab, error.into());
                }
            });
        });
        Ok(phase)
    }

    /// The tab has a page (another page): it becomes the one that commands go to.
    pub(super) fn page_attached(self: &Arc<Self>, tab: TabId, session: &Session, target: &TargetInfo) {
        let (follows, held) = {
            let mut state = self.state();
            let Some(engaged) = state.engaged.get_mut(&tab) else { return };
            engaged.page = session.id().cloned();
            engaged.frames = FrameTree::default();
            engaged.phase.send_replace(Phase::Attached);
            let held = state.desks.get(&tab).is_some_and(|desk| desk.holds > 0);
            let tab_target = state.tabs.get(tab).map(|info| info.target.clone());
            let page = TargetId::new(target.target_id.as_str());
            (tab_target.map(|tab_target| state.tabs.page_found(&tab_target, Some(page))), held)
        };
        self.follow(follows.unwrap_or_default());
        if held {
            session.post(SetFocusEmulationEnabledParams::new(true));
        }
        self.set_up(tab, session, true);
    }

    /// Everything that a page or frame of an engaged tab needs before it runs on, in the order of arrival.
    pub(super) fn set_up(self: &Arc<Self>, tab: TabId, session: &Session, is_page: bool) {
        let Some(id) = session.id().cloned() else { return };
        let role = if is_page { Role::Page(tab) } else { Role::Frame(tab) };
        self.state().sessions.insert(id, role);
        session.post(PageEnable::default());
        session.post(SetLifecycleEventsEnabledParams::new(true));
        session.post(NetworkEnable::default());
        session.post(RuntimeEnable {});
        for script in &self.options.early_scripts {
            let mut add = AddScriptToEvaluateOnNewDocumentParams::new(script.source.clone());
            add.world_name.clone_from(&script.world);
            add.run_immediately = Some(true);
            session.post(add);
        }
        session.post(auto_attach("iframe"));
        self.read_frames(tab, session);
        session.post(RunIfWaitingForDebuggerParams {});
    }

    fn engaging_failed(&self, tab: TabId, error: BrowserError) {
        if let Some(engaged) = self.state().engaged.remove(&tab) {
            engaged.phase.send_replace(Phase::Failed(error));
        }
    }
}

fn attach_to(target: &TargetId) -> AttachToTargetParams {
    let mut attach = AttachToTargetParams::new(target.as_str().to_owned());
    attach.flatten = Some(true);
    attach
}

pub(super) fn detach_from(session: SessionId) -> DetachFromTargetParams {
    DetachFromTargetParams { session_id: Some(session) }
}

/// Attaches to related targets of one type only, and holds them until they are set up.
fn auto_attach(kind: &str) -> SetAutoAttachParams {
    let mut auto = SetAutoAttachParams::new(true, true);
    auto.flatten = Some(true);
    auto.filter = Some(TargetFilter::new(vec![
        FilterEntry { exclude: None, r#type: Some(kind.to_owned()) },
        FilterEntry { exclude: Some(true), r#type: None },
    ]));
    auto
}
