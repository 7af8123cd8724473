//! Cuts text at a number of bytes without breaking a character. Never changes what is short enough.

/// What a step's arguments and result may hold on the wire and in the journal.
pub const STEP_BYTES: usize = 4 * 1024;

/// What is heard of a step's result: enough to know it when it is sent elsewhere. The journal keeps [`STEP_BYTES`].
pub const RESULT_BYTES: usize = 256 * 1024;

const ELLIPSIS: char = '…';

/// `text` itself, or its beginning with `…`, at most `bytes` long.
pub fn clip(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}{ELLIPSIS}", beginning(text, bytes.saturating_sub(ELLIPSIS.len_utf8())))
}

/// At most the first `bytes` bytes, ending on a character.
fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// The same on one line: runs of white space become one space.
pub fn one_line(text: &str, bytes: usize) -> String {
    // What lies beyond twice the limit can't matter, and the text may be many megabytes.
    let near = beginning(text, bytes.saturating_mul(2));
    clip(&near.split_whitespace().collect::<Vec<_>>().join(" "), bytes)
}

#[cfg(test)]
mod tests {
    use super::{clip, one_line};

    #[test]
    fn short_text_stays_and_long_text_ends_on_a_character() {
        assert_eq!(clip("short", 5), "short");
        assert_eq!(clip("ééééé", 8), "éé…");
        assert_eq!(one_line("  a\n\t b ", 10), "a b");
    }
}
