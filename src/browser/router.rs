//! What each DevTools event means for the browser's state.
//!
//! Owns the reactions; they run in the reader's task, so that a reply is never handed out before the events that
//! came ahead of it have taken effect. Nothing here waits.

use super::browser::{Engaged, Phase, Role, Shared};
use super::cdp::Observer;
use super::dialogs::{Decision, Dialog};
use super::error::BrowserError;
use super::events::Event;
use super::frames::FrameTree;
use super::session::Session;
use super::tabs::BrowserEvent;
use super::targets::{
    Attached, ContextCreated, ContextDestroyed, Detached, FrameAttached, FrameDetached, FrameNavigated,
    NavigatedWithinDocument, ReadFrameTree, TargetInfo, TargetLost, TargetSeen,
};
use crate::protocol::ids::{TabId, TargetId};
use chromiumoxide::cdp::browser_protocol::emulation::SetFocusEmulationEnabledParams;
use chromiumoxide::cdp::browser_protocol::network::EnableParams as NetworkEnable;
use chromiumoxide::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, EnableParams as PageEnable, HandleJavaScriptDialogParams,
    ScreencastFrameAckParams, SetLifecycleEventsEnabledParams,
};
use chromiumoxide::cdp::browser_protocol::target::{
    AttachToTargetParams, DetachFromTargetParams, FilterEntry, SessionId, SetAutoAttachParams, TargetFilter,
};
use chromiumoxide::cdp::js_protocol::runtime::{EnableParams as RuntimeEnable, RunIfWaitingForDebuggerParams};
use serde::Deserialize;
use std::sync::{Arc, Weak};
use tokio::sync::watch;

