//! Translates DevTools messages of the connection to messages of the extension, and back.
//!
//! Owns the sessions of tabs and pages, and maps the extension's answers to commands. Answers commands to the browser
//! itself, which the extension cannot reach. Pure: a message goes in, messages come out.

use super::barred::is_barred;
use super::guests::{Guests, Handled, Real};
use super::message::{self, Command, Outbound, answered, done, event, failed, refused};
use super::outgoing::{extension, relay};
use super::refusals;
use super::strip::{Strip, chrome_id_of, page_target, tab_target};
use crate::cdp::SESSION_NOT_FOUND;
use gstack_base::own_page;
use gstack_protocol::ids::{ChromeTabId, TargetId};
use gstack_protocol::methods::ToPanel;
use gstack_protocol::relay::{
    Refusal, RelayAnswer, RelayAttach, RelayAttached, RelayDetach, RelayDetached, RelayError, RelayEvent, RelayTab,
    RelayTabAct, RelayTabDone,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Shows an empty page in place of one of the browser's own pages; a no-op on any other. DevTools has no such command.
pub(super) const LEAVE_OWN_PAGE: &str = "Relay.leaveOwnPage";
/// Gives the keyboard focus back to the side panel that had it last.
pub(crate) const PANEL_TO_FRONT: &str = "Relay.panelToFront";

/// Reads a page's text without attaching to it. DevTools has no such command.
pub(super) const READ_TEXT: &str = "Relay.readText";

/// Attaches a CDP client to the *tab* target, the page, or a frame or worker of a tab that gstack is attached to. DevTools has no
/// such command: it would need a second session.
pub(crate) const ATTACH_CLIENT: &str = "Relay.attachClient";

/// A message from the extension.
#[derive(Debug)]
pub enum FromExtension {
    Answer(RelayAnswer),
    Event(RelayEvent),
    Detached(RelayDetached),
}

/// The known properties of the browser.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// `Chromium 156.0.8078.73`
    pub product: Option<String>,
    /// The extension supports the relay.
    pub can_relay: bool,
}

/// The target of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionTarget {
    Tab(ChromeTabId),
    Page(ChromeTabId),
    /// An out-of-process frame or a worker; DevTools names its session.
    Inner(ChromeTabId),
}

impl SessionTarget {
    fn tab(self) -> ChromeTabId {
        match self {
            Self::Tab(tab) | Self::Page(tab) | Self::Inner(tab) => tab,
        }
    }
}

/// The two sessions of an attached tab.
struct Attachment {
    tab_session: String,
    page_session: String,
    page: TargetId,
}

