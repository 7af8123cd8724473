//! Keys by Playwright's names, on a US keyboard.
//!
//! Owns the table and the parsing of `Control+Shift+A`. Never sends anything.

/// DevTools' modifier bits (`Input.dispatchKeyEvent`).
pub(super) const ALT: i64 = 1;
pub(super) const CONTROL: i64 = 2;
pub(super) const META: i64 = 4;
pub(super) const SHIFT: i64 = 8;

/// Held modifiers, as DevTools bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(i64);

impl Modifiers {
    /// Parses `Shift,Control` or `Shift+Control`. The error names what was not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names = text.split([',', '+']).map(str::trim).filter(|name| !name.is_empty());
        let mut bits = 0;
        for name in names {
            bits |= modifier(name)?.1;
        }
        if bits == 0 { Err("no modifier is given; use Shift, Control, Alt or Meta".to_owned()) } else { Ok(Self(bits)) }
    }
    pub(super) fn bits(self) -> i64 {
        self.0
    }
    pub(in crate::page) fn and(self, bits: i64) -> Self {
        Self(self.0 | bits)
    }
}

/// One key with its current meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::page) struct Key {
    /// `KeyboardEvent.key`
    pub key: String,
    /// `KeyboardEvent.code`
    pub code: String,
    /// The Windows virtual key code, which `keyCode` reports.
    pub key_code: i64,
    /// The text it types; empty for a key that types nothing.
    pub text: String,
    pub location: i64,
}

/// The effect of a key or combination, for the policy. A key that cannot be parsed fails when it is pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyMeaning {
    /// Follows a link or submits a form.
    pub enter: bool,
    /// Clicks a button.
    pub space: bool,
    /// Pastes the clipboard.
    pub pastes: bool,
    /// The text it types; empty for a key that types nothing.
    pub typed: String,
}

impl KeyMeaning {
    /// Parses a key with the table that presses use too.
    pub fn of(key: &str) -> Self {
        Self::with_held(key, 0)
    }

    /// `held`: the bits of modifiers that are down already.
    pub(super) fn with_held(key: &str, held: i64) -> Self {
        let Ok(Stroke { key, bits, .. }) = parse_with_held(key, held) else {
            return Self { enter: key.ends_with("Enter"), ..Self::default() };
        };
        let shortcut = bits & (CONTROL | META) != 0;
        Self {
            enter: key.code == "Enter",
            space: key.code == "Space",
            pastes: (shortcut && key.code == "KeyV") || (bits & SHIFT != 0 && key.code == "Insert"),
            typed: if key.code == "Space" { String::new() } else { key.text.replace(char::is_control, "") },
        }
    }
}

/// Returns true if a text names a key that types no character. Other texts may be part of a password.
pub fn is_named_key(text: &str) -> bool {
    parse(text).is_ok_and(|Stroke { key, .. }| key.code == "Space" || key.text.chars().all(char::is_control))
}

/// A key and its modifiers, in the order in which they are pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::page) struct Stroke {
    pub modifiers: Vec<Key>,
    pub key: Key,
    /// The bits of `modifiers` and of what was held before.
    pub bits: i64,
}

