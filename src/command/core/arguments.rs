//! A command's arguments, parsed from words as a person types them.
//!
//! Owns the distinction between flags and words, and the text of usage errors. Never does IO.

use crate::spec::{Flag, Kind, Spec, ValueType};
use gstack_browser::page::Target;
use gstack_protocol::fault::{Fault, FaultCode};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

/// The upper limit for every wait, whatever `--timeout` says.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);

/// The given arguments, by their names in the spec.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    words: BTreeMap<&'static str, Vec<String>>,
    flags: BTreeMap<&'static str, Vec<String>>,
}

impl Arguments {
    pub fn parse(spec: &Spec, given: &[String]) -> Result<Self, Fault> {
        let mut parsed = Self::default();
        let mut positional: Vec<String> = Vec::new();
        let mut words = given.iter();
        let mut literal = false;
        let mut before_dashes = 0;
        while let Some(word) = words.next() {
            let place = WordPosition::of(spec, positional.len());
            // The flags of another command are its own.
            if literal || !looks_like_a_flag(word) || (place == WordPosition::InsideRest && spec.runs_others()) {
                positional.push(word.clone());
                before_dashes += usize::from(!literal);
                continue;
            }
            if word == "--" {
                literal = true;
                continue;
            }
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            let Some(flag) = find(spec, name) else {
                if place != WordPosition::OneWord && !is_spelled_as_a_flag(spec, word) {
                    positional.push(word.clone());
                    before_dashes += 1;
                    continue;
                }
                return Err(unknown_flag(spec, name));
            };
            let value = match (flag.value, inline) {
                (None, None) => String::new(),
                (None, Some(_)) => return Err(usage(spec, format!("{} takes no value", flag.name))),
                (Some(_), Some(value)) => value,
                (Some(value), None) => {
                    words.next().cloned().ok_or_else(|| usage(spec, format!("{} needs {value}", flag.name)))?
                }
            };
            parsed.flags.entry(flag.name).or_default().push(value);
        }
        if before_dashes > 1 {
            parsed.take_element(spec, &mut positional);
        }
        parsed.place(spec, positional)?;
        Ok(parsed)
    }

    /// `type @e2 hello`: a leading ref is the element, not part of the text.
    fn take_element(&mut self, spec: &Spec, positional: &mut Vec<String>) {
        let flag = spec.flags.iter().find(|flag| flag.holds == ValueType::Element);
        let is_text = spec.parameters.first().is_some_and(|parameter| parameter.kind == Kind::Rest);
        if let Some(flag) = flag.filter(|flag| is_text && !self.has(flag.name))
            && matches!(Target::parse(&positional[0]), Target::Ref(_))
        {
            self.flags.insert(flag.name, vec![positional.remove(0)]);
        }
    }

    fn place(&mut self, spec: &Spec, positional: Vec<String>) -> Result<(), Fault> {
        let mut left = positional.into_iter();
        for parameter in spec.parameters {
            let words: Vec<String> = match parameter.kind {
                Kind::Rest | Kind::List => left.by_ref().collect(),
                _ => left.next().into_iter().collect(),
            };
            if words.is_empty() && parameter.required {
                return Err(usage(spec, format!("{} needs <{}>: {}", spec.name, parameter.name, parameter.help)));
            }
            if !words.is_empty() {
                self.words.insert(parameter.name, words);
            }
        }
        match left.next() {
            Some(extra) => Err(usage(spec, format!("{} does not take {extra:?}", spec.name))),
            None => Ok(()),
        }
    }

    /// Returns the words as given, flags first: those to keep, then those of the `hidden` parameters.
    pub(crate) fn without(&self, spec: &Spec, hidden: &[&str]) -> (Vec<String>, Vec<String>) {
        let flags = self.flags.iter().flat_map(|(name, values)| {
            let has_value = find(spec, name).is_some_and(|flag| flag.value.is_some());
            values
                .iter()
                .flat_map(move |value| std::iter::once((*name).to_owned()).chain(has_value.then(|| value.clone())))
        });
        let mut kept: Vec<String> = flags.collect();
        let mut left_out = Vec::new();
        for parameter in spec.parameters {
            let words = self.words.get(parameter.name).into_iter().flatten().cloned();
            if hidden.contains(&parameter.name) { left_out.extend(words) } else { kept.extend(words) }
        }
        (kept, left_out)
    }