/// The request that an answer of the extension belongs to.
enum PendingRequest {
    Attach(ChromeTabId),
    /// A command to this tab, on this session.
    Command(ChromeTabId, String),
    Open,
    Tab,
    Read,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Named {
    target_id: String,
    session_id: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ListWanted {
    filter: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default, rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfSession {
    session_id: String,
}

pub(super) struct Translator {
    about: About,
    attached: HashMap<ChromeTabId, Attachment>,
    places: HashMap<String, SessionTarget>,
    asked: HashMap<u32, PendingRequest>,
    /// The sessions of CDP clients.
    guests: Guests,
    /// Counts attachments: a session id is never reused.
    count: u64,
}

impl Translator {
    pub(super) fn new(about: About) -> Self {
        let (attached, places, asked) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { about, attached, places, asked, guests: Guests::default(), count: 0 }
    }

    /// Translates a command of the connection.
    pub(super) fn command(&mut self, bytes: &[u8], strip: &Strip) -> Vec<Outbound> {
        let mut out = Vec::new();
        let Ok(command) = serde_json::from_slice::<Command>(bytes) else { return out };
        let Some(session) = command.session_id.clone() else {
            self.of_browser(&command, strip, &mut out);
            return out;
        };
        let page = |tab| page_info(self.attached.get(&tab)?, tab, strip);
        match self.guests.command(&session, &command, page, &mut out) {
            None => {}
            Some(Handled::Answered) => return out,
            Some(Handled::Forward((tab, inner))) => {
                self.asked.insert(command.id, PendingRequest::Command(tab, session));
                relay(command, tab, inner, &mut out);
                return out;
            }
        }
        match self.places.get(&session).copied() {
            None => out.push(failed(command.id, SESSION_NOT_FOUND, "the session has ended")),
            Some(SessionTarget::Tab(tab)) => self.of_tab(&command, tab, strip, &mut out),
            Some(place) if is_barred(&command.method) => {
                tracing::debug!(tab = %place.tab(), method = command.method, "not in an everyday browser");
                out.push(refused(command.id, Refusal::NotHere));
            }
            Some(place) => {
                let real: Real = (place.tab(), matches!(place, SessionTarget::Inner(_)).then(|| session.clone()));
                if self.guests.own_command(&real, &command) {
                    out.push(answered(command.id, &session, None));
                    return out;
                }
                self.asked.insert(command.id, PendingRequest::Command(place.tab(), session));
                relay(command, real.0, real.1, &mut out);
            }
        }
        out
    }

    /// Handles a command to the browser itself: answers it, or uses the tab functions that Chrome offers to extensions.
    fn of_browser(&mut self, command: &Command, strip: &Strip, out: &mut Vec<Outbound>) {
        let id = command.id;
        let named: Named = read(&command.params);
        let tab = chrome_id_of(&named.target_id);
        match (command.method.as_str(), tab) {
            ("Target.attachToTarget", Some(tab)) => self.attach(id, tab, strip, out),
            (ATTACH_CLIENT, _) => out.push(self.attach_client(id, &named.target_id)),
            ("Target.detachFromTarget", _) => {
                if self.guests.detach(&named.session_id) {
                } else if let Some(SessionTarget::Tab(tab)) = self.places.get(&named.session_id).copied() {
                    self.forget(tab, out);
                    out.push(extension(ToPanel::RelayDetach(RelayDetach { chrome_tab_id: tab })));
                }
                out.push(done(id, json!({})));
            }
            ("Target.getTargets", _) => {
                let wanted: ListWanted = read(&command.params);
                let tabs = wanted.filter.iter().any(|one| one.kind == "tab");
                out.push(done(id, json!({ "targetInfos": strip.listed(tabs) })));
            }
            ("Target.createTarget", _) => self.ask_of_tab(id, PendingRequest::Open, RelayTabAct::Open, None, out),
            ("Target.closeTarget", Some(tab)) => {
                self.ask_of_tab(id, PendingRequest::Tab, RelayTabAct::Close, Some(tab), out);
            }
            ("Target.activateTarget", Some(tab)) => {
                self.ask_of_tab(id, PendingRequest::Tab, RelayTabAct::Show, Some(tab), out);
            }
            (LEAVE_OWN_PAGE, Some(tab)) => {
                let own = strip.get(tab).is_some_and(|tab| own_page::of(&tab.url).is_some());
                match own {
                    true => self.ask_of_tab(id, PendingRequest::Tab, RelayTabAct::Leave, Some(tab), out),
                    false => out.push(done(id, json!({ "success": true }))),
                }
            }
            (READ_TEXT, Some(tab)) => self.ask_of_tab(id, PendingRequest::Read, RelayTabAct::Read, Some(tab), out),
            (PANEL_TO_FRONT, _) => self.ask_of_tab(id, PendingRequest::Tab, RelayTabAct::Panel, None, out),
            // Only the browser knows the window; the next command brings it to the front regardless.
            ("Browser.getWindowForTarget", _) => {
                out.push(done(id, json!({ "windowId": 0, "bounds": { "windowState": "normal" } })));
            }
            ("Browser.getVersion", _) => {
                let product = self.about.product.clone().unwrap_or_else(|| "an everyday browser".to_owned());
                let version = json!({
                    "product": product, "protocolVersion": "1.3", "revision": "", "userAgent": "", "jsVersion": "",
                });
                out.push(done(id, version));
            }
            _ => out.push(refused(id, Refusal::NotHere)),
        }
    }

    fn attach(&mut self, id: u32, tab: ChromeTabId, strip: &Strip, out: &mut Vec<Outbound>) {
        let refusal = match strip.get(tab) {
            None => Some(Refusal::Closed),
            Some(tab) if tab.incognito => Some(Refusal::Incognito),
            Some(_) if !self.about.can_relay => Some(Refusal::TooOld),
            Some(tab) if own_page::of(&tab.url).is_some() => Some(Refusal::OwnPage),
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            return out.push(refused(id, refusal));
        }
        self.asked.insert(id, PendingRequest::Attach(tab));
        out.push(extension(ToPanel::RelayAttach(RelayAttach { call: id, chrome_tab_id: tab, set_aside: false })));
    }

    /// Attaches a client to a target of a tab that gstack is attached to.
    fn attach_client(&mut self, id: u32, target: &str) -> Outbound {
        let of_page = || self.attached.iter().find(|(_, one)| one.page.as_str() == target).map(|(tab, _)| *tab);
        let tab = chrome_id_of(target).or_else(of_page).or_else(|| self.guests.tab_of_inner(target));
        match tab.filter(|tab| self.attached.contains_key(tab)) {
            Some(tab) => {
                let session = self.guests.attach(tab, chrome_id_of(target).is_some(), target);
                done(id, json!({ "sessionId": session }))
            }
            None => refused(id, Refusal::NotAttached),
        }
    }

    fn ask_of_tab(
        &mut self,
        id: u32,
        asked: PendingRequest,
        act: RelayTabAct,
        tab: Option<ChromeTabId>,
        out: &mut Vec<Outbound>,
    ) {
        if !self.about.can_relay {
            return out.push(refused(id, Refusal::TooOld));
        }
        self.asked.insert(id, asked);
        out.push(extension(ToPanel::RelayTab(RelayTab { call: id, act, chrome_tab_id: tab })));
    }

    /// Handles a command to a *tab* target, which exists only here: it has one page, and reports it on auto-attach.
    fn of_tab(&mut self, command: &Command, tab: ChromeTabId, strip: &Strip, out: &mut Vec<Outbound>) {
        match command.method.as_str() {
            "Target.setAutoAttach" => {
                if let Some(attached) = self.attached.get(&tab)
                    && let Some(info) = page_info(attached, tab, strip)
                {
                    let session = &attached.page_session;
                    let params = json!({ "sessionId": session, "targetInfo": info, "waitingForDebugger": false });
                    out.push(event("Target.attachedToTarget", Some(&attached.tab_session), &params));
                }
                out.push(done(command.id, json!({})));
            }
            "Runtime.runIfWaitingForDebugger" => out.push(done(command.id, json!({}))),
            _ => out.push(refused(command.id, Refusal::NotHere)),
        }
    }

    /// Translates a message from the extension.
    pub(super) fn heard(&mut self, heard: FromExtension, strip: &Strip) -> Vec<Outbound> {
        match heard {
            FromExtension::Answer(answer) => self.answered(answer, strip).into_iter().collect(),
            FromExtension::Event(event) => self.happened(&event),
            FromExtension::Detached(detached) => self.detached(detached),
        }
    }

    fn answered(&mut self, answer: RelayAnswer, strip: &Strip) -> Option<Outbound> {
        let RelayAnswer { call: id, result, error } = answer;
        let asked = self.asked.remove(&id)?;
        if let Some(RelayError { code, message, refusal }) = error {
            let code = refusal.map(refusals::code).or(code).unwrap_or(crate::cdp::SERVER_ERROR);
            tracing::debug!(id, code, message, "the extension answered with an error");
            let words = refusal.map_or(message, refusals::words);
            return Some(failed(id, code, &words));
        }
        Some(match asked {
            PendingRequest::Attach(tab) => {
                let told: RelayAttached = result.as_deref().map(read).unwrap_or_default();
                let Some(page) = told.target_id.or_else(|| strip.get(tab).map(page_target)) else {
                    return Some(refused(id, Refusal::Closed));
                };
                self.count += 1;
                let count = self.count;
                let (tab_session, page_session) = (format!("tab-{tab}-{count}"), format!("page-{tab}-{count}"));
                self.places.insert(tab_session.clone(), SessionTarget::Tab(tab));
                self.places.insert(page_session.clone(), SessionTarget::Page(tab));
                let reply = done(id, json!({ "sessionId": tab_session }));
                self.attached.insert(tab, Attachment { tab_session, page_session, page });
                reply
            }
            PendingRequest::Command(_, session) => answered(id, &session, result.as_deref()),
            PendingRequest::Open => {
                match result.as_deref().and_then(|raw| serde_json::from_str::<RelayTabDone>(raw.get()).ok()) {
                    Some(opened) => done(id, json!({ "targetId": tab_target(opened.chrome_tab_id) })),
                    None => refused(id, Refusal::NotHere),
                }
            }
            PendingRequest::Tab => done(id, json!({ "success": true })),
            PendingRequest::Read => {
                let told = result.as_deref().and_then(|raw| serde_json::from_str::<RelayTabDone>(raw.get()).ok());
                match told.and_then(|told| told.url.zip(told.text)) {
                    Some((url, text)) => done(id, json!({ "url": url, "text": text })),
                    None => refused(id, Refusal::TooOld),
                }
            }
        })
    }

    fn happened(&mut self, happened: &RelayEvent) -> Vec<Outbound> {
        let RelayEvent { chrome_tab_id: tab, session_id, method, params } = happened;
        let mut out = Vec::new();
        // The attachment of this event may have ended.
        let Some(attached) = self.attached.get(tab) else { return out };
        let session = session_id.as_deref().unwrap_or(&attached.page_session);
        let message = message::event_as_it_came(method, session, params.as_deref());
        let inner = || params.as_deref().and_then(|raw| serde_json::from_str::<OfSession>(raw.get()).ok());
        match method.as_str() {
            "Target.attachedToTarget" => {
                if let Some(OfSession { session_id }) = inner() {
                    self.places.insert(session_id, SessionTarget::Inner(*tab));
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(OfSession { session_id }) = inner() {
                    self.places.remove(&session_id);
                }
            }
            _ => {}
        }
        if self.guests.event(&(*tab, session_id.clone()), method, params.as_deref(), &mut out) {
            out.insert(0, message);
        }
        out
    }

    /// Ends an attachment and fails its pending commands with the reason.
    fn detached(&mut self, detached: RelayDetached) -> Vec<Outbound> {
        let RelayDetached { chrome_tab_id: tab, reason } = detached;
        let of_tab = |_: &u32, asked: &mut PendingRequest| match asked {
            PendingRequest::Attach(of) | PendingRequest::Command(of, _) => *of == tab,
            PendingRequest::Open | PendingRequest::Tab | PendingRequest::Read => false,
        };
        let waiting: Vec<u32> = self.asked.extract_if(of_tab).map(|(id, _)| id).collect();
        // Ends the session first, so that a caller that gets an error can look up the reason.
        let mut out = Vec::new();
        if let Some(attached) = self.forget(tab, &mut out) {
            let params = json!({ "sessionId": attached.tab_session, "refusal": reason });
            out.push(event("Target.detachedFromTarget", None, &params));
        }
        out.extend(waiting.into_iter().map(|id| refused(id, reason)));
        out
    }

    fn forget(&mut self, tab: ChromeTabId, out: &mut Vec<Outbound>) -> Option<Attachment> {
        out.extend(self.guests.forget(tab));
        self.places.retain(|_, place| place.tab() != tab);
        self.attached.remove(&tab)
    }
}

/// Describes the page of an attached tab as `Target.TargetInfo`.
fn page_info(attached: &Attachment, tab: ChromeTabId, strip: &Strip) -> Option<Value> {
    let known = strip.get(tab)?;
    let (target, title, url) = (&attached.page, &known.title, &known.url);
    Some(json!({ "targetId": target, "type": "page", "title": title, "url": url, "attached": true }))
}

fn read<T: Default + for<'a> Deserialize<'a>>(raw: &RawValue) -> T {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
