//! What changed between two printed snapshots, in few lines.
//!
//! Owns the form, and when it is worth it. Never reads a page.

use crate::visual::diff;

/// A smaller snapshot is always printed whole: there is little to save. In bytes, about a thousand tokens.
const SMALLEST: usize = 4096;
const LEFT_OUT: &str = "…";

/// Returns the lines that are gone (`-`) and new (`+`), each group after the unchanged line before it. Empty if nothing changed.
pub(super) fn changes(before: &str, after: &str) -> String {
    let diff = diff(before, after);
    let mut lines: Vec<&str> = Vec::new();
    let mut unchanged: Option<&str> = None;
    let mut left_out = false;
    for line in diff.lines() {
        if line.starts_with(' ') {
            left_out |= unchanged.is_some();
            unchanged = Some(line);
            continue;
        }
        if let Some(line) = unchanged.take() {
            lines.extend(left_out.then_some(LEFT_OUT));
            lines.push(line);
        }
        left_out = false;
        lines.push(line);
    }
    lines.join("\n")
}

/// Returns the changes if they are much shorter than what would be printed, of this length, and a model need not read it
/// whole.
pub(super) fn worth_it(before: &str, after: &str, printed: usize) -> Option<String> {
    if printed < SMALLEST {
        return None;
    }
    Some(changes(before, after)).filter(|changes| changes.len() < printed / 2)
}

#[cfg(test)]
mod tests {
    use super::{SMALLEST, changes, worth_it};

    #[test]
    fn only_what_changed_is_said_with_the_line_before_it() {
        let before = "@e1 [main]\n  @e2 [button] \"A\"\n  @e3 [list]\n    one\n    two\n  @e4 [link] \"End\"";
        let after = "@e1 [main]\n  @e2 [button] \"A\"\n  @e3 [list]\n    one\n    three\n  @e4 [link] \"End\"";
        assert_eq!(changes(before, after), "…\n     one\n-    two\n+    three");
        assert_eq!(changes(after, after), "");
        assert_eq!(changes("", "a"), "+a");
    }

    #[test]
    fn a_short_page_and_one_that_changed_much_are_printed_whole() {
        let page = |start: usize| {
            (start..start + SMALLEST / 10).map(|number| format!("line {number:>6}\n")).collect::<String>()
        };
        assert_eq!(worth_it("a", "b", 1), None);
        assert_eq!(worth_it(&page(0), &page(0), SMALLEST).as_deref(), Some(""));
        assert_eq!(worth_it(&page(0), &page(100_000), SMALLEST), None);
        assert!(worth_it(&page(0), &page(5), SMALLEST).unwrap().len() < 400);
    }
}
