//! Truncates text to a number of bytes without splitting a character. Never changes text that is short enough.

/// The limit of a step's arguments and of its result, on the wire and in the journal.
pub const STEP_BYTES: usize = 4 * 1024;

/// The limit of a step's result inside the daemon: enough to recognise it when it is sent elsewhere. The journal keeps
/// [`STEP_BYTES`].
pub const RESULT_BYTES: usize = 256 * 1024;

const ELLIPSIS: char = '…';

/// Returns `text`, or its beginning with `…`, at most `bytes` long.
pub fn clip(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}{ELLIPSIS}", beginning(text, bytes.saturating_sub(ELLIPSIS.len_utf8())))
}

/// Returns at most the first `bytes` bytes, ending at a character boundary.
fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Does the same on one line: each run of white space becomes one space.
pub fn one_line(text: &str, bytes: usize) -> String {
    // Text beyond twice the limit cannot matter, and it may be many megabytes.
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
