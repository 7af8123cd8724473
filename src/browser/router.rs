//! Applies each DevTools event to the browser's state.
//!
//! Owns the reactions. They run in the reader task, so that a reply is delivered only after the events before it have
//! taken effect. Nothing here waits.

use super::cdp::Observer;
use super::devtools::page::{GetFrameTreeParams, HandleJavaScriptDialogParams, ScreencastFrameAckParams};
use super::devtools::runtime::RunIfWaitingForDebuggerParams;
use super::devtools::target::{SessionId, TargetInfo};
use super::devtools_session::Session;
use super::dialogs::{Decision, Dialog, LONGEST_TEXT};
use super::effects::RecordedEffect;
use super::error::BrowserError;
use super::events::Event;
use super::frames::Frame;
use super::page::error_text;
use super::shared::{Engaged, Phase, Role, Shared};
use super::tabs::BrowserEvent;
use super::targets::{Attached, Detached, FrameNavigated, NavigatedWithinDocument, TargetLost, TargetSeen};
use gstack_base::shorten::shorten;
use gstack_protocol::ids::{TabId, TargetId};
use gstack_protocol::relay::Refusal;
use serde::Deserialize;
use std::sync::{Arc, Weak};

/// A page chooses the scheme.
const LONGEST_SCHEME: usize = 40;

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
struct FileChooserOpened {
    mode: String,
    #[serde(default)]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct NavigationRequested {
    url: String,
}

#[derive(Deserialize)]
struct WindowOpen {
    #[serde(default)]
    url: String,
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
        shared.limit_reports(event);
        let (domain, name) = event.method().split_once('.').unwrap_or_default();
        match domain {
            "Target" => shared.target_event(name, event),
            // In other browsers the `Browser` domain sends these events, with more detail.
            "Page"
                if matches!(name, "downloadWillBegin" | "downloadProgress")
                    && shared.hears_of_downloads_from_pages() =>
            {
                shared.download_event(name, event);
            }
            "Page" | "Runtime" => shared.page_event(event),
            "Browser" => shared.download_event(name, event),
            "Fetch" if name == "requestPaused" => shared.request_paused(event),
            "Fetch" if name == "authRequired" => shared.auth_required(event),
            "Network" if matches!(name, "responseReceived" | "requestWillBeSent") => shared.network_event(event),
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
        // Only the browser's own session receives events of all targets; the others receive those of their own
        // auto-attach.
        let is_root = event.session() == self.cdp.root().id();
        match name {
            "targetCreated" | "targetInfoChanged" if is_root => {
                let Some(TargetSeen { target_info }) = event.read() else { return };
                self.preview_seen(&target_info);
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
                let follows = {
                    let mut state = self.state();
                    state.printing.target_ended(&target_id);
                    let follows = state.tabs.destroyed(&TargetId::new(target_id));
                    state.note_closed(&follows);
                    follows
                };
                self.follow(follows);
            }
            "targetCrashed" if is_root => {
                let Some(TargetLost { target_id }) = event.read() else { return };
                let page = TargetId::new(target_id);
                let (follows, session) = {
                    let mut state = self.state();
                    let tab = state.tabs.by_page(&page).map(|info| info.id);
                    let session = tab.and_then(|tab| state.engaged.get(&tab)?.page.clone());
                    (state.tabs.crashed(&page), session)
                };
                self.follow(follows);
                if let Some(session) = session {
                    self.cdp.give_up(&session);
                }
            }
            "attachedToTarget" => {
                let Some(attached) = event.read::<Attached>() else { return };
                if is_root {
                    self.attached_to_root(attached);
                } else if let Some(parent) = event.session() {
                    self.attached(parent, attached);
                }
            }
            "detachedFromTarget" => {
                let Some(Detached { session_id, refusal }) = event.read() else { return };
                self.detached(&session_id, refusal);
            }
            _ => {}
        }
    }

    fn attached(self: &Arc<Self>, parent: &SessionId, attached: Attached) {
        let Attached { session_id, target_info, .. } = attached;
        let Some(role) = self.state().sessions.get(parent).cloned() else { return };
        let session = self.cdp.session(session_id);
        match role {
            Role::Probe(target) if is_primary_page(&target_info) => {
                let page = TargetId::new(target_info.target_id);
                let follows = self.state().tabs.page_found(&target, Some(page));
                self.follow(follows);
            }
            Role::Tab(tab) if is_primary_page(&target_info) => self.page_attached(tab, &session, &target_info),
            Role::Opening(target) if is_primary_page(&target_info) => {
                self.page_opening(parent, &target, &session, &target_info);
            }
            Role::Page(tab) | Role::Frame(tab) if target_info.kind == "iframe" => self.set_up(tab, &session, false),
            Role::Page(tab) | Role::Frame(tab) | Role::Worker(tab) if target_info.kind == "worker" => {
                self.set_up_worker(tab, &session);
            }
            _ => session.post(RunIfWaitingForDebuggerParams {}),
        }
    }

