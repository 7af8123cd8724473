//! The presses of keys, buttons and fingers that gstack, or a CDP client through it, has sent and no page has reported yet.
//!
//! Owns that list. Never interprets a report without a press.

use super::devtools::target::SessionId;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A press that is not answered is dropped then: input waits no longer for its reply.
const UNANSWERED: Duration = Duration::from_secs(30);
/// The report of a press may arrive after the reply to it, because they take different ways through the browser. A press
/// that no page reports (it was a key that only scrolls, or its page is gone) hides one press of the person for this long.
const REPORTED_WITHIN: Duration = Duration::from_millis(500);
/// The most presses of one command. No hand has more fingers, and no client needs to hide more of the person's presses.
const MOST_AT_ONCE: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PressKind {
    Pointer,
    Key,
}

/// The presses that were sent and that no page has reported yet.
#[derive(Default)]
pub(super) struct SentPresses(Mutex<State>);

#[derive(Default)]
struct State {
    presses: Vec<SentPress>,
    /// The sessions of CDP clients that have sent input, with their tabs: gstack's own sessions are known elsewhere.
    clients: HashMap<SessionId, TabId>,
    /// How many fingers of a session touch the page. A page reports a finger when it is lifted.
    fingers: HashMap<SessionId, usize>,
}

struct SentPress {
    /// The command's number on the connection.
    id: u32,
    session: SessionId,
    /// The tab of a client's session, which may end before the report.
    tab: Option<TabId>,
    kind: PressKind,
    ends: Instant,
}

impl SentPresses {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a session belongs to a CDP client and works in this tab.
    pub(super) fn client_session(&self, session: &SessionId, tab: TabId) {
        self.lock().clients.insert(session.clone(), tab);
    }

    /// Forgets a session that has ended. Its presses are still reported.
    pub(super) fn session_ended(&self, session: &SessionId) {
        let mut state = self.lock();
        state.clients.remove(session);
        state.fingers.remove(session);
    }

    /// Records a command if it presses keys, buttons or fingers. `message` is its whole JSON.
    pub(super) fn sent(&self, id: u32, session: Option<&SessionId>, method: &str, message: &[u8]) {
        let Some(session) = session.filter(|_| method.starts_with("Input.")) else { return };
        let mut state = self.lock();
        let fingers = state.fingers.get(session).copied().unwrap_or_default();
        let Some((kind, count, touching)) = pressed_by(method, message, fingers) else { return };
        if touching == 0 {
            state.fingers.remove(session);
        } else {
            state.fingers.insert(session.clone(), touching);
        }
        let tab = state.clients.get(session).copied();
        let ends = Instant::now() + UNANSWERED;
        let presses = (0..count).map(|_| SentPress { id, session: session.clone(), tab, kind, ends });
        state.presses.extend(presses);
    }

    /// Records that a command was answered.
    pub(super) fn answered(&self, id: u32) {
        let ends = Instant::now() + REPORTED_WITHIN;
        self.lock().presses.iter_mut().filter(|press| press.id == id).for_each(|press| press.ends = ends);
    }

    /// Uses up a press of this kind in this tab. Returns `false` if none was sent. `tab_of` knows gstack's own sessions.
    pub(super) fn take(&self, kind: PressKind, tab: TabId, tab_of: impl Fn(&SessionId) -> Option<TabId>) -> bool {
        let presses = &mut self.lock().presses;
        let now = Instant::now();
        presses.retain(|press| press.ends > now);
        let in_tab = |press: &SentPress| press.tab.or_else(|| tab_of(&press.session)) == Some(tab);
        let found = presses.iter().position(|press| press.kind == kind && in_tab(press));
        found.map(|at| presses.remove(at)).is_some()
    }
}