/// name, code, key code, text, location
const NAMED: [(&str, &str, i64, &str, i64); 46] = [
    ("Backspace", "Backspace", 8, "", 0),
    ("Tab", "Tab", 9, "", 0),
    ("Enter", "Enter", 13, "\r", 0),
    ("Shift", "ShiftLeft", 16, "", 1),
    ("Control", "ControlLeft", 17, "", 1),
    ("Alt", "AltLeft", 18, "", 1),
    ("Pause", "Pause", 19, "", 0),
    ("CapsLock", "CapsLock", 20, "", 0),
    ("Escape", "Escape", 27, "", 0),
    ("Space", "Space", 32, " ", 0),
    ("PageUp", "PageUp", 33, "", 0),
    ("PageDown", "PageDown", 34, "", 0),
    ("End", "End", 35, "", 0),
    ("Home", "Home", 36, "", 0),
    ("ArrowLeft", "ArrowLeft", 37, "", 0),
    ("ArrowUp", "ArrowUp", 38, "", 0),
    ("ArrowRight", "ArrowRight", 39, "", 0),
    ("ArrowDown", "ArrowDown", 40, "", 0),
    ("PrintScreen", "PrintScreen", 44, "", 0),
    ("Insert", "Insert", 45, "", 0),
    ("Delete", "Delete", 46, "", 0),
    ("Meta", "MetaLeft", 91, "", 1),
    ("ContextMenu", "ContextMenu", 93, "", 0),
    ("F1", "F1", 112, "", 0),
    ("F2", "F2", 113, "", 0),
    ("F3", "F3", 114, "", 0),
    ("F4", "F4", 115, "", 0),
    ("F5", "F5", 116, "", 0),
    ("F6", "F6", 117, "", 0),
    ("F7", "F7", 118, "", 0),
    ("F8", "F8", 119, "", 0),
    ("F9", "F9", 120, "", 0),
    ("F10", "F10", 121, "", 0),
    ("F11", "F11", 122, "", 0),
    ("F12", "F12", 123, "", 0),
    ("NumLock", "NumLock", 144, "", 0),
    ("ScrollLock", "ScrollLock", 145, "", 0),
    // Aliases of keys above.
    ("Esc", "Escape", 27, "", 0),
    ("Return", "Enter", 13, "\r", 0),
    ("Del", "Delete", 46, "", 0),
    ("Up", "ArrowUp", 38, "", 0),
    ("Down", "ArrowDown", 40, "", 0),
    ("Left", "ArrowLeft", 37, "", 0),
    ("Right", "ArrowRight", 39, "", 0),
    ("Ctrl", "ControlLeft", 17, "", 1),
    ("Cmd", "MetaLeft", 91, "", 1),
];

/// code, key code, unshifted, shifted
const PUNCTUATION: [(&str, i64, char, char); 11] = [
    ("Semicolon", 186, ';', ':'),
    ("Equal", 187, '=', '+'),
    ("Comma", 188, ',', '<'),
    ("Minus", 189, '-', '_'),
    ("Period", 190, '.', '>'),
    ("Slash", 191, '/', '?'),
    ("Backquote", 192, '`', '~'),
    ("BracketLeft", 219, '[', '{'),
    ("Backslash", 220, '\\', '|'),
    ("BracketRight", 221, ']', '}'),
    ("Quote", 222, '\'', '"'),
];

const SHIFTED_DIGITS: [char; 10] = [')', '!', '@', '#', '$', '%', '^', '&', '*', '('];

/// Returns the key that types this character, and whether it needs Shift; `None` if a US keyboard has no such key.
pub(super) fn typing(character: char) -> Option<(Key, bool)> {
    let key = |code: String, key_code: i64| Key {
        key: character.to_string(),
        code,
        key_code,
        text: character.to_string(),
        location: 0,
    };
    match character {
        'a'..='z' | 'A'..='Z' => {
            let upper = character.to_ascii_uppercase();
            Some((key(format!("Key{upper}"), i64::from(u32::from(upper))), character.is_ascii_uppercase()))
        }
        '0'..='9' => Some((key(format!("Digit{character}"), i64::from(u32::from(character))), false)),
        ' ' => Some((key("Space".to_owned(), 32), false)),
        '\n' | '\r' => named("Enter").map(|enter| (enter, false)),
        '\t' => named("Tab").map(|tab| (tab, false)),
        _ => {
            if let Some(digit) = SHIFTED_DIGITS.iter().position(|shifted| *shifted == character) {
                return Some((key(format!("Digit{digit}"), 48 + i64::try_from(digit).ok()?), true));
            }
            PUNCTUATION.iter().find_map(|(code, key_code, plain, shifted)| {
                (character == *plain || character == *shifted)
                    .then(|| (key((*code).to_owned(), *key_code), character == *shifted))
            })
        }
    }
}

fn named(name: &str) -> Option<Key> {
    let (_, code, key_code, text, location) = NAMED.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
    // The first entry of a code has its proper name.
    let proper = NAMED.iter().find(|(_, known, ..)| known == code).map_or(name, |(proper, ..)| *proper);
    let key = if proper == "Space" { " " } else { proper };
    Some(Key {
        key: key.to_owned(),
        code: (*code).to_owned(),
        key_code: *key_code,
        text: (*text).to_owned(),
        location: *location,
    })
}

