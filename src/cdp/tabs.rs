//! The tabs of a client, as leases and pages change.
//!
//! Owns the client's view of its tabs, and attaching to them. The client learns nothing of tabs outside its lease.

use super::message::{self, Refusal};
use super::session::{Held, Role, Session};
use super::targets::{Kind, Shown};
use gstack_browser::devtools::target::SessionId;
use gstack_browser::keep_attached::ServesClient;
use gstack_browser::tabs::TabInfo;
use gstack_protocol::ids::TabId;
use serde_json::json;
use std::time::Duration;

/// A page that hangs or has crashed does not hold up the client for longer.
const READY_LIMIT: Duration = Duration::from_secs(5);

/// A tab that the client was told of.
pub(super) struct Leased {
    pub(super) shown: Shown,
    _serves: ServesClient,
}

impl Session {
    /// Brings what the client knows in step with its leases and their pages.
    pub(super) async fn sync(&mut self) {
        let now = self.client.tabs();
        let gone: Vec<TabId> =
            self.tabs.keys().filter(|known| !now.iter().any(|tab| tab.id == **known)).copied().collect();
        gone.into_iter().for_each(|tab| self.lose(tab));
        for info in &now {
            let Some(shown) = self.shown(info) else {
                // Its page is found once gstack is attached.
                self.gain(info).await;
                continue;
            };
            match self.tabs.get_mut(&info.id) {
                None => self.gain(info).await,
                Some(known) if known.shown.page != shown.page => {
                    let former = std::mem::replace(&mut known.shown, shown);
                    self.page_replaced(&former).await;
                }
                Some(known) if known.shown != shown => {
                    known.shown = shown;
                    self.tell_of(info.id, "Target.targetInfoChanged");
                }
                Some(_) => {}
            }
        }
    }

    fn shown(&self, info: &TabInfo) -> Option<Shown> {
        let opener = info.opener.and_then(|opener| Some(self.tabs.get(&opener)?.shown.page.clone()));
        Shown::of(info, opener, self.context_of(info))
    }

    async fn gain(&mut self, info: &TabInfo) {
        let Ok(tab) = self.browser.tab(info.id) else { return };
        let Ok(serves) = tab.serve_client() else { return };
        if let Ok(Err(error)) = tokio::time::timeout(READY_LIMIT, tab.engage()).await {
            tracing::debug!(%error, "a CDP client's tab is not set up");
        }
        let Some(shown) = tab.info().ok().and_then(|info| self.shown(&info)) else { return };
        self.tabs.insert(info.id, Leased { shown, _serves: serves });
        self.tell_of(info.id, "Target.targetCreated");
        self.attach_wanted(info.id).await;
    }

    /// Attaches to the targets of a tab that the client wants attached and is not attached to.
    pub(super) async fn attach_wanted(&mut self, tab: TabId) {
        for kind in Kind::BOTH {
            let wanted = self.auto_attach.as_ref().is_some_and(|filter| filter.includes(kind));
            if wanted
                && !self.is_attached(tab, kind)
                && let Err(refusal) = self.attach(tab, kind).await
            {
                tracing::info!(%tab, error = refusal.message(), "a CDP client is not attached to a tab");
            }
        }
    }

    async fn page_replaced(&mut self, former: &Shown) {
        if self.discover.as_ref().is_some_and(|filter| filter.includes(Kind::Page)) {
            self.out.push(message::event("Target.targetDestroyed", None, json!({ "targetId": former.page })));
            self.tell_of_one(former.tab, Kind::Page, "Target.targetCreated");
        }
        self.attach_wanted(former.tab).await;
    }

    /// Ends all that the client has of a tab, and tells it so.
    fn lose(&mut self, tab: TabId) {
        let direct = |(id, held): (&SessionId, &Held)| (held.tab == tab && held.parent.is_none()).then(|| id.clone());
        let sessions: Vec<SessionId> = self.sessions.iter().filter_map(direct).collect();
        for id in sessions {
            self.detach(&id);
        }
        let Some(Leased { shown, .. }) = self.tabs.remove(&tab) else { return };
        for kind in Kind::BOTH {
            if self.discover.as_ref().is_some_and(|filter| filter.includes(kind)) {
                let gone = json!({ "targetId": shown.target(kind) });
                self.out.push(message::event("Target.targetDestroyed", None, gone));
            }
        }
    }

    /// Reports both targets of a tab, if the client wants them.
    pub(super) fn tell_of(&mut self, tab: TabId, method: &str) {
        for kind in Kind::BOTH {
            if self.discover.as_ref().is_some_and(|filter| filter.includes(kind)) {
                self.tell_of_one(tab, kind, method);
            }
        }
    }

    fn tell_of_one(&mut self, tab: TabId, kind: Kind, method: &str) {
        let Some(known) = self.tabs.get(&tab) else { return };
        let info = known.shown.info(kind, self.is_attached(tab, kind));
        self.out.push(message::event(method, None, json!({ "targetInfo": info })));
    }

    pub(super) fn is_attached(&self, tab: TabId, kind: Kind) -> bool {
        self.sessions.values().any(|held| held.tab == tab && held.role == Role::Direct(kind))
    }

    /// Attaches to a target of a leased tab, and tells the client.
    pub(super) async fn attach(&mut self, tab: TabId, kind: Kind) -> Result<SessionId, Refusal> {
        let shown = self.tabs.get(&tab).map(|leased| leased.shown.clone());
        let shown = shown.filter(|shown| !self.browser_frames.has(&shown.page));
        let shown = shown.ok_or_else(|| Refusal::failed("No target with given id found"))?;
        let session = self.link.attach(shown.target(kind)).await?;
        if kind == Kind::Page {
            self.prepare_session(&session);
        }
        let held = Held { tab, role: Role::Direct(kind), target: shown.target(kind).to_owned(), parent: None };
        self.sessions.insert(session.clone(), held);
        let params = json!({ "sessionId": session, "targetInfo": shown.info(kind, true), "waitingForDebugger": false });
        self.out.push(message::event("Target.attachedToTarget", None, params));
        Ok(session)
    }

    /// Ends a session that `attach` began, and tells the client.
    pub(super) fn detach(&mut self, id: &SessionId) {
        let Some(held) = self.sessions.get(id).cloned() else { return };
        self.stop_held();
        self.link.detach(id);
        self.forget(id);
        let params = json!({ "sessionId": id, "targetId": held.target });
        self.out.push(message::event("Target.detachedFromTarget", None, params));
    }

    /// Makes the page of a new session take input as if it were in front.
    pub(super) fn prepare_session(&self, session: &SessionId) {
        self.tell(session, "Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
    }
}
