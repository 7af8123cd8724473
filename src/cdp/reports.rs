//! What the browser reports to a client: the events of its sessions, and the sessions that begin and end below them.
//!
//! Owns the choice of what is passed on.

use super::frames::is_of_browser;
use super::message;
use super::own_names::Told;
use super::session::{Held, Role, Session};
use super::targets::Kind;
use gstack_browser::client_link::FRAME_LEAVES;
use gstack_browser::devtools::target::SessionId;
use gstack_browser::events::Event;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: SessionId,
    target_info: TargetOf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetOf {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Leaves {
    frame_id: String,
    #[serde(default)]
    url: String,
}

#[derive(Deserialize)]
struct OfDownload {
    guid: String,
}

impl Session {
    /// Handles an event of one of the client's sessions, or of the browser.
    pub(super) fn heard(&mut self, event: &Event) {
        if event.method() == FRAME_LEAVES {
            self.frame_leaves(event);
        }
        let of = event.session().and_then(|id| self.sessions.get(id).cloned().map(|held| (id.clone(), held)));
        let Some((id, held)) = of else {
            match event.method() {
                "Target.detachedFromTarget" => self.session_ended(event, None),
                method if method.starts_with("Browser.download") => {
                    let tab = event.read().and_then(|OfDownload { guid }| self.browser.tab_of_download(&guid));
                    self.download_event(event, tab);
                }
                _ => {}
            }
            return;
        };
        match event.method() {
            "Target.attachedToTarget" => self.attached_below(event, &id, &held),
            "Target.detachedFromTarget" => self.session_ended(event, Some(&id)),
            method if method.starts_with("Target.") => {}
            // The browser itself is out of reach there, and its pages tell of their downloads.
            method if method.starts_with("Page.download") && self.browser.is_relayed() => {
                self.download_event(event, Some(held.tab));
            }
            method => {
                if method == "Fetch.requestPaused" {
                    let given_up = self.held_requests.learn(event, &id);
                    self.fail_held(given_up.into_iter().collect());
                }
                if method == "Tracing.tracingComplete" {
                    self.own_names.learn(Told::Stream, event.params());
                }
                self.out.push(message::forwarded(method, &id, event.params()));
            }
        }
    }

    /// Ends the client's sessions in a frame that goes to something of the browser.
    pub(super) fn frame_leaves(&mut self, event: &Event) {
        let Some(Leaves { frame_id, url }) = event.read() else { return };
        if !self.browser_frames.leaves(&frame_id, &url) {
            return;
        }
        self.stop_held();
        let inside = |(id, held): (&SessionId, &Held)| (held.target == frame_id).then(|| (id.clone(), held.clone()));
        let ended: Vec<(SessionId, Held)> = self.sessions.iter().filter_map(inside).collect();
        for (id, held) in ended {
            let Some(parent) = held.parent else {
                self.detach(&id);
                continue;
            };
            self.tell(&parent, "Target.detachFromTarget", &json!({ "sessionId": id }));
            self.forget(&id);
            let gone = json!({ "sessionId": id, "targetId": held.target });
            self.out.push(message::event("Target.detachedFromTarget", Some(&parent), gone));
        }
    }

    /// A target inside a client's target: a page in a tab, a frame or a worker.
    fn attached_below(&mut self, event: &Event, parent: &SessionId, held: &Held) {
        let Some(Attached { session_id, target_info: TargetOf { target_id, kind, url } }) = event.read() else {
            return;
        };
        let is_closed = is_of_browser(&url) || self.browser_frames.has(&target_id);
        let role = match (held.role, kind.as_str()) {
            (Role::Direct(Kind::Tab), "page") if !is_closed => Role::Direct(Kind::Page),
            (Role::Direct(Kind::Page) | Role::Inner, "iframe" | "worker") if !is_closed => Role::Inner,
            _ => {
                self.tell(&session_id, "Runtime.runIfWaitingForDebugger", &json!({}));
                self.tell(parent, "Target.detachFromTarget", &json!({ "sessionId": session_id }));
                return self.link.ended(&session_id);
            }
        };
        self.prepare_session(&session_id);
        let below = Held { tab: held.tab, role, target: target_id, parent: Some(parent.clone()) };
        self.sessions.insert(session_id, below);
        self.out.push(message::forwarded(event.method(), parent, event.params()));
    }

    fn session_ended(&mut self, event: &Event, parent: Option<&SessionId>) {
        let Some(Detached { session_id }) = event.read() else { return };
        let Some(held) = self.forget(&session_id) else { return };
        let params = json!({ "sessionId": session_id, "targetId": held.target });
        self.out.push(message::event("Target.detachedFromTarget", parent, params));
    }

    /// Forgets a session and all below it.
    pub(super) fn forget(&mut self, id: &SessionId) -> Option<Held> {
        let held = self.sessions.remove(id)?;
        self.link.ended(id);
        self.held_requests.forget(id);
        let below: Vec<SessionId> =
            self.sessions.iter().filter(|(_, one)| one.parent.as_ref() == Some(id)).map(|(id, _)| id.clone()).collect();
        for id in below {
            self.forget(&id);
        }
        Some(held)
    }
}
