//! The parts of a command that may be recorded: one set of rules for the activity, the log and the step text.
//!
//! Owns the removal of text typed into a page, identifying values, secrets in addresses, keys in a known issuer's
//! format. Redaction is a precaution: what passes is not necessarily harmless.

use super::secrets::{is_issued_key, is_secret_name, is_secret_value};
use crate::core::{Call, composition};
use crate::spec::{Parameter, ValueType};
use gstack_base::filled_secrets;
use gstack_browser::page::{KeyMeaning, is_named_key};
use percent_encoding::percent_decode_str;

/// How many addresses within each other are read.
const MOST_NESTED: usize = 4;
/// Replaces a secret.
const REDACTED: &str = "[redacted]";
/// Address parameters that grant access, in addition to names that are secret everywhere.
const SECRET_PARAMETERS: [&str; 17] = [
    "key",
    "code",
    "sig",
    "signature",
    "pass",
    "pin",
    "otp",
    "sid",
    "ticket",
    "nonce",
    "assertion",
    "samlresponse",
    "samlrequest",
    "invite",
    "magic",
    "jsessionid",
    "phpsessid",
];
/// Characters that end an address in a text.
const ENDS: [char; 8] = ['"', '\'', '`', '<', '>', '\\', '(', ')'];
/// Shorter argument values are too common to search for in other texts.
const SHORTEST_LEAK: usize = 3;

/// Returns the arguments of a call as they may be recorded. Typed text is counted; scripts and addresses stay, without
/// the secrets in them.
pub fn arguments(call: &Call) -> Vec<String> {
    let (kept, hidden) = split(call);
    let mut words = match inner_calls(call) {
        Some(line) => vec![line],
        None => kept.iter().map(|word| address_or_text(word)).collect(),
    };
    if !hidden.is_empty() {
        let is_key = call.spec.arguments().any(|(_, holds)| holds == ValueType::Key);
        let holds = if is_key { ValueType::Key } else { ValueType::Typed };
        words.push(counted(&hidden.into_iter().map(|word| written(holds, word)).collect::<Vec<_>>()));
    }
    words
}

/// Returns the same, preceded by the command's name.
pub fn line(call: &Call) -> String {
    std::iter::once(call.spec.name.to_owned()).chain(arguments(call)).collect::<Vec<_>>().join(" ")
}

/// Redacts a call that cannot be parsed. It will not run, but any of its words may be sensitive.
pub fn unreadable(words: &[String]) -> Vec<String> {
    if words.is_empty() { Vec::new() } else { vec![counted(words)] }
}

/// Redacts a message caused by a call: removes the values that its arguments hide. `words`: the words of a call that
/// could not be parsed.
pub fn message(call: Option<&Call>, words: &[String], message: &str) -> String {
    let hidden = call.map_or_else(|| words.to_vec(), |call| split(call).1);
    let mut values: Vec<&str> = hidden.iter().map(String::as_str).collect();
    let whole = hidden.join(" ");
    values.push(&whole);
    values.extend(hidden.iter().flat_map(|word| word.split(['=', ':'])).map(str::trim));
    // Longest first: replacing a part of a value must not prevent finding the whole.
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    let mut clean = message.to_owned();
    for value in values.iter().filter(|value| value.chars().count() >= SHORTEST_LEAK) {
        clean = clean.replace(*value, REDACTED);
    }
    text(&clean)
}

/// Removes keys, and secrets in addresses, from any text.
pub fn text(text: &str) -> String {
    text_within(&filled_secrets::without(text), MOST_NESTED)
}

/// Returns an address as a file that is passed on has it: of its query only the names, no fragment, no part of the path
/// that looks like a key, and no content of a `data:` address.
pub fn shared_address(address: &str) -> String {
    let address = &*filled_secrets::without(address);
    if let Some((kind, content)) = address.split_once(',').filter(|_| address.starts_with("data:")) {
        return format!("{kind}, {} characters", content.len());
    }
    let address = address.split('#').next().unwrap_or_default();
    let (path, query) = address.split_once('?').map_or((address, None), |(path, query)| (path, Some(query)));
    let parts = path.split('/').map(|part| if is_secret_value(part) { REDACTED } else { part });
    let mut shared = text(&parts.collect::<Vec<_>>().join("/"));
    for (at, parameter) in query.into_iter().flat_map(|query| query.split('&')).enumerate() {
        shared.push(if at == 0 { '?' } else { '&' });
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        // A query without names is a value.
        shared.push_str(if value.is_empty() && is_secret_value(name) { REDACTED } else { name });
        shared.push_str(if value.is_empty() { "" } else { "=…" });
    }
    shared
}

