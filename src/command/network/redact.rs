//! Requests as they may be shown: without credentials.
//!
//! Owns the rules for headers and bodies; `secrets` and `redaction` decide what looks like a secret. Redaction is a
//! precaution: what passes is not necessarily harmless.

use crate::privacy::{redaction, secrets};
use crate::state::identity;
use gstack_browser::page::Header;
use serde_json::Value;

const REDACTED: &str = "[redacted]";

/// Returns a header's value, redacted.
pub(super) fn header((name, value): &Header) -> String {
    if identity::is_sensitive(name) || secrets::is_secret_value(value) {
        return REDACTED.to_owned();
    }
    redaction::text(value)
}

/// Returns a body, redacted. `mime`: the media type given by its sender.
pub(super) fn body(mime: &str, text: &str) -> String {
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text) {
        let shown = secrets::redact_json(&value);
        // A body without secrets stays as the server wrote it.
        return if shown == value { redaction::text(text) } else { shown.to_string() };
    }
    if mime.starts_with("application/x-www-form-urlencoded") {
        // Treated as a query, so that its secret parameters are recognized.
        let query = redaction::text(&format!("?{text}"));
        return query.strip_prefix('?').unwrap_or(&query).to_owned();
    }
    if mime.starts_with("multipart/form-data") {
        return multipart(text);
    }
    redaction::text(text)
}

/// Removes the values of parts whose names mark them as secret.
fn multipart(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut hides = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("--") {
            hides = false;
        }
        let lower = line.to_ascii_lowercase();
        if let Some((_, name)) = line.split_once("name=\"").filter(|_| lower.starts_with("content-disposition:")) {
            hides = secrets::is_secret_name(name.split('"').next().unwrap_or_default());
        } else if hides && !line.trim().is_empty() && !lower.starts_with("content-") {
            shown.push_str(REDACTED);
            shown.push('\n');
            continue;
        }
        shown.push_str(&redaction::text(line));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{body, header};

    #[test]
    fn headers_that_sign_somebody_in_are_hidden() {
        let shown = |name: &str, value: &str| header(&(name.to_owned(), value.to_owned()));
        for name in ["Authorization", "cookie", "Set-Cookie", "X-Api-Key", "Proxy-Authorization", "x-csrf-token"] {
            assert_eq!(shown(name, "abc"), "[redacted]", "{name}");
        }
        assert_eq!(shown("X-Other", "ghp_0123456789abcdef"), "[redacted]");
        assert_eq!(shown("referer", "http://a/?token=x"), "http://a/?token=[redacted]");
        assert_eq!(shown("content-type", "text/html"), "text/html");
    }

    #[test]
    fn bodies_lose_their_secrets_in_every_form() {
        let json = body("application/json", r#"{"user":"ada","password":"hunter2","list":[{"apiKey":"k"}]}"#);
        assert!(json.contains("ada") && !json.contains("hunter2") && !json.contains("\"k\""), "{json}");
        assert_eq!(body("application/json", "{\"a\": 1 }"), "{\"a\": 1 }");
        let form = body("application/x-www-form-urlencoded", "user=ada&password=hunter2&page=2");
        assert_eq!(form, "user=ada&password=[redacted]&page=2");
        let parts = "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--x\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nada\r\n--x--\r\n";
        let multi = body("multipart/form-data; boundary=x", parts);
        assert!(multi.contains("ada") && !multi.contains("hunter2"), "{multi}");
        assert_eq!(body("text/plain", "Bearer abcdef"), "Bearer [redacted]");
    }
}