/// Parses `KeyA`, `Digit1` and other codes, which Playwright accepts too.
fn by_code(code: &str) -> Option<(Key, bool)> {
    let character = match (code.strip_prefix("Key"), code.strip_prefix("Digit")) {
        (Some(letter), _) => letter.to_ascii_lowercase(),
        (_, Some(digit)) => digit.to_owned(),
        _ => PUNCTUATION.iter().find(|(known, ..)| *known == code).map(|(_, _, plain, _)| plain.to_string())?,
    };
    let mut characters = character.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => typing(character),
        _ => None,
    }
}

/// Returns the key of a modifier and its bit.
fn modifier(name: &str) -> Result<(Key, i64), String> {
    let name = if name.eq_ignore_ascii_case("ControlOrMeta") { control_or_meta() } else { name };
    let key = named(name).ok_or_else(unknown)?;
    let bit = modifier_bit(&key).ok_or_else(|| format!("{name} is not a modifier; use Shift, Control, Alt or Meta"))?;
    Ok((key, bit))
}

pub(super) fn modifier_bit(key: &Key) -> Option<i64> {
    match key.key.as_str() {
        "Alt" => Some(ALT),
        "Control" => Some(CONTROL),
        "Meta" => Some(META),
        "Shift" => Some(SHIFT),
        _ => None,
    }
}

/// Parses `Enter`, `a`, `Shift+Enter`, `Control+A`, `ControlOrMeta+c`. The error names what was not understood.
pub(in crate::page) fn parse(text: &str) -> Result<Stroke, String> {
    parse_with_held(text, 0)
}

/// Parses a key that is pressed while modifiers are down: with Shift, `a` types `A`. `held` counts in the bits, but is not among the
/// modifiers to press.
pub(super) fn parse_with_held(text: &str, held: i64) -> Result<Stroke, String> {
    let (before, last) = match text.strip_suffix("++") {
        Some(before) => (before, "+"),
        None if text == "+" => ("", "+"),
        None => text.rsplit_once('+').unwrap_or(("", text)),
    };
    let mut modifiers = Vec::new();
    let mut bits = held;
    for name in before.split('+').filter(|name| !name.is_empty()) {
        let (key, bit) = modifier(name)?;
        bits |= bit;
        modifiers.push(key);
    }
    let mut characters = last.chars();
    let single = match (characters.next(), characters.next()) {
        (Some(character), None) => Some(character),
        _ => None,
    };
    let found = single.map_or_else(|| named(last).map(|key| (key, false)).or_else(|| by_code(last)), typing);
    let (mut key, needs_shift) = match (found, single) {
        (Some(found), _) => found,
        // This keyboard lacks the character, but it can be inserted.
        (None, Some(character)) => {
            let key = Key {
                key: last.to_owned(),
                code: String::new(),
                key_code: 0,
                text: character.to_string(),
                location: 0,
            };
            (key, false)
        }
        (None, None) => return Err(unknown()),
    };
    if bits & SHIFT != 0
        && !needs_shift
        && let Some(upper) = shifted(&key)
    {
        key = upper;
    }
    // Control+A means the key A: a capital letter needs Shift only without other modifiers.
    if needs_shift
        && bits & (CONTROL | ALT | META) != 0
        && bits & SHIFT == 0
        && key.text.chars().all(char::is_alphabetic)
    {
        key.key = key.key.to_lowercase();
        key.text = key.text.to_lowercase();
    }
    if bits & (CONTROL | ALT | META) != 0 {
        key.text.clear();
    }
    Ok(Stroke { modifiers, key, bits })
}

fn control_or_meta() -> &'static str {
    if cfg!(target_os = "macos") { "Meta" } else { "Control" }
}

fn shifted(key: &Key) -> Option<Key> {
    let character = key.text.chars().next().filter(|_| key.text.chars().count() == 1)?;
    let upper = if character.is_ascii_lowercase() {
        character.to_ascii_uppercase()
    } else if let Some(digit) = character.to_digit(10) {
        *SHIFTED_DIGITS.get(usize::try_from(digit).ok()?)?
    } else {
        PUNCTUATION.iter().find(|(_, _, plain, _)| *plain == character).map(|(_, _, _, shifted)| *shifted)?
    };
    Some(Key { key: upper.to_string(), text: upper.to_string(), ..key.clone() })
}

