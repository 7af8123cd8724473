//! snapshot.

use super::arguments::Arguments;
use super::context::{Context, Output};
use super::path_guard;
use super::spec::{Category, Class, Flag, Spec};
use crate::browser::page::{Snapshot, SnapshotOptions, Target};
use crate::protocol::fault::Fault;
use serde_json::json;

const CURSOR_TITLE: &str = "── cursor-interactive (not in ARIA tree) ──";
const NO_BASELINE: &str = "(no previous snapshot to diff against — this snapshot stored as baseline)";

pub(super) const COMMANDS: &[Spec] = &[Spec {
    name: "snapshot",
    aliases: &["snap"],
    category: Category::Snapshot,
    class: Class::Read,
    parameters: &[],
    flags: &[
        Flag { name: "-i", alias: "--interactive", value: None, help: "Only what can be operated" },
        Flag { name: "-c", alias: "--compact", value: None, help: "Without unnamed structure" },
        Flag { name: "-d", alias: "--depth", value: Some("N"), help: "At most N levels below the top" },
        Flag { name: "-s", alias: "--selector", value: Some("sel"), help: "Only this element" },
        Flag { name: "-o", alias: "--output", value: Some("path"), help: "Also write it to this file" },
        Flag { name: "-D", alias: "--diff", value: None, help: "What changed since the tab's snapshot before" },
        Flag {
            name: "-C",
            alias: "--cursor",
            value: None,
            help: "Also what is clickable outside of the ARIA tree (@c1)",
        },
    ],
    summary: "The page as an accessibility tree with refs to act on",
    details: "A line a node: @e1 [role] \"name\" [props]: text. The refs (@e1) are taken by every command that takes a selector.\nFrames are part of the tree. An element keeps its ref while its document lives.",
    untrusted: true,
    writes: false,
    output: "the tree",
    run: |context, arguments| Box::pin(snapshot(context, arguments)),
}];

async fn snapshot(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let depth = arguments.value("-d").map(|text| arguments.number("-d", text)).transpose()?;
    let options = SnapshotOptions {
        interactive: arguments.has("-i"),
        compact: arguments.has("-c"),
        depth,
        scope: arguments.value("-s").map(Target::parse),
        cursor: arguments.has("-C"),
    };
    let path = arguments.value("-o").map(|typed| path_guard::output_path(context, typed)).transpose()?;
    let page = context.page().await?;
    let snapshot = page.snapshot(&options).await?;
    let url = page.url()?;
    let before = page.exchange_snapshot(&snapshot.text);
    if arguments.has("-D") {
        return Ok(match before {
            Some(before) => Output::from_page(diff(&before, &snapshot.text), url),
            None => Output::text(NO_BASELINE),
        });
    }
    let text = printed(&snapshot);
    let refs = snapshot.text.matches("@e").count() + snapshot.cursor.matches("@c").count();
    let mut output =
        Output::from_page(text, url.clone()).data(json!({ "url": url, "refs": refs, "more": snapshot.more }));
    if let Some(path) = path {
        output.files.push(path_guard::write(path, output.text.clone().into_bytes()).await?);
    }
    Ok(output)
}

fn printed(snapshot: &Snapshot) -> String {
    let mut text =
        if snapshot.text.is_empty() { "(no interactive elements found)\n".to_owned() } else { snapshot.text.clone() };
    if !snapshot.cursor.is_empty() {
        text.push_str(&format!("\n{CURSOR_TITLE}\n{}", snapshot.cursor));
    }
    if snapshot.more > 0 {
        text.push_str(&format!("… {} more, narrow with -s or -d\n", snapshot.more));
    }
    text
}

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
