//! Two texts line by line: what went, what came, what stayed.
//!
//! Owns the comparison. Knows nothing of pages.

/// Lines that went (`-`), came (`+`) and stayed (` `).
pub(super) fn diff(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let head = old.iter().zip(&new).take_while(|(left, right)| left == right).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(left, right)| left == right).count();
    let mut out: Vec<String> = old[..head].iter().map(|line| format!(" {line}")).collect();
    changes(&old[head..old.len() - tail], &new[head..new.len() - tail], &mut out);
    out.extend(old[old.len() - tail..].iter().map(|line| format!(" {line}")));
    out.join("\n")
}

/// The longest common subsequence of what differs; where that would be too large a table, all old lines then all new.
fn changes(old: &[&str], new: &[&str], out: &mut Vec<String>) {
    const LARGEST_TABLE: usize = 4_000_000;
    if old.len().saturating_mul(new.len()) > LARGEST_TABLE {
        out.extend(old.iter().map(|line| format!("-{line}")));
        out.extend(new.iter().map(|line| format!("+{line}")));
        return;
    }
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            out.push(format!(" {}", old[i]));
            i += 1;
            j += 1;
        } else if j == new.len() || (i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            out.push(format!("-{}", old[i]));
            i += 1;
        } else {
            out.push(format!("+{}", new[j]));
            j += 1;
        }
    }
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
