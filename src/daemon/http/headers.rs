//! Header checks before anything else: no web page sent the request, and which token it carries.
//!
//! Owns `Host`, `Origin`, `Sec-Fetch-Site` and `Authorization`. Sources: the Fetch standard for `Origin` and
//! `Sec-Fetch-Site`; the check of `Host` prevents DNS rebinding.

use super::caller::Caller;
use axum::http::{HeaderMap, Uri, header};
use gstack_protocol::fault::{Fault, FaultCode};

/// Headers that identify the caller, the target or the length of the body. Two parsers may read duplicates differently.
const SINGLE: [&str; 7] =
    ["host", "origin", "authorization", "content-length", "transfer-encoding", "sec-fetch-site", "sec-fetch-mode"];

/// Refuses requests that a browser sends on behalf of a page, and ambiguous ones. `navigation` allows a person to
/// follow a link here.
pub(super) fn check(caller: &Caller, uri: &Uri, headers: &HeaderMap, navigation: bool) -> Result<(), Fault> {
    match caller {
        Caller::Port(_) => check_host(uri, headers)?,
        Caller::Socket(_) => each_once(headers)?,
    }
    if headers.contains_key(header::ORIGIN) {
        return Err(Fault::new(FaultCode::Forbidden, "requests from web pages are refused")
            .hint("Send the request from a program, without an Origin header."));
    }
    let fine = match headers.get("sec-fetch-site").map(|site| site.to_str()) {
        None | Some(Ok("none" | "same-origin")) => true,
        Some(_) => navigation && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate"),
    };
    if fine {
        return Ok(());
    }
    Err(Fault::new(FaultCode::Forbidden, "requests from other sites are refused").hint(
        "Send the request from a \
        program.",
    ))
}

/// Refuses a name that leads here by DNS rebinding, and ambiguous requests.
pub(super) fn check_host(uri: &Uri, headers: &HeaderMap) -> Result<(), Fault> {
    each_once(headers)?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let named = uri.authority().map(|authority| authority.as_str());
    if host.is_some_and(is_our_host) && named.is_none_or(is_our_host) {
        return Ok(());
    }
    Err(Fault::new(FaultCode::Forbidden, "the Host header names another host")
        .hint("Use 127.0.0.1 or localhost as the host."))
}

/// Refuses a request with two headers of a kind that decides something.
pub(super) fn each_once(headers: &HeaderMap) -> Result<(), Fault> {
    match SINGLE.iter().find(|name| headers.get_all(**name).iter().nth(1).is_some()) {
        Some(name) => Err(Fault::new(FaultCode::BadRequest, format!("the request has more than one {name} header"))
            .hint("Send each header once.")),
        None => Ok(()),
    }
}

fn is_our_host(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(
        host,
        |(name, port)| {
            if port.bytes().all(|b| b.is_ascii_digit()) { name } else { host }
        },
    );
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

/// Returns the token of an `Authorization: Bearer` header.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::caller::PortPeer;
    use axum::http::{HeaderName, HeaderValue};

    fn on_port(pairs: &[(&'static str, &'static str)], navigation: bool) -> Result<(), Fault> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let address = "127.0.0.1:1".parse().unwrap();
        check(&Caller::Port(PortPeer::new(address, address)), &Uri::from_static("/status"), &headers, navigation)
    }

    #[test]
    fn only_our_own_names_are_served_on_the_port() {
        for host in ["127.0.0.1:34567", "localhost:1", "127.0.0.1", "LOCALHOST:80"] {
            assert!(on_port(&[("host", host)], false).is_ok(), "{host}");
        }
        for host in ["evil.example:34567", "127.0.0.1.evil.example", "localhost.evil:1", "[::1]:1", ""] {
            assert!(on_port(&[("host", host)], false).is_err(), "{host}");
        }
        assert!(on_port(&[], false).is_err(), "no Host at all");
        let address = "127.0.0.1:1".parse().unwrap();
        let caller = Caller::Port(PortPeer::new(address, address));
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("localhost"))]);
        assert!(check(&caller, &Uri::from_static("http://evil.example/status"), &headers, false).is_err());
    }

    #[test]
    fn a_page_is_refused_whatever_it_claims() {
        for page in [
            &[("host", "localhost"), ("origin", "https://evil.example")][..],
            &[("host", "localhost"), ("origin", "null")],
            &[("host", "localhost"), ("origin", "http://localhost")],
            &[("host", "localhost"), ("sec-fetch-site", "cross-site")],
            &[("host", "localhost"), ("sec-fetch-site", "same-site")],
        ] {
            assert!(on_port(page, false).is_err(), "{page:?}");
        }
    }

    #[test]
    fn a_header_that_decides_something_comes_once() {
        for name in SINGLE {
            let twice = [("host", "localhost"), (name, "localhost"), (name, "localhost")];
            assert_eq!(on_port(&twice, true).unwrap_err().code, FaultCode::BadRequest, "{name}");
        }
    }

    #[test]
    fn a_person_may_follow_a_link_to_the_open_pages_only() {
        let link = [("host", "localhost"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert!(on_port(&link, true).is_ok());
        assert!(on_port(&link, false).is_err());
    }
}
