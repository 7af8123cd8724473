//! A line-by-line comparison of two texts.
//!
//! Owns the output format; the `similar` crate does the comparison.

use similar::{Algorithm, capture_diff_slices_deadline};
use std::time::{Duration, Instant};

/// The time to find the shortest diff. After it, the rest is compared approximately.
const LIMIT: Duration = Duration::from_secs(2);

/// Returns the lines removed (`-`), added (`+`) or kept (` `).
pub(crate) fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let operations = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + LIMIT));
    let changes = operations.iter().flat_map(|operation| operation.iter_changes(&old[..], &new[..]));
    changes.map(|change| format!("{}{}", change.tag(), change.value())).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn a_diff_shows_what_went_and_came_in_its_place() {
        assert_eq!(diff("a\nb\nc\n", "a\nx\nc\nd\n"), " a\n-b\n+x\n c\n+d");
        assert_eq!(diff("a\n", "a\n"), " a");
        assert_eq!(diff("", "a\n"), "+a");
    }
}
