//! URL patterns: `**/cart?*`, `https://*.example/**`.
//!
//! Owns the matching. A pattern without an asterisk matches any URL that contains it.

/// A pattern in which `*` matches anything but a slash and `**` matches anything. All other characters are literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    /// Returns the pattern as it was written.
    pub fn pattern(&self) -> &str {
        &self.0
    }

    pub fn matches(&self, text: &str) -> bool {
        if self.0.contains('*') { fits(self.0.as_bytes(), text.as_bytes()) } else { text.contains(&self.0) }
    }
}

/// Backtracks to the last asterisk on a mismatch: linear for one asterisk, at most quadratic for several.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    // The position to backtrack to: after the asterisk, in the text, and whether the asterisk matches slashes.
    let mut back: Option<(usize, usize, bool)> = None;
    let mut wide: Option<(usize, usize, bool)> = None;
    loop {
        if pattern.get(at) == Some(&b'*') {
            let takes_all = pattern.get(at + 1) == Some(&b'*');
            at += if takes_all { 2 } else { 1 };
            back = Some((at, seen, takes_all));
            if takes_all {
                wide = back;
            }
            continue;
        }
        if seen == text.len() && at == pattern.len() {
            return true;
        }
        if at < pattern.len() && pattern.get(at) == text.get(seen) {
            (at, seen) = (at + 1, seen + 1);
            continue;
        }
        // Let the last asterisk match one more letter. If that is a slash, use the last `**` instead.
        let again = match back {
            Some((_, from, false)) if text.get(from) == Some(&b'/') => wide,
            other => other,
        };
        let Some((after, from, takes_all)) = again.filter(|(_, from, _)| *from < text.len()) else { return false };
        (at, seen) = (after, from + 1);
        back = Some((after, from + 1, takes_all));
        if takes_all {
            wide = back;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn asterisks_stop_at_slashes_and_two_do_not() {
        for (pattern, text, wanted) in [
            ("**/cart", "https://a.example/shop/cart", true),
            ("**/cart", "https://a.example/shop/cart/2", false),
            ("https://*.example/*", "https://a.example/x", true),
            ("https://*.example/*", "https://a.example/x/y", false),
            ("**/api/*/items?q=*", "https://a.example/api/3/items?q=1", true),
            ("**/api/*/items", "https://a.example/api/3/4/items", false),
            ("**a*/b", "a/a/b", true),
            ("cart", "https://a.example/shop/cart/2", true),
            ("", "anything", true),
            ("*", "", true),
            ("*b", "aab", true),
            ("*b", "aac", false),
        ] {
            assert_eq!(Glob::new(pattern).matches(text), wanted, "{pattern} {text}");
        }
    }
}