/// Like [`text`]; `depth` is the number of addresses within addresses that are still read.
fn text_within(text: &str, depth: usize) -> String {
    without_keys(&without_parameters(&without_users(text), depth))
}

/// Returns the arguments that stay, and those reduced to their length.
fn split(call: &Call) -> (Vec<String>, Vec<String>) {
    let parameters = call.spec.parameters.iter();
    let is_hidden =
        |parameter: &&Parameter| call.arguments.text(parameter.name).is_some_and(|text| hides(parameter.holds, &text));
    let hidden: Vec<&str> = parameters.filter(is_hidden).map(|parameter| parameter.name).collect();
    if hidden.is_empty() || inner_calls(call).is_some() {
        return (call.words().to_vec(), Vec::new());
    }
    call.arguments.without(call.spec, &hidden)
}

/// Whether only an argument's length is recorded. Commands that cannot be parsed may contain anything, and so may a key
/// argument that is not a named key: a key that produces a letter is typed text.
pub(super) fn hides(holds: ValueType, text: &str) -> bool {
    holds.is_hidden() || holds == ValueType::Commands || (holds == ValueType::Key && !is_named_key(text))
}

/// Returns the commands of a `chain` or a `tab-each`, each redacted by its own rules. `None` if they cannot be parsed.
fn inner_calls(call: &Call) -> Option<String> {
    let calls = call.spec.runs_others().then(|| composition::calls(call.spec, &call.arguments))?.ok()?;
    Some(calls.iter().map(line).collect::<Vec<_>>().join(" | "))
}

pub(super) fn counted(words: &[String]) -> String {
    format!("[{} characters]", words.join(" ").chars().count())
}

/// Returns the character that a key types, so that only that is counted: a key's name, or even the length of its name,
/// would reveal the character.
pub(super) fn written(holds: ValueType, word: String) -> String {
    match holds {
        ValueType::Key => Some(KeyMeaning::of(&word).typed).filter(|typed| !typed.is_empty()).unwrap_or(word),
        _ => word,
    }
}

/// Redacts one argument. An address without a scheme may also begin with user information.
fn address_or_text(word: &str) -> String {
    let authority = word.split(['/', '?', '#']).next().unwrap_or_default();
    let is_user = |user: &str| !user.is_empty() && user.contains(':') && !user.contains(char::is_whitespace);
    match authority.rsplit_once('@') {
        Some((user, host)) if is_user(user) && !host.is_empty() => {
            text(&format!("{REDACTED}@{}", &word[user.len() + 1..]))
        }
        _ => text(word),
    }
}

/// Removes the user information from `https://user:password@host`.
fn without_users(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let end = after.find(|c: char| matches!(c, '/' | '?' | '#') || ends_address(c)).unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(user) => {
                clean.push_str(REDACTED);
                &after[user..]
            }
            None => after,
        };
    }
    clean.push_str(rest);
    clean
}

/// Removes the token from `?token=abc&page=2`, including in fragments.
fn without_parameters(text: &str, depth: usize) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let begins = before.rfind(|c: char| !is_of_name(c));
        let delimiter = begins.and_then(|begins| before[begins..].chars().next());
        let name = begins.map_or("", |begins| before[begins..].trim_start_matches(|c| !is_of_name(c)));
        clean.push_str(before);
        clean.push('=');
        rest = after;
        if name.is_empty() || !delimiter.is_some_and(|c| matches!(c, '?' | '&' | '#' | ';' | '/')) {
            continue;
        }
        // A path parameter ends where the query begins.
        let ends = |c: char| matches!(c, '&' | ';' | '#') || (c == '?' && delimiter == Some(';')) || ends_address(c);
        let end = after.find(ends).unwrap_or(after.len());
        let value = &after[..end];
        if !value.is_empty() {
            // Parameters within the value are judged with it, so they are not read again: a page may nest thousands.
            clean.push_str(if is_secret_parameter(name, value, depth) { REDACTED } else { value });
            rest = &after[end..];
        }
    }
    clean.push_str(rest);
    clean
}

