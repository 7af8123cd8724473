//! Requests paused in the browser, and the answer to each.
//!
//! Owns the answers. `routes` and `held_back` decide on them. Every paused request is answered: one that nothing
//! matches continues unchanged.

use super::devtools::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, ContinueRequestParams, ContinueWithAuthParams, ErrorReason,
    FailRequestParams, FulfillRequestParams, HeaderEntry,
};
use super::devtools_session::Session;
use super::events::Event;
use super::paused_request::{Paused, Waiting};
use super::routes::{Route, RouteAct, RouteAnswer, Verdict, with_headers};
use super::shared::{Role, Shared};
use crate::devtools::target::SessionId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::metadata::is_metadata_url;
use gstack_base::site::SiteOrPage;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// The requesting document is named in another event, which comes within milliseconds. Without it, routes limited to
/// some documents do not apply.
const DOCUMENT_LIMIT: Duration = Duration::from_secs(3);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBeSent {
    request_id: String,
    #[serde(rename = "documentURL", default)]
    document_url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthRequired {
    request_id: String,
    auth_challenge: Challenge,
}

#[derive(Deserialize)]
struct Challenge {
    #[serde(default)]
    source: String,
    #[serde(default)]
    origin: String,
}

impl Shared {
    /// Returns the session's tab if its requests are decided here.
    fn judged_tab(&self, session: &SessionId) -> Option<TabId> {
        let state = self.state();
        let tab = state.sessions.get(session).and_then(Role::tab)?;
        (!state.tab_states.get(&tab).is_some_and(|tab_state| tab_state.judges_itself)).then_some(tab)
    }

    /// Handles `Fetch.requestPaused`.
    pub(super) fn request_paused(self: &Arc<Self>, event: &Event) {
        let Some(id) = event.session() else { return };
        let Some(tab) = self.judged_tab(id) else { return };
        let Some(paused) = event.read::<Paused>() else { return };
        let session = self.cdp.session(id.clone());
        if self.options.holds_back && is_metadata_url(&paused.request.url) {
            tracing::warn!("a page asked for a cloud metadata address; the request was held back");
            session.post(FailRequestParams::new(paused.request_id, ErrorReason::NameNotResolved));
            return;
        }
        if self.stops(&session, &paused) {
            return;
        }
        let verdict = {
            let mut state = self.state();
            let Some(tab_state) = state.tab_states.get_mut(&tab) else { return };
            let document = tab_state.routes.documents.of(&paused.network_id).cloned();
            let verdict = tab_state.routes.decide(&paused.request.url, document.as_ref());
            if matches!(verdict, Verdict::AskDocument) && !paused.network_id.is_empty() {
                let waiting = Waiting { session: id.clone(), paused: paused.clone() };
                tab_state.routes.documents.waiting.insert(paused.network_id.clone(), waiting);
            }
            verdict
        };
        match verdict {
            Verdict::Pass(headers) => pass(&session, paused, &headers),
            Verdict::Route(route) => self.apply(session, paused, route),
            Verdict::AskDocument if paused.network_id.is_empty() => pass(&session, paused, &[]),
            Verdict::AskDocument => self.wait_for_document(tab, paused.network_id),
        }
    }

    /// Handles `Network.requestWillBeSent`: it names the requesting document.
    pub(super) fn asked_by(self: &Arc<Self>, tab: TabId, event: &Event) {
        if event.method() != "Network.requestWillBeSent" {
            return;
        }
        let asks = |tab_state: &super::shared::TabState| tab_state.routes.asks_documents();
        if !self.state().tab_states.get(&tab).is_some_and(asks) {
            return;
        }
        let Some(sent) = event.read::<WillBeSent>() else { return };
        let place = SiteOrPage::of(&sent.document_url);
        let (waiting, verdict) = {
            let mut state = self.state();
            let Some(tab_state) = state.tab_states.get_mut(&tab) else { return };
            let Some(waiting) = tab_state.routes.documents.learn(sent.request_id, place.clone()) else { return };
            let verdict = tab_state.routes.decide(&waiting.paused.request.url, Some(&place));
            (waiting, verdict)
        };
        let session = self.cdp.session(waiting.session);
        if self.stops(&session, &waiting.paused) {
            return;
        }
        match verdict {
            Verdict::Route(route) => self.apply(session, waiting.paused, route),
            Verdict::Pass(headers) => pass(&session, waiting.paused, &headers),
            Verdict::AskDocument => pass(&session, waiting.paused, &[]),
        }
    }

    fn wait_for_document(self: &Arc<Self>, tab: TabId, network_id: String) {
        let shared = Arc::downgrade(self);
        let gone = self.cdp.gone().clone();
        self.cdp.tasks().spawn(async move {
            tokio::select! {
                () = gone.cancelled() => return,
                () = tokio::time::sleep(DOCUMENT_LIMIT) => {}
            }
            let Some(shared) = shared.upgrade() else { return };
            let waiting = {
                let mut state = shared.state();
                state
                    .tab_states
                    .get_mut(&tab)
                    .and_then(|tab_state| tab_state.routes.documents.waiting.remove(&network_id))
            };
            let Some(waiting) = waiting else { return };
            let session = shared.cdp.session(waiting.session);
            if !shared.stops(&session, &waiting.paused) {
                pass(&session, waiting.paused, &[]);
            }
        });
    }

    /// Fails a request to a site outside the list. Checked again after each wait: the list may have changed.
    fn stops(&self, session: &Session, paused: &Paused) -> bool {
        if self.may_request(&paused.request.url) {
            return false;
        }
        tracing::info!("a page asked for a site outside the list; the request was stopped");
        session.post(FailRequestParams::new(paused.request_id.clone(), ErrorReason::BlockedByClient));
        true
    }

    fn apply(self: &Arc<Self>, session: Session, paused: Paused, route: Arc<Route>) {
        route.is_used();
        if route.delay.is_zero() {
            return carry_out(&session, paused, &route.act);
        }
        let (shared, gone) = (Arc::downgrade(self), self.cdp.gone().clone());
        self.cdp.tasks().spawn(async move {
            let has_ended = tokio::select! {
                () = gone.cancelled() => return,
                () = route.ended.cancelled() => true,
                () = tokio::time::sleep(route.delay) => false,
            };
            let Some(shared) = shared.upgrade() else { return };
            if shared.stops(&session, &paused) {
                return;
            }
            match has_ended {
                true => pass(&session, paused, &[]),
                false => carry_out(&session, paused, &route.act),
            }
        });
    }

    /// Handles `Fetch.authRequired`.
    pub(super) fn auth_required(&self, event: &Event) {
        let Some(id) = event.session() else { return };
        let Some(tab) = self.judged_tab(id) else { return };
        let Some(required) = event.read::<AuthRequired>() else { return };
        let known = {
            let mut state = self.state();
            let Some(tab_state) = state.tab_states.get_mut(&tab) else { return };
            let known = tab_state.routes.credentials_for(&required.auth_challenge.origin);
            let known = known.filter(|_| required.auth_challenge.source != "Proxy");
            // Credentials that were refused are not sent again.
            known.map(|known| tab_state.routes.documents.signs_in(&required.request_id).then_some(known))
        };
        let answer = |response, as_user: Option<(String, String)>| {
            let (username, password) = as_user.unzip();
            AuthChallengeResponse { response, username, password }
        };
        let answer = match known {
            Some(Some(as_user)) => answer(AuthChallengeResponseResponse::ProvideCredentials, Some(as_user)),
            Some(None) => answer(AuthChallengeResponseResponse::CancelAuth, None),
            None => answer(AuthChallengeResponseResponse::Default, None),
        };
        let session = self.cdp.session(id.clone());
        session.post(ContinueWithAuthParams::new(required.request_id, answer));
    }
}

/// Continues a request with headers set.
fn pass(session: &Session, paused: Paused, set: &[(String, String)]) {
    let headers = (!set.is_empty()).then(|| with_headers(paused.request.entries(), set));
    let (request_id, again) = (paused.request_id, session.clone());
    let plain = ContinueRequestParams::new(request_id);
    session.post_then(ContinueRequestParams { headers, ..plain.clone() }, move |reply| {
        // A request must not hang because the browser rejects its headers.
        if let Err(error) = reply {
            tracing::debug!(%error, "a request goes on without what was set for it");
            again.post(plain);
        }
    });
}

/// Answers a request; fails it if the browser rejects the answer.
fn fulfill(session: &Session, answer: FulfillRequestParams) {
    let (request_id, again) = (answer.request_id.clone(), session.clone());
    session.post_then(answer, move |reply| {
        if let Err(error) = reply {
            tracing::warn!(%error, "the browser did not take a route's answer");
            again.post(FailRequestParams::new(request_id, ErrorReason::BlockedByClient));
        }
    });
}

fn carry_out(session: &Session, paused: Paused, act: &RouteAct) {
    match act {
        RouteAct::Abort => {
            session.post(FailRequestParams::new(paused.request_id, ErrorReason::BlockedByClient));
        }
        RouteAct::Continue(headers) => pass(session, paused, headers),
        RouteAct::Replay(recorded) => match recorded.answer(&paused.request.method, &paused.request.url) {
            Some(answer) => fulfill(session, answered(&paused, answer)),
            None => pass(session, paused, &[]),
        },
        RouteAct::Answer(answer) => match paused.request.is_preflight() {
            true if answer.answers_preflights => fulfill(session, preflight(&paused)),
            true => pass(session, paused, &[]),
            false => fulfill(session, answered(&paused, answer)),
        },
    }
}

fn entry(name: &str, value: impl Into<String>) -> HeaderEntry {
    HeaderEntry::new(name, value)
}

fn answered(paused: &Paused, answer: &RouteAnswer) -> FulfillRequestParams {
    let mut headers: Vec<HeaderEntry> =
        answer.headers.iter().map(|(name, value)| entry(name, value.as_str())).collect();
    let has = |name: &str| headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    // A page of another site may read the route's answer, just as it could read a test server's.
    let opens = paused.request.header("origin").filter(|_| !has("access-control-allow-origin")).map(|origin| {
        let credentials = entry("access-control-allow-credentials", "true");
        [entry("access-control-allow-origin", origin), credentials, entry("vary", "Origin")]
    });
    headers.extend(opens.into_iter().flatten());
    FulfillRequestParams {
        response_headers: Some(headers),
        body: Some(STANDARD.encode(&answer.body).into()),
        ..FulfillRequestParams::new(paused.request_id.clone(), answer.status)
    }
}

fn preflight(paused: &Paused) -> FulfillRequestParams {
    let asked = |name: &str| paused.request.header(name).unwrap_or("*").to_owned();
    let response_headers = vec![
        entry("access-control-allow-origin", asked("origin")),
        entry("access-control-allow-methods", asked("access-control-request-method")),
        entry("access-control-allow-headers", asked("access-control-request-headers")),
        entry("access-control-allow-credentials", "true"),
        // The answer is for this one request: the next may go to the server.
        entry("access-control-max-age", "0"),
    ];
    FulfillRequestParams {
        response_headers: Some(response_headers),
        ..FulfillRequestParams::new(paused.request_id.clone(), 204)
    }
}
