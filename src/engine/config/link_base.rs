//! `agents.approval-link-base`: the address at which the person's own proxy makes gstack's port reachable for links.
//!
//! Owns the allowed addresses, and the `Host` and `Origin` of each.

use serde::Deserialize;
use url::{Host, Url};

const WRONG: &str = "approval-link-base must be the address of a host without a path, as in \"https://approve.example\"; \
    http:// only for this machine";

/// An allowed address.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct LinkBase {
    /// `https://approve.example`, as a browser sends it.
    origin: String,
    /// The same without the scheme, with and without a default port.
    hosts: Vec<String>,
}

impl LinkBase {
    /// Returns the origin, without a slash at its end.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns true for the `Host` of a request to this address.
    pub fn is_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

impl TryFrom<String> for LinkBase {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let url = Url::parse(&text).map_err(|_| WRONG)?;
        let is_loopback = match url.host().ok_or(WRONG)? {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let is_encrypted = url.scheme() == "https" || (url.scheme() == "http" && is_loopback);
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let is_public = url.username().is_empty() && url.password().is_none();
        if !(is_encrypted && is_bare && is_public) {
            return Err(WRONG);
        }
        let name = url.host_str().ok_or(WRONG)?;
        let hosts = match (url.port(), url.port_or_known_default()) {
            (Some(port), _) => vec![format!("{name}:{port}")],
            (None, Some(default)) => vec![name.to_owned(), format!("{name}:{default}")],
            (None, None) => return Err(WRONG),
        };
        Ok(Self { origin: url.origin().ascii_serialization(), hosts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_encrypted_or_local_address_of_a_host_is_allowed() {
        let base = |text: &str| LinkBase::try_from(text.to_owned());
        for (text, origin, hosts) in [
            ("https://Approve.example", "https://approve.example", &["approve.example", "approve.example:443"][..]),
            ("https://approve.example:8443/", "https://approve.example:8443", &["approve.example:8443"]),
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000", &["127.0.0.1:9000"]),
            ("http://localhost", "http://localhost", &["localhost", "localhost:80"]),
            ("http://[::1]:9", "http://[::1]:9", &["[::1]:9"]),
        ] {
            let base = base(text).unwrap();
            assert_eq!(base.origin(), origin);
            assert!(hosts.iter().all(|host| base.is_host(host)) && base.is_host(&hosts[0].to_uppercase()), "{text}");
            for other in ["", "evil.example", "approve.example.evil", "127.0.0.1", "approve.example:444"] {
                assert!(!base.is_host(other), "{text}: {other}");
            }
        }
        for wrong in [
            "",
            "approve.example",
            "http://approve.example",
            "http://10.0.0.1",
            "http://localhost.evil.example",
            "ftp://localhost",
            "https://approve.example/path",
            "https://approve.example/?a",
            "https://approve.example/#a",
            "https://user@approve.example",
            "javascript:alert(1)",
            "file:///tmp",
        ] {
            assert!(base(wrong).is_err(), "{wrong}");
        }
    }
}