/// Returns what a command presses, how often a page reports it, and how many fingers touch the page after it. `fingers`
/// did before. Clients write their JSON in any form, so it is parsed.
fn pressed_by(method: &str, message: &[u8], fingers: usize) -> Option<(PressKind, usize, usize)> {
    let name = method.strip_prefix("Input.")?;
    if matches!(name, "insertText" | "imeSetComposition" | "dispatchDragEvent") {
        return None;
    }
    let message: Value = serde_json::from_slice(message).ok()?;
    let input = message.get("params")?;
    let points = || input["touchPoints"].as_array().map_or(0, Vec::len);
    let pointer = |count: usize| Some((PressKind::Pointer, count.min(MOST_AT_ONCE), fingers));
    match (name, input["type"].as_str().unwrap_or_default()) {
        ("dispatchMouseEvent", "mousePressed") => pointer(1),
        ("dispatchKeyEvent", "keyDown" | "rawKeyDown") => Some((PressKind::Key, 1, fingers)),
        ("dispatchTouchEvent", "touchStart") => Some((PressKind::Pointer, 0, (fingers + points()).min(MOST_AT_ONCE))),
        ("dispatchTouchEvent", "touchEnd") => Some((PressKind::Pointer, fingers.max(1), 0)),
        ("dispatchTouchEvent", "touchCancel") => Some((PressKind::Pointer, 0, 0)),
        // Touch that the browser makes of a mouse event, which ends with it.
        ("emulateTouchFromMouseEvent", "mouseReleased") => pointer(1),
        ("synthesizeTapGesture", _) => {
            pointer(input["tapCount"].as_u64().map_or(1, |count| usize::try_from(count).unwrap_or(MOST_AT_ONCE)))
        }
        ("synthesizeScrollGesture", _) => pointer(1),
        ("synthesizePinchGesture", _) => pointer(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: TabId = TabId(3);
    const THERE: TabId = TabId(4);

    /// Sends a command with these parameters.
    fn send(presses: &SentPresses, id: u32, session: &SessionId, method: &str, params: &str) {
        let message = format!(r#"{{"id":{id},"method":"{method}","params":{params},"sessionId":"s"}}"#);
        presses.sent(id, Some(session), method, message.as_bytes());
    }

    fn session(id: &str) -> SessionId {
        serde_json::from_value(id.into()).unwrap()
    }

    #[test]
    fn each_press_that_was_sent_is_reported_once_and_any_other_is_the_persons() {
        let presses = SentPresses::default();
        let page = session("page");
        send(&presses, 1, &page, "Input.dispatchMouseEvent", r#"{"type":"mouseMoved","x":1}"#);
        send(&presses, 2, &page, "Input.dispatchMouseEvent", r#"{"type":"mousePressed","x":1}"#);
        send(&presses, 3, &page, "Input.dispatchKeyEvent", r#"{"type":"rawKeyDown","key":"a"}"#);
        send(&presses, 4, &page, "Input.insertText", r#"{"text":"\"type\":\"keyDown\""}"#);
        let take = |kind, tab| presses.take(kind, tab, |of| (*of == page).then_some(HERE));
        assert!(!take(PressKind::Pointer, THERE), "of another tab");
        assert!(take(PressKind::Pointer, HERE) && take(PressKind::Key, HERE));
        assert!(!take(PressKind::Pointer, HERE) && !take(PressKind::Key, HERE), "the second one is the person's");
    }

    #[test]
    fn a_clients_press_is_known_in_its_tab_also_after_its_session_has_ended() {
        let presses = SentPresses::default();
        let page = session("client");
        presses.client_session(&page, HERE);
        send(&presses, 1, &page, "Input.dispatchMouseEvent", r#"{ "x": 1, "type" : "mouse\u0050ressed" }"#);
        presses.session_ended(&page);
        assert!(!presses.take(PressKind::Pointer, THERE, |_| None));
        assert!(presses.take(PressKind::Pointer, HERE, |_| None));
        assert!(!presses.take(PressKind::Pointer, HERE, |_| None));
    }

    #[test]
    fn a_finger_counts_when_it_is_lifted() {
        let presses = SentPresses::default();
        let page = session("page");
        let take = || presses.take(PressKind::Pointer, HERE, |_| Some(HERE));
        let touch = |json: &str| send(&presses, 1, &page, "Input.dispatchTouchEvent", json);
        touch(r#"{"type":"touchStart","touchPoints":[{"x":1,"y":1},{"x":2,"y":2}]}"#);
        assert!(!take());
        touch(r#"{"type":"touchEnd","touchPoints":[]}"#);
        assert!(take() && take() && !take());
        send(&presses, 2, &page, "Input.synthesizeTapGesture", r#"{"x":1,"y":1,"tapCount":1000000}"#);
        let hidden = std::iter::from_fn(|| take().then_some(())).count();
        assert_eq!(hidden, MOST_AT_ONCE);
    }

    #[test]
    fn a_text_that_looks_like_a_press_is_none() {
        let presses = SentPresses::default();
        let params = serde_json::json!({ "type": "char", "text": "\"type\":\"keyDown\"" }).to_string();
        send(&presses, 1, &session("page"), "Input.dispatchKeyEvent", &params);
        assert!(!presses.take(PressKind::Key, HERE, |_| Some(HERE)));
    }
}
