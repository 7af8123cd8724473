//! Text as shown to a person before a decision: nothing in it can hide, reverse or push the rest out of view.
//!
//! Owns the spelling of invisible characters and long runs of blanks, for the terminal, the panel and records.

use super::lookalike::is_invisible;

/// A longer run of blanks is replaced by its length.
const MOST_BLANKS: usize = 3;
/// A longer run of line breaks is replaced by its length.
const MOST_BREAKS: usize = 2;

/// Writes control, bidirectional and invisible characters as `⟨U+202E⟩`, and long runs of blanks as `⟨600 blanks⟩`.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if is_blank(character) {
            let run = 1 + std::iter::from_fn(|| characters.next_if(|next| is_blank(*next))).count();
            shown.push_str(&if run > MOST_BLANKS { format!(" ⟨{run} blanks⟩ ") } else { " ".repeat(run) });
        } else if character == '\n' {
            let run = 1 + std::iter::from_fn(|| characters.next_if_eq(&'\n')).count();
            shown.push_str(&if run > MOST_BREAKS { format!("\n⟨{run} line breaks⟩\n") } else { "\n".repeat(run) });
        } else if is_hidden(character) {
            shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns one line in which everything that a terminal would interpret or hide is written out: `\\x1b`, `<U+202E>`.
/// For records in which nothing may be hidden.
pub fn visible_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_control() => shown.extend(c.escape_default()),
            '\u{2028}' | '\u{2029}' => shown.push_str(&format!("<U+{:04X}>", u32::from(c))),
            _ if is_invisible(c) => shown.push_str(&format!("<U+{:04X}>", u32::from(c))),
            _ => shown.push(c),
        }
    }
    shown
}

fn is_blank(character: char) -> bool {
    character != '\n'
        && character != '\r'
        && (character == '\u{2800}' || (character.is_whitespace() && !is_break(character)))
}

fn is_break(character: char) -> bool {
    matches!(character, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether a character is written as its code. Includes the brackets themselves, so that a text cannot imitate
/// the notation.
fn is_hidden(character: char) -> bool {
    is_invisible(character) || character.is_control() || is_break(character) || matches!(character, '⟨' | '⟩')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_hides_turns_around_or_is_pushed_out_of_view() {
        for (text, shown) in [
            ("click @e3", "click @e3"),
            ("a\u{202e}b", "a⟨U+202E⟩b"),
            ("a\u{200b}b\u{2066}c\u{e0041}", "a⟨U+200B⟩b⟨U+2066⟩c⟨U+E0041⟩"),
            ("\u{1b}[2Kx\r", "⟨U+001B⟩[2Kx⟨U+000D⟩"),
            ("a\u{2028}b", "a⟨U+2028⟩b"),
            ("one\ntwo", "one\ntwo"),
            ("⟨600 blanks⟩", "⟨U+27E8⟩600 blanks⟨U+27E9⟩"),
            ("größe 漢字 ثمن", "größe 漢字 ثمن"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible(&format!("ok{}evil()", " ".repeat(600))), "ok ⟨600 blanks⟩ evil()");
        assert_eq!(visible(&format!("ok{}evil()", "\u{a0}\t\u{3000} ".repeat(5))), "ok ⟨20 blanks⟩ evil()");
        assert_eq!(visible(&format!("ok{}evil()", "\n".repeat(90))), "ok\n⟨90 line breaks⟩\nevil()");
    }
}
