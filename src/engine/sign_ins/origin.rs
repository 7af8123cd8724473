//! The origin that a sign-in is pinned to.
//!
//! Owns the check of what a person typed. Plain http is for this machine only: anyone on the way could read the password.

use url::{Host, Url};

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    #[error("this is not an origin such as https://shop.example")]
    NotOne,
    #[error("an origin has no path, user or query: give only scheme, host and port")]
    TooMuch,
    #[error("an origin needs https, except on this machine")]
    NotSecure,
}

/// Returns the origin as browsers write it: lower case, the host in ASCII, without the scheme's own port.
pub(super) fn parse(typed: &str) -> Result<String, OriginError> {
    let url = Url::parse(typed.trim()).map_err(|_| OriginError::NotOne)?;
    let host = url.host().ok_or(OriginError::NotOne)?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if !is_bare || !url.username().is_empty() || url.password().is_some() {
        return Err(OriginError::TooMuch);
    }
    match url.scheme() {
        "https" => {}
        "http" if is_this_machine(&host) => {}
        "http" => return Err(OriginError::NotSecure),
        _ => return Err(OriginError::NotOne),
    }
    Ok(url.origin().ascii_serialization())
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        // Browsers resolve these themselves, to this machine.
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::{OriginError, parse};

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        for (typed, origin) in [
            ("https://shop.example", "https://shop.example"),
            ("https://SHOP.example:443/", "https://shop.example"),
            ("https://shop.example:8443", "https://shop.example:8443"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://[::1]:3000", "http://[::1]:3000"),
        ] {
            assert_eq!(parse(typed).as_deref(), Ok(origin), "{typed}");
        }
    }

    #[test]
    fn nothing_else_is_one() {
        for (typed, error) in [
            ("shop.example", OriginError::NotOne),
            ("file:///etc", OriginError::NotOne),
            ("javascript:alert(1)", OriginError::NotOne),
            ("data:text/html,x", OriginError::NotOne),
            ("https://shop.example/login", OriginError::TooMuch),
            ("https://ada@shop.example", OriginError::TooMuch),
            ("https://shop.example?x", OriginError::TooMuch),
            ("http://shop.example", OriginError::NotSecure),
            ("http://localhost.shop.example", OriginError::NotSecure),
            ("http://127.0.0.1.shop.example", OriginError::NotSecure),
            ("ftp://127.0.0.1", OriginError::NotOne),
        ] {
            assert_eq!(parse(typed), Err(error), "{typed}");
        }
    }
}
