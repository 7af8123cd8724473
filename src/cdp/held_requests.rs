//! The requests that Chrome holds for a client.
//!
//! Owns the address of each, so that a list of sites that is set meanwhile stops it: whatever would continue it (an answer, the end
//! of the interception or of the client) fails it first.

use super::message;
use gstack_base::site_limits::SiteLimits;
use gstack_browser::devtools::target::SessionId;
use gstack_browser::events::Event;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};
use url::Url;

/// Commands that let all requests of a session go on.
const RELEASES: [&str; 2] = ["Fetch.disable", "Target.detachFromTarget"];

/// A client may answer a request wrongly, and so still hold it: an entry stays after an answer. Requests are remembered up to this
/// number, and the oldest is failed instead, in case it is still held.
const MOST: usize = 10_000;

/// A held request: its session and its id.
pub(super) type HeldRequest = (SessionId, String);

/// The address of each request that was held, without its path.
#[derive(Default)]
pub(super) struct HeldRequests {
    addresses: HashMap<HeldRequest, Url>,
    /// Oldest first.
    order: VecDeque<HeldRequest>,
}

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

impl HeldRequests {
    /// Takes the event about a held request. Returns one to fail, if there are too many.
    pub(super) fn learn(&mut self, event: &Event, session: &SessionId) -> Option<HeldRequest> {
        let RequestPaused { request_id, request, response_status_code: None } = event.read()? else { return None };
        self.hold((session.clone(), request_id), &request.url)
    }

    fn hold(&mut self, request: HeldRequest, url: &str) -> Option<HeldRequest> {
        let mut url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        url.set_path("");
        url.set_query(None);
        if self.addresses.insert(request.clone(), url).is_none() {
            self.order.push_back(request);
        }
        if self.addresses.len() <= MOST {
            return None;
        }
        let oldest = self.order.pop_front()?;
        self.addresses.remove(&oldest);
        Some(oldest)
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
        let is_refused = self.addresses.get(&held).is_some_and(|url| limits.refusing(url).is_some());
        if is_refused { vec![held] } else { Vec::new() }
    }

    /// Returns the requests to sites outside the list.
    pub(super) fn stopped(&self, limits: &SiteLimits) -> Vec<HeldRequest> {
        let refused = self.addresses.iter().filter(|(_, url)| limits.refusing(url).is_some());
        refused.map(|(held, _)| held.clone()).collect()
    }

    /// Forgets the requests of a session that has ended.
    pub(super) fn forget(&mut self, session: &SessionId) {
        self.addresses.retain(|(of, _), _| of != session);
        self.order.retain(|(of, _)| of != session);
    }
}

#[cfg(test)]
mod tests {
    use super::{HeldRequest, HeldRequests, MOST};
    use gstack_base::site_limits::SiteLimits;
    use gstack_base::site_list::SiteList;
    use gstack_browser::devtools::target::SessionId;
    use serde_json::json;
    use serde_json::value::to_raw_value;

    fn request(id: &str) -> HeldRequest {
        (SessionId::from("session".to_owned()), id.to_owned())
    }

    #[test]
    fn a_request_outside_a_new_list_is_stopped_whatever_was_tried_before() {
        let mut held = HeldRequests::default();
        held.hold(request("1"), "https://other.example/secret?of=ada");
        held.hold(request("2"), "https://own.example/");
        held.hold(request("3"), "data:text/plain,x");
        let session = request("1").0;
        let mut stopped = |method: &str, id: &str, limits: &SiteLimits| {
            let params = to_raw_value(&json!({ "requestId": id })).unwrap();
            held.stopped_before((method, Some(&session), Some(&params)), limits)
        };
        let own = SiteLimits { open: SiteList::parse("own.example").unwrap(), ..SiteLimits::default() };
        // A command that answers nothing, or that Chrome rejects, leaves the request held.
        for method in ["Fetch.getResponseBody", "Fetch.continueRequest"] {
            assert!(stopped(method, "1", &SiteLimits::default()).is_empty());
        }
        assert_eq!(stopped("Fetch.continueRequest", "1", &own), [request("1")]);
        assert!(stopped("Fetch.continueRequest", "2", &own).is_empty());
        assert_eq!(stopped("Fetch.disable", "", &own), [request("1")]);
        assert_eq!(held.stopped(&own), [request("1")]);
        held.forget(&session);
        assert!(held.stopped(&own).is_empty());
    }

    #[test]
    fn there_is_a_limit_and_the_oldest_is_given_up() {
        let mut held = HeldRequests::default();
        for number in 0..MOST {
            assert_eq!(held.hold(request(&number.to_string()), "https://a.example/"), None);
        }
        assert_eq!(held.hold(request("0"), "https://a.example/"), None, "a redirect of a known request");
        assert_eq!(held.hold(request("one more"), "https://a.example/"), Some(request("0")));
        assert_eq!((held.addresses.len(), held.order.len()), (MOST, MOST));
    }
}
