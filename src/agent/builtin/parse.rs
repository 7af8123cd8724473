//! Parses plain sentences into steps: "open example.com, then click Sign in".
//!
//! Pure, and deliberately small: a sentence that is not understood with certainty is [`Step::Unknown`], never a guess.

use super::keys;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An address with its scheme.
    Open(String),
    Back,
    Forward,
    Reload,
    Click(Target),
    Fill {
        field: String,
        value: String,
    },
    /// Fills the form with test data.
    FillForm,
    /// Types into the focused element.
    Type(String),
    /// A key as Playwright names it.
    Press(String),
    Scroll(Scroll),
    Summarise,
    Text,
    Links,
    /// The form fields of the page.
    Fields,
    /// Errors in the console.
    Console,
    Screenshot,
    Snapshot,
    Help,
    Unknown(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
    Top,
    Bottom,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scroll {
    By(Direction),
    To(String),
}

/// An element to click, by its text and, if the person named it, its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub name: String,
    /// An ARIA role.
    pub role: Option<&'static str>,
}

/// A longer message contains no plain commands, and searching all of it for separators would take long.
const LONGEST_MESSAGE: usize = 4 * 1024;

/// Returns all steps of a message, in order. Empty for an empty message.
pub(super) fn parse(message: &str) -> Vec<Step> {
    if message.len() > LONGEST_MESSAGE {
        return vec![Step::Unknown(message.trim().to_owned())];
    }
    message.lines().flat_map(split).filter(|part| !part.is_empty()).map(parse_one).collect()
}

/// Splits a line at `;` and "then". A separator counts only outside quotation marks and if a known step follows: "fill
/// Note with eat then sleep" is one step.
fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, after) in separators(line) {
        if at >= start && !matches!(parse_one(&line[after..]), Step::Unknown(_)) {
            parts.push(line[start..at].trim());
            start = after;
        }
    }
    parts.push(line[start..].trim());
    parts
}

/// Returns the ranges of the separators.
fn separators(line: &str) -> Vec<(usize, usize)> {
    const WORDS: [&str; 6] = [", and then ", ", then ", " and then ", " then ", "; then ", ";"];
    let mut found = Vec::new();
    let mut closing = None;
    let mut after = 0;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        if closing == Some(letter) {
            closing = None;
        } else if closing.is_none() {
            // An apostrophe inside a word does not open a quotation.
            closing = closing_quote(letter).filter(|_| !before.is_alphanumeric());
            let here = WORDS.iter().find(|word| starts_with_ignoring_case(&line[at..], word));
            if let Some(word) = here.filter(|_| at >= after) {
                after = at + word.len();
                found.push((at, after));
            }
        }
        before = letter;
    }
    found
}

fn closing_quote(opening: char) -> Option<char> {
    match opening {
        '"' | '\'' | '`' => Some(opening),
        '“' | '„' => Some('”'),
        '‘' => Some('’'),
        '«' => Some('»'),
        _ => None,
    }
}

fn parse_one(sentence: &str) -> Step {
    let plain = without_politeness(sentence.trim());
    let bare = plain.trim_end_matches(['.', '!', '?', ',', ' ']);
    fixed(bare).or_else(|| with_object(bare)).unwrap_or_else(|| Step::Unknown(sentence.trim().to_owned()))
}

fn without_politeness(sentence: &str) -> &str {
    ["please ", "can you ", "could you ", "now "]
        .into_iter()
        .find_map(|word| strip(sentence, word))
        .map_or(sentence, without_politeness)
}

/// Parses sentences without an object.
fn fixed(sentence: &str) -> Option<Step> {
    let lower = sentence.to_lowercase();
    let without_please = lower.strip_suffix(" please").unwrap_or(&lower);
    let words: Vec<&str> = without_please.split_whitespace().filter(|word| !is_filler(word)).collect();
    Some(match words.join(" ").as_str() {
        "back" | "go back" => Step::Back,
        "forward" | "go forward" => Step::Forward,
        "reload" | "refresh" | "reload page" | "refresh page" => Step::Reload,
        "scroll" | "scroll down" | "page down" => Step::Scroll(Scroll::By(Direction::Down)),
        "scroll up" | "page up" => Step::Scroll(Scroll::By(Direction::Up)),
        "scroll top" | "scroll to top" => Step::Scroll(Scroll::By(Direction::Top)),
        "scroll bottom" | "scroll to bottom" | "scroll to end" => Step::Scroll(Scroll::By(Direction::Bottom)),
        "read" | "read page" | "summarise" | "summarize" | "summarise page" | "summarize page" | "summary"
        | "what is page about" | "what's page about" => Step::Summarise,
        "text" | "show text" | "get text" | "page text" | "text of page" | "show text of page" => Step::Text,
        "links" | "show links" | "list links" | "get links" | "list all links" | "show all links" => Step::Links,
        "fill form" | "fill in form" | "fill out form" | "fill form with test data" | "fill in form with test data" => {
            Step::FillForm
        }
        "forms" | "fields" | "list fields" | "show fields" | "list fields of form" | "show fields of form" => {
            Step::Fields
        }
        "console"
        | "errors"
        | "show errors"
        | "show console"
        | "show errors in console"
        | "check console for errors" => Step::Console,
        "screenshot" | "take screenshot" | "make screenshot" | "capture page" => Step::Screenshot,
        "snapshot" | "take snapshot" | "show elements" => Step::Snapshot,
        "help" | "?" | "what can you do" | "commands" => Step::Help,
        _ => return None,
    })
}

fn is_filler(word: &str) -> bool {
    matches!(word, "the" | "this" | "a" | "me" | "on" | "it")
}

