//! What of a request is shown: without what signs somebody in.
//!
//! Owns the rules for headers and bodies; `secrets` and `redaction` own what looks like a secret. It is a precaution: what it
//! lets pass is not thereby harmless.

use crate::browser::page::Header;
use crate::command::privacy::{redaction, secrets};
use crate::command::state::identity;
use serde_json::Value;

const REDACTED: &str = "[redacted]";

/// A header's value as it is shown.
pub(super) fn header((name, value): &Header) -> String {
    if identity::is_sensitive(name) || secrets::is_secret_value(value) {
        return REDACTED.to_owned();
    }
    redaction::text(value)
}

/// A body as it is shown. `mime`: what its sender calls it.
pub(super) fn body(mime: &str, text: &str) -> String {
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text) {
        let shown = secrets::redact_json(&value);
        // What holds no secret stays as its server wrote it.
        return if shown == value { redaction::text(text) } else { shown.to_string() };
    }
    if mime.starts_with("application/x-www-form-urlencoded") {
        // As a query it has its secrets known.
        let query = redaction::text(&format!("?{text}"));
        return query.strip_prefix('?').unwrap_or(&query).to_owned();
    }
    if mime.starts_with("multipart/form-data") {
        return multipart(text);
    }
    redaction::text(text)
}

/// The parts of a form, without the values of those whose names say that they are secret.
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