fn is_secret_parameter(name: &str, value: &str, depth: usize) -> bool {
    let name = decoded(name);
    let lower = name.to_ascii_lowercase();
    let by_name = || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| SECRET_PARAMETERS.contains(&word));
    let value = decoded(value);
    // A nested address may contain secrets of its own. What is nested deeper than anybody writes counts as one.
    let is_nested_secret = || match depth.checked_sub(1) {
        Some(depth) => text_within(&value, depth) != value,
        None => value.contains('='),
    };
    is_secret_name(&name) || by_name() || is_secret_value(&value) || is_nested_secret()
}

/// Removes keys of known issuers, and the credentials after `Bearer` and `Basic`.
fn without_keys(text: &str) -> String {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=');
    let mut clean = String::with_capacity(text.len());
    let mut announced = false;
    let mut rest = text;
    while let Some(begins) = rest.find(is_of_key) {
        let (gap, after) = rest.split_at(begins);
        clean.push_str(gap);
        let end = after.find(|c: char| !is_of_key(c)).unwrap_or(after.len());
        let (word, later) = after.split_at(end);
        // A key may end a longer word: `key=sk-…`, `a/ghp_…`.
        let part = word.rfind(['=', '/']).map_or(0, |at| at + 1);
        let is_key = |word: &str| is_issued_key(word) && word.bytes().any(|byte| byte.is_ascii_digit());
        let is_announced = announced && word.len() >= SHORTEST_LEAK;
        if is_announced || is_key(word) {
            clean.push_str(REDACTED);
        } else if is_key(&word[part..]) {
            clean.push_str(&word[..part]);
            clean.push_str(REDACTED);
        } else {
            clean.push_str(word);
        }
        announced = word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic");
        rest = later;
    }
    clean.push_str(rest);
    clean
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '[' | ']' | '%' | '$' | ':')
}

fn ends_address(character: char) -> bool {
    character.is_whitespace() || ENDS.contains(&character)
}

#[cfg(test)]
mod tests {
    use super::{arguments, message, text, unreadable};
    use crate::core::Call;