/// Parses sentences with an object, whose spelling is preserved.
fn with_object(sentence: &str) -> Option<Step> {
    if sentence.starts_with("http://") || sentence.starts_with("https://") {
        return address(sentence).map(Step::Open);
    }
    if let Some(place) = strip_any(sentence, &["go to ", "goto ", "open ", "visit ", "navigate to ", "browse to "]) {
        return address(place).map(Step::Open);
    }
    if let Some(what) = strip_any(sentence, &["click on ", "click ", "tap on ", "tap "]) {
        return target(what).map(Step::Click);
    }
    if let Some(key) = strip_any(sentence, &["press ", "hit "]) {
        let key = strip(key, "the ").unwrap_or(key);
        let named = strip_end(key, " key").unwrap_or(key);
        return keys::named(unquote(named)).map(Step::Press).or_else(|| target(key).map(Step::Click));
    }
    if let Some(place) = strip_any(sentence, &["scroll down to ", "scroll up to ", "scroll to "]) {
        return Some(Step::Scroll(Scroll::To(name(place)?)));
    }
    if let Some(rest) = strip_any(sentence, &["fill in ", "fill out ", "fill "]) {
        let (field, value) = divide(rest, &[" with "])?;
        return Some(Step::Fill { field: field_name(field)?, value: unquote(value).to_owned() });
    }
    if let Some(rest) = strip(sentence, "set ") {
        let (field, value) = divide(rest, &[" to "])?;
        return Some(Step::Fill { field: field_name(field)?, value: unquote(value).to_owned() });
    }
    let rest = strip_any(sentence, &["type ", "enter ", "write "])?;
    match divide_last(rest, &[" into ", " in "]) {
        Some((value, field)) => Some(Step::Fill { field: field_name(field)?, value: unquote(value).to_owned() }),
        None if strip(sentence, "type ").is_some() => Some(Step::Type(unquote(rest).to_owned())),
        None => None,
    }
}

/// Returns a URL with its scheme. `None` if the text does not look like a URL: "open the menu" is another command.
fn address(text: &str) -> Option<String> {
    let text = unquote(text.trim());
    if text.is_empty() || text.contains(char::is_whitespace) {
        return None;
    }
    if text.contains("://") || text == "about:blank" {
        return Some(text.to_owned());
    }
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if port.parse::<u16>().is_ok() { name } else { host });
    if name == "localhost" || name == "[::1]" || name.parse::<std::net::Ipv4Addr>().is_ok() {
        return Some(format!("http://{text}"));
    }
    let (before, last) = name.rsplit_once('.')?;
    let is_domain = !before.is_empty() && last.len() >= 2 && last.chars().all(char::is_alphanumeric);
    is_domain.then(|| format!("https://{text}"))
}

fn target(text: &str) -> Option<Target> {
    const ROLES: [(&str, &str); 9] = [
        (" button", "button"),
        (" link", "link"),
        (" tab", "tab"),
        (" checkbox", "checkbox"),
        (" check box", "checkbox"),
        (" radio button", "radio"),
        (" menu item", "menuitem"),
        (" option", "option"),
        (" switch", "switch"),
    ];
    let text = strip(text.trim(), "the ").unwrap_or(text.trim());
    // Longer endings first: a "radio button" is not a button.
    let mut roles = ROLES;
    roles.sort_by_key(|(ending, _)| std::cmp::Reverse(ending.len()));
    let named = roles.into_iter().find_map(|(ending, role)| Some((strip_end(text, ending)?, role)));
    match named {
        Some((what, role)) => Some(Target { name: name(what)?, role: Some(role) }),
        None => Some(Target { name: name(text)?, role: None }),
    }
}

fn field_name(text: &str) -> Option<String> {
    let text = strip(text.trim(), "the ").unwrap_or(text.trim());
    name(
        [" text field", " input field", " field", " box", " input"]
            .iter()
            .find_map(|end| strip_end(text, end))
            .unwrap_or(text),
    )
}

fn name(text: &str) -> Option<String> {
    let text = unquote(strip(text.trim(), "the ").unwrap_or(text.trim()));
    (!text.is_empty()).then(|| text.to_owned())
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(closing) = letters.next().and_then(closing_quote) else { return text };
    letters.as_str().strip_suffix(closing).unwrap_or(text)
}

/// Splits at the first of the words that is outside a quotation at the start.
fn divide<'a>(text: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    let quoted = text.chars().next().and_then(closing_quote);
    let from = match quoted {
        Some(closing) => 1 + text.get(1..)?.find(closing)?,
        None => 0,
    };
    words.iter().find_map(|word| {
        let at = from + find_ignoring_case(&text[from..], word)?;
        Some((&text[..at], &text[at + word.len()..]))
    })
}

/// Splits at the last of the words: "type come in into Name" types into Name.
fn divide_last<'a>(text: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    words.iter().find_map(|word| {
        let at = (0..text.len())
            .rev()
            .find(|at| text.is_char_boundary(*at) && starts_with_ignoring_case(&text[*at..], word))?;
        Some((&text[..at], &text[at + word.len()..]))
    })
}

fn find_ignoring_case(text: &str, part: &str) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).find(|at| starts_with_ignoring_case(&text[*at..], part))
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

fn strip<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    starts_with_ignoring_case(text, start).then(|| text[start.len()..].trim_start())
}

fn strip_any<'a>(text: &'a str, starts: &[&str]) -> Option<&'a str> {
    starts.iter().find_map(|start| strip(text, start)).filter(|rest| !rest.is_empty())
}

fn strip_end<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(end.len())?;
    text.get(at..)?.eq_ignore_ascii_case(end).then(|| &text[..at])
}
