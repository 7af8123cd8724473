//! The requests that Chrome holds for a client.
//!
//! Owns where each goes, so that a list of sites that is set meanwhile stops it: whatever would let it go on, an answer, the end
//! of the interception or of the client, fails it first.

use super::message;
use super::session::Session;
use crate::browser::devtools::target::SessionId;
use crate::browser::events::Event;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;
use url::Url;

/// Commands that let all requests of a session go on.
const RELEASES: [&str; 2] = ["Fetch.disable", "Target.detachFromTarget"];

/// The address of each held request, without its path, by its session and id.
#[derive(Default)]
pub(super) struct HeldRequests(HashMap<(SessionId, String), Url>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestPaused {
    request_id: String,
    request: Requested,
    /// It has left, and its answer is held.
    response_status_code: Option<u16>,
}

#[derive(Deserialize)]
struct Requested {
    url: String,
}

impl Session {
    /// Takes the event about a held request.
    pub(super) fn holds_request(&mut self, event: &Event, session: &SessionId) {
        let Some(RequestPaused { request_id, request, response_status_code: None }) = event.read() else { return };
        let Ok(mut url) = Url::parse(&request.url) else { return };
        url.set_path("");
        url.set_query(None);
        self.held_requests.0.insert((session.clone(), request_id), url);
    }

    /// Fails the requests that a command would let go on to a site outside the list.
    pub(super) fn stop_before(&mut self, method: &str, session: Option<&SessionId>, params: Option<&RawValue>) {
        if RELEASES.contains(&method) {
            return self.stop_held();
        }
        let Some(session) = session.filter(|_| method.starts_with("Fetch.")) else { return };
        let Ok(params) = message::read(params) else { return };
        let Some(id) = params["requestId"].as_str() else { return };
        let Some(url) = self.held_requests.0.remove(&(session.clone(), id.to_owned())) else { return };
        if self.given.limits.refusing(&url).is_some() {
            self.fail(session, id);
        }
    }

    /// Fails all held requests to sites outside the list.
    pub(super) fn stop_held(&mut self) {
        let limits = self.client.limits();
        for ((session, id), url) in std::mem::take(&mut self.held_requests.0) {
            if limits.refusing(&url).is_some() {
                self.fail(&session, &id);
            }
        }
    }

    fn fail(&self, session: &SessionId, id: &str) {
        self.tell(session, "Fetch.failRequest", &json!({ "requestId": id, "errorReason": "BlockedByClient" }));
    }
}