    /// Replaces the words of one parameter.
    pub(super) fn with_words(mut self, name: &'static str, words: Vec<String>) -> Self {
        self.words.insert(name, words);
        self
    }

    /// Returns a parameter's word, or all its words joined with spaces.
    pub fn text(&self, name: &str) -> Option<String> {
        self.words.get(name).map(|words| words.join(" "))
    }
    /// Like `text`, for a parameter that the spec requires.
    pub fn required(&self, name: &str) -> Result<String, Fault> {
        self.text(name).ok_or_else(|| Fault::new(FaultCode::BadRequest, format!("<{name}> is missing")))
    }
    pub fn list(&self, name: &str) -> Vec<String> {
        self.words.get(name).cloned().unwrap_or_default()
    }
    pub fn target(&self, name: &str) -> Option<Target> {
        self.text(name).map(|text| Target::parse(&text))
    }
    pub fn required_target(&self, name: &str) -> Result<Target, Fault> {
        self.required(name).map(|text| Target::parse(&text))
    }
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains_key(flag)
    }
    /// Returns a flag's value; if it was given several times, the last one.
    pub fn value(&self, flag: &str) -> Option<&str> {
        self.flags.get(flag)?.last().map(String::as_str)
    }
    /// Returns all values of a flag that may be repeated.
    pub fn values(&self, flag: &str) -> Vec<String> {
        self.flags.get(flag).cloned().unwrap_or_default()
    }
    /// Parses a number as typed.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a number, and for `NaN` and infinities: they are not valid as a position, a length or a
    /// time.
    pub fn number<T: std::str::FromStr>(&self, name: &str, text: &str) -> Result<T, Fault> {
        let number = text.parse().ok().filter(|_| text.parse::<f64>().is_ok_and(f64::is_finite));
        number.ok_or_else(|| Fault::new(FaultCode::BadRequest, format!("{name} is not a finite number: {text:?}")))
    }

    /// Parses comma-separated numbers: `--clip 0,0,800,600`. Returns `None` if the count differs or one is not a
    /// number.
    pub fn numbers<const COUNT: usize>(&self, text: &str) -> Option<[f64; COUNT]> {
        let numbers: Result<Vec<f64>, Fault> = text.split(',').map(|part| self.number("", part.trim())).collect();
        numbers.ok()?.try_into().ok()
    }
    /// Returns `--timeout MS`, or the command's own limit if it was not given.
    pub fn timeout(&self, default: Duration) -> Result<Duration, Fault> {
        self.value("--timeout").map_or(Ok(default), |text| self.limit("--timeout", text))
    }
    /// Parses a maximum waiting time, in milliseconds.
    pub fn limit(&self, name: &str, text: &str) -> Result<Duration, Fault> {
        Ok(Duration::from_millis(self.number(name, text)?).min(LONGEST_TIMEOUT))
    }
}

/// `-` alone and negative numbers are words, not flags.
fn looks_like_a_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.parse::<f64>().is_err()
}

/// Returns true for `--word`, `--word=value` and `-w`, which are refused among the words of a text unless `--` precedes
/// them. `-w` in a script is a difference.
fn is_spelled_as_a_flag(spec: &Spec, word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    match name.strip_prefix("--") {
        Some(long) => {
            long.starts_with(|first: char| first.is_ascii_alphabetic())
                && long.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        }
        None => {
            let is_letter = matches!(word.as_bytes(), [b'-', letter] if letter.is_ascii_alphabetic());
            is_letter && !spec.parameters.iter().any(|parameter| parameter.holds == ValueType::Script)
        }
    }
}

