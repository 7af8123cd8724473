//! The sessions of a CDP client in an everyday browser. Chrome lets an extension have one DevTools session for each tab, so a client's
//! sessions share gstack's: each command goes to the same session of DevTools, and each event to those that wanted it.
//!
//! Owns the client's sessions, what each one and gstack itself enabled, and what DevTools tells only once and a client asks for
//! later: script contexts and inner targets. Never decides what a client may send (`cdp` does). What a client changed ends when
//! gstack detaches from the tab, which it does after the client.

use super::barred::is_barred;
use super::message::{Command, Outbound, done, event, event_as_it_came, failed, refused};
use crate::cdp::SERVER_ERROR;
use gstack_protocol::ids::ChromeTabId;
use gstack_protocol::relay::Refusal;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const NO_FETCH: &str = "an everyday browser's requests can't be intercepted: gstack itself does, and there is one interception for each tab";

/// A session of DevTools: of a tab's page (`None`), or of a frame or worker in it.
pub(super) type Real = (ChromeTabId, Option<String>);

/// The recorded state of a DevTools session.
#[derive(Default)]
struct Known {
    /// The domains that gstack enabled.
    own: BTreeSet<String>,
    /// gstack's own screencast is on.
    own_cast: bool,
    /// The events of the script contexts that exist.
    contexts: BTreeMap<i64, Box<RawValue>>,
    /// The frames and workers inside, by their session.
    children: BTreeMap<String, Value>,
}

/// One session of a client.
struct Guest {
    real: Real,
    /// Of the *tab* target, which exists only here.
    is_tab: bool,
    target: String,
    /// The client's session below which it was attached.
    parent: Option<String>,
    enabled: BTreeSet<String>,
    bindings: BTreeSet<String>,
    auto_attaches: bool,
    wants_lifecycle: bool,
    /// Its screencast is on.
    casts: bool,
}

#[derive(Default)]
pub(super) struct Guests {
    known: HashMap<Real, Known>,
    sessions: BTreeMap<String, Guest>,
    count: u64,
}

/// The treatment of a client's command.
pub(super) enum Handled {
    /// It goes to this session.
    Forward(Real),
    Answered,
}

#[derive(Deserialize)]
struct ContextCreated {
    context: ContextId,
}