    /// Ignores sessions that a caller attached explicitly: the caller gets the session from the reply.
    fn attached_to_root(self: &Arc<Self>, attached: Attached) {
        let Attached { session_id, target_info, waiting_for_debugger } = attached;
        if target_info.kind == "tab" && waiting_for_debugger {
            let target = TargetId::new(target_info.target_id);
            self.tab_opening(&self.cdp.session(session_id), target);
        }
    }

    pub(super) fn read_frames(self: &Arc<Self>, tab: TabId, session: &Session) {
        let Some(id) = session.id().cloned() else { return };
        let shared = Arc::downgrade(self);
        session.post_then(GetFrameTreeParams {}, move |reply| {
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

    fn detached(&self, session: &SessionId, refusal: Option<Refusal>) {
        let mut ended = self.forget_session(session, refusal);
        ended.push(session.clone());
        self.give_up(&ended);
    }

    /// Removes a session; returns the ids of the sessions that ended with it.
    fn forget_session(&self, session: &SessionId, refusal: Option<Refusal>) -> Vec<SessionId> {
        let mut state = self.state();
        match state.sessions.remove(session) {
            Some(Role::Tab(tab)) => {
                let others = state.forget_sessions(tab);
                let why = refusal.map_or(BrowserError::FrameGone, BrowserError::Relay);
                if let Some(engaged) = state.engaged.remove(&tab) {
                    engaged.phase.send_replace(Phase::Failed(why));
                }
                if let Some(refusal) = refusal {
                    state.tab_states.entry(tab).or_default().detached_by_user = refusal == Refusal::Cancelled;
                    drop(state);
                    self.tell(BrowserEvent::SentOut(tab, refusal));
                }
                return others;
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
            Some(Role::Probe(_) | Role::Opening(_) | Role::Worker(_)) | None => {}
        }
        Vec::new()
    }

    /// Returns the engaged tab whose page or frame the session is.
    fn tab_of(&self, session: &SessionId) -> Option<TabId> {
        match self.state().sessions.get(session) {
            Some(Role::Page(tab) | Role::Frame(tab)) => Some(*tab),
            _ => None,
        }
    }

    fn network_event(self: &Arc<Self>, event: &Event) {
        if let Some(tab) = event.session().and_then(|session| self.state().sessions.get(session)?.tab()) {
            self.answered(tab, event);
            self.asked_by(tab, event);
        }
    }

    fn page_event(self: &Arc<Self>, event: &Event) {
        let Some(session) = event.session() else { return };
        let Some(tab) = self.tab_of(session) else { return };
        match event.method() {
            "Page.frameNavigated" => self.frame_navigated(tab, session, event),
            "Page.javascriptDialogOpening" => self.dialog_opening(tab, session, event),
            "Page.javascriptDialogClosed" => {
                let Some(DialogClosed { result, user_input }) = event.read() else { return };
                self.dialog_closed(tab, result, user_input);
            }
            "Runtime.bindingCalled" => self.binding_called(tab, event),
            "Page.screencastFrame" => {
                // Unacknowledged frames would stop the drawing that the screencast is started for.
                let Some(ScreencastFrame { session_id }) = event.read() else { return };
                self.cdp.session(session.clone()).post(ScreencastFrameAckParams::new(session_id));
            }
            method => {
                let mut state = self.state();
                if let Some(engaged) = state.engaged.get_mut(&tab) {
                    engaged.frames.apply(session, event);
                }
                if let Some(effects) = state.tab_states.get(&tab).and_then(|tab_state| tab_state.effects.as_ref()) {
                    let main = state.engaged.get(&tab).and_then(|engaged| engaged.frames.main());
                    if let Some(noted) = noted(method, event, main) {
                        effects.note(noted);
                    }
                }
            }
        }
    }

    fn dialog_closed(&self, tab: TabId, accepted: bool, text: Option<String>) {
        let held = {
            let mut state = self.state();
            let tab_state = state.tab_states.entry(tab).or_default();
            tab_state.dialogs.closed(accepted, text);
            if let (Some(effects), Some(record)) = (&tab_state.effects, tab_state.dialogs.last()) {
                effects.dialog_closed(accepted, record.text.clone());
            }
            std::mem::take(&mut tab_state.dialogs.held)
        };
        self.cdp.unhold(&held);
    }

    fn frame_navigated(self: &Arc<Self>, tab: TabId, session: &SessionId, event: &Event) {
        let Some(navigated) = event.read::<FrameNavigated>() else { return };
        let is_main = navigated.is_of_page();
        self.document_shown(tab, &navigated.frame.loader_id);
        let follows = {
            let mut state = self.state();
            let Some(engaged) = state.engaged.get_mut(&tab) else { return };
            engaged.frames.navigated(session, &navigated.frame);
            if is_main {
                engaged.mark_ready();
                if let Some(effects) = state.tab_states.get(&tab).and_then(|tab_state| tab_state.effects.as_ref()) {
                    effects.note(RecordedEffect::Navigated(navigated.frame.full_url()));
                }
                state.tabs.has_new_document(tab)
            } else {
                Vec::new()
            }
        };
        self.follow(follows);
        if is_main {
            self.override_again(tab);
        }
        if navigated.is_restored() {
            // The child frames of a restored document are not reported one by one.
            self.read_frames(tab, &self.cdp.session(session.clone()));
        }
    }

    fn dialog_opening(&self, tab: TabId, session: &SessionId, event: &Event) {
        let Some(mut dialog) = event.read::<Dialog>() else { return };
        dialog.cut();
        let decision = {
            let mut state = self.state();
            let tab_state = state.tab_states.entry(tab).or_default();
            let ours = (self.options.headless || tab_state.holds > 0) && tab_state.cdp_clients == 0;
            let decision = tab_state.dialogs.decide(dialog.clone(), ours);
            if let (Some(effects), Some(record)) = (&tab_state.effects, tab_state.dialogs.last()) {
                effects.note(RecordedEffect::Dialog(record.clone()));
            }
            if decision == Decision::Tell {
                let of_tab = |(_, role): &(&SessionId, &Role)| role.tab() == Some(tab);
                let held: Vec<SessionId> = state.sessions.iter().filter(of_tab).map(|(id, _)| id.clone()).collect();
                self.cdp.hold(&held);
                state.tab_states.entry(tab).or_default().dialogs.held = held;
            }
            decision
        };
        match decision {
            Decision::Answer { accept, text } => {
                let answer = HandleJavaScriptDialogParams { accept, prompt_text: text };
                self.cdp.session(session.clone()).post(answer);
            }
            Decision::Tell => self.tell(BrowserEvent::DialogOpened(tab, dialog)),
            Decision::Leave => {}
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

/// Returns the effect on the running action that a page's event reports.
fn noted(method: &str, event: &Event, main: Option<&Frame>) -> Option<RecordedEffect> {
    match method {
        "Page.windowOpen" => Some(RecordedEffect::WindowAsked(event.read::<WindowOpen>()?.url)),
        "Page.navigatedWithinDocument" => {
            let went = event.read::<NavigatedWithinDocument>()?;
            main.is_some_and(|main| main.id.as_str() == went.frame_id).then_some(RecordedEffect::Navigated(went.url))
        }
        "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" => {
            error_text(event).map(|text| RecordedEffect::ConsoleError(shorten(&text, LONGEST_TEXT)))
        }
        "Page.fileChooserOpened" => {
            let opened = event.read::<FileChooserOpened>()?;
            Some(RecordedEffect::FileChooser {
                takes_many: opened.mode == "selectMultiple",
                is_picker: opened.backend_node_id.is_none(),
            })
        }
        "Page.frameRequestedNavigation" => {
            program_of(&event.read::<NavigationRequested>()?.url).map(RecordedEffect::ProgramAsked)
        }
        _ => None,
    }
}

/// Returns the scheme of an address that the browser does not open itself.
fn program_of(url: &str) -> Option<String> {
    const OWN: [&str; 12] = [
        "http",
        "https",
        "file",
        "about",
        "data",
        "blob",
        "javascript",
        "filesystem",
        "chrome",
        "chrome-extension",
        "view-source",
        "devtools",
    ];
    let scheme = url.split_once(':')?.0.to_ascii_lowercase();
    (!OWN.contains(&scheme.as_str())).then(|| shorten(&scheme, LONGEST_SCHEME))
}

fn is_primary_page(target: &TargetInfo) -> bool {
    target.kind == "page" && target.subtype.as_deref() != Some("prerender")
}