fn find(spec: &Spec, name: &str) -> Option<&'static Flag> {
    spec.all_flags().find(|flag| flag.name == name || (!flag.alias.is_empty() && flag.alias == name))
}

/// The position of the next word that is not a flag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordPosition {
    OneWord,
    /// The first word of a free text.
    FirstOfRest,
    InsideRest,
}

impl WordPosition {
    /// `words`: how many words precede it.
    fn of(spec: &Spec, words: usize) -> Self {
        let rest = spec.parameters.iter().position(|parameter| parameter.kind == Kind::Rest);
        match rest.map(|rest| words.cmp(&rest)) {
            Some(Ordering::Equal) => Self::FirstOfRest,
            Some(Ordering::Greater) => Self::InsideRest,
            Some(Ordering::Less) | None => Self::OneWord,
        }
    }
}

fn unknown_flag(spec: &Spec, name: &str) -> Fault {
    let fault = Fault::new(FaultCode::BadRequest, format!("Unknown {} flag: {name}", spec.name));
    if !spec.parameters.iter().any(|parameter| parameter.kind == Kind::Rest) {
        return fault.hint(spec.usage_line());
    }
    fault.hint(format!(
        "Text that looks like a flag goes after --: gstack {} … -- {name}\n{}",
        spec.name,
        spec.usage_line()
    ))
}

/// Returns a usage error: the problem, with the usage line as its hint.
pub(crate) fn usage(spec: &Spec, message: String) -> Fault {
    Fault::new(FaultCode::BadRequest, message).hint(spec.usage_line())
}

/// Returns an error for an invalid call; the usage line is added to it later.
pub(crate) fn wrong(message: impl Into<String>) -> Fault {
    Fault::new(FaultCode::BadRequest, message.into())
}