/// Returns an error that does not repeat the argument: it may be a password that was meant for `type`.
fn unknown() -> String {
    "unknown key: use names such as Enter, Tab, Escape, ArrowDown, F5, a, Shift+Enter, Control+A".to_owned()
}

#[cfg(test)]
mod tests {
    use super::{CONTROL, KeyMeaning, SHIFT, is_named_key, parse, parse_with_held, typing};

    #[test]
    fn a_key_means_the_same_by_each_of_its_names() {
        for name in ["Enter", "enter", "Return", "RETURN", "Shift+Return", "\n", "\r", "NumpadEnter"] {
            assert!(KeyMeaning::of(name).enter, "{name:?}");
        }
        for name in ["Space", "SPACE", " ", "Shift+Space"] {
            assert!(KeyMeaning::of(name).space && !KeyMeaning::of(name).enter, "{name:?}");
        }
        for name in ["Control+v", "ControlOrMeta+V", "Meta+KeyV", "Control+Shift+v", "Shift+Insert"] {
            assert!(KeyMeaning::of(name).pastes, "{name:?}");
        }
        for (name, typed) in
            [("a", "a"), ("KeyA", "a"), ("Shift+KeyA", "A"), ("Digit1", "1"), ("Control+a", ""), ("Tab", "")]
        {
            assert_eq!(KeyMeaning::of(name).typed, typed, "{name:?}");
        }
        for name in ["Enter", "Tab", "Control+a", "Space", " ", "F5", "shift"] {
            assert!(is_named_key(name), "{name:?}");
        }
        for name in ["a", "KeyA", "Shift+KeyA", "Digit1", "ж", "+", "hunter2", "hunter2+a", ""] {
            assert!(!is_named_key(name), "{name:?}");
        }
        assert_eq!(KeyMeaning::of("v"), KeyMeaning { typed: "v".to_owned(), ..KeyMeaning::default() });
    }

    #[test]
    fn names_and_combinations_are_read_as_playwright_reads_them() {
        let enter = parse("Enter").unwrap();
        assert_eq!((enter.key.key.as_str(), enter.key.text.as_str(), enter.bits), ("Enter", "\r", 0));
        let all = parse("Control+A").unwrap();
        assert_eq!(
            (all.key.key.as_str(), all.key.code.as_str(), all.key.text.as_str(), all.bits),
            ("a", "KeyA", "", CONTROL)
        );
        let capital = parse("Shift+a").unwrap();
        assert_eq!((capital.key.key.as_str(), capital.key.text.as_str(), capital.bits), ("A", "A", SHIFT));
        assert_eq!(parse("Shift+Enter").unwrap().key.text, "\r");
        assert_eq!(parse("+").unwrap().key.code, "Equal");
        assert_eq!(parse("Control++").unwrap().key.key, "+");
        assert_eq!(parse("esc").unwrap().key.key, "Escape");
        assert_eq!(parse("Digit1").unwrap().key.key, "1");
        assert_eq!(parse("ä").unwrap().key.text, "ä");
        assert!(parse("Entr").is_err());
        assert!(parse("a+b").is_err());
    }

    #[test]
    fn a_key_means_with_held_modifiers_what_it_means_in_a_combination() {
        for (key, held, combination) in
            [("a", SHIFT, "Shift+a"), ("1", SHIFT, "Shift+1"), ("A", CONTROL, "Control+A"), ("v", CONTROL, "Control+v")]
        {
            let (with, written) = (parse_with_held(key, held).unwrap(), parse(combination).unwrap());
            assert_eq!((with.key, with.bits), (written.key, written.bits), "{combination}");
            assert!(with.modifiers.is_empty(), "{combination}");
        }
        assert!(KeyMeaning::with_held("v", CONTROL).pastes && KeyMeaning::with_held("Insert", SHIFT).pastes);
        assert!(!KeyMeaning::with_held("v", SHIFT).pastes);
    }

    #[test]
    fn characters_are_typed_by_the_key_that_has_them() {
        assert_eq!(typing('?').map(|(key, shift)| (key.code, shift)), Some(("Slash".to_owned(), true)));
        assert_eq!(typing('@').map(|(key, shift)| (key.code, shift)), Some(("Digit2".to_owned(), true)));
        assert_eq!(typing('é'), None);
    }
}
