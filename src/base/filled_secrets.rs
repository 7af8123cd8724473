//! The secrets that this process filled into pages, and their removal from everything that leaves it: results, the
//! journal, the audit, logs, evidence, recordings, the status.
//!
//! Owns the one list, in memory only and for the whole process, because what a page shows comes back in many ways.
//! Compares canonical forms, so every escaping of a secret is found, also in parts, mixed and nested, and within base64;
//! besides that its hexadecimal and its letters backwards. Does not find what a script of the page computes from it otherwise.

mod canonical;
mod encoded;

use super::mutex::lock;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use canonical::Canonical;
use memchr::memmem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Replaces a secret.
const REDACTED: &str = "[redacted]";
/// Shorter forms would be found everywhere.
const SHORTEST: usize = 5;
/// Forms shorter than this, and numbers, count only as whole words: otherwise they would be found within ids.
const SHORT: usize = 8;
/// The start of a form that was cut off, before an ellipsis, or its end after one.
const SHORTEST_REST: usize = 8;
const ELLIPSIS: &[u8] = "…".as_bytes();

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
/// Saves the search while nothing was filled in.
static ANY: AtomicBool = AtomicBool::new(false);

struct Known {
    /// Canonical. Shared, so that a search does not hold the list.
    forms: Arc<Vec<Zeroizing<Vec<u8>>>>,
    until: Option<Instant>,
}

/// Remembers a secret until the process ends, or for a time if it is worthless afterwards.
pub fn remember(secret: &str, lasts: Option<Duration>) {
    let forms = Arc::new(forms_of(secret));
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
    without_places(text, places(text, Words::Whole))
}

/// Whether short forms count only as whole words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Whole,
    Parts,
}