/// Adds the usage line to a usage error that does not have one yet.
pub(crate) fn with_usage(spec: &Spec, mut fault: Fault) -> Fault {
    if fault.code == FaultCode::BadRequest && !fault.hint.as_ref().is_some_and(|hint| hint.contains("Usage: ")) {
        fault.hint = Some(match fault.hint.take() {
            Some(hint) => format!("{hint}\n{}", spec.usage_line()),
            None => spec.usage_line(),
        });
    }
    fault
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use crate::registry;
    use crate::spec::Kind;

    fn parse(name: &str, words: &[&str]) -> Result<Arguments, String> {
        let given: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Arguments::parse(registry::find(name).unwrap(), &given).map_err(|fault| fault.message)
    }

    #[test]
    fn a_number_is_finite_and_a_wait_has_an_end() {
        let none = Arguments::default();
        for text in ["NaN", "nan", "inf", "-inf", "+infinity", "1e999", "", "1,5"] {
            assert!(none.number::<f64>("x", text).is_err() && none.number::<u64>("x", text).is_err(), "{text}");
        }
        assert_eq!(none.number::<f64>("x", "-1.5").ok(), Some(-1.5));
        assert!(none.number::<u8>("x", "256").is_err() && none.number::<u8>("x", "1.5").is_err());
        assert_eq!(none.numbers("1, -2"), Some([1.0, -2.0]));
        assert_eq!((none.numbers::<2>("1,2,3"), none.numbers::<2>("1,NaN")), (None, None));
        assert_eq!(none.limit("ms", "18446744073709551615").ok(), Some(super::LONGEST_TIMEOUT));
    }

    #[test]
    fn flags_may_stand_anywhere_before_two_dashes_and_what_is_none_is_text() {
        let click = parse("click", &["@e3", "--timeout", "200"]).unwrap();
        assert_eq!(click.value("--timeout"), Some("200"));
        for given in [
            &["--timeout", "200", "#a", "hello", "you"][..],
            &["--timeout=200", "#a", "hello", "you"],
            &["#a", "--timeout", "200", "hello", "you"],
            &["#a", "hello", "--timeout", "200", "you"],
            &["#a", "hello", "you", "--timeout=200"],
            &["#a", "hello", "you", "--timeout", "200"],
            &["#a", "--timeout", "200", "--", "hello", "you"],
        ] {
            let fill = parse("fill", given).unwrap();
            assert_eq!((fill.text("value").as_deref(), fill.value("--timeout")), (Some("hello you"), Some("200")));
        }
        for (given, text) in [
            (&["#a", "--", "--timeout", "200"][..], "--timeout 200"),
            (&["--", "#a", "x", "--timeout", "200"], "x --timeout 200"),
            (&["#a", "x", "--", "--timeout"], "x --timeout"),
            (&["#a", "see --timeout 200"], "see --timeout 200"),
            (&["#a", "-1", "---", "-x1", "->", "--x;"], "-1 --- -x1 -> --x;"),
            (&["#a", "--", "--", "x"], "-- x"),
        ] {
            let fill = parse("fill", given).unwrap();
            assert_eq!((fill.text("value").as_deref(), fill.value("--timeout")), (Some(text), None), "{given:?}");
        }
        // Words of another command stay unchanged.
        let chain = parse("chain", &["fill", "#a", "--timeout", "9", "--", "-x", "|", "url"]).unwrap();
        assert_eq!(chain.text("commands").as_deref(), Some("fill #a --timeout 9 -- -x | url"));
        assert_eq!(parse("js", &["-1", "+", "2"]).unwrap().text("expr").as_deref(), Some("-1 + 2"));
        assert_eq!(parse("js", &["a", "-b"]).unwrap().text("expr").as_deref(), Some("a -b"));
        assert_eq!(parse("type", &["--", "--hello"]).unwrap().text("text").as_deref(), Some("--hello"));
    }

    #[test]
    fn every_command_refuses_an_unknown_flag_that_no_dashes_precede() {
        for spec in registry::all().iter().filter(|spec| !spec.runs_others()) {
            let before = spec.parameters.iter().take_while(|parameter| !parameter.takes_all()).map(|_| "1");
            let takes_text = spec.parameters.iter().any(|parameter| parameter.kind == Kind::Rest);
            for flag in ["--unheard-of", "--unheard-of=1"] {
                let first: Vec<&str> = before.clone().chain([flag, "button"]).collect();
                let last: Vec<&str> = before.clone().chain(["button", flag]).collect();
                for words in [&[flag, "button"][..], &first, &last] {
                    let given: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                    let fault = Arguments::parse(spec, &given).unwrap_err();
                    assert_eq!(fault.message, format!("Unknown {} flag: --unheard-of", spec.name), "{words:?}");
                    let hint = fault.hint.unwrap();
                    assert!(hint.contains("Usage: "), "{hint}");
                    assert_eq!(hint.contains("goes after --"), takes_text, "{hint}");
                }
            }
            if takes_text {
                let words: Vec<&str> = before.chain(["--", "--unheard-of"]).collect();
                assert!(parse(spec.name, &words).is_ok(), "{words:?}");
            }
        }
        assert_eq!(parse("find", &["-i", "button"]).unwrap_err(), "Unknown find flag: -i");
        assert_eq!(parse("tab-each", &["snapshot", "-i"]).unwrap().text("commands").as_deref(), Some("snapshot -i"));
    }

    #[test]
    fn usage_errors_name_what_is_wrong() {
        assert_eq!(parse("snapshot", &["-x"]).unwrap_err(), "Unknown snapshot flag: -x");
        assert!(parse("click", &[]).unwrap_err().starts_with("click needs <sel>"));
        assert_eq!(parse("url", &["x"]).unwrap_err(), "url does not take \"x\"");
        assert!(parse("snapshot", &["-d"]).unwrap_err().contains("needs N"));
    }

    #[test]
    fn an_empty_value_is_a_value() {
        assert_eq!(parse("fill", &["#a", ""]).unwrap().text("value").as_deref(), Some(""));
    }
}
