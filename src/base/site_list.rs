//! The sites that a browser may reach, where a person limits it to some.
//!
//! Owns the list's syntax, the hosts that it covers, and the browser's resolver rules for it. Sends nothing and resolves
//! nothing.

use super::host::{bracketed, without_brackets};
use super::metadata::{NAMES, is_metadata};
use serde::Deserialize;
use std::fmt;
use url::{Host, Url};

/// Hosts, with `*.` for all hosts below one, or with the only port that is reached there. The empty list covers every
/// host. Written with commas or spaces: `shop.example, *.shop.example, localhost:3000`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct SiteList(Vec<Site>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Site {
    /// As a browser writes it: in lower case and ASCII, an IPv6 address without brackets.
    host: String,
    /// The hosts below it, without itself.
    is_below: bool,
    /// `None`: every port.
    port: Option<u16>,
}

/// A part of a list that names no site, or one that no browser of gstack opens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteListError {
    #[error("{0:?} is not a host: write shop.example, *.shop.example or localhost:3000, separated by commas")]
    NotAHost(String),
    /// The browser's resolver rules exclude the hosts below another with all their ports.
    #[error("{0:?} limits the ports of many hosts: name each host with its port, such as www.shop.example:443")]
    PortBelow(String),
    #[error("{0:?} covers a cloud's metadata service, which gstack never opens")]
    Metadata(String),
}

impl SiteList {
    pub fn parse(text: &str) -> Result<Self, SiteListError> {
        let parts = text.split([',', ' ', '\t', '\n']).filter(|part| !part.is_empty());
        Ok(Self(parts.map(Site::parse).collect::<Result<_, _>>()?))
    }

    /// Whether every host may be reached.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a host, as a browser writes it, may be reached at this port, or at any if none is given.
    pub fn covers(&self, host: &str, port: Option<u16>) -> bool {
        let host = without_brackets(host);
        self.is_empty() || self.0.iter().any(|site| site.covers(host) && site.covers_port(port))
    }

    /// Whether an address may be reached. One without a host, such as `about:blank`, is nowhere.
    pub fn covers_url(&self, url: &Url) -> bool {
        url.host_str().is_none_or(|host| self.covers(host, url.port_or_known_default()))
    }