    fn words(args: &[&str]) -> Vec<String> {
        args.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_is_kept_of_each_command() {
        for (name, args, kept) in [
            ("click", &["@e3"][..], "@e3"),
            ("fill", &["#pw", "hunter2"], "#pw [7 characters]"),
            ("fill", &["--timeout", "9", "#pw", "hunter2"], "--timeout 9 #pw [7 characters]"),
            ("fill", &["--timeout=9", "#pw", "hunter2"], "--timeout 9 #pw [7 characters]"),
            ("fill", &["#pw", "hunter2", "--timeout", "9"], "--timeout 9 #pw [7 characters]"),
            ("fill", &["#pw", "hunter2", "--timeout"], "[21 characters]"),
            ("select", &["#plan", "secret plan"], "#plan [11 characters]"),
            ("type", &["hunter2"], "[7 characters]"),
            ("press", &["h"], "[1 characters]"),
            ("press", &["Shift+KeyH", "--repeat", "2"], "--repeat 2 [1 characters]"),
            ("press", &["hunter2"], "[7 characters]"),
            ("press", &["Control+a"], "Control+a"),
            ("keydown", &["Digit2"], "[1 characters]"),
            ("chain", &["press h | press Enter"], "press [1 characters] | press Enter"),
            ("dialog-accept", &["hunter2"], "[7 characters]"),
            ("cookie", &["sid=hunter2"], "[11 characters]"),
            ("header", &["Authorization: x"], "[16 characters]"),
            ("storage", &["set", "token", "abc"], "set token [3 characters]"),
            (
                "cdp",
                &["Emulation.setLocaleOverride", "{\"locale\":\"de\"}"],
                "Emulation.setLocaleOverride [15 characters]",
            ),
            (
                "goto",
                &["https://u:p@a.example/x?token=1&page=2#y"],
                "https://[redacted]@a.example/x?token=[redacted]&page=2#y",
            ),
            ("goto", &["u:p@a.example/x"], "[redacted]@a.example/x"),
            ("goto", &["a.example?code=77#access_token=x"], "a.example?code=[redacted]#access_token=[redacted]"),
            ("newtab", &["http://a/?q=cats"], "http://a/?q=cats"),
            ("diff", &["http://a/?auth=1", "http://b/?key=2"], "http://a/?auth=[redacted] http://b/?key=[redacted]"),
            ("js", &["fetch('/api?api_key=abc&n=1')"], "fetch('/api?api_key=[redacted]&n=1')"),
            ("js", &["a = b == c ? d : e"], "a = b == c ? d : e"),
            ("js", &["call('ghp_0123456789abcdef')"], "call('[redacted]')"),
            (
                "chain",
                &["goto http://a/?token=1 | fill #pw hunter2"],
                "goto http://a/?token=[redacted] | fill #pw [7 characters]",
            ),
            ("chain", &["[[\"type\",\"hunter2\"]]"], "type [7 characters]"),
            ("chain", &["nonsense hunter2"], "[16 characters]"),
            ("tab-each", &["header", "X: hunter2"], "header [10 characters]"),
            ("no-such-command", &["hunter2"], "[7 characters]"),
            ("tabs", &[], ""),
        ] {
            let args = words(args);
            let shown = Call::parse(name, &args).map_or_else(|_| unreadable(&args), |call| arguments(&call));
            assert_eq!(shown.join(" "), kept, "{name} {args:?}");
        }
    }

    #[test]
    fn texts_lose_the_secrets_of_their_addresses_and_nothing_else() {
        for (given, kept) in [
            (
                "loading https://a/x?X-Amz-Signature=ab12&x=1 failed",
                "loading https://a/x?X-Amz-Signature=[redacted]&x=1 failed",
            ),
            ("\"http://a/?password=x\"", "\"http://a/?password=[redacted]\""),
            ("http://a/#/reset?token=x", "http://a/#/reset?token=[redacted]"),
            ("http://a/;jsessionid=12?b=c", "http://a/;jsessionid=[redacted]?b=c"),
            ("http://a/?next=https%3A%2F%2Fb%2F%3Ftoken%3Dx", "http://a/?next=[redacted]"),
            ("http://a/?user%5Bpassword%5D=x", "http://a/?user%5Bpassword%5D=[redacted]"),
            ("http://a/?v=eyJhbGciOiJIUzI1NiJ9.e30.x", "http://a/?v=[redacted]"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
            ("http://me@host/", "http://[redacted]@host/"),
            ("write to me@host.example", "write to me@host.example"),
            ("http://a/?q=1&empty_token=&page=2", "http://a/?q=1&empty_token=&page=2"),
            ("täglich = 3 & mehr", "täglich = 3 & mehr"),
            ("", ""),
        ] {
            assert_eq!(text(given), kept, "{given}");
        }
    }

    #[test]
    fn an_address_that_is_passed_on_has_no_values() {
        for (address, shared) in [
            (
                "https://ada:pw@a.example/list?page=2&q=ada%20lovelace#top",
                "https://[redacted]@a.example/list?page=…&q=…",
            ),
            ("https://a.example/reset/9f3c2b71e4d84a6fb0c15d7e8a93f6b2c4d1/x", "https://a.example/reset/[redacted]/x"),
            ("https://a.example/?9f3c2b71e4d84a6fb0c15d7e8a93f6b2c4d1", "https://a.example/?[redacted]"),
            ("data:text/html;base64,PGgxPkFkYTwvaDE+", "data:text/html;base64, 16 characters"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(super::shared_address(address), shared);
        }
    }

    #[test]
    fn an_address_that_is_nested_without_end_takes_no_time_and_shows_no_secret() {
        let nested = format!("https://a.example/{}token=abc", "?a=".repeat(50_000));
        assert_eq!(text(&nested), "https://a.example/?a=[redacted]");
        let twice = "https://a.example/?next=https://b.example/?go=https://c.example/?page=2";
        assert_eq!(text(twice), twice);
    }

    #[test]
    fn a_message_does_not_tell_what_the_arguments_hid() {
        let call = |name: &str, args: &[&str]| Call::parse(name, &words(args)).unwrap();
        let said =
            message(Some(&call("fill", &["#pw", "hunter2 and more"])), &[], "no option “hunter2 and more” in #pw");
        assert_eq!(said, "no option “[redacted]” in #pw");
        assert_eq!(message(Some(&call("cookie", &["sid=hunter2"])), &[], "hunter2: bad"), "[redacted]: bad");
        assert_eq!(message(Some(&call("click", &["@e3"])), &[], "@e3 is covered"), "@e3 is covered");
    }
}
