//! Maps the names that people use for keys to Playwright's. Pure.

/// Returns `Control+A` for `ctrl+a`; `None` if the text does not name a key.
pub(super) fn named(text: &str) -> Option<String> {
    let mut parts: Vec<&str> = text.split('+').map(str::trim).collect();
    let key = parts.pop().filter(|key| !key.is_empty())?;
    let mut spelled: Vec<String> = parts.into_iter().map(modifier).collect::<Option<_>>()?;
    let chord = !spelled.is_empty();
    spelled.push(key_name(key, chord)?);
    Some(spelled.join("+"))
}

fn modifier(name: &str) -> Option<String> {
    let name = match name.to_lowercase().as_str() {
        "ctrl" | "control" | "strg" => "Control",
        "shift" => "Shift",
        "alt" | "option" => "Alt",
        "cmd" | "command" | "meta" | "super" => "Meta",
        _ => return None,
    };
    Some(name.to_owned())
}

fn key_name(name: &str, in_chord: bool) -> Option<String> {
    let lower = name.to_lowercase();
    let known = match lower.as_str() {
        "enter" | "return" => "Enter",
        "tab" => "Tab",
        "esc" | "escape" => "Escape",
        "space" | "spacebar" => "Space",
        "backspace" => "Backspace",
        "delete" | "del" => "Delete",
        "home" => "Home",
        "end" => "End",
        "pageup" | "page up" => "PageUp",
        "pagedown" | "page down" => "PageDown",
        "up" | "arrowup" | "arrow up" | "up arrow" => "ArrowUp",
        "down" | "arrowdown" | "arrow down" | "down arrow" => "ArrowDown",
        "left" | "arrowleft" | "arrow left" | "left arrow" => "ArrowLeft",
        "right" | "arrowright" | "arrow right" | "right arrow" => "ArrowRight",
        _ => "",
    };
    if !known.is_empty() {
        return Some(known.to_owned());
    }
    if let Some(number) = lower.strip_prefix('f').and_then(|number| number.parse::<u8>().ok()) {
        return (1..=12).contains(&number).then(|| format!("F{number}"));
    }
    let mut letters = name.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else { return None };
    Some(if in_chord { letter.to_uppercase().to_string() } else { letter.to_string() })
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn keys_are_spelled_as_playwright_does() {
        let table = [
            ("enter", Some("Enter")),
            ("Return", Some("Enter")),
            ("ctrl+a", Some("Control+A")),
            ("Shift + Tab", Some("Shift+Tab")),
            ("cmd+shift+p", Some("Meta+Shift+P")),
            ("down arrow", Some("ArrowDown")),
            ("F5", Some("F5")),
            ("f13", None),
            ("x", Some("x")),
            ("Submit", None),
            ("hyper+x", None),
            ("", None),
        ];
        for (text, key) in table {
            assert_eq!(named(text).as_deref(), key, "{text}");
        }
    }
}
