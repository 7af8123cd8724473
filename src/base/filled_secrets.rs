//! The secrets that this process filled into pages, and their removal from everything that leaves it: results, the
//! journal, the audit, logs, evidence, recordings.
//!
//! Owns the one list, in memory only and for the whole process, because what a page shows comes back in many ways. Finds
//! a secret also as JSON, HTML, a part of an address, base64, hexadecimal, UTF-16 and backwards. Does not find what a
//! script of the page computes from it.

use super::mutex::lock;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Replaces a secret.
const REDACTED: &str = "[redacted]";
/// Shorter forms would be found everywhere.
const SHORTEST: usize = 5;
/// Forms shorter than this, and numbers, count only as whole words: otherwise they would be found within ids.
const SHORT: usize = 8;
/// What is left of a form that was cut off, before an ellipsis.
const SHORTEST_REST: usize = 8;
/// Like JavaScript's `encodeURIComponent`.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
/// Saves the search while nothing was filled in.
static ANY: AtomicBool = AtomicBool::new(false);

struct Known {
    /// Longest first: replacing a part must not prevent finding the whole.
    forms: Vec<Zeroizing<String>>,
    until: Option<Instant>,
}

/// Remembers a secret until the process ends, or for a time if it is worthless afterwards.
pub fn remember(secret: &str, lasts: Option<Duration>) {
    let forms = forms_of(secret);
    let now = Instant::now();
    let until = lasts.and_then(|lasts| now.checked_add(lasts));
    let mut known = lock(&KNOWN);
    known.retain(|one| one.until.is_none_or(|until| until > now));
    match known.iter_mut().find(|one| one.forms == forms) {
        Some(again) => again.until = until.and_then(|until| again.until.map(|before| before.max(until))),
        None => known.push(Known { forms, until }),
    }
    ANY.store(true, Ordering::Release);
}

/// Removes the secrets from a text.
pub fn without(text: &str) -> Cow<'_, str> {
    if !ANY.load(Ordering::Acquire) || text.len() < SHORTEST {
        return Cow::Borrowed(text);
    }
    let now = Instant::now();
    let mut clean = Cow::Borrowed(text);
    for known in lock(&KNOWN).iter().filter(|one| one.until.is_none_or(|until| until > now)) {
        for form in &known.forms {
            if let Some(without) = without_form(&clean, form) {
                clean = Cow::Owned(without);
            }
        }
    }
    clean
}

/// Removes the secrets from a text in place.
pub fn clean(text: &mut String) {
    if let Cow::Owned(clean) = without(text) {
        *text = clean;
    }
}

