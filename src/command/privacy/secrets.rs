//! Recognizes secrets by their name or format.
//!
//! Owns the rules. Detection is a precaution: what passes is not necessarily harmless.

use serde_json::{Map, Value};

/// Words that mark a name as secret.
const SECRET_WORDS: [&str; 17] = [
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "credential",
    "credentials",
    "auth",
    "authorization",
    "jwt",
    "bearer",
    "apikey",
    "session",
    "sessionid",
    "csrf",
    "xsrf",
];
/// Pairs of words that mark a name as secret only together.
const SECRET_PAIRS: [(&str, &str); 6] =
    [("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("session", "id"), ("refresh", "key")];
/// Prefixes of keys from known issuers.
const SECRET_PREFIXES: [&str; 22] = [
    "eyJ",
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "Bearer ",
    "-----BEGIN",
    "npm_",
];
/// A prefix alone may be an ordinary word; a key is longer.
const SHORTEST_PREFIXED: usize = 16;
/// An unbroken run of letters and digits of at least this length is not a word in any language.
const SHORTEST_RANDOM: usize = 32;

/// Whether a name marks its value as secret: `accessToken`, `X-Api-Key`, `session_id`.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let words = words_of(name);
    words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()))
        || words.windows(2).any(|pair| SECRET_PAIRS.contains(&(pair[0].as_str(), pair[1].as_str())))
}

/// Whether a value starts with a known issuer's prefix and continues like a key.
pub(crate) fn is_issued_key(value: &str) -> bool {
    value.len() >= SHORTEST_PREFIXED && SECRET_PREFIXES.iter().any(|prefix| value.starts_with(prefix))
}

/// Whether a value is a key of a known issuer, or a long random run of letters and digits.
pub(crate) fn is_secret_value(value: &str) -> bool {
    let value = value.trim().trim_matches('"');
    if is_issued_key(value) {
        return true;
    }
    let is_run =
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    // A UUID is an identifier; without dashes, it may be a key.
    let is_uuid = value.contains('-') && uuid::Uuid::try_parse(value).is_ok();
    value.len() >= SHORTEST_RANDOM && is_run && digits >= 4 && letters >= 4 && !is_uuid
}

/// Replaces secrets with `[REDACTED — 12 chars]`, including inside JSON texts.
pub(crate) fn redact_entries(entries: &Map<String, Value>) -> Map<String, Value> {
    entries.iter().map(|(name, value)| (name.clone(), redact(name, value))).collect()
}

/// Does the same for any JSON value.
pub(crate) fn redact_json(value: &Value) -> Value {
    redact("", value)
}

fn redact(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(text) if is_secret_name(name) || is_secret_value(text) => redacted(text),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                let looked_through = redact("", &inner);
                if looked_through == inner { value.clone() } else { Value::from(looked_through.to_string()) }
            }
            Ok(_) | Err(_) => value.clone(),
        },
        Value::Object(map) => Value::Object(redact_entries(map)),
        Value::Array(list) => Value::Array(list.iter().map(|item| redact(name, item)).collect()),
        Value::Number(number) if is_secret_name(name) => redacted(&number.to_string()),
        other => other.clone(),
    }
}

fn redacted(text: &str) -> Value {
    Value::from(format!("[REDACTED — {} chars]", text.chars().count()))
}

/// Returns `["access", "token"]` for `accessToken`, `ACCESS_TOKEN` and `access-token`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lowercase = false;
    for character in name.chars() {
        let starts_word = character.is_uppercase() && after_lowercase;
        if !character.is_alphanumeric() || starts_word {
            words.push(String::new());
        }
        if character.is_alphanumeric() {
            // Never empty: the list starts with one word.
            if let Some(word) = words.last_mut() {
                word.extend(character.to_lowercase());
            }
        }
        after_lowercase = character.is_lowercase() || character.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{SECRET_WORDS, is_secret_name, is_secret_value, redact_entries};
    use serde_json::json;

    #[test]
    fn the_script_in_a_page_knows_the_same_words() {
        let script = include_str!("../../browser/injected/secrets.js");
        for word in SECRET_WORDS {
            assert!(script.contains(&format!("'{word}',")), "{word}");
        }
    }

    #[test]
    fn names_are_judged_by_their_words() {
        for name in
            ["accessToken", "ACCESS_TOKEN", "x-api-key", "apiKey", "user.password", "sessionId", "Authorization"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["theme", "author", "keyboard", "tokenizerless", "monkey", "keys", "color-scheme"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn values_are_judged_by_their_shape() {
        for value in ["eyJhbGciOiJIUzI1NiJ9.e30.x", "ghp_0123456789abcdef", "0123456789abcdef0123456789abcdef"] {
            assert!(is_secret_value(value), "{value}");
        }
        for value in
            ["dark", "sk-ip", "2f6b1c1e-5a39-4d3c-9a5d-0c2f8a1b7e55", "a sentence of many words, with 1234 in it all"]
        {
            assert!(!is_secret_value(value), "{value}");
        }
    }

    #[test]
    fn secrets_inside_json_texts_are_found() {
        let entries =
            json!({ "persist": "{\"theme\":\"dark\",\"auth\":\"abc\"}", "theme": "{\"a\": 1}", "token": "abcd" });
        let redacted = redact_entries(entries.as_object().unwrap());
        assert_eq!(redacted["token"], "[REDACTED — 4 chars]");
        assert_eq!(redacted["persist"], "{\"theme\":\"dark\",\"auth\":\"[REDACTED — 3 chars]\"}");
        assert_eq!(redacted["theme"], "{\"a\": 1}");
    }
}
