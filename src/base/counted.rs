//! A count with its noun in the singular or plural.

use std::fmt::Display;

/// Formats a count: `1 tab`, `2 tabs`. For nouns whose plural adds an s.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let s = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{s}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_stands_alone() {
        assert_eq!([0_usize, 1, 2].map(|count| counted(count, "tab")), ["0 tabs", "1 tab", "2 tabs"]);
    }
}
