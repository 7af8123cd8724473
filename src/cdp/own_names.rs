//! The streams, bindings and scripts for later documents that a client created. Their names are easy to guess, and in an everyday
//! browser gstack's own scripts and bindings are in the same session.
//!
//! Owns the names and their checks.

use super::allowed::Check;
use super::message::Refusal;
use gstack_browser::devtools::target::SessionId;
use gstack_browser::person_input::BINDING as PERSON_BINDING;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;

/// The kind of name that a reply tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Stream,
    /// In this session.
    Script(SessionId),
}

impl Told {
    /// Returns the kind of name that the reply to a command tells.
    pub(super) fn by(method: &str, session: Option<&SessionId>) -> Option<Self> {
        match method {
            "Page.printToPDF" | "Fetch.takeResponseBodyAsStream" => Some(Self::Stream),
            "Page.addScriptToEvaluateOnNewDocument" => session.cloned().map(Self::Script),
            _ => None,
        }
    }
}

#[derive(Default)]
pub(super) struct OwnNames {
    streams: HashSet<String>,
    scripts: HashSet<(SessionId, String)>,
    bindings: HashSet<String>,
}

#[derive(Deserialize)]
struct Named {
    stream: Option<String>,
    identifier: Option<String>,
}

impl OwnNames {
    /// Remembers a name that a reply or an event tells.
    pub(super) fn learn(&mut self, told: Told, json: &str) {
        let Ok(named) = serde_json::from_str::<Named>(json) else { return };
        match told {
            Told::Stream => self.streams.extend(named.stream),
            Told::Script(session) => self.scripts.extend(named.identifier.map(|id| (session, id))),
        }
    }

    /// Fails if a command names something that the client did not create.
    pub(super) fn check(&mut self, check: Check, session: Option<&SessionId>, params: &Value) -> Result<(), Refusal> {
        let text = |key: &str| params[key].as_str().unwrap_or_default();
        match check {
            Check::Stream if !self.streams.contains(text("handle")) => {
                Err(Refusal::denied("no reply to this client named that stream"))
            }
            Check::Unplant => {
                let script = session.map(|session| (session.clone(), text("identifier").to_owned()));
                let known = script.is_some_and(|script| self.scripts.remove(&script));
                if known { Ok(()) } else { Err(Refusal::denied("no reply to this client named that script")) }
            }
            Check::Bind if text("name") == PERSON_BINDING => Err(Refusal::denied("that name is gstack's own")),
            Check::Bind => {
                self.bindings.insert(text("name").to_owned());
                Ok(())
            }
            Check::Unbind if !self.bindings.contains(text("name")) => {
                Err(Refusal::denied("this client added no binding of that name"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_is_the_clients_own_is_read_or_removed() {
        let (mine, other) = (SessionId::from("mine".to_owned()), SessionId::from("other".to_owned()));
        let mut names = OwnNames::default();
        let script = json!({ "identifier": "1" });
        assert!(names.check(Check::Unplant, Some(&mine), &script).is_err(), "a guess");
        let told = Told::by("Page.addScriptToEvaluateOnNewDocument", Some(&mine)).unwrap();
        names.learn(told, &script.to_string());
        assert!(names.check(Check::Unplant, Some(&other), &script).is_err());
        assert!(names.check(Check::Unplant, Some(&mine), &script).is_ok());
        assert!(names.check(Check::Unplant, Some(&mine), &script).is_err(), "once");
        let binding = |name: &str| json!({ "name": name });
        assert!(names.check(Check::Unbind, Some(&mine), &binding(PERSON_BINDING)).is_err());
        assert!(names.check(Check::Bind, Some(&mine), &binding(PERSON_BINDING)).is_err());
        assert!(names.check(Check::Unbind, Some(&mine), &binding("told")).is_err());
        assert!(names.check(Check::Bind, Some(&mine), &binding("told")).is_ok());
        assert!(names.check(Check::Unbind, Some(&mine), &binding("told")).is_ok());
        let stream = json!({ "handle": "7" });
        assert!(names.check(Check::Stream, None, &stream).is_err());
        names.learn(Told::Stream, &json!({ "stream": "7" }).to_string());
        assert!(names.check(Check::Stream, None, &stream).is_ok());
    }
}
