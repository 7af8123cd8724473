//! What a page is told.
//!
//! Owns the order and the amount of what is sent: of states, approvals and pictures only the newest waits, of steps the last
//! hundred. So a slow page costs no memory and is never behind.

use super::message::message;
use super::shown_tab::Watched;
use super::watching::Watching;
use bytes::Bytes;
use gstack_base::visible::visible;
use gstack_protocol::control::WaitingApprovals;
use gstack_protocol::policy::PolicyBrowser;
use serde_json::{Value, json};

/// Pictures that the page got and has not drawn. One is on its way while one is drawn.
const MOST_UNDRAWN: u64 = 2;
const HANGS: &str = "The page in this tab does not respond. The picture may be old.";

impl Watching {
    pub(super) fn has_message(&self) -> bool {
        self.is_stale
            || self.approvals.is_some()
            || !self.steps.is_empty()
            || self.copied.is_some()
            || self.picture.is_some() && self.sent - self.drawn < MOST_UNDRAWN
    }

    /// Returns what is to be sent next.
    pub(super) fn message(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_stale) {
            return Some(message(&json!({ "state": self.state() }), &[]));
        }
        if let Some(waiting) = self.approvals.take() {
            return Some(message(&json!({ "approvals": self.waiting(&waiting) }), &[]));
        }
        if !self.steps.is_empty() {
            let steps = std::mem::take(&mut self.steps);
            return Some(message(&json!({ "steps": steps }), &[]));
        }
        if let Some(text) = self.copied.take() {
            return Some(message(&json!({ "copied": text }), &[]));
        }
        let picture = self.picture.take()?;
        self.sent += 1;
        if let Some(attached) = &self.attached {
            attached.taken(&picture);
        }
        let about = json!({ "picture": { "number": self.sent, "width": picture.width, "height": picture.height } });
        Some(message(&about, &picture.jpeg))
    }

    pub(super) fn state(&mut self) -> Value {
        let tabs = self.watched.as_ref().map(|known| known.browser.tabs()).unwrap_or_default();
        let shown = self.shown();
        let attached = self.attached.as_ref();
        let says = match (&self.trouble, attached.is_some_and(|attached| attached.hangs)) {
            (Some(trouble), _) => Some(trouble.as_str()),
            (None, true) => Some(HANGS),
            (None, false) => None,
        };
        let dialog = attached.and_then(|attached| attached.dialog.as_ref()).map(|dialog| {
            json!({ "kind": dialog.kind, "message": visible(&dialog.message), "suggests": dialog.default_prompt })
        });
        let list: Vec<Value> = tabs
            .iter()
            .map(|tab| json!({ "id": tab.id, "title": visible(&tab.title), "url": visible(&tab.url) }))
            .collect();
        json!({
            "tab": shown.filter(|tab| tabs.iter().any(|known| known.id == *tab)),
            "tabs": list,
            "chosen": self.chosen,
            "taken": self.taken.is_some(),
            "paused": self.had_paused,
            "can": attached.is_some(),
            "says": says,
            "old": attached.is_none(),
            "note": self.note.take(),
            "dialog": dialog,
            "source": self.watched.as_ref().map(source),
        })
    }

    pub(super) fn waiting(&self, waiting: &WaitingApprovals) -> Value {
        let views = self.engine.views();
        let approvals: Vec<Value> = waiting
            .approvals
            .iter()
            .map(|one| json!({ "conversation": one.conversation_id, "approval": one.approval_id, "shown": views.shown(one) }))
            .collect();
        json!({ "list": approvals, "questions": waiting.questions.len() })
    }
}

/// Says where the picture comes from.
fn source(watched: &Watched) -> String {
    let from = match watched.kind {
        PolicyBrowser::Own if watched.browser.is_headless() => "a browser without a window on this computer",
        PolicyBrowser::Own => "a browser on this computer",
        PolicyBrowser::Everyday => "your everyday browser, through the gstack extension",
        PolicyBrowser::Attached => "a browser on this computer that gstack did not start",
        PolicyBrowser::Remote => "a browser on another computer",
    };
    format!("Live picture from {from} (DevTools screencast)")
}
