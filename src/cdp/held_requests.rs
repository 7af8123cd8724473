//! The requests that Chrome holds for a client.
//!
//! Owns where each goes, so that a list of sites that is set meanwhile stops it: whatever would let it go on, an answer, the end
//! of the interception or of the client, fails it first.

use super::message;
use crate::base::site_limits::SiteLimits;
use crate::browser::devtools::target::SessionId;
use crate::browser::events::Event;
use serde::Deserialize;
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

/// A held request: its session and its id.
pub(super) type HeldRequest = (SessionId, String);

impl HeldRequests {
    /// Takes the event about a held request.
    pub(super) fn learn(&mut self, event: &Event, session: &SessionId) {
        let Some(RequestPaused { request_id, request, response_status_code: None }) = event.read() else { return };
        let Ok(mut url) = Url::parse(&request.url) else { return };
        url.set_path("");
        url.set_query(None);
        self.0.insert((session.clone(), request_id), url);
    }

    /// Returns the requests that a command would let go on to a site outside the list.
    pub(super) fn stopped_before(
        &mut self,
        (method, session, params): (&str, Option<&SessionId>, Option<&RawValue>),
        limits: &SiteLimits,
    ) -> Vec<HeldRequest> {
        if RELEASES.contains(&method) {
            return self.stopped(limits);
        }
        let Some(session) = session.filter(|_| method.starts_with("Fetch.")) else { return Vec::new() };
        let id = message::read(params).ok().and_then(|params| Some(params["requestId"].as_str()?.to_owned()));
        let Some(held) = id.map(|id| (session.clone(), id)) else { return Vec::new() };
        let url = self.0.remove(&held);
        url.filter(|url| limits.refusing(url).is_some()).map(|_| held).into_iter().collect()
    }

    /// Forgets all held requests, and returns those to sites outside the list.
    pub(super) fn stopped(&mut self, limits: &SiteLimits) -> Vec<HeldRequest> {
        let all = std::mem::take(&mut self.0).into_iter();
        all.filter(|(_, url)| limits.refusing(url).is_some()).map(|(held, _)| held).collect()
    }
}
