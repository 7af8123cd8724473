//! The two ways to write an IPv6 host: in brackets in a URL, without them everywhere else.
//!
//! Owns the conversion. Never parses or checks a host.

use std::borrow::Cow;

/// Returns a host as it stands in a URL: an IPv6 address in brackets.
pub fn bracketed(host: &str) -> Cow<'_, str> {
    if host.contains(':') { Cow::Owned(format!("[{host}]")) } else { Cow::Borrowed(host) }
}

/// Returns a host of a URL without the brackets of an IPv6 address. Any other host is returned as it is.
pub fn without_brackets(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ipv6_addresses_have_brackets() {
        for (host, in_url) in [("::1", "[::1]"), ("a.example", "a.example"), ("127.0.0.1", "127.0.0.1")] {
            assert_eq!(bracketed(host), in_url);
            assert_eq!(without_brackets(in_url), host);
        }
    }
}