#[derive(Deserialize)]
struct ContextId {
    id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextDestroyed {
    execution_context_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inner {
    session_id: String,
    #[serde(default)]
    target_info: Value,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Given {
    session_id: String,
    auto_attach: bool,
    enabled: bool,
    name: String,
}

fn read<'a, T: Deserialize<'a>>(params: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(params?.get()).ok()
}

/// Returns the domain that a command turns on or off.
fn switched(method: &str) -> Option<(&str, bool)> {
    match method.split_once('.')? {
        (domain, "enable") => Some((domain, true)),
        (domain, "disable") => Some((domain, false)),
        _ => None,
    }
}

impl Guests {
    /// Begins a session and returns its id. `target` is the *tab* target, the page, or a frame or worker in it.
    pub(super) fn attach(&mut self, tab: ChromeTabId, is_tab: bool, target: &str) -> String {
        let inner = self.known.iter().find_map(|((of, _), known)| {
            let is_it = |info: &&Value| info["targetId"] == json!(target);
            let session = known.children.iter().find(|(_, info)| is_it(info)).map(|(session, _)| session.clone());
            session.filter(|_| *of == tab)
        });
        self.add((tab, inner), is_tab, target, None)
    }

    /// Returns the tab in which a frame or worker with this target id is.
    pub(super) fn tab_of_inner(&self, target: &str) -> Option<ChromeTabId> {
        let has = |known: &Known| known.children.values().any(|info| info["targetId"] == json!(target));
        self.known.iter().find(|(_, known)| has(known)).map(|((tab, _), _)| *tab)
    }

    fn add(&mut self, real: Real, is_tab: bool, target: &str, parent: Option<String>) -> String {
        self.count += 1;
        let id = format!("guest-{}-{}", real.0, self.count);
        let guest = Guest {
            real,
            is_tab,
            target: target.to_owned(),
            parent,
            enabled: BTreeSet::new(),
            bindings: BTreeSet::new(),
            auto_attaches: false,
            wants_lifecycle: false,
            casts: false,
        };
        self.sessions.insert(id.clone(), guest);
        id
    }

    /// Ends a session and those below it. Returns false for an id that is not a client's.
    pub(super) fn detach(&mut self, id: &str) -> bool {
        if self.sessions.remove(id).is_none() {
            return false;
        }
        for below in self.below(id) {
            self.detach(&below);
        }
        true
    }

    fn below(&self, id: &str) -> Vec<String> {
        let is_below = |guest: &Guest| guest.parent.as_deref() == Some(id);
        self.sessions.iter().filter(|(_, guest)| is_below(guest)).map(|(id, _)| id.clone()).collect()
    }

    /// Forgets a tab that gstack is no longer attached to, and tells its clients.
    pub(super) fn forget(&mut self, tab: ChromeTabId) -> Vec<Outbound> {
        self.known.retain(|(of, _), _| *of != tab);
        let ended =
            self.sessions.extract_if(.., |_, guest| guest.real.0 == tab).filter(|(_, one)| one.parent.is_none());
        let tell = |(id, guest): (String, Guest)| {
            event("Target.detachedFromTarget", None, &json!({ "sessionId": id, "targetId": guest.target }))
        };
        ended.map(tell).collect()
    }

    /// Handles a command of a client. `None`: the session is not a client's. `page` describes the tab's page.
    pub(super) fn command(
        &mut self,
        session: &str,
        command: &Command,
        page: impl FnOnce(ChromeTabId) -> Option<Value>,
        out: &mut Vec<Outbound>,
    ) -> Option<Handled> {
        let guest = self.sessions.get_mut(session)?;
        let (real, is_tab) = (guest.real.clone(), guest.is_tab);
        let params: Given = read(Some(&command.params)).unwrap_or_default();
        let (domain, _) = command.method.split_once('.').unwrap_or_default();
        match command.method.as_str() {
            "Target.setAutoAttach" => {
                let began = params.auto_attach && !guest.auto_attaches;
                guest.auto_attaches = params.auto_attach;
                let inside: Vec<(Real, Value)> = match (began, is_tab) {
                    (false, _) => Vec::new(),
                    (true, true) => page(real.0).into_iter().map(|info| (real.clone(), info)).collect(),
                    (true, false) => {
                        let known = self.known.get(&real).into_iter().flat_map(|known| &known.children);
                        known.map(|(child, info)| ((real.0, Some(child.clone())), info.clone())).collect()
                    }
                };
                for (real, info) in inside {
                    out.push(self.attached_below(session, real, &info));
                }
            }
            "Target.detachFromTarget" => {
                let target = self.sessions.get(&params.session_id).map(|below| below.target.clone());
                if self.detach(&params.session_id) {
                    let ended = json!({ "sessionId": params.session_id, "targetId": target });
                    out.push(event("Target.detachedFromTarget", Some(session), &ended));
                }
            }
            // What is inside a tab runs on once gstack has set it up.
            "Runtime.runIfWaitingForDebugger" => {}
            _ if is_tab || is_barred(&command.method) => {
                out.push(refused(command.id, Refusal::NotHere));
                return Some(Handled::Answered);
            }
            _ if domain == "Fetch" => {
                out.push(failed(command.id, SERVER_ERROR, NO_FETCH));
                return Some(Handled::Answered);
            }
            "Page.startScreencast" => {
                guest.casts = true;
                return Some(Handled::Forward(real));
            }
            "Page.stopScreencast" => {
                guest.casts = false;
                // The pictures of gstack's recording, or of another client, go on.
                if !self.is_cast(&real) {
                    return Some(Handled::Forward(real));
                }
            }
            "Page.setLifecycleEventsEnabled" => {
                guest.wants_lifecycle = params.enabled;
                // DevTools reports the stages that were reached once more.
                if params.enabled {
                    return Some(Handled::Forward(real));
                }
            }
            method => {
                if method == "Runtime.addBinding" {
                    guest.bindings.insert(params.name);
                }
                match switched(method) {
                    Some((_, true)) => self.enable(session, &real, domain, out),
                    Some((_, false)) => {
                        guest.enabled.remove(domain);
                        if self.is_enabled(&real, domain) {
                            out.push(done(command.id, json!({})));
                            return Some(Handled::Answered);
                        }
                    }
                    None => {}
                }
                return Some(Handled::Forward(real));
            }
        }
        out.push(done(command.id, json!({})));
        Some(Handled::Answered)
    }

    /// Records that a client enables a domain, and sends the events that DevTools does not send a second time.
    fn enable(&mut self, session: &str, real: &Real, domain: &str, out: &mut Vec<Outbound>) {
        let was_told = self.is_enabled(real, domain);
        let Some(guest) = self.sessions.get_mut(session) else { return };
        let is_new = guest.enabled.insert(domain.to_owned());
        if domain == "Runtime" && is_new && was_told {
            let contexts = self.known.get(real).into_iter().flat_map(|known| known.contexts.values());
            out.extend(contexts.map(|one| event_as_it_came("Runtime.executionContextCreated", session, Some(one))));
        }
    }

    /// Returns true if gstack or a client has the domain enabled in a session.
    fn is_enabled(&self, real: &Real, domain: &str) -> bool {
        self.known.get(real).is_some_and(|known| known.own.contains(domain)) || self.wanted_by_guest(real, domain)
    }

    fn is_cast(&self, real: &Real) -> bool {
        self.known.get(real).is_some_and(|known| known.own_cast) || self.is_cast_for_guest(real)
    }

    fn is_cast_for_guest(&self, real: &Real) -> bool {
        self.sessions.values().any(|guest| guest.real == *real && guest.casts)
    }

    fn wanted_by_guest(&self, real: &Real, domain: &str) -> bool {
        self.sessions.values().any(|guest| guest.real == *real && guest.enabled.contains(domain))
    }

    fn attached_below(&mut self, parent: &str, real: Real, info: &Value) -> Outbound {
        let target = info["targetId"].as_str().unwrap_or_default();
        let id = self.add(real, false, target, Some(parent.to_owned()));
        let params = json!({ "sessionId": id, "targetInfo": info, "waitingForDebugger": false });
        event("Target.attachedToTarget", Some(parent), &params)
    }

    /// Records a command of gstack's own. Returns true if it would disable what a client uses; then it is not sent.
    pub(super) fn own_command(&mut self, real: &Real, command: &Command) -> bool {
        if command.method == "Emulation.setFocusEmulationEnabled" {
            let params: Given = read(Some(&command.params)).unwrap_or_default();
            return !params.enabled && self.sessions.values().any(|guest| guest.real == *real);
        }
        let casts = match command.method.as_str() {
            "Page.startScreencast" => Some(true),
            "Page.stopScreencast" => Some(false),
            _ => None,
        };
        if let Some(casts) = casts {
            self.known.entry(real.clone()).or_default().own_cast = casts;
            return !casts && self.is_cast_for_guest(real);
        }
        let Some((domain, on)) = switched(&command.method) else { return false };
        let own = &mut self.known.entry(real.clone()).or_default().own;
        if on {
            own.insert(domain.to_owned());
            return false;
        }
        own.remove(domain);
        self.wanted_by_guest(real, domain)
    }

    /// Passes an event on to the clients that wanted it. Returns true if gstack gets it too.
    pub(super) fn event(
        &mut self,
        real: &Real,
        method: &str,
        params: Option<&RawValue>,
        out: &mut Vec<Outbound>,
    ) -> bool {
        self.learn(real, method, params);
        let (domain, _) = method.split_once('.').unwrap_or_default();
        if domain == "Target" {
            self.inner_changed(real, method, params, out);
            return true;
        }
        let binding = (method == "Runtime.bindingCalled").then(|| read::<Given>(params).unwrap_or_default().name);
        let wants = |guest: &Guest| match method {
            "Runtime.bindingCalled" => binding.as_ref().is_some_and(|name| guest.bindings.contains(name)),
            "Page.lifecycleEvent" => guest.wants_lifecycle,
            _ => domain == "Inspector" || guest.enabled.contains(domain),
        };
        let interested = self.sessions.iter().filter(|(_, guest)| guest.real == *real && !guest.is_tab && wants(guest));
        // gstack answers intercepted requests itself.
        let before = out.len();
        out.extend(interested.filter(|_| domain != "Fetch").map(|(id, _)| event_as_it_came(method, id, params)));
        let is_own = self.known.get(real).is_some_and(|known| known.own.contains(domain));
        is_own || out.len() == before || domain == "Inspector"
    }

    fn inner_changed(&mut self, real: &Real, method: &str, params: Option<&RawValue>, out: &mut Vec<Outbound>) {
        let Some(Inner { session_id, target_info }) = read(params) else { return };
        let inner: Real = (real.0, Some(session_id.clone()));
        match method {
            "Target.attachedToTarget" => {
                let is_one = |guest: &Guest| guest.real == *real && !guest.is_tab && guest.auto_attaches;
                let parents: Vec<String> =
                    self.sessions.iter().filter(|(_, guest)| is_one(guest)).map(|(id, _)| id.clone()).collect();
                for parent in parents {
                    out.push(self.attached_below(&parent, inner.clone(), &target_info));
                }
                self.known.entry(real.clone()).or_default().children.insert(session_id, target_info);
            }
            "Target.detachedFromTarget" => {
                self.known.remove(&inner);
                if let Some(known) = self.known.get_mut(real) {
                    known.children.remove(&session_id);
                }
                let ended: Vec<String> =
                    self.sessions.iter().filter(|(_, one)| one.real == inner).map(|(id, _)| id.clone()).collect();
                for id in ended {
                    let Some(guest) = self.sessions.get(&id) else { continue };
                    let params = json!({ "sessionId": id, "targetId": guest.target });
                    out.push(event("Target.detachedFromTarget", guest.parent.as_deref(), &params));
                    self.detach(&id);
                }
            }
            _ => {}
        }
    }

    /// Keeps the script contexts that exist.
    fn learn(&mut self, real: &Real, method: &str, params: Option<&RawValue>) {
        match method {
            "Runtime.executionContextCreated" => {
                if let (Some(ContextCreated { context }), Some(params)) = (read(params), params) {
                    let known = self.known.entry(real.clone()).or_default();
                    known.contexts.insert(context.id, params.to_owned());
                }
            }
            "Runtime.executionContextDestroyed" => {
                if let (Some(ContextDestroyed { execution_context_id }), Some(known)) =
                    (read(params), self.known.get_mut(real))
                {
                    known.contexts.remove(&execution_context_id);
                }
            }
            "Runtime.executionContextsCleared" => {
                if let Some(known) = self.known.get_mut(real) {
                    known.contexts.clear();
                }
            }
            _ => {}
        }
    }
}
