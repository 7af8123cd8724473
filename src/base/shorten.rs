//! Texts that are cut to a length.
//!
//! Owns the cut and its mark. The caller chooses the length, and what counts as a line.

/// Returns a text of at most `most` characters. A text that is cut ends with an ellipsis, which counts.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }
}
