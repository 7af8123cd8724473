//! The page of a one-time link, and the two requests that it makes: reading the approval and answering it.
//!
//! Owns access to it. It exists only at the address that the person configured, on the port, under this one path; every
//! other route refuses that address. The secret is the proof: a visitor of the page has no other authority. `GET` never
//! decides anything, because programs that preview links follow them.

use super::answer::Refusal;
use super::caller::Caller;
use super::headers::each_once;
use super::route::Body;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use gstack_base::served_page::ServedPage;
use gstack_engine::{Engine, LINK_PATH, LinkBase};
use gstack_protocol::approval_link::LinkRequest;
use gstack_protocol::basics::Empty;
use gstack_protocol::fault::{Fault, FaultCode};
use std::sync::LazyLock;

/// A secret and a decision are far below.
const BODY_LIMIT: usize = 1024;

static PAGE: LazyLock<ServedPage> = LazyLock::new(|| {
    ServedPage::new(
        include_str!("approval_link/page.html"),
        include_str!("approval_link/page.css"),
        include_str!("approval_link/page.js"),
    )
});

/// Returns the routes. Without the setting they answer as if they did not exist.
pub(super) fn router(engine: &Engine) -> Router<Engine> {
    Router::new()
        .route(LINK_PATH, axum::routing::get(page).post(asked))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(engine.clone(), guard))
}

/// Returns the fault for a path that does not exist.
pub(super) fn no_such_path() -> Fault {
    Fault::new(FaultCode::NotFound, "there is no such path")
        .hint("/openapi.json lists the paths, docs/PROTOCOL.md explains them.")
}

/// Admits requests to the configured address; those that act must come from its own page.
async fn guard(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let base = engine.approvals().link_base().filter(|_| matches!(caller, Caller::Port(_)));
    let allowed =
        base.ok_or_else(no_such_path).and_then(|base| check(&base, request.method(), request.uri(), request.headers()));
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(fault) => Refusal(fault).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Checks where a request goes and which page sent it.
fn check(base: &LinkBase, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Fault> {
    each_once(headers)?;
    let refused = |why: &'static str| {
        Err(Fault::new(FaultCode::Forbidden, why).hint("Open the link that gstack made, in a browser."))
    };
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let named = uri.authority().map(|authority| authority.as_str());
    if !text("host").is_some_and(|host| base.is_host(host)) || !named.is_none_or(|host| base.is_host(host)) {
        return refused("the Host header names another host");
    }
    let fits = |name, allowed: &[&str]| text(name).is_none_or(|value| allowed.contains(&value));
    if *method == Method::POST {
        if text("origin") != Some(base.origin()) || !fits("sec-fetch-site", &["same-origin"]) {
            return refused("only the page of the link may answer");
        }
        return Ok(());
    }
    if !fits("origin", &[base.origin()]) || !fits("sec-fetch-dest", &["document"]) {
        return refused("the page of a link opens in a tab of its own");
    }
    Ok(())
}

async fn page() -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, PAGE.policy.as_str())];
    (headers, PAGE.html.as_str()).into_response()
}

/// Returns what the approval would do, or answers it.
async fn asked(State(engine): State<Engine>, Body(asked): Body<LinkRequest>) -> Result<Response, Refusal> {
    let LinkRequest { secret, decision } = asked;
    let Some(decision) = decision else {
        return Ok(Json(engine.approvals().show_by_link(&secret)?).into_response());
    };
    engine.approvals().answer_by_link(&secret, decision)?;
    Ok(Json(Empty {}).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn checked(method: &Method, pairs: &[(&'static str, &'static str)]) -> Result<(), Fault> {
        let base = LinkBase::try_from("https://approve.example".to_owned()).unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        check(&base, method, &Uri::from_static(LINK_PATH), &headers)
    }

    const HOST: (&str, &str) = ("host", "approve.example");
    const ORIGIN: (&str, &str) = ("origin", "https://approve.example");

    #[test]
    fn only_the_configured_host_is_served() {
        assert!(checked(&Method::GET, &[HOST]).is_ok());
        assert!(checked(&Method::GET, &[("host", "approve.example:443")]).is_ok());
        for host in ["localhost", "127.0.0.1:34567", "evil.example", "approve.example.evil", "approve.example:80", ""] {
            assert!(checked(&Method::GET, &[("host", host)]).is_err(), "{host}");
        }
        assert!(checked(&Method::GET, &[]).is_err());
        assert!(checked(&Method::GET, &[HOST, HOST]).is_err(), "two of them");
        assert!(checked(&Method::GET, &[("host", "localhost"), ("x-forwarded-host", "approve.example")]).is_err());
        let base = LinkBase::try_from("https://approve.example".to_owned()).unwrap();
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("approve.example"))]);
        assert!(check(&base, &Method::GET, &Uri::from_static("http://evil.example/approve"), &headers).is_err());
    }

    #[test]
    fn a_link_is_followed_from_anywhere_but_shown_in_no_frame() {
        let followed = [HOST, ("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")];
        assert!(checked(&Method::GET, &followed).is_ok());
        for place in ["iframe", "empty", "image", "script", "object"] {
            assert!(checked(&Method::GET, &[HOST, ("sec-fetch-dest", place)]).is_err(), "{place}");
        }
    }

    #[test]
    fn only_the_page_itself_answers() {
        assert!(checked(&Method::POST, &[HOST, ORIGIN]).is_ok());
        assert!(checked(&Method::POST, &[HOST, ORIGIN, ("sec-fetch-site", "same-origin")]).is_ok());
        assert!(checked(&Method::POST, &[HOST]).is_err(), "no Origin at all");
        for origin in ["null", "https://evil.example", "http://approve.example", "https://approve.example:444", ""] {
            assert!(checked(&Method::POST, &[HOST, ("origin", origin)]).is_err(), "{origin}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(checked(&Method::POST, &[HOST, ORIGIN, ("sec-fetch-site", site)]).is_err(), "{site}");
        }
    }

    #[test]
    fn the_page_loads_nothing_and_has_no_place_for_html() {
        assert_eq!(PAGE.reaches_out(), None);
    }
}
