//! The addresses that gstack opens: web pages only, never a cloud's metadata service.
//!
//! Owns the check of an address as written, and of the remote address that responded. Sends nothing and resolves
//! nothing: the browser's resolver rules refuse host names that lead to such a service.

use gstack_base::host::without_brackets;
use gstack_base::metadata::{is_metadata, is_metadata_address};
use gstack_protocol::fault::{Fault, FaultCode};
use std::net::IpAddr;
use url::Url;

/// Returns the address to open for typed text. Adds the scheme to `localhost:3000` and `example.com`.
pub fn check(typed: &str) -> Result<Url, Fault> {
    let typed = typed.trim();
    if typed.eq_ignore_ascii_case("about:blank") {
        return Url::parse("about:blank").map_err(|error| unparsed(typed, error));
    }
    let written = match scheme_to_add(typed) {
        Some(scheme) => format!("{scheme}://{typed}"),
        None => typed.to_owned(),
    };
    let url = Url::parse(&written).map_err(|error| unparsed(typed, error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Fault::new(
            FaultCode::UrlRefused,
            format!("{}: addresses are not opened, only http and https", url.scheme()),
        )
        .hint("For a local file, serve its folder on localhost, or use load-html."));
    }
    match url.host() {
        Some(host) if is_metadata(&host) => Err(refused_metadata(url.host_str().unwrap_or_default())),
        Some(_) => Ok(url),
        None => Err(not_an_address(typed, "it has no host")),
    }
}

/// Checks where a navigation ended after all redirects. `remote_address`: the server's address, as the browser writes
/// it.
pub fn check_arrival(url: &str, remote_address: Option<&str>) -> Result<(), Fault> {
    // An address that cannot be parsed (of an error page) has no host to check.
    if let Ok(url) = Url::parse(url)
        && url.host().is_some_and(|host| is_metadata(&host))
    {
        return Err(refused_metadata(url.host_str().unwrap_or_default()));
    }
    remote_address.map_or(Ok(()), check_remote)
}

/// Whether content from this server address must not be read. `address`: as the browser writes it.
pub fn is_refused_address(address: &str) -> bool {
    check_remote(address).is_err()
}

fn check_remote(address: &str) -> Result<(), Fault> {
    let bare = without_brackets(address);
    match bare.parse::<IpAddr>() {
        Ok(address) if is_metadata_address(address) => Err(refused_metadata(bare)),
        _ => Ok(()),
    }
}

fn unparsed(typed: &str, error: url::ParseError) -> Fault {
    match error {
        url::ParseError::RelativeUrlWithoutBase => not_an_address(typed, "it names no site"),
        other => not_an_address(typed, &other.to_string()),
    }
}

fn not_an_address(typed: &str, reason: &str) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("{typed:?} is not an address: {reason}"))
        .hint("Write the full address: https://example.com/")
}

fn refused_metadata(host: &str) -> Fault {
    Fault::new(FaultCode::UrlRefused, format!("{host} is a cloud metadata address, which gstack never opens"))
        .hint("Such addresses hand out a machine's credentials.")
}

/// Returns the scheme to add to text without one: a host, with optional port and path.
fn scheme_to_add(typed: &str) -> Option<&'static str> {
    let host_and_port = typed.split(['/', '?', '#']).next()?;
    let (host, port) = match host_and_port.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (host_and_port, None),
    };
    let is_host =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-');
    let is_port =
        port.is_none_or(|port| !port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()));
    let is_local = host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.");
    if !is_host || !is_port || !(host.contains('.') || is_local) {
        return None;
    }
    Some(if is_local { "http" } else { "https" })
}

#[cfg(test)]
mod tests {
    use super::{check, check_arrival, check_remote};
    use gstack_protocol::fault::FaultCode;

    #[test]
    fn web_addresses_are_opened_and_get_their_scheme() {
        for (typed, opened) in [
            ("https://example.com", "https://example.com/"),
            (" http://localhost:3000/a?b#c ", "http://localhost:3000/a?b#c"),
            ("localhost:3000", "http://localhost:3000/"),
            ("127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
            ("example.com/path", "https://example.com/path"),
            ("about:blank", "about:blank"),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
        ] {
            assert_eq!(check(typed).unwrap().as_str(), opened);
        }
    }

    #[test]
    fn other_schemes_are_refused() {
        for typed in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "chrome://settings",
            "view-source:http://a/",
            "about:config",
            "ftp://a/",
            "blob:http://a/b",
            "mailto:a@b",
        ] {
            assert_eq!(check(typed).unwrap_err().code, FaultCode::UrlRefused, "{typed}");
        }
        for typed in ["", "nonsense", "http://", "//host/path"] {
            assert_eq!(check(typed).unwrap_err().code, FaultCode::BadRequest, "{typed}");
        }
    }

    #[test]
    fn metadata_services_are_refused_in_every_spelling() {
        for host in [
            "169.254.169.254",
            "169.254.169.254.",
            "2852039166",
            "0xa9fea9fe",
            "0xA9.0xFE.0xA9.0xFE",
            "0251.0376.0251.0376",
            "169.254.43518",
            "169.16689662",
            "user:pw@169.254.169.254:80",
            "１６９.254.169.254",
            "169。254。169。254",
            "%31%36%39.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]",
            "[0:0:0:0:0:ffff:a9fe:a9fe]",
            "[::a9fe:a9fe]",
            "[64:ff9b::a9fe:a9fe]",
            "[2002:a9fe:a9fe::]",
            "[fd00:ec2::254]",
            "[FD00:0EC2:0::254]",
            "[fd20:ce::254]",
            "metadata.google.internal",
            "METADATA.google.internal.",
            "metadata",
            "metadata.goog",
            "instance-data",
        ] {
            let fault = check(&format!("http://{host}/latest/")).unwrap_err();
            assert_eq!(fault.code, FaultCode::UrlRefused, "{host}");
        }
        assert!(check("169.254.169.254/latest").is_err());
        assert!(check("https://169.254.169.254.example.com/").is_ok());
        assert!(check("http://my-metadata.internal/").is_ok());
    }

    #[test]
    fn the_address_that_answered_is_judged_too() {
        for address in ["169.254.169.254", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]"] {
            assert_eq!(check_remote(address).unwrap_err().code, FaultCode::UrlRefused);
        }
        for address in ["127.0.0.1", "[::1]", "", "93.184.216.34"] {
            assert!(check_remote(address).is_ok());
        }
        assert!(check_arrival("http://169.254.169.254/", None).is_err());
        assert!(check_arrival("http://a.example/", Some("169.254.169.254")).is_err());
        assert!(check_arrival("about:blank", Some("127.0.0.1")).is_ok());
    }
}