    /// Returns the host of an address, with its port if the list tells ports of that host apart. `None` without a host.
    pub fn place_of(&self, url: &Url) -> Option<String> {
        let host = url.host_str()?;
        let bare = without_brackets(host);
        let has_ports = self.0.iter().any(|site| site.port.is_some() && site.covers(bare));
        let port = if has_ports { url.port_or_known_default() } else { url.port() };
        Some(port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }

    /// Whether another list covers everything that this one does. An empty one covers every host.
    pub fn is_within(&self, other: &Self) -> bool {
        other.is_empty()
            || !self.is_empty() && self.0.iter().all(|site| other.0.iter().any(|wider| site.is_within(wider)))
    }

    /// The exceptions from a proxy that leave nothing but these sites without it, as Chrome reads them. The first entry ends those
    /// that a browser has by itself.
    pub fn proxy_exceptions(&self) -> Vec<String> {
        std::iter::once("<-loopback>".to_owned()).chain(self.0.iter().map(Site::to_string)).collect()
    }

    /// Rules for `--host-resolver-rules` that leave nothing but these sites to resolve. The first rule that matches a
    /// host counts, so they come after all others. None if every host may be reached.
    pub fn resolver_rules(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        // A host that is mapped to itself is resolved as usual, and by an earlier rule for it if there is one. For the hosts
        // below another there is no such mapping.
        let rule = |site: &Site| match site {
            Site { host, is_below: true, .. } => format!("EXCLUDE *.{host}"),
            Site { host, port: None, .. } => format!("MAP {host} {}", bracketed(host)),
            // A pattern with a port is compared with `host:port`, where an IPv6 address has brackets.
            site => format!("MAP {site} {site}"),
        };
        let rules: Vec<String> = self.0.iter().map(rule).chain(["MAP * ~NOTFOUND".to_owned()]).collect();
        Some(rules.join(", "))
    }
}

impl Site {
    fn parse(text: &str) -> Result<Self, SiteListError> {
        let (name, is_below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        let not_a_host = || SiteListError::NotAHost(text.to_owned());
        let (name, port) = match with_port(name) {
            Some((_, None)) => return Err(not_a_host()),
            Some(_) if is_below => return Err(SiteListError::PortBelow(text.to_owned())),
            Some((name, port)) => (name, port),
            None => (name, None),
        };
        // `Host::parse` takes characters that would end a rule or make a pattern of it.
        if name.contains(['*', '?', '/', '~', '@', '%']) {
            return Err(not_a_host());
        }
        let host = Host::parse(name).map_err(|_| not_a_host())?;
        let refused = || SiteListError::Metadata(text.to_owned());
        let borrowed = match &host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        if is_metadata(&borrowed) {
            return Err(refused());
        }
        let host = match host {
            // What a domain name is mapped to must not end a rule, or be a pattern in one.
            Host::Domain(name) if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) => {
                return Err(not_a_host());
            }
            // Chrome reads a name that begins with a dot as all hosts below it.
            Host::Domain(name) if name.trim_end_matches('.').split('.').any(str::is_empty) => return Err(not_a_host()),
            Host::Domain(name) => name.trim_end_matches('.').to_owned(),
            Host::Ipv4(_) | Host::Ipv6(_) if is_below => return Err(not_a_host()),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let site = Self { host, is_below, port };
        // An exclusion goes before every other rule, those that keep metadata services out of reach too.
        if site.host.is_empty() || NAMES.iter().any(|name| site.covers(name)) {
            return Err(if site.host.is_empty() { not_a_host() } else { refused() });
        }
        Ok(site)
    }

    fn covers(&self, host: &str) -> bool {
        if self.is_below {
            host.strip_suffix(&self.host).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        } else {
            host == self.host
        }
    }

    fn is_within(&self, wider: &Self) -> bool {
        let is_host_within = match (self.is_below, wider.is_below) {
            (true, true) => self.host == wider.host || wider.covers(&self.host),
            (true, false) => false,
            (false, _) => wider.covers(&self.host),
        };
        is_host_within && (wider.port.is_none() || wider.port == self.port)
    }

    fn covers_port(&self, port: Option<u16>) -> bool {
        self.port.is_none() || port.is_none() || self.port == port
    }
}

/// Splits `host:port`. `None` without a colon after the host; no port if what follows is not one.
fn with_port(text: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = text.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'))?;
    let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let port = port.parse().ok().filter(|port| is_number && *port > 0);
    Some((host, port.filter(|_| !host.is_empty())))
}

/// As it is written in a list, and with a port as the browser writes it.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.is_below { "*." } else { "" };
        write!(f, "{below}{}", bracketed(&self.host))?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl TryFrom<String> for SiteList {
    type Error = SiteListError;

    fn try_from(text: String) -> Result<Self, SiteListError> {
        Self::parse(&text)
    }
}

/// As it is written, with commas.
impl fmt::Display for SiteList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, site) in self.0.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{site}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> SiteList {
        SiteList::parse(text).unwrap()
    }

    #[test]
    fn an_empty_list_limits_nothing() {
        assert!(list(" , ").is_empty() && list("").covers("any.example", Some(80)));
        assert_eq!(list("").resolver_rules(), None);
    }

    #[test]
    fn a_host_is_covered_as_it_is_written_and_with_a_star_below_it() {
        let sites = list("Shop.example, *.cdn.example localhost,127.0.0.1 [::1]");
        for host in ["shop.example", "a.cdn.example", "a.b.cdn.example", "localhost", "127.0.0.1", "[::1]", "::1"] {
            assert!(sites.covers(host, Some(8080)) && sites.covers(host, None), "{host}");
        }
        for host in
            ["www.shop.example", "cdn.example", ".cdn.example", "evilcdn.example", "shop.example.evil", "", "127.0.0.2"]
        {
            assert!(!sites.covers(host, None), "{host}");
        }
        assert_eq!(sites.to_string(), "shop.example, *.cdn.example, localhost, 127.0.0.1, [::1]");
        assert_eq!(list(&sites.to_string()), sites);
        assert!(sites.resolver_rules().unwrap().contains("MAP ::1 [::1], "));
    }

    #[test]
    fn a_list_is_within_one_that_covers_all_of_it() {
        let within = |inner: &str, outer: &str| list(inner).is_within(&list(outer));
        for (inner, outer) in [
            ("a.example", "a.example b.example"),
            ("a.example:81", "a.example"),
            ("www.a.example *.b.a.example *.a.example", "*.a.example"),
            ("a.example", ""),
            ("", ""),
            ("[::1]:81 127.0.0.1", "[::1] 127.0.0.1"),
        ] {
            assert!(within(inner, outer), "{inner} in {outer}");
        }
        for (inner, outer) in [
            ("", "a.example"),
            ("a.example b.example", "a.example"),
            ("a.example", "a.example:81"),
            ("a.example", "*.a.example"),
            ("*.a.example", "a.example"),
            ("*.a.example", "*.b.a.example"),
            ("*.xa.example", "*.a.example"),
        ] {
            assert!(!within(inner, outer), "{inner} in {outer}");
        }
    }

