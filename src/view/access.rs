//! The page itself, and which requests come from it.
//!
//! Owns its headers, the check of `Origin` and `Sec-Fetch-*`, and the form of its cookie. The daemon has checked the `Host` header
//! and the process before. Source of the headers: the Fetch standard.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gstack_base::served_page::ServedPage;
use gstack_engine::VIEW_PATH;
use std::sync::LazyLock;

static PAGE: LazyLock<ServedPage> = LazyLock::new(|| {
    ServedPage::new(include_str!("page/page.html"), include_str!("page/page.css"), include_str!("page/page.js"))
});

/// Admits what a browser sends for the page itself, and nothing that another page causes.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let mut response = match check(request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => (StatusCode::FORBIDDEN, why).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check(method: &Method, headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let fits = |name, allowed: &[&str]| text(name).is_none_or(|value| allowed.contains(&value));
    if *method == Method::POST {
        let own = text("host").map(|host| format!("http://{host}"));
        if own.is_none() || text("origin") != own.as_deref() || !fits("sec-fetch-site", &["same-origin"]) {
            return Err("only the page of gstack view may send this\n");
        }
        return Ok(());
    }
    if text("origin").is_some() || !fits("sec-fetch-dest", &["document"]) {
        return Err("the page of gstack view opens in a tab of its own\n");
    }
    Ok(())
}

pub(crate) async fn page() -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, PAGE.policy.as_str())];
    (headers, PAGE.html.as_str()).into_response()
}

/// Returns the cookie of a view: no script reads it, and no other site's request carries it.
pub(crate) fn cookie_header(id: &str, secret: &str) -> String {
    format!("gstack_view_{id}={secret}; HttpOnly; SameSite=Strict; Path={VIEW_PATH}")
}

/// Returns the secret in the cookie of a view.
pub(crate) fn cookie_of<'a>(headers: &'a HeaderMap, id: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let name = format!("gstack_view_{id}");
    cookies.flat_map(|line| line.split(';')).find_map(|one| {
        let (key, value) = one.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends where its world breaks")]
    use super::*;
    use axum::http::HeaderName;

    fn checked(method: &Method, pairs: &[(&'static str, &'static str)]) -> bool {
        let pairs = pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        check(method, &pairs.collect()).is_ok()
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:34567");

    #[test]
    fn only_the_page_itself_sends_requests_and_it_opens_in_a_tab_of_its_own() {
        let own = ("origin", "http://127.0.0.1:34567");
        assert!(checked(&Method::POST, &[HOST, own, ("sec-fetch-site", "same-origin")]));
        assert!(!checked(&Method::POST, &[HOST]) && !checked(&Method::POST, &[own]));
        for origin in ["null", "http://localhost:34567", "http://127.0.0.1:1", "https://127.0.0.1:34567", ""] {
            assert!(!checked(&Method::POST, &[HOST, ("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(!checked(&Method::POST, &[HOST, own, ("sec-fetch-site", site)]), "{site}");
        }
        assert!(checked(&Method::GET, &[HOST, ("sec-fetch-dest", "document"), ("sec-fetch-site", "cross-site")]));
        for place in ["iframe", "empty", "script", "object", "image"] {
            assert!(!checked(&Method::GET, &[HOST, ("sec-fetch-dest", place)]), "{place}");
        }
        assert!(!checked(&Method::GET, &[HOST, own]));
    }

    #[test]
    fn the_page_loads_nothing_and_has_no_place_for_html() {
        assert_eq!(PAGE.reaches_out(), None);
    }

    #[test]
    fn a_cookie_belongs_to_one_view_and_no_script_reads_it() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "a=b; gstack_view_1=one; gstack_view_12=two".parse().unwrap());
        assert_eq!((cookie_of(&headers, "1"), cookie_of(&headers, "12")), (Some("one"), Some("two")));
        assert_eq!(cookie_of(&headers, "2"), None);
        let set = cookie_header("1", "x");
        for part in ["HttpOnly", "SameSite=Strict", "Path=/view"] {
            assert!(set.contains(part), "{set}");
        }
    }
}