/// Finds the secrets in a text.
fn places(text: &str, words: Words) -> Vec<(usize, usize)> {
    if !ANY.load(Ordering::Acquire) || text.len() < SHORTEST {
        return Vec::new();
    }
    let now = Instant::now();
    let bytes = Canonical::bytes_of(text.as_bytes());
    let known = lock(&KNOWN);
    let lasting = known.iter().filter(|one| one.until.is_none_or(|until| until > now));
    let shared: Vec<_> = lasting.map(|one| Arc::clone(&one.forms)).collect();
    drop(known);
    let forms = shared.iter().flat_map(|forms| forms.iter());
    let mut places = encoded::places(text, |decoded| {
        let decoded = Canonical::of(decoded);
        forms.clone().any(|form| !found(&decoded, form, words).is_empty())
    });
    let has_ellipsis = memmem::find(&bytes, ELLIPSIS).is_some();
    if has_ellipsis || forms.clone().any(|form| memmem::find(&bytes, form).is_some()) {
        // Where they are in the text is needed only now.
        let canonical = Canonical::of(text.as_bytes());
        places.extend(forms.flat_map(|form| found(&canonical, form, words)));
    }
    places
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

/// Removes the secrets from every text and name in a JSON text. Its numbers stay, because programs count on them.
pub fn without_in_json(text: &str) -> Cow<'_, str> {
    // A code after a line break is a word in the text, but not in the JSON: `\n918273`.
    if places(text, Words::Parts).is_empty() {
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

/// Returns a message without the secrets in its texts.
pub fn cleaned<T: Serialize + DeserializeOwned>(message: T) -> T {
    if !ANY.load(Ordering::Acquire) {
        return message;
    }
    let cleaned = serde_json::to_string(&message).ok().and_then(|text| match without_in_json(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(clean) => serde_json::from_str(&clean).ok(),
    });
    cleaned.unwrap_or(message)
}

fn clean_texts(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_texts),
        Value::Object(fields) => {
            let named = std::mem::take(fields);
            fields.extend(named.into_iter().map(|(mut name, mut value)| {
                clean(&mut name);
                clean_texts(&mut value);
                (name, value)
            }));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Finds a form, and what is left of it beside an ellipsis. Returns their places in the text.
fn found(canonical: &Canonical, form: &[u8], words: Words) -> Vec<(usize, usize)> {
    let is_word = words == Words::Whole && (form.len() < SHORT || form.iter().all(u8::is_ascii_digit));
    let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let whole = memmem::find_iter(&canonical.bytes, form).map(|at| (at, at + form.len()));
    let mut found: Vec<_> = whole
        .filter(|(from, to)| !is_word || !(joins(canonical.before(*from)) || joins(canonical.after(*to))))
        .collect();
    for end in memmem::find_iter(&canonical.bytes, ELLIPSIS) {
        let rest = |end: usize| {
            let lengths = (SHORTEST_REST..form.len().min(end + 1)).rev();
            lengths.map(|length| (end - length, end)).find(|(from, to)| form.starts_with(&canonical.bytes[*from..*to]))
        };
        // What is left of a cut escape goes with it.
        found.extend(canonical.cuts(end).find_map(rest).map(|(from, _)| (from, end)));
        let from = end + ELLIPSIS.len();
        let mut lengths = (SHORTEST_REST..form.len().min(canonical.bytes.len() - from + 1)).rev();
        let ends = |length: &usize| form.ends_with(&canonical.bytes[from..from + length]);
        found.extend(lengths.find(ends).map(|length| (from, from + length)));
    }
    found.into_iter().map(|(from, to)| canonical.place(from, to)).collect()
}

/// Replaces these places of a text.
fn without_places(text: &str, mut places: Vec<(usize, usize)>) -> Cow<'_, str> {
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    places.sort_unstable();
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in places {
        let from = (0..=from).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let to = (to..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        // Forms of one secret may overlap.
        if from >= done {
            clean.push_str(&text[done..from]);
            clean.push_str(REDACTED);
        }
        done = done.max(to);
    }
    clean.push_str(&text[done..]);
    Cow::Owned(clean)
}

fn forms_of(secret: &str) -> Vec<Zeroizing<Vec<u8>>> {
    let mut forms = BTreeSet::from([secret.as_bytes().to_vec(), secret.chars().rev().collect::<String>().into_bytes()]);
    // As JSON writes a line break: its backslash is not in a canonical form.
    forms.insert(serde_json::to_string(secret).unwrap_or_default().trim_matches('"').as_bytes().to_vec());
    // As pages in an older encoding send it.
    forms.extend(secret.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect::<Option<Vec<u8>>>());
    let wide: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [secret.as_bytes(), &wide] {
        forms.insert(bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect());
        forms.extend((0..3).filter_map(|offset| in_base64(bytes, offset)));
    }
    let canonical: BTreeSet<_> = forms.iter().map(|form| Canonical::bytes_of(form)).collect();
    canonical.into_iter().filter(|form| form.len() >= SHORTEST).map(Zeroizing::new).collect()
}

/// Returns the characters of base64 that depend on these bytes alone, if they begin `offset` bytes into a group.
fn in_base64(bytes: &[u8], offset: usize) -> Option<Vec<u8>> {
    let padded = [vec![0; offset], bytes.to_vec()].concat();
    let (first, last) = ((offset * 8).div_ceil(6), padded.len() * 8 / 6);
    let form = STANDARD_NO_PAD.encode(&padded).get(first..last)?.to_owned();
    // Shorter ones are found by chance.
    (form.len() >= SHORT).then(|| form.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
    use serde_json::json;

    const SECRET: &str = "q7/Ü&\"p' <Horse>+9";
    /// The query percent-encode set of the URL standard.
    const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'\'');

    fn twice(text: &str) -> String {
        let once = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        utf8_percent_encode(&once, NON_ALPHANUMERIC).to_string()
    }

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
            ("an address", format!("https://a.example/?p={}", utf8_percent_encode(SECRET, NON_ALPHANUMERIC))),
            ("an address by the URL standard", format!("https://a.example/?p={}", utf8_percent_encode(SECRET, QUERY))),
            ("its fragment", url::Url::parse(&format!("https://a.example/#{SECRET}")).unwrap().to_string()),
            (
                "its path",
                url::Url::parse(&format!("https://a.example/{}", SECRET.replace('/', "%2F"))).unwrap().to_string(),
            ),
            // Letters are shown decoded, what could mislead stays encoded.
            ("Chrome's display form", "a.example/?p=q7%2FÜ%26\"p'%20<Horse>%2B9".to_owned()),
            ("an address in an address", format!("https://b.example/?to={}", twice(&format!("?p={SECRET}")))),
            ("an address in JSON", json!({ "u": json!({ "u": twice(SECRET) }).to_string() }).to_string()),
            ("JavaScript's escape()", "q7/%DC%26%22p%27%20%3CHorse%3E+9".to_owned()),
            ("HTML by numbers", SECRET.chars().map(|letter| format!("&#{};", u32::from(letter))).collect()),
            ("HTML in HTML", "q7/Ü&amp;amp;&amp;quot;p&amp;#39; &amp;lt;Horse&amp;gt;+9".to_owned()),
            ("a host, which has no capitals", SECRET.to_ascii_lowercase()),
            ("a form", url::form_urlencoded::Serializer::new(String::new()).append_pair("p", SECRET).finish()),
            ("small escapes", utf8_percent_encode(SECRET, NON_ALPHANUMERIC).to_string().to_lowercase()),
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
            ("cut off in an escape", "?p=q7%2F%C3%9C%26%22p%2…".to_owned()),
            ("cut off at its beginning", "the value is …p' <Horse>+9".to_owned()),
            ("base64 of JSON", STANDARD.encode(json!({ "p": SECRET }).to_string())),
            ("base64 of an address", STANDARD.encode(format!("/?p={}", twice(SECRET)))),
            ("base64 of base64 of a form", STANDARD.encode(STANDARD.encode(format!("a=b&p={}", twice(SECRET))))),
            (
                "a path with base64 of HTML",
                format!("/a-b_c/{}/d", URL_SAFE_NO_PAD.encode("<p title=\"q7/Ü&amp;&quot;p' &lt;Horse&gt;+9\">")),
            ),
        ] {
            let clean = without(&text);
            assert!(clean.contains(REDACTED), "{name}: {clean}");
            for part in ["Horse", "horse", "esroH", "SG9yc2U", "486F727365", "H\0o\0r", "q7/Ü", "q7%2F", "%22p", "72;"]
            {
                assert!(!clean.contains(part), "{name}: {clean}");
            }
        }
        assert_eq!(without("q7/… and Horse"), "q7/… and Horse", "less is no secret");
        assert_eq!(without("?p=%4"), "?p=%4");
        let mut value = json!({ "a": [SECRET, 1], SECRET: true });
        clean_value(&mut value);
        assert_eq!(value, json!({ "a": [REDACTED, 1], REDACTED: true }));
        let line = json!({ "at": 5, "text": format!("<{SECRET}>") }).to_string();
        assert_eq!(without_in_json(&line), "{\"at\":5,\"text\":\"<[redacted]>\"}");
    }

    /// `cargo test --release -p gstack-base --lib -- --ignored --nocapture costs`
    #[test]
    #[ignore = "a measurement"]
    #[expect(clippy::print_stdout, reason = "the numbers are what it is run for")]
    fn what_the_search_costs_a_command() {
        remember(SECRET, None);
        let line =
            "- link \"More about the Horse &amp; the cart\" [ref=e12] https://a.example/list?q=a%20b%2Fc&page=2\n";
        for kilobytes in [1, 4, 16, 64] {
            let text = line.repeat(kilobytes * 1024 / line.len());
            // The fastest: other programs on the machine only add to it.
            let once = || {
                let began = Instant::now();
                assert!(matches!(without(std::hint::black_box(&text)), Cow::Borrowed(_)));
                began.elapsed()
            };
            println!("{kilobytes} KB: {:?}", (0..500).map(|_| once()).min().unwrap_or_default());
        }
    }

    #[test]
    fn a_code_counts_as_a_whole_word_and_for_a_time() {
        remember("918273", Some(Duration::from_secs(3600)));
        assert_eq!(without("code 918273, id a918273b, 19182734"), "code [redacted], id a918273b, 19182734");
        assert_eq!(without("?code=%20918273%20&id=%61918273"), "?code=%20[redacted]%20&id=%61918273");
        let mut value = json!({ "code": 918_273, "at": 19_182_734 });
        clean_value(&mut value);
        assert_eq!(value, json!({ "code": REDACTED, "at": 19_182_734 }));
        assert_eq!(without_in_json("{\"at\":918273,\"code\":\"918273\"}"), "{\"at\":918273,\"code\":\"[redacted]\"}");
        let after_a_line = json!({ "text": "your code:\n918273" }).to_string();
        assert_eq!(without_in_json(&after_a_line), "{\"text\":\"your code:\\n[redacted]\"}");
        remember("564738", Some(Duration::ZERO));
        assert_eq!(without("564738"), "564738");
    }
}
