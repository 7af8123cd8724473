//! What a message says about a run: `/NAME key=value … --from STEP`.
//!
//! Owns the form. A name is never a path.

use gstack_base::plain_name;
use gstack_flows::Wanted;

/// The word before the step to start at, as on the command line.
const FROM: &str = "--from";
/// The word before the grant of a scheduled run, which has its values.
const SCHEDULED: &str = "--scheduled";

/// Returns the id of the grant, if a message runs a flow by its schedule.
pub(super) fn scheduled(rest: &str) -> Option<&str> {
    rest.strip_prefix(SCHEDULED)?.strip_prefix(' ').map(str::trim)
}

/// Returns the name of a flow and what follows it, if a message can name one.
pub(super) fn named(message: &str) -> Option<(&str, &str)> {
    let text = message.trim().strip_prefix('/')?;
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    plain_name::is_name(name).then_some((name, rest.trim()))
}

/// Reads what follows the name. The error is a message.
pub(super) fn wanted(rest: &str) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    let mut left = rest.trim_start();
    while !left.is_empty() {
        if let Some(after) = left.strip_prefix(FROM) {
            let (number, rest) = word(after.trim_start_matches('=').trim_start());
            let step = number.parse().map_err(|_| format!("{FROM} needs the number of a step"))?;
            (wanted.from, left) = (Some(step), rest);
            continue;
        }
        let (before, after) = word(left);
        let Some((name, _)) = before.split_once('=') else {
            return Err(format!("{before:?} has no =: write NAME=VALUE, and quotes around a value with spaces"));
        };
        let (value, rest) = value(left.get(name.len() + 1..).unwrap_or(after))?;
        wanted.set.insert(name.to_owned(), value.to_owned());
        left = rest;
    }
    Ok(wanted)
}

/// Splits at the first white space.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Splits after a value, which may be in quotes of either kind.
fn value(text: &str) -> Result<(&str, &str), String> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) else { return Ok(word(text)) };
    let inside = text.get(1..).unwrap_or_default();
    let (value, rest) = inside.split_once(quote).ok_or_else(|| format!("a value has {quote} without its end"))?;
    match rest.is_empty() || rest.starts_with(char::is_whitespace) {
        true => Ok((value, rest.trim_start())),
        false => Err(format!("write a space after the {quote} that ends a value")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_spaces_and_signs() {
        let wanted =
            wanted("a=1 note=\"two words = 2\" it='a \"b\"' last=it's#1 url=https://x.example/?q=1 empty=").unwrap();
        let set: Vec<(&str, &str)> = wanted.set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("a", "1"),
            ("empty", ""),
            ("it", "a \"b\""),
            ("last", "it's#1"),
            ("note", "two words = 2"),
            ("url", "https://x.example/?q=1"),
        ];
        assert_eq!(set, expected);
        assert_eq!(wanted.from, None);
    }

    #[test]
    fn a_scheduled_run_names_its_grant() {
        assert_eq!(scheduled("--scheduled order-1"), Some("order-1"));
        assert_eq!([scheduled("--scheduledx"), scheduled("a=--scheduled"), scheduled("")], [None; 3]);
    }

    #[test]
    fn a_step_to_start_at_is_a_number() {
        assert_eq!(wanted("--from 3 a=b").unwrap().from, Some(3));
        assert_eq!(wanted("a=b --from=4").unwrap().from, Some(4));
        assert!(wanted("--from two").is_err() && wanted("--from").is_err());
    }

    #[test]
    fn what_is_no_value_is_an_error() {
        for wrong in ["word", "a=\"open", "a=\"b\"c", "--set a=b"] {
            assert!(wanted(wrong).is_err(), "{wrong}");
        }
    }
}
