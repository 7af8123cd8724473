//! Formats page content as Markdown for the built-in agent's answers: extracted summaries, lists of links, plain text.
//!
//! Pure. Page text cannot become markup of the answer: it is escaped or fenced.

use crate::clip::{clip, one_line};
use gstack_protocol::links::link_to;
use std::fmt::Write;

const MOST_TEXT: usize = 8 * 1024;
const MOST_LINKS: usize = 40;
const MOST_HEADINGS: usize = 12;
const MOST_SENTENCES: usize = 5;
/// A shorter line is a menu item or a label, not prose.
const SHORTEST_PROSE: usize = 60;

/// Returns the title, the headings and the first sentences of prose. `snapshot` may be empty.
pub(super) fn summary(title: &str, text: &str, snapshot: &str) -> String {
    let text = without_envelope(text);
    let mut answer = String::new();
    let headings = headings(&without_envelope(snapshot));
    let title = if title.trim().is_empty() { headings.first().map_or("This page", String::as_str) } else { title };
    push(&mut answer, format_args!("**{}**\n", plain(&one_line(title, 200))));
    let sentences = first_sentences(&text);
    if sentences.is_empty() {
        let beginning = one_line(&text, 400);
        let words = if beginning.is_empty() { "The page has no text.".to_owned() } else { plain(&beginning) };
        push(&mut answer, format_args!("\n{words}\n"));
    } else {
        push(&mut answer, format_args!("\n{}\n", plain(&sentences.join(" "))));
    }
    if headings.len() > 1 {
        answer.push_str("\nIts headings:\n\n");
        for heading in headings.iter().take(MOST_HEADINGS) {
            push(&mut answer, format_args!("- {}\n", plain(&one_line(heading, 150))));
        }
        let more = headings.len().saturating_sub(MOST_HEADINGS);
        if more > 0 {
            push(&mut answer, format_args!("- … and {more} more\n"));
        }
    }
    answer.push_str("\n_Taken from the page's own words: the built-in agent does not interpret them._\n");
    answer
}

/// Formats lines of `text → href` as a list.
pub(super) fn links(output: &str) -> String {
    let output = without_envelope(output);
    let links: Vec<(&str, &str)> = output.lines().filter_map(|line| line.rsplit_once(" → ")).collect();
    if links.is_empty() {
        return "The page has no links.\n".to_owned();
    }
    let mut answer = String::new();
    for (text, address) in links.iter().take(MOST_LINKS) {
        let text = plain(&one_line(text, 120));
        if let Some(address) = link_to(address) {
            push(&mut answer, format_args!("- [{text}](<{}>)\n", address.as_str().replace('\\', "%5C")));
        } else {
            push(&mut answer, format_args!("- {text} ({})\n", plain(&one_line(address, 120))));
        }
    }
    let more = links.len().saturating_sub(MOST_LINKS);
    if more > 0 {
        push(&mut answer, format_args!("\n… and {more} more.\n"));
    }
    answer
}

/// Returns the console's errors, or that there are none.
pub(super) fn console(output: &str) -> String {
    if without_envelope(output).trim().is_empty() {
        return "The console has shown no errors since gstack started working in this tab.\n".to_owned();
    }
    fenced(output)
}

/// Returns output unchanged, in a fence that it cannot close.
pub(super) fn fenced(output: &str) -> String {
    let text = clip(without_envelope(output).trim_end(), MOST_TEXT);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

/// Escapes every character that Markdown could interpret (CommonMark 2.4).
pub(super) fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' | '~' | '&' | '$') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Removes the lines that mark untrusted content.
fn without_envelope(output: &str) -> String {
    let is_marker = |line: &str| line.starts_with("[UNTRUSTED TEXT") || line.starts_with("[END UNTRUSTED TEXT");
    output.lines().filter(|line| !is_marker(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the names in `[heading] "…"` lines.
fn headings(snapshot: &str) -> Vec<String> {
    let name = |line: &str| {
        let after = line.split_once("[heading] \"")?.1;
        // Properties and inline text may follow the name.
        let end = after.rfind("\" [").or_else(|| after.rfind("\":")).or_else(|| after.rfind('"'))?;
        Some(after[..end].to_owned()).filter(|name| !name.trim().is_empty())
    };
    snapshot.lines().filter_map(name).collect()
}

fn first_sentences(text: &str) -> Vec<String> {
    let prose = text.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_PROSE);
    let mut found = Vec::new();
    for line in prose {
        for sentence in line.split_inclusive(['.', '!', '?', '。']).map(str::trim) {
            if sentence.len() > 20 {
                found.push(one_line(sentence, 400));
            }
            if found.len() == MOST_SENTENCES {
                return found;
            }
        }
    }
    found
}

/// Appends text; writing to a string never fails.
fn push(answer: &mut String, text: std::fmt::Arguments<'_>) {
    answer.write_fmt(text).ok();
}

#[cfg(test)]
mod tests {
    use super::{fenced, links, plain, summary};

    const TEXT: &str = "[UNTRUSTED TEXT]\nMenu\nHome\n\
        This is the first long sentence of the page, with enough words. And here is a second one that goes on.\n\
        [END UNTRUSTED TEXT]";

    #[test]
    fn a_summary_has_title_prose_and_headings() {
        let snapshot = "@e1 [heading] \"Big *News*\" [level=1]\n  @e2 [link] \"x\"\n@e3 [heading] \"More\"";
        let summary = summary("My page", TEXT, snapshot);
        assert!(summary.starts_with("**My page**\n\nThis is the first long sentence"));
        assert!(summary.contains("- Big \\*News\\*\n- More\n"));
        assert!(!summary.contains("UNTRUSTED") && !summary.contains("Menu"));
    }

    #[test]
    fn a_page_without_prose_is_told_by_its_beginning() {
        assert!(summary("", "short words", "").contains("This page**\n\nshort words"));
        assert!(summary("", "", "").contains("no text"));
    }

    #[test]
    fn page_text_cannot_become_markup() {
        assert_eq!(plain("[a](b) <i> *x*"), "\\[a\\](b) \\<i\\> \\*x\\*");
        assert_eq!(fenced("a ```` b"), "`````text\na ```` b\n`````\n");
        let list = links("[x](y) → https://a.test/>)<b>\nrun → javascript:alert(1)");
        assert!(list.contains("- [\\[x\\](y)](<https://a.test/%3E)%3Cb%3E>)"));
        assert!(list.contains("- run (javascript:alert(1))"));
    }

    #[test]
    fn a_list_of_links_leads_only_where_links_may() {
        for line in gstack_protocol::links::lines().iter().filter(|line| !line.address.contains('\n')) {
            let list = links(&format!("a → {}", line.address));
            let address = list.strip_prefix("- [a](<").and_then(|rest| rest.strip_suffix(">)\n"));
            assert_eq!(address, line.leads.as_ref().map(|leads| leads.replace('\\', "%5C")).as_deref(), "{list}");
        }
    }
}