/// Removes the secrets from every text and name in a value, and from numbers that are one.
pub fn clean_value(value: &mut Value) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    match value {
        Value::String(text) => clean(text),
        Value::Number(number) => {
            let text = number.to_string();
            if let Cow::Owned(clean) = without(&text) {
                *value = Value::String(clean);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        Value::Object(fields) => {
            let named = std::mem::take(fields);
            fields.extend(named.into_iter().map(|(mut name, mut value)| {
                clean(&mut name);
                clean_value(&mut value);
                (name, value)
            }));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Removes the secrets from a JSON text. Its numbers stay, because programs count on them.
pub fn without_in_json(text: &str) -> Cow<'_, str> {
    fn clean_texts(value: &mut Value) {
        match value {
            Value::String(text) => clean(text),
            Value::Array(items) => items.iter_mut().for_each(clean_texts),
            Value::Object(fields) => fields.values_mut().for_each(clean_texts),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    if matches!(without(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            clean_texts(&mut value);
            Cow::Owned(value.to_string())
        }
        Err(_) => without(text),
    }
}

/// Returns the text without a form of a secret, or `None` if it does not have it.
fn without_form(text: &str, form: &str) -> Option<String> {
    let is_word = form.len() < SHORT || form.bytes().all(|byte| byte.is_ascii_digit());
    let mut clean = String::new();
    let mut rest = text;
    let mut before = None;
    while let Some((at, length)) = next(rest, form) {
        let after = rest[at + length..].chars().next();
        let left = rest[..at].chars().next_back().or(before);
        let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let is_part = is_word && (joins(left) || joins(after));
        clean.push_str(&rest[..at]);
        clean.push_str(if is_part { &rest[at..at + length] } else { REDACTED });
        before = rest[at..at + length].chars().next_back();
        rest = &rest[at + length..];
    }
    clean.push_str(rest);
    (clean != text).then_some(clean)
}

/// Finds a form, or what is left of it before an ellipsis. Returns its place and length.
fn next(text: &str, form: &str) -> Option<(usize, usize)> {
    let whole = text.find(form).map(|at| (at, form.len()));
    let mut from = 0;
    while let Some(end) = text[from..].find('…').map(|at| from + at) {
        if whole.is_some_and(|(at, _)| at < end) {
            break;
        }
        let ends = form.char_indices().map(|(at, _)| at).filter(|at| *at >= SHORTEST_REST);
        if let Some(length) = ends.rev().find(|length| text[..end].ends_with(&form[..*length])) {
            return Some((end - length, length));
        }
        from = end + '…'.len_utf8();
    }
    whole
}

fn forms_of(secret: &str) -> Vec<Zeroizing<String>> {
    let mut forms = BTreeSet::from([secret.to_owned(), secret.chars().rev().collect()]);
    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
    forms.insert(json.to_owned());
    forms.insert(json.chars().flat_map(ascii_in_json).collect());
    // Within a JSON text that is itself a text of JSON.
    forms.insert(json.replace('\\', "\\\\").replace('"', "\\\""));
    for set in [COMPONENT, NON_ALPHANUMERIC] {
        let encoded = utf8_percent_encode(secret, set).to_string();
        forms.extend([encoded.replace("%20", "+"), lower_escapes(&encoded), encoded]);
    }
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    forms.extend([lower_escapes(&form), form]);
    let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    forms.extend([
        html.replace('"', "&quot;"),
        html.replace('"', "&quot;").replace('\'', "&#39;"),
        html.replace('"', "&#34;").replace('\'', "&#x27;"),
        html,
    ]);
    let wide: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    forms.insert(secret.chars().flat_map(|letter| [letter, '\0']).collect());
    for bytes in [secret.as_bytes(), &wide] {
        let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        forms.extend([hexadecimal.to_uppercase(), hexadecimal]);
        forms.extend((0..3).flat_map(|offset| in_base64(bytes, offset)));
    }
    let mut forms: Vec<_> = forms.into_iter().filter(|form| form.len() >= SHORTEST).map(Zeroizing::new).collect();
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms
}

/// Returns the characters of base64 that depend on these bytes alone, if they begin `offset` bytes into a group.
fn in_base64(bytes: &[u8], offset: usize) -> Vec<String> {
    let padded = [vec![0; offset], bytes.to_vec()].concat();
    let (first, last) = ((offset * 8).div_ceil(6), padded.len() * 8 / 6);
    let part = |encoded: String| encoded.get(first..last).map(str::to_owned);
    // Shorter ones are found by chance.
    [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)]
        .into_iter()
        .filter_map(part)
        .filter(|form| form.len() >= SHORT)
        .collect()
}

/// `%2F` as `%2f`.
fn lower_escapes(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut lower = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        lower.push('%');
        lower.push_str(&digits.to_lowercase());
        lower.push_str(rest);
    }
    lower
}

/// Letters beyond ASCII as some programs write JSON: `\u00e4`.
fn ascii_in_json(letter: char) -> Vec<char> {
    if letter.is_ascii() {
        return vec![letter];
    }
    let mut units = [0; 2];
    letter
        .encode_utf16(&mut units)
        .iter()
        .flat_map(|unit| format!("\\u{unit:04x}").chars().collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    const SECRET: &str = "q7/Ü&\"p' <Horse>+9";

    #[test]
    fn a_secret_is_found_in_the_forms_that_pages_and_servers_give_it() {
        assert_eq!(without(SECRET), SECRET, "nothing is removed before it was filled in");
        remember(SECRET, None);
        let wide: Vec<u8> = SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let hexadecimal: String = SECRET.bytes().map(|byte| format!("{byte:02X}")).collect();
        for (name, text) in [
            ("itself", format!("value: {SECRET}.")),
            ("JSON", json!({ "p": SECRET }).to_string()),
            ("JSON within JSON", json!({ "p": json!({ "p": SECRET }).to_string() }).to_string()),
            ("ASCII JSON", "{\"p\":\"q7/\\u00dc&\\\"p' <Horse>+9\"}".to_owned()),
            ("an address", format!("https://a.example/?p={}", utf8_percent_encode(SECRET, COMPONENT))),
            ("a form", url::form_urlencoded::Serializer::new(String::new()).append_pair("p", SECRET).finish()),
            ("small escapes", format!("?p={}", lower_escapes(&utf8_percent_encode(SECRET, COMPONENT).to_string()))),
            ("HTML", "<input value=\"q7/Ü&amp;&quot;p' &lt;Horse&gt;+9\">".to_owned()),
            ("base64", STANDARD.encode(SECRET)),
            ("base64 after a name", STANDARD.encode(format!("ada:{SECRET}"))),
            ("base64 after one letter", STANDARD.encode(format!("x{SECRET}y"))),
            ("base64 of UTF-16", STANDARD.encode(wide)),
            ("base64 for addresses", URL_SAFE_NO_PAD.encode(SECRET)),
            ("hexadecimal", hexadecimal),
            ("UTF-16", SECRET.chars().flat_map(|letter| [letter, '\0']).collect()),
            ("backwards", SECRET.chars().rev().collect()),
            ("cut off", "the value is q7/Ü&\"p'…".to_owned()),
        ] {
            let clean = without(&text);
            assert!(clean.contains(REDACTED), "{name}: {clean}");
            for part in ["Horse", "esroH", "SG9yc2U", "486F727365", "H\0o\0r", "q7/Ü"] {
                assert!(!clean.contains(part), "{name}: {clean}");
            }
        }
        assert_eq!(without("q7/… and Horse"), "q7/… and Horse", "less is no secret");
        let mut value = json!({ "a": [SECRET, 1], SECRET: true });
        clean_value(&mut value);
        assert_eq!(value, json!({ "a": [REDACTED, 1], REDACTED: true }));
        let line = json!({ "at": 5, "text": format!("<{SECRET}>") }).to_string();
        assert_eq!(without_in_json(&line), "{\"at\":5,\"text\":\"<[redacted]>\"}");
    }

    #[test]
    fn a_code_counts_as_a_whole_word_and_for_a_time() {
        remember("918273", Some(Duration::from_secs(3600)));
        assert_eq!(without("code 918273, id a918273b, 19182734"), "code [redacted], id a918273b, 19182734");
        let mut value = json!({ "code": 918_273, "at": 19_182_734 });
        clean_value(&mut value);
        assert_eq!(value, json!({ "code": REDACTED, "at": 19_182_734 }));
        assert_eq!(without_in_json("{\"at\":918273,\"code\":\"918273\"}"), "{\"at\":918273,\"code\":\"[redacted]\"}");
        remember("564738", Some(Duration::ZERO));
        assert_eq!(without("564738"), "564738");
    }
}
