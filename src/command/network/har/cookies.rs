//! The cookies of a request and its response, in HAR form.
//!
//! Owns parsing their headers. The caller decides whether values are shown.

use gstack_browser::page::Header;
use serde_json::{Map, Value, json};

const REDACTED: &str = "[redacted]";

/// Parses `Cookie: a=1; b=2`.
pub(super) fn sent(headers: &[Header], redacts: bool) -> Vec<Value> {
    let pairs = values(headers, "cookie").flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| json!({ "name": name.trim(), "value": shown(value, redacts) })).collect()
}

/// Parses `Set-Cookie: a=1; Path=/; HttpOnly`, one cookie for each header.
pub(super) fn set(headers: &[Header], redacts: bool) -> Vec<Value> {
    values(headers, "set-cookie").filter_map(|line| read(line, redacts)).collect()
}

fn values<'a>(headers: &'a [Header], name: &'a str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn shown(value: &str, redacts: bool) -> &str {
    if redacts { REDACTED } else { value.trim() }
}

fn read(line: &str, redacts: bool) -> Option<Value> {
    let mut parts = line.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let mut cookie = Map::new();
    cookie.insert("name".to_owned(), json!(name.trim()));
    cookie.insert("value".to_owned(), json!(shown(value, redacts)));
    for part in parts {
        let (name, value) = part.split_once('=').map_or((part.trim(), ""), |(name, value)| (name.trim(), value.trim()));
        // Omits `expires`: its date format differs, and HAR readers accept only ISO 8601.
        match name.to_ascii_lowercase().as_str() {
            "path" => cookie.insert("path".to_owned(), json!(value)),
            "domain" => cookie.insert("domain".to_owned(), json!(value)),
            "samesite" => cookie.insert("sameSite".to_owned(), json!(value)),
            "httponly" => cookie.insert("httpOnly".to_owned(), json!(true)),
            "secure" => cookie.insert("secure".to_owned(), json!(true)),
            _ => None,
        };
    }
    Some(Value::Object(cookie))
}

#[cfg(test)]
mod tests {
    use super::{sent, set};
    use serde_json::json;

    #[test]
    fn cookies_keep_their_names_and_lose_their_values() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let request = [header("Cookie", "sid=abc; theme=dark")];
        assert_eq!(sent(&request, true)[0], json!({ "name": "sid", "value": "[redacted]" }));
        assert_eq!(sent(&request, false)[1], json!({ "name": "theme", "value": "dark" }));
        let answer = [header("set-cookie", "sid=abc; Path=/; HttpOnly; SameSite=Lax"), header("Set-Cookie", "b=2")];
        let cookies = set(&answer, true);
        assert_eq!(
            cookies[0],
            json!({ "name": "sid", "value": "[redacted]", "path": "/", "httpOnly": true, "sameSite": "Lax" })
        );
        assert_eq!(cookies.len(), 2);
    }
}