/// Keeps the state of a browser in step with its events.
pub(super) struct Router {
    shared: Weak<Shared>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogClosed {
    result: bool,
    #[serde(default)]
    user_input: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScreencastFrame {
    session_id: i64,
}

impl Router {
    pub(super) fn new(shared: Weak<Shared>) -> Self {
        Self { shared }
    }
}

impl Observer for Router {
    fn event(&self, event: &Event) {
        let Some(shared) = self.shared.upgrade() else { return };
        let (domain, name) = event.method().split_once('.').unwrap_or_default();
        match domain {
            "Target" => shared.target_event(name, event),
            "Page" | "Runtime" => shared.page_event(event),
            _ => {}
        }
    }

    fn gone(&self) {
        let Some(shared) = self.shared.upgrade() else { return };
        for (_, engaged) in shared.state().engaged.drain() {
            engaged.phase.send_replace(Phase::Failed(BrowserError::Gone));
        }
        shared.tell(BrowserEvent::Gone);
    }
}

impl Shared {
    fn target_event(self: &Arc<Self>, name: &str, event: &Event) {
        // Only the browser's own session is told of all targets; the others attach on their own behalf.
        let is_root = event.session() == self.cdp.root().id();
        match name {
            "targetCreated" | "targetInfoChanged" if is_root => {
                let Some(TargetSeen { target_info }) = event.read() else { return };
                let follows = {
                    let mut state = self.state();
                    let incognito =
                        state.default_context.is_some() && state.default_context != target_info.browser_context_id;
                    state.tabs.seen(target_info, incognito)
                };
                self.follow(follows);
            }
            "targetDestroyed" if is_root => {
                let Some(TargetLost { target_id }) = event.read() else { return };
                let follows = self.state().tabs.destroyed(&TargetId::new(target_id));
                self.follow(follows);
            }
            "targetCrashed" if is_root => {
                let Some(TargetLost { target_id }) = event.read() else { return };
                let follows = self.state().tabs.crashed(&TargetId::new(target_id));
                self.follow(follows);
            }
            "attachedToTarget" => {
                let (Some(parent), Some(attached)) = (event.session(), event.read()) else { return };
                self.attached(parent, attached);
            }
            "detachedFromTarget" => {
                let Some(Detached { session_id }) = event.read() else { return };
                self.detached(&session_id);
            }
            _ => {}
        }
    }

    fn attached(self: &Arc<Self>, parent: &SessionId, attached: Attached) {
        let Attached { session_id, target_info } = attached;
        let Some(role) = self.state().sessions.get(parent).cloned() else { return };
        let session = self.cdp.session(session_id);
        match role {
            Role::Probe(target) if is_primary_page(&target_info) => {
                let page = TargetId::new(target_info.target_id);
                let follows = self.state().tabs.page_found(&target, Some(page));
                self.follow(follows);
            }
            Role::Tab(tab) if is_primary_page(&target_info) => self.page_attached(tab, &session, &target_info),
            Role::Page(tab) | Role::Frame(tab) if target_info.kind == "iframe" => self.set_up(tab, &session, false),
            _ => session.post(RunIfWaitingForDebuggerParams {}),
        }
    }

    /// The tab has a page (another page): it becomes the one that commands go to.
    fn page_attached(self: &Arc<Self>, tab: TabId, session: &Session, target: &TargetInfo) {
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
    fn set_up(self: &Arc<Self>, tab: TabId, session: &Session, is_page: bool) {
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

    fn read_frames(self: &Arc<Self>, tab: TabId, session: &Session) {
        let Some(id) = session.id().cloned() else { return };
        let shared = Arc::downgrade(self);
        session.post_then(ReadFrameTree {}, move |reply| {
            let Some(shared) = shared.upgrade() else { return };
            let mut state = shared.state();
            let Some(engaged) = state.engaged.get_mut(&tab) else { return };
            match reply {
                Ok(reply) => {
                    engaged.frames.load(&id, &reply.frame_tree);
                    engaged.mark_ready();
                }
                Err(error) => tracing::debug!(%error, "the frames of a page can't be read"),
            }
        });
    }

    fn detached(&self, session: &SessionId) {
        let mut state = self.state();
        match state.sessions.remove(session) {
            Some(Role::Tab(tab)) => {
                if let Some(engaged) = state.engaged.remove(&tab) {
                    engaged.phase.send_replace(Phase::Failed(BrowserError::FrameGone));
                }
            }
            Some(Role::Page(tab)) => {
                if let Some(engaged) = state.engaged.get_mut(&tab) {
                    engaged.frames.session_ended(session);
                    if engaged.page.as_ref() == Some(session) {
                        engaged.page = None;
                        engaged.phase.send_replace(Phase::Attaching);
                    }
                }
            }
            Some(Role::Frame(tab)) => {
                if let Some(engaged) = state.engaged.get_mut(&tab) {
                    engaged.frames.session_ended(session);
                }
            }
            Some(Role::Probe(_)) | None => {}
        }
    }

    fn page_event(self: &Arc<Self>, event: &Event) {
        let Some(session) = event.session() else { return };
        let tab = match self.state().sessions.get(session) {
            Some(Role::Page(tab) | Role::Frame(tab)) => *tab,
            _ => return,
        };
        match event.method() {
            "Page.frameNavigated" => self.frame_navigated(tab, session, event),
            "Page.javascriptDialogOpening" => self.dialog_opening(tab, session, event),
            "Page.javascriptDialogClosed" => {
                let Some(DialogClosed { result, user_input }) = event.read() else { return };
                self.state().desks.entry(tab).or_default().dialogs.closed(result, user_input);
            }
            "Page.screencastFrame" => {
                // Unacknowledged frames would stop the drawing that the screencast is held for.
                let Some(ScreencastFrame { session_id }) = event.read() else { return };
                self.cdp.session(session.clone()).post(ScreencastFrameAckParams::new(session_id));
            }
            _ => {
                if let Some(engaged) = self.state().engaged.get_mut(&tab) {
                    engaged.frames.apply(session, event);
                }
            }
        }
    }

    fn frame_navigated(self: &Arc<Self>, tab: TabId, session: &SessionId, event: &Event) {
        let Some(navigated) = event.read::<FrameNavigated>() else { return };
        let is_main = navigated.frame.parent_id.is_none();
        let follows = {
            let mut state = self.state();
            let Some(engaged) = state.engaged.get_mut(&tab) else { return };
            engaged.frames.navigated(session, &navigated.frame);
            if is_main {
                engaged.mark_ready();
                state.tabs.has_new_document(tab)
            } else {
                Vec::new()
            }
        };
        self.follow(follows);
        if navigated.is_restored() {
            // A restored document's child frames are not reported one by one.
            self.read_frames(tab, &self.cdp.session(session.clone()));
        }
    }

    fn dialog_opening(&self, tab: TabId, session: &SessionId, event: &Event) {
        let Some(dialog) = event.read::<Dialog>() else { return };
        let decision = {
            let mut state = self.state();
            let desk = state.desks.entry(tab).or_default();
            let ours = self.options.headless || desk.holds > 0;
            desk.dialogs.decide(dialog.clone(), ours)
        };
        match decision {
            Decision::Answer { accept, text } => {
                let mut answer = HandleJavaScriptDialogParams::new(accept);
                answer.prompt_text = text;
                self.cdp.session(session.clone()).post(answer);
            }
            Decision::Tell => self.tell(BrowserEvent::DialogOpened(tab, dialog)),
            Decision::Leave => {}
        }
    }

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

    fn engaging_failed(&self, tab: TabId, error: BrowserError) {
        if let Some(engaged) = self.state().engaged.remove(&tab) {
            engaged.phase.send_replace(Phase::Failed(error));
        }
    }
}

impl Engaged {
    fn mark_ready(&self) {
        if self.page.is_some() {
            self.phase.send_replace(Phase::Ready);
        }
    }
}

impl FrameTree {
    /// The events that change only the tree.
    fn apply(&mut self, session: &SessionId, event: &Event) {
        match event.method() {
            "Page.frameAttached" => {
                let Some(FrameAttached { frame_id, parent_frame_id }) = event.read() else { return };
                self.attached(session, &frame_id, &parent_frame_id);
            }
            "Page.frameDetached" => {
                let Some(FrameDetached { frame_id, reason }) = event.read() else { return };
                self.detached(session, &frame_id, reason == "swap");
            }
            "Page.navigatedWithinDocument" => {
                let Some(NavigatedWithinDocument { frame_id, url }) = event.read() else { return };
                self.navigated_within_document(&frame_id, &url);
            }
            "Runtime.executionContextCreated" => {
                let Some(ContextCreated { context }) = event.read() else { return };
                self.context_created(session, context);
            }
            "Runtime.executionContextDestroyed" => {
                let Some(ContextDestroyed { execution_context_id }) = event.read() else { return };
                self.context_destroyed(session, execution_context_id);
            }
            "Runtime.executionContextsCleared" => self.contexts_cleared(session),
            _ => {}
        }
    }
}

fn is_primary_page(target: &TargetInfo) -> bool {
    target.kind == "page" && target.subtype.as_deref() != Some("prerender")
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
