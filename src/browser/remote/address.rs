//! Addresses of remote browsers as text: what may be typed on a command line, and what may be shown.
//!
//! Owns the two rules. A path, a query and user information may each hold the secret that opens a browser, so none of
//! them is ever shown.

use url::Url;

/// Parts of parameter names that stand for a secret: `token`, `apiKey`, `signingKey`, `access_token`.
const SECRET_WORDS: [&str; 10] =
    ["token", "key", "secret", "pass", "auth", "sig", "jwt", "credential", "pwd", "ticket"];

/// Returns the address for people, logs and records: `wss://chrome.example:9222/…`.
pub fn shown(url: &Url) -> String {
    let Some(host) = url.host_str() else { return format!("{}:…", url.scheme()) };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let rest = if matches!(url.path(), "" | "/") && url.query().is_none() { "" } else { "/…" };
    format!("{}://{host}{port}{rest}", url.scheme())
}

/// Returns the part of an address that must not be on a command line, where every user of the machine can read it.
pub fn argument_secret(url: &Url) -> Option<String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Some("a user name or password".to_owned());
    }
    let is_secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        SECRET_WORDS.iter().any(|word| name.contains(word))
    };
    let name = url.query_pairs().find(|(name, _)| is_secret(name)).map(|(name, _)| name.into_owned());
    name.map(|name| format!("the parameter {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_may_be_a_secret_is_shown() {
        for (url, is_shown) in [
            ("wss://me:hunter2@a.example/devtools/browser/hunter2?token=hunter2#hunter2", "wss://a.example/…"),
            ("http://127.0.0.1:4444/", "http://127.0.0.1:4444"),
            ("http://127.0.0.1:4444", "http://127.0.0.1:4444"),
            ("wss://a.example/?x=hunter2", "wss://a.example/…"),
            ("ws://[::1]:9222/x", "ws://[::1]:9222/…"),
            ("data:hunter2", "data:…"),
        ] {
            assert_eq!(shown(&Url::parse(url).unwrap()), is_shown);
        }
    }

    #[test]
    fn a_secret_in_an_argument_is_found_by_its_name() {
        let secret = |url: &str| argument_secret(&Url::parse(url).unwrap());
        for url in ["wss://a.example?token=x", "wss://a.example?apiKey=x", "wss://a@b.example", "wss://:p@b.example"] {
            assert!(secret(url).is_some(), "{url}");
        }
        assert_eq!(secret("wss://a.example/devtools?timeout=60000&stealth"), None);
        assert_eq!(secret("wss://a.example/devtools?keep_alive=60000"), None);
    }
}
