//! Messages of errors have one case style: they go on after "gstack: ", so they begin in lower case and have no full
//! stop. What to do next is in the hint.

use super::source::{sources, test_modules};

/// Where a message begins in the source.
const MADE_BY: [&str; 5] = ["Fault::new(", "wrong(", "usage(", "invalid(", "conflict("];

/// Scripts of the product's predecessor look for these words at the start of a message, or a name is written so.
const AS_IT_IS: [&str; 11] = [
    "Cannot use --",
    "Ctrl-C",
    "File not found: ",
    "Invalid JSON",
    "Path traversal: ",
    "React",
    "State not found: ",
    "Unknown command: ",
    "Unknown property: ",
    "Unknown {} flag: ",
    "WebMCP",
];

#[test]
fn messages_of_errors_begin_in_lower_case_and_have_no_full_stop() {
    let sources = sources();
    let tests = test_modules(&sources);
    let (mut seen, mut wrong) = (0, Vec::new());
    for source in sources.iter().filter(|source| !tests.contains(&source.path)) {
        let shipped: Vec<&str> = source.shipped_code().map(|(_, line)| line).collect();
        for message in messages(&shipped.join("\n")) {
            seen += 1;
            let is_lower = !message.starts_with(char::is_uppercase)
                || AS_IT_IS.iter().any(|as_it_is| message.starts_with(as_it_is));
            if !is_lower || message.ends_with('.') {
                wrong.push(format!("{}: {message}", source.path.display()));
            }
        }
    }
    assert!(seen > 200, "{seen} messages were found");
    assert!(wrong.is_empty(), "in lower case and without a full stop:\n{}", wrong.join("\n"));
}

/// The sections of `src/protocol/catalogue` whose sentences stand alone: nothing precedes them, so they have a full stop.
const ALONE: [&str; 2] = ["// Notices of a turn.", "// Warnings about an agent."];

#[test]
fn messages_in_told_have_no_full_stop() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for source in sources().iter().filter(|source| source.path.to_string_lossy().contains("protocol/catalogue/")) {
        let mut alone = false;
        for line in source.text.lines() {
            let line = line.trim();
            if line.starts_with("//") {
                alone = ALONE.iter().any(|section| line.starts_with(section));
            }
            let Some((name, text)) = line.strip_suffix("\";").and_then(|line| line.split_once(" = \"")) else {
                continue;
            };
            // A hint is a sentence; two sentences in one message both end.
            let is_message = text.starts_with(char::is_lowercase) || text.starts_with('$');
            if alone || !is_message || text.contains(". ") {
                continue;
            }
            seen += 1;
            if text.ends_with('.') {
                wrong.push(format!("{}: {name}", source.path.display()));
            }
        }
    }
    assert!(seen > 60, "{seen} messages were found");
    assert!(wrong.is_empty(), "without a full stop:\n{}", wrong.join("\n"));
}

/// Returns the literals that the calls in `MADE_BY` have as their message: the first one before the call ends.
fn messages(code: &str) -> Vec<&str> {
    let calls =
        MADE_BY.iter().flat_map(|made_by| code.match_indices(made_by).map(|(at, found)| &code[at + found.len()..]));
    calls.filter_map(literal).collect()
}

/// Returns the literal that begins in this call, if its message is one.
fn literal(call: &str) -> Option<&str> {
    let start = call.find('"')?;
    // Any other call, or the end of this one, means that the literal belongs to something else.
    let before = call[..start].replace("format!(", "");
    if before.contains(['(', ')', ';']) {
        return None;
    }
    let text = &call[start + 1..];
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })?;
    Some(&text[..end])
}

#[test]
fn messages_are_found_in_the_source() {
    let code = "Err(Fault::new(\n    FaultCode::NotFound,\n    format!(\"no \\\"{name}\\\" here\"),\n))\nwrong(\"A name\")\nFault::new(code, told::X.with([\"a\"]))";
    assert_eq!(messages(code), ["no \\\"{name}\\\" here", "A name"]);
}
