//! The presses of keys, buttons and fingers that gstack has sent and no page has reported yet.
//!
//! Owns that list. Knows sessions and no tabs, and never decides what a report without a press means.

use super::devtools::target::SessionId;
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A press that is not answered is dropped then: input waits no longer for its reply.
const UNANSWERED: Duration = Duration::from_secs(30);
/// The report of a press may arrive after the reply to it, because they take different ways through the browser. A press
/// that no page reports (it was a key that only scrolls, or its page is gone) hides one press of the person for this long.
const REPORTED_WITHIN: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PressKind {
    Pointer,
    Key,
}

/// The presses that gstack has sent and no page has reported yet.
#[derive(Default)]
pub(super) struct SentPresses(Mutex<Vec<SentPress>>);

struct SentPress {
    /// The command's number on the connection.
    id: u32,
    session: SessionId,
    kind: PressKind,
    ends: Instant,
}

impl SentPresses {
    fn lock(&self) -> MutexGuard<'_, Vec<SentPress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a command if it presses a key, a button or a finger. `params` is its JSON.
    pub(super) fn sent(&self, id: u32, session: Option<&SessionId>, method: &str, params: &[u8]) {
        let Some((session, kind)) = session.zip(pressed_by(method, params)) else { return };
        self.lock().push(SentPress { id, session: session.clone(), kind, ends: Instant::now() + UNANSWERED });
    }

    /// Records that a command was answered.
    pub(super) fn answered(&self, id: u32) {
        if let Some(press) = self.lock().iter_mut().find(|press| press.id == id) {
            press.ends = Instant::now() + REPORTED_WITHIN;
        }
    }

    /// Uses up a press of this kind. Returns `false` if gstack sent none.
    pub(super) fn take(&self, kind: PressKind, of_tab: impl Fn(&SessionId) -> bool) -> bool {
        let mut presses = self.lock();
        let now = Instant::now();
        presses.retain(|press| press.ends > now);
        let found = presses.iter().position(|press| press.kind == kind && of_tab(&press.session));
        found.map(|at| presses.remove(at)).is_some()
    }
}

/// Returns what a command presses. In the JSON of a command, a quotation mark within a text is escaped, so only a field
/// matches.
fn pressed_by(method: &str, params: &[u8]) -> Option<PressKind> {
    let has = |field: &[u8]| params.windows(field.len()).any(|part| part == field);
    match method {
        "Input.dispatchMouseEvent" if has(br#""type":"mousePressed""#) => Some(PressKind::Pointer),
        "Input.dispatchTouchEvent" if has(br#""type":"touchStart""#) => Some(PressKind::Pointer),
        "Input.dispatchKeyEvent" if has(br#""type":"keyDown""#) || has(br#""type":"rawKeyDown""#) => {
            Some(PressKind::Key)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str) -> SessionId {
        serde_json::from_value(id.into()).unwrap()
    }

    #[test]
    fn each_press_that_was_sent_is_reported_once_and_any_other_is_the_persons() {
        let presses = SentPresses::default();
        let page = session("page");
        presses.sent(1, Some(&page), "Input.dispatchMouseEvent", br#"{"type":"mouseMoved","x":1}"#);
        presses.sent(2, Some(&page), "Input.dispatchMouseEvent", br#"{"type":"mousePressed","x":1}"#);
        presses.sent(3, Some(&page), "Input.dispatchKeyEvent", br#"{"type":"rawKeyDown","key":"a"}"#);
        presses.sent(4, Some(&page), "Input.insertText", br#"{"text":"\"type\":\"keyDown\""}"#);
        let take = |kind| presses.take(kind, |of| *of == page);
        assert!(!presses.take(PressKind::Pointer, |_| false), "of another tab");
        assert!(take(PressKind::Pointer) && take(PressKind::Key));
        assert!(!take(PressKind::Pointer) && !take(PressKind::Key), "the second one is the person's");
    }

    #[test]
    fn a_text_that_looks_like_a_press_is_none() {
        let typed = serde_json::json!({ "type": "char", "text": "\"type\":\"keyDown\"" }).to_string();
        assert_eq!(pressed_by("Input.dispatchKeyEvent", typed.as_bytes()), None);
    }
}
