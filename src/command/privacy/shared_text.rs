//! Text for a document that leaves this machine: redacted like every record, and by the names that stand before values.
//!
//! Owns the second rule, which is too coarse for records: `password: hunter2` and `Cookie: sid=1; theme=dark` lose
//! everything after the name.

use super::redaction;
use crate::state::identity;

const REDACTED: &str = "[redacted]";

/// Returns any text without keys, without secrets in addresses, and without values that are named as secrets.
pub fn redacted(text: &str) -> String {
    without_named(&redaction::text(text))
}

fn without_named(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([':', '=']) {
        let (before, after) = rest.split_at(at);
        let (sign, after) = after.split_at(1);
        clean.push_str(before);
        clean.push_str(sign);
        rest = after;
        let named = before.trim_end_matches(['"', '\'', '`', '\\', ' ', '*']);
        let begins = named.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
        let name =
            begins.map_or(named, |begins| named[begins..].trim_start_matches(|c: char| !c.is_ascii_alphanumeric()));
        if name.is_empty() || !identity::is_sensitive(name) || after.starts_with("//") {
            continue;
        }
        let value = after.trim_start_matches([' ', '\t', '\\', '*']);
        let gap = &after[..after.len() - value.len()];
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let value = &value[quote.map_or(0, char::len_utf8)..];
        let is_line = quote.is_none() && is_header(name);
        let ends = |c: char| match quote {
            Some(quote) => c == quote || c == '\n',
            None if is_line => matches!(c, '\n' | '"' | '\''),
            None => c.is_whitespace() || matches!(c, ',' | ';' | '&' | ')' | '}' | '"' | '\'' | '<'),
        };
        let end = value.find(ends).unwrap_or(value.len());
        let is_gone = value[..end].is_empty() || value[..end].starts_with('[');
        clean.push_str(gap);
        clean.extend(quote);
        clean.push_str(if is_gone { &value[..end] } else { REDACTED });
        rest = &value[end..];
    }
    clean.push_str(rest);
    clean
}

/// Whether the rest of the line is the value.
fn is_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("cookie") || name.contains("authorization")
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn values_go_with_the_names_before_them() {
        for (text, shown) in [
            ("Cookie: sid=1; theme=dark\nnext", "Cookie: [redacted]\nnext"),
            ("curl -H 'Authorization: Basic YWRh' http://a/", "curl -H 'Authorization: [redacted]' http://a/"),
            ("the password: hunter2, and on", "the password: [redacted], and on"),
            ("PASSWORD=hunter2 make", "PASSWORD=[redacted] make"),
            (r#"{"password":"hun ter","page":2}"#, r#"{"password":"[redacted]","page":2}"#),
            (r#"{\"apiKey\": \"k\"}"#, r#"{\"apiKey\": \"[redacted]"}"#),
            (r#"{"password":"[7 characters]"}"#, r#"{"password":"[7 characters]"}"#),
            ("http://a/?api_key=abc&page=2", "http://a/?api_key=[redacted]&page=2"),
            ("see https://a/ at 12:30, x = 3", "see https://a/ at 12:30, x = 3"),
            ("", ""),
        ] {
            assert_eq!(redacted(text), shown, "{text}");
        }
    }
}
