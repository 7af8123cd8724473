//! What the compiler does not check: which service of the engine may use which, and the few rules that hold for every
//! file. Reads the source as text. The layers are crates, and a rule that needs a compiler is a lint in Cargo.toml.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

#[path = "layers/catalogue.rs"]
mod catalogue;
#[path = "layers/cycles.rs"]
mod cycles;
#[path = "layers/documents.rs"]
mod documents;
#[path = "layers/messages.rs"]
mod messages;
#[path = "layers/source.rs"]
mod source;
#[path = "layers/tables.rs"]
mod tables;

use source::{sources, test_modules, used};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tables::SERVICES;

/// Text that must not be in shipped code. The lints forbid it too; here one list shows all of it.
const FORBIDDEN: [&str; 7] = ["todo!(", "unimplemented!(", "dbg!(", ".unwrap()", "TODO", "FIXME", "XXX"];

#[test]
fn a_service_uses_the_services_that_it_may_and_never_the_engine() {
    let services: BTreeMap<_, _> = SERVICES.into_iter().collect();
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    let sources = sources();
    let tests = test_modules(&sources);
    for source in sources.iter().filter(|source| !tests.contains(&source.path)) {
        let parts: Vec<&str> = source.path.iter().skip(1).map(|part| part.to_str().unwrap()).collect();
        let name = parts.first().map(|part| part.trim_end_matches(".rs")).unwrap_or_default();
        let Some((service, allowed)) = services.get_key_value(name).filter(|_| source.layer() == "engine") else {
            continue;
        };
        seen.insert(*service);
        let shipped: String = source.shipped_code().map(|(_, line)| format!("{line}\n")).collect();
        for (module, line) in used(&shipped) {
            let other = module.split("::").next().unwrap_or_default();
            if other != *service && !allowed.contains(&other) {
                wrong.push(format!("src/{}:{line}: {service} may not use crate::{other}", source.path.display()));
            }
        }
        // Paths to another service must start at the crate's root, so that this test sees them.
        let up = if matches!(parts[..], [_] | [_, "mod.rs"]) { "super::" } else { "super::super::" };
        if shipped.contains(up) {
            wrong.push(format!("src/{}: write crate:: for what lies outside of {service}", source.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen.len(), SERVICES.len(), "a service is not there: {seen:?}");
}

/// What is in src/engine/ without being a service: the handle, and what constructs the services and shuts them down.
const COMPOSITION: [&str; 3] = ["lib", "state", "lifecycle"];

#[test]
fn the_engine_is_only_what_wires_the_services() {
    let services: BTreeMap<_, _> = SERVICES.into_iter().collect();
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.layer() == "engine") {
        let part = source.path.iter().nth(1).unwrap().to_str().unwrap().trim_end_matches(".rs");
        if COMPOSITION.contains(&part) {
            continue;
        }
        if !services.contains_key(part) {
            wrong.push(format!("src/{}: {part} is not a service: add it to SERVICES", source.path.display()));
        }
        let on_engine = source.shipped_code().find(|(_, line)| line.starts_with("impl Engine"));
        wrong.extend(on_engine.map(|(line, _)| format!("src/{}:{line}: a method of Engine", source.path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn services_do_not_use_each_other_in_circles() {
    // Each uses only those listed above it.
    for (at, (service, allowed)) in SERVICES.iter().enumerate() {
        let before: Vec<_> = SERVICES[..at].iter().map(|(name, _)| name).collect();
        assert!(allowed.iter().all(|other| before.contains(&other)), "{service} uses one that stands below it");
    }
}

/// The only waits for a time in the code that ends leases: a tunnel and an endpoint last that long.
const TIMES: [&str; 2] = ["sleep(left)", "sleep(endpoint.ttl)"];

/// A lease ends with its holder because its task waits for the end of the process and of the connection (docs/SECURITY.md), not
/// because something looks from time to time.
#[test]
fn leases_end_by_events_and_nothing_there_polls() {
    let mut wrong = Vec::new();
    let mut waits = BTreeSet::new();
    for source in sources() {
        let path = source.path.display().to_string();
        if !(path.starts_with("engine/registrations/") || path.starts_with("cdp/")) {
            continue;
        }
        for (line, text) in source.shipped_code() {
            let polls = ["sleep(", "sleep_until(", "interval("].iter().any(|wait| text.contains(wait));
            if polls && !TIMES.iter().any(|known| text.contains(known)) {
                wrong.push(format!("src/{path}:{line}: {}", text.trim()));
            }
            if text.contains("process.ended() =>") {
                waits.insert(path.clone());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let expected = ["cdp/session.rs", "engine/registrations/mod.rs", "engine/registrations/terminals.rs"];
    assert_eq!(waits.into_iter().collect::<Vec<_>>(), expected, "each kind of holder is waited for");
}

#[test]
fn every_file_says_what_it_owns() {
    let silent: Vec<_> =
        sources().into_iter().filter(|source| !source.text.starts_with("//! ")).map(|s| s.path).collect();
    assert!(silent.is_empty(), "these open without `//!`: {silent:?}");
}

/// `tests/run.sh` runs test programs. Code in a comment would be a test that it leaves out.
#[test]
fn no_comment_has_code_that_no_run_tests() {
    let is_fence = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
            .is_some_and(|text| text.trim_start().starts_with("```"))
    };
    let found: Vec<String> = sources()
        .iter()
        .flat_map(|source| source.text.lines().filter(|line| is_fence(line)).map(|_| source.path.display().to_string()))
        .collect();
    assert_eq!(found, Vec::<String>::new(), "write it as a test");
}

#[test]
fn nothing_unfinished_ships() {
    let sources = sources();
    let tests = test_modules(&sources);
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|source| !tests.contains(&source.path)) {
        for (line, content) in source.shipped_code() {
            for word in FORBIDDEN.iter().filter(|word| content.contains(**word)) {
                wrong.push(format!("src/{}:{line}: {word}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_groups_and_single_paths() {
    let text = "use crate::base::home::Home;\nuse crate::{chat::{a, b},\n    protocol};\n// use crate::http::x;\n    crate::native::run();\n";
    let found: Vec<_> = used(text).into_keys().collect();
    assert_eq!(found, ["base::home", "chat::a", "native::run", "protocol"].map(|s| s.replace("chat::a", "chat")));
}

/// The facts about a command are in its `Spec`. Code that checks a command's name knows something that its spec does
/// not state.
#[test]
fn nothing_decides_by_the_name_of_a_command() {
    const PATTERNS: [&str; 6] = [
        "match spec.name",
        "spec.name ==",
        "spec.name !=",
        "matches!(spec.name",
        "contains(&spec.name)",
        "match call.spec.name",
    ];
    let found: Vec<String> = sources()
        .iter()
        // The registry finds commands by their names: that is its job.
        .filter(|source| source.path != Path::new("command/registry.rs"))
        .flat_map(|source| {
            let path = source.path.display().to_string();
            let lines = source.shipped_code().filter(|(_, line)| PATTERNS.iter().any(|pattern| line.contains(pattern)));
            lines.map(move |(n, line)| format!("{path}:{n}: {}", line.trim())).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "a command's name is asked for:\n{}", found.join("\n"));
}
