//! Every fault that reaches a side panel has a code, so that the panel can translate it.

use super::source::{sources, test_modules};
use std::path::Path;

/// The places that create faults for a panel.
const TOLD: [&str; 7] = ["agent", "browser", "chat", "engine", "native", "daemon/panel", "protocol"];

/// Read by a terminal, a model or the author of a client, and never by a panel: English.
const ENGLISH: [&str; 11] = [
    "chat/error.rs",
    "engine/browsers/error.rs",
    "engine/browser_connection/error.rs",
    "engine/conversation_requests/error.rs",
    "engine/commands/error.rs",
    "engine/drivers/error.rs",
    "engine/evidence/error.rs",
    "engine/panel_keys/error.rs",
    "engine/policy/error.rs",
    "engine/tools/error.rs",
    "engine/tools/call_tabs.rs",
];

/// Matches a hint written where the fault is created, or a table of errors whose hints are plain text.
fn is_plain_hint(code: &str) -> bool {
    [".hint(\"", ".hint(format!(", "&'static str) = match", "String) = match"]
        .iter()
        .any(|written| code.contains(written))
}

#[test]
fn a_hint_that_reaches_a_panel_has_a_code() {
    let sources = sources();
    let tests = test_modules(&sources);
    let mut plain = Vec::new();
    for source in &sources {
        let is_told = TOLD.iter().any(|folder| source.path.starts_with(folder));
        if !is_told || tests.contains(&source.path) || ENGLISH.iter().any(|path| source.path == Path::new(path)) {
            continue;
        }
        for (line, code) in source.shipped_code() {
            if is_plain_hint(code) {
                plain.push(format!("{}:{line}: {}", source.path.display(), code.trim()));
            }
        }
    }
    assert!(plain.is_empty(), "give them a code in src/protocol/catalogue:\n{}", plain.join("\n"));
}

#[test]
fn a_file_that_speaks_english_alone_still_does() {
    let sources = sources();
    for path in ENGLISH {
        let source = sources.iter().find(|source| source.path == Path::new(path)).expect(path);
        assert!(
            source.shipped_code().any(|(_, code)| is_plain_hint(code)),
            "{path} has a code everywhere: take it off the list"
        );
    }
}
