//! Which addresses a command may open: web pages, never a cloud's metadata service, however it is spelled.
//!
//! Owns the first of three layers: the spelling of a typed address. The browser's resolver rules and the
//! check of the peer's address are the others. Never sends anything.

use crate::protocol::fault::{Fault, FaultCode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("{0:?} is not a web address")]
    Unreadable(String),
    #[error("{0}: addresses are not opened; only http, https and about:blank are")]
    Scheme(String),
    #[error("{0} is a cloud metadata service: it is not opened")]
    Metadata(String),
}

impl From<UrlError> for Fault {
    fn from(error: UrlError) -> Self {
        let (code, hint) = match &error {
            UrlError::Unreadable(_) => (FaultCode::BadRequest, "Write it as https://example.com/page."),
            UrlError::Scheme(_) => (FaultCode::UrlRefused, "For a file use load-html; for anything else, a web address."),
            UrlError::Metadata(_) => {
                (FaultCode::UrlRefused, "It holds credentials of this machine, and no page needs it.")
            }
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}

/// Names of metadata services.
const NAMES: [&str; 4] =
    ["metadata.google.internal", "metadata.goog", "metadata", "instance-data.ec2.internal"];
/// Amazon, Google, Azure and most others; Alibaba; Oracle's older one.
const ADDRESSES: [Ipv4Addr; 3] =
    [Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192)];
/// Amazon's IPv6 address.
const ADDRESS_6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// Reads an address as a person types it: without a scheme it is `https`, or `http` for this machine.
pub fn check(text: &str) -> Result<Url, UrlError> {
    let text = text.trim();
    if text == "about:blank" {
        return Url::parse(text).map_err(|_| UrlError::Unreadable(text.to_owned()));
    }
    let url = parse(text)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlError::Scheme(url.scheme().to_owned()));
    }
    match url.host() {
        None => Err(UrlError::Unreadable(text.to_owned())),
        Some(host) if is_metadata(&host) => Err(UrlError::Metadata(host.to_string())),
        Some(_) => Ok(url),
    }
}

fn parse(text: &str) -> Result<Url, UrlError> {
    let unreadable = || UrlError::Unreadable(text.to_owned());
    if text.is_empty() || text.chars().any(char::is_whitespace) {
        return Err(unreadable());
    }
    match Url::parse(text) {
        // `localhost:8080` parses as the scheme `localhost`.
        Ok(url) if url.has_host() || !looks_like_host(text) => Ok(url),
        _ if looks_like_host(text) => {
            let url = Url::parse(&format!("https://{text}")).map_err(|_| unreadable())?;
            let local = match url.host() {
                Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                None => false,
            };
            if local { Url::parse(&format!("http://{text}")).map_err(|_| unreadable()) } else { Ok(url) }
        }
        _ => Err(unreadable()),
    }
}

/// `name`, `name.tld/path`, `name:80`: what is typed without a scheme.
fn looks_like_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "0"));
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    !name.is_empty() && name.chars().all(plain) && port.bytes().all(|b| b.is_ascii_digit())
}

/// The URL standard has read decimal, hex and octal spellings as the address that they are.
fn is_metadata(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            NAMES.contains(&name.as_str()) || embedded(&name).is_some_and(|address| ADDRESSES.contains(&address))
        }
        Host::Ipv4(address) => ADDRESSES.contains(address),
        Host::Ipv6(address) => is_metadata_6(*address),
    }
}

/// Whether a peer's address, as the browser reports it, is a metadata service's.
pub fn is_metadata_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => ADDRESSES.contains(&address),
        IpAddr::V6(address) => is_metadata_6(address),
    }
}

/// Directly, mapped (`::ffff:a.b.c.d`), compatible (`::a.b.c.d`), or behind NAT64 (`64:ff9b::a.b.c.d`).
fn is_metadata_6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let leads_to_4 = matches!(segments[..6], [0, 0, 0, 0, 0, 0xffff | 0] | [0, 0, 0, 0, 0xffff, 0] | [0x64, 0xff9b, 0, 0, 0, 0]);
    let [.., a, b] = segments;
    let last = Ipv4Addr::from(u32::from(a) << 16 | u32::from(b));
    address == ADDRESS_6 || (leads_to_4 && ADDRESSES.contains(&last))
}

/// Public names that resolve to the address in them: `169.254.169.254.nip.io` and its like.
fn embedded(name: &str) -> Option<Ipv4Addr> {
    let service = [".nip.io", ".sslip.io", ".xip.io"].iter().find_map(|suffix| name.strip_suffix(suffix))?;
    let numbers: Vec<u8> = service.rsplit(['.', '-']).map_while(|part| part.parse().ok()).take(4).collect();
    match numbers[..] {
        [d, c, b, a] => Some(Ipv4Addr::new(a, b, c, d)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (typed, read) in [
            ("https://a.example/x?y#z", "https://a.example/x?y#z"),
            ("a.example", "https://a.example/"),
            ("a.example/path", "https://a.example/path"),
            ("localhost:5173", "http://localhost:5173/"),
            ("127.0.0.1:80/x", "http://127.0.0.1/x"),
            ("http://[::1]:9/", "http://[::1]:9/"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(check(typed).map(String::from), Ok(read.to_owned()), "{typed}");
        }
    }

    #[test]
    fn only_web_pages_are_opened() {
        for typed in ["file:///etc/passwd", "chrome://settings", "javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "view-source:http://a.example", "about:config"] {
            assert!(matches!(check(typed), Err(UrlError::Scheme(_))), "{typed}: {:?}", check(typed));
        }
        for typed in ["", " ", "two words", "http://", "https://"] {
            assert!(matches!(check(typed), Err(UrlError::Unreadable(_))), "{typed}: {:?}", check(typed));
        }
    }

    #[test]
    fn a_metadata_service_is_known_in_every_spelling() {
        for typed in [
            "http://169.254.169.254/latest/meta-data/",
            "169.254.169.254",
            "http://2852039166/",
            "http://0xA9FEA9FE/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://169.16689662/",
            "http://169.254.169.254./",
            "http://user:password@169.254.169.254:80/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[::a9fe:a9fe]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[fd00:ec2::254]/",
            "http://[fd00:0ec2:0:0:0:0:0:254]/",
            "http://metadata.google.internal/",
            "http://METADATA.google.internal./computeMetadata/v1/",
            "http://metadata/",
            "http://100.100.100.200/",
            "http://192.0.0.192/",
            "http://169.254.169.254.nip.io/",
            "http://x.169-254-169-254.sslip.io/",
            "http://①⑥⑨.254.169.254/",
            "http://169。254。169。254/",
        ] {
            assert!(matches!(check(typed), Err(UrlError::Metadata(_))), "{typed}: {:?}", check(typed));
        }
    }

    #[test]
    fn neighbours_are_ordinary() {
        for typed in ["http://169.254.169.253/", "http://metadata.example/", "http://[fd00:ec2::255]/", "http://10.0.0.1/"] {
            assert!(check(typed).is_ok(), "{typed}: {:?}", check(typed));
        }
    }
}
