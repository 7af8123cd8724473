//! Writes the wire's types into docs/PROTOCOL.md and checks that the page is up to date. Only in test builds.
//!
//! Owns that part of the page. After a change of the wire, run `GSTACK_BLESS=1 cargo test -p gstack-protocol typescript`
//! and commit the page.

use super::Collector;
use std::fmt::Write;
use std::path::Path;

const FILE: &str = "docs/PROTOCOL.md";
/// The text after this line is generated.
const BEGIN: &str = "<!-- Generated from src/protocol: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript -->\n";
/// Lists of methods, which the page shows as tables.
const AS_TABLES: [&str; 2] = ["ToDaemon", "ToPanel"];

fn reference() -> String {
    let collector = Collector::of_the_wire();
    let mut text = String::from("\n### By method\n\n| request | parameters | answer |\n|---|---|---|\n");
    let answers = &collector.answers;
    for (method, parameters) in methods(&collector.declarations["ToDaemon"]) {
        let answer = answers.iter().find(|(of, _)| *of == method).map_or("none: a notification", |(_, name)| name);
        writeln!(text, "| `{method}` | `{parameters}` | {} |", code(answer)).unwrap();
    }
    text.push_str("\n| from the daemon | parameters |\n|---|---|\n");
    for (method, parameters) in methods(&collector.declarations["ToPanel"]) {
        writeln!(text, "| `{method}` | `{parameters}` |").unwrap();
    }
    text.push_str("\n### The types\n\n```ts\n");
    for (name, declaration) in collector.declarations.iter().filter(|(name, _)| !AS_TABLES.contains(&name.as_str())) {
        text.push_str(&pretty(name, declaration));
    }
    text.push_str("```\n");
    text
}

fn code(answer: &str) -> String {
    if answer.starts_with("none") { answer.to_owned() } else { format!("`{answer}`") }
}

/// Returns the members of a union of `{ "method": "…", "params": … }`.
fn methods(declaration: &str) -> Vec<(&str, &str)> {
    let each = declaration.split("{ \"method\": \"").skip(1);
    each.filter_map(|one| {
        let (method, rest) = one.split_once('"')?;
        let parameters = rest.split_once("\"params\": ")?.1.split([' ', '}']).next()?;
        Some((method, parameters))
    })
    .collect()
}

/// Formats a declaration with one field on each line. What a field means stands in `extension/protocol.d.ts` alone.
fn pretty(name: &str, declaration: &str) -> String {
    let (_, body) = declaration.split_once("export type ").unwrap();
    let body = body.split_once(" = ").unwrap().1.trim().trim_end_matches(';');
    let mut text = String::new();
    // It would repeat all of `ChatBody`.
    if name == "ChatEvent" {
        text.push_str("type ChatEvent = { seq: number; at: number } & ChatBody;\n\n");
        return text;
    }
    let variants = split(body, "|");
    match variants.as_slice() {
        [one] if one.starts_with('{') => writeln!(text, "type {name} = {}", object(one, "")).unwrap(),
        several if several.iter().any(|one| one.starts_with('{')) => {
            writeln!(text, "type {name} =").unwrap();
            for one in several {
                writeln!(text, "  | {}", object(one, "    ")).unwrap();
            }
        }
        _ => writeln!(text, "type {name} = {body};").unwrap(),
    }
    text.push('\n');
    text
}

fn object(body: &str, indent: &str) -> String {
    // `{ … } & Other` keeps its second half.
    let parts = split(body, "&");
    let (first, rest) = (parts[0], &parts[1..]);
    let Some(inner) = first.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')) else { return body.to_owned() };
    let fields = split(inner, ",");
    let is_map = fields.len() == 1 && inner.trim_start().starts_with('[');
    if is_map || fields.is_empty() {
        return body.to_owned();
    }
    let mut text = String::from("{\n");
    for field in fields {
        let field = field.rsplit_once("*/").map_or(field, |(_, field)| field.trim());
        // Writes `"type": "text"` as `type: "text"`.
        let (key, of) = field.split_once(": ").unwrap();
        writeln!(text, "{indent}  {}: {of};", key.trim_matches('"')).unwrap();
    }
    write!(text, "{indent}}}").unwrap();
    for other in rest {
        write!(text, " & {other}").unwrap();
    }
    text
}

/// Splits only outside brackets, strings and comments.
fn split<'a>(text: &'a str, at: &str) -> Vec<&'a str> {
    let (mut depth, mut in_string, mut in_comment, mut from) = (0, false, false, 0);
    let mut parts = Vec::new();
    for (place, sign) in text.char_indices() {
        let rest = &text[place..];
        match sign {
            _ if in_comment => in_comment = !text[..place + sign.len_utf8()].ends_with("*/"),
            '/' if rest.starts_with("/**") => in_comment = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '{' | '[' | '<' | '(' => depth += 1,
            '}' | ']' | '>' | ')' => depth -= 1,
            _ if depth == 0 && rest.starts_with(at) => {
                parts.push(&text[from..place]);
                from = place + at.len();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[test]
fn the_page_of_the_protocol_has_every_type_of_this_wire() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FILE);
    let page = std::fs::read_to_string(&path).unwrap();
    let (by_hand, found) = page.split_once(BEGIN).expect("the line behind which types are generated");
    let wanted = reference();
    if std::env::var_os("GSTACK_BLESS").is_some() {
        std::fs::write(&path, format!("{by_hand}{BEGIN}{wanted}")).unwrap();
    } else {
        assert!(
            found == wanted,
            "{FILE} is behind src/protocol. Run: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript"
        );
    }
}

/// Checks that the numbers on the page match those in the code.
#[test]
fn the_limits_on_the_page_are_the_codes_own() {
    use crate::chat::{LONGEST_ADDRESS, LONGEST_MESSAGE, LONGEST_SELECTION, LONGEST_TITLE};
    use crate::frame::{COMFORTABLE, MAX_FROM_CHROME, MAX_TO_CHROME};
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FILE)).unwrap();
    for (what, limit) in [
        ("A frame to the host", MAX_FROM_CHROME),
        ("A frame from the host", COMFORTABLE),
        ("A frame that Chrome accepts", MAX_TO_CHROME),
        ("The text of a message, as JSON", LONGEST_MESSAGE),
        ("The address of a page", LONGEST_ADDRESS),
        ("The title of a page", LONGEST_TITLE),
        ("A selection in a page", LONGEST_SELECTION),
    ] {
        let row = page.lines().find(|line| line.starts_with(&format!("| {what} |"))).unwrap_or_default();
        let number: String = row.split('|').nth(2).unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        assert_eq!(number, limit.to_string(), "{what}: {row}");
    }
}