    #[test]
    fn the_exceptions_from_a_proxy_are_the_sites() {
        let exceptions = list("Shop.example, *.cdn.example localhost:81,[::1]:3000 [::1]").proxy_exceptions();
        assert_eq!(exceptions, ["<-loopback>", "shop.example", "*.cdn.example", "localhost:81", "[::1]:3000", "[::1]"]);
    }

    #[test]
    fn a_host_has_one_spelling() {
        assert_eq!(list("bücher.example").to_string(), "xn--bcher-kva.example");
        assert_eq!(list("2130706433").to_string(), "127.0.0.1");
        assert_eq!(list("shop.example.").to_string(), "shop.example");
    }

    #[test]
    fn rules_come_in_an_order_that_leaves_nothing_else() {
        let rules = list("shop.example *.shop.example").resolver_rules().unwrap();
        assert_eq!(rules, "MAP shop.example shop.example, EXCLUDE *.shop.example, MAP * ~NOTFOUND");
    }

    #[test]
    fn a_port_limits_its_host_to_it() {
        let sites = list("Shop.example:0443 [::1]:3000 127.1:81 localhost:81 localhost:82 free.example");
        let text = "shop.example:443, [::1]:3000, 127.0.0.1:81, localhost:81, localhost:82, free.example";
        assert_eq!(sites.to_string(), text);
        assert_eq!(list(text), sites);
        let covers = |url: &str| sites.covers_url(&Url::parse(url).unwrap());
        for url in
            ["https://shop.example/", "wss://shop.example/", "http://[::1]:3000", "http://localhost:82", "about:blank"]
        {
            assert!(covers(url), "{url}");
        }
        for url in ["http://shop.example/", "http://[::1]/", "http://[::1]:81/", "http://localhost:83", "http://127.1/"]
        {
            assert!(!covers(url), "{url}");
        }
        assert!(covers("http://free.example:99/") && sites.covers("localhost", None));
        let rules = sites.resolver_rules().unwrap();
        assert!(rules.starts_with("MAP shop.example:443 shop.example:443, MAP [::1]:3000 [::1]:3000, "), "{rules}");
        let place = |url: &str| sites.place_of(&Url::parse(url).unwrap()).unwrap();
        assert_eq!(place("http://localhost/x"), "localhost:80");
        assert_eq!(place("http://other.example/x"), "other.example");
        let below = "*.shop.example:443";
        assert_eq!(SiteList::parse(below), Err(SiteListError::PortBelow(below.to_owned())));
    }

    #[test]
    fn what_is_no_host_is_refused_with_its_words() {
        for text in [
            "*",
            "*.",
            "a*b.example",
            "https://shop.example",
            "shop.example/path",
            "shop.example:",
            "shop.example:0",
            "shop.example:+80",
            "shop.example:65536",
            "shop.example:*",
            "shop.example:80:80",
            "[::1]:",
            "::1",
            ":80",
            "MAP?",
            "~NOTFOUND",
            "a..b@c",
            ".shop.example",
            "*..shop.example",
            "a..shop.example",
            ".",
        ] {
            assert_eq!(SiteList::parse(text), Err(SiteListError::NotAHost(text.to_owned())), "{text}");
        }
        for text in ["*.\u{ff0a}", "*.internal\u{ff0c}x", "*.com\u{ff0c}x", "a\u{ff0c}b", "a b\u{ff0a}"] {
            assert!(SiteList::parse(text).is_err(), "{text}");
        }
        assert_eq!(SiteList::parse("*.127.0.0.1"), Err(SiteListError::NotAHost("*.127.0.0.1".to_owned())));
    }

    #[test]
    fn a_metadata_service_cannot_be_let_in() {
        for text in [
            "169.254.169.254",
            "metadata.google.internal",
            "*.internal",
            "*.google.internal",
            "*.goog",
            "[fd00:ec2::254]",
            "169.254.169.254:8080",
        ] {
            assert_eq!(SiteList::parse(text), Err(SiteListError::Metadata(text.to_owned())), "{text}");
        }
    }
}
