//! The layers of docs/ARCHITECTURE.md as a test: which folder of src/ may use which, and the few rules that hold for
//! every file. Reads the source as text; a rule that needs a compiler is a lint in Cargo.toml.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

#[path = "layers/catalogue.rs"]
mod catalogue;
#[path = "layers/cycles.rs"]
mod cycles;
#[path = "layers/documents.rs"]
mod documents;
#[path = "layers/messages.rs"]
mod messages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder (or a file of that name) directly under src/, and what it may use besides itself. `command::registry`
/// allows only that module of a folder.
const LAYERS: [(&str, &[&str]); 19] = [
    ("base", &[]),
    ("protocol", &[]),
    ("chat", &["base", "protocol"]),
    ("agent", &["base", "protocol"]),
    ("browser", &["base", "protocol"]),
    ("command", &["browser", "base", "protocol"]),
    ("engine", &["chat", "agent", "command", "browser", "base", "protocol"]),
    ("cdp", &["engine", "command", "browser", "base", "protocol"]),
    ("http", &["cdp", "engine", "command", "base", "protocol"]),
    ("panel", &["engine", "command", "base", "protocol"]),
    ("mcp", &["engine", "command", "client", "base", "protocol"]),
    (
        "daemon",
        &[
            "http", "panel", "mcp", "engine", "command", "browser", "agent", "chat", "client", "install", "base",
            "protocol",
        ],
    ),
    ("client", &["base", "protocol"]),
    ("native", &["client", "command::registry", "base", "protocol"]),
    ("keeper", &["client", "command::registry", "base", "protocol"]),
    (
        "cli",
        &[
            "mcp::stdio",
            "mcp::tunnel",
            "client",
            "install",
            "upgrade",
            "command::registry",
            "command::tool_profile",
            "base",
            "protocol",
        ],
    ),
    ("fuzz", &["http", "engine", "command", "chat", "base", "protocol"]),
    ("install", &["client", "command::registry", "base", "protocol"]),
    ("upgrade", &["client", "base", "protocol"]),
];

/// A service of the engine (a folder or a file of that name in src/engine/), and which others it may use besides
/// itself. It uses them through their handles and never names the engine, which constructs it.
const SERVICES: [(&str, &[&str]); 34] = [
    ("pauses", &[]),
    ("tasks", &[]),
    ("config", &[]),
    ("folders", &[]),
    ("provision", &[]),
    ("ports", &[]),
    ("policy", &["ports", "tasks"]),
    ("activity", &["ports"]),
    ("sign_ins", &["policy", "tasks"]),
    ("agents", &["config", "ports", "tasks"]),
    ("conversations", &["agents", "ports", "tasks"]),
    ("worktrees", &["agents", "config", "folders", "ports", "tasks"]),
    ("browsers", &["config", "folders", "ports", "provision", "tasks"]),
    ("tabs", &["browsers", "ports"]),
    ("drivers", &["activity", "browsers", "pauses", "ports", "tabs", "tasks"]),
    ("approvals", &["config", "conversations", "drivers", "ports", "tabs", "tasks"]),
    ("spare", &["agents", "conversations", "ports"]),
    ("settings", &["agents", "config", "folders", "spare", "tasks"]),
    ("usage", &["browsers", "ports", "tabs"]),
    ("upgrade", &["ports", "tabs", "tasks"]),
    ("status", &["agents", "browsers", "drivers", "policy", "ports", "tabs"]),
    ("elements", &["browsers", "ports", "tabs", "tasks"]),
    ("panel_keys", &["browsers", "drivers", "policy", "ports", "tabs"]),
    (
        "panels",
        &[
            "activity",
            "browsers",
            "conversations",
            "drivers",
            "elements",
            "panel_keys",
            "policy",
            "ports",
            "spare",
            "tabs",
            "tasks",
            "usage",
        ],
    ),
    ("hops", &["agents", "browsers", "config", "panel_keys", "policy", "ports", "tasks", "worktrees"]),
    ("evidence", &["conversations", "policy", "tabs", "tasks"]),
    ("command_runner", &["browsers", "config", "drivers", "folders", "sign_ins", "tasks"]),
    (
        "browser_connection",
        &[
            "agents",
            "browsers",
            "command_runner",
            "config",
            "conversations",
            "folders",
            "panel_keys",
            "ports",
            "provision",
            "settings",
            "status",
            "tabs",
            "tasks",
        ],
    ),
    (
        "commands",
        &[
            "activity",
            "browser_connection",
            "browsers",
            "command_runner",
            "config",
            "drivers",
            "folders",
            "ports",
            "status",
            "tabs",
            "tasks",
        ],
    ),
    (
        "conversation_requests",
        &["agents", "browsers", "conversations", "folders", "ports", "spare", "tabs", "tasks", "upgrade", "worktrees"],
    ),
    (
        "browser_events",
        &[
            "browsers",
            "config",
            "conversations",
            "drivers",
            "elements",
            "panel_keys",
            "pauses",
            "ports",
            "tabs",
            "usage",
        ],
    ),
    (
        "tools",
        &[
            "activity",
            "agents",
            "approvals",
            "browser_connection",
            "browsers",
            "command_runner",
            "config",
            "conversations",
            "drivers",
            "elements",
            "pauses",
            "policy",
            "ports",
            "sign_ins",
            "tabs",
            "tasks",
        ],
    ),
    (
        "registrations",
        &["agents", "approvals", "browsers", "conversations", "drivers", "pauses", "policy", "tabs", "tasks", "tools"],
    ),
    (
        "conversation_task",
        &[
            "agents",
            "approvals",
            "browsers",
            "config",
            "conversations",
            "drivers",
            "pauses",
            "policy",
            "ports",
            "settings",
            "spare",
            "tabs",
            "tasks",
            "tools",
            "upgrade",
            "usage",
            "worktrees",
        ],
    ),
];

/// Crates that only some layers may name.
const OUTSIDE: [(&str, &[&str]); 4] = [
    ("tokio_tungstenite", &["browser", "cdp"]),
    ("tokio_rustls", &["browser"]),
    ("axum", &["http", "mcp"]),
    ("clap", &["cli", "command"]),
];

/// Text that must not be in shipped code. The lints forbid it too; here one list shows all of it.
const FORBIDDEN: [&str; 7] = ["todo!(", "unimplemented!(", "dbg!(", ".unwrap()", "TODO", "FIXME", "XXX"];

/// The maximum number of lines of a file, including its own tests. A module of only tests may be longer.
const MOST_LINES: usize = 400;

struct Source {
    /// Relative to src/.
    path: PathBuf,
    text: String,
}

impl Source {
    /// Returns the first folder, or the name of a file directly in src/.
    fn layer(&self) -> String {
        let first = self.path.iter().next().unwrap().to_str().unwrap();
        first.trim_end_matches(".rs").to_owned()
    }

    /// Returns the lines that ship, without comments: everything after the tests' module is test code.
    fn shipped_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("\nmod tests {").unwrap_or(self.text.len());
        code(&self.text[..end])
    }
}

fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(n, line)| (n + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push(Source { path: path.strip_prefix(&root).unwrap().to_owned(), text });
            }
        }
    }
    assert!(found.len() > 20, "the source was not found");
    found
}

/// Returns the modules that a parent declares for test builds only, also under another file's name (`#[path]`).
fn test_modules(sources: &[Source]) -> BTreeSet<PathBuf> {
    let mut modules = BTreeSet::new();
    for source in sources {
        let beside = source.path.parent().unwrap();
        let folder = match source.path.file_name().unwrap().to_str().unwrap() {
            "mod.rs" | "lib.rs" => beside.to_owned(),
            _ => source.path.with_extension(""),
        };
        for after in source.text.split("#[cfg(test)]\n").skip(1) {
            let mut lines = after.lines();
            let mut line = lines.next().unwrap_or_default();
            if let Some(file) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
                modules.insert(beside.join(file));
                line = lines.next().unwrap_or_default();
            }
            if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                modules.insert(folder.join(format!("{name}.rs")));
                modules.insert(folder.join(name).join("mod.rs"));
            }
        }
    }
    // Everything below a test module is part of it.
    let folders: Vec<PathBuf> = modules.iter().map(|module| module.with_extension("")).collect();
    let below = |path: &PathBuf| folders.iter().any(|folder| path.starts_with(folder));
    modules.extend(sources.iter().map(|source| source.path.clone()).filter(below));
    modules
}

/// Returns the modules that a text names from the crate's root: `a::b` for `crate::a::b…`, also in `crate::{…}` groups.
fn used(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let joined: Vec<(usize, &str)> = code(text).collect();
    for (index, (line, content)) in joined.iter().enumerate() {
        for rest in content.split("crate::").skip(1) {
            if let Some(group) = rest.strip_prefix('{') {
                // A group may continue over lines, up to its closing brace.
                let tail: String = joined[index + 1..].iter().map(|(_, more)| *more).collect();
                for item in items(&format!("{group}{tail}")) {
                    found.entry(item).or_insert(*line);
                }
            } else {
                found.entry(module(rest)).or_insert(*line);
            }
        }
    }
    found
}

/// Returns the first two segments of a path.
fn module(path: &str) -> String {
    let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(path.len());
    path[..end].split("::").filter(|part| !part.is_empty()).take(2).collect::<Vec<_>>().join("::")
}

/// Returns the top-level paths of a `{a::b, c::{d, e}}` group, whose opening brace is removed.
fn items(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut start = 0;
    let mut found = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                found.push(module(group[start..at].trim()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found.retain(|item| !item.is_empty());
    found
}

#[test]
fn no_layer_uses_one_that_it_may_not() {
    let layers: BTreeMap<_, _> = LAYERS.into_iter().collect();
    let mut wrong = Vec::new();
    for source in sources() {
        let layer = source.layer();
        if layer == "main" || layer == "lib" {
            continue;
        }
        let Some(allowed) = layers.get(layer.as_str()) else {
            wrong.push(format!(
                "src/{} is in no layer: add it to the table and to docs/ARCHITECTURE.md",
                source.path.display()
            ));
            continue;
        };
        for (module, line) in used(&source.text) {
            let top = module.split("::").next().unwrap();
            // A macro or a constant of the crate's root is not a layer.
            let known = layers.contains_key(top);
            if known && top != layer && !allowed.contains(&top) && !allowed.contains(&module.as_str()) {
                wrong.push(format!("src/{}:{line}: {layer} may not use {module}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

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
        let visibility = "pub(in crate::engine)";
        let lines = source.shipped_code().map(|(_, line)| line.replace(visibility, "pub"));
        let shipped: String = lines.map(|line| format!("{line}\n")).collect();
        for (module, line) in used(&shipped) {
            // Without a second segment it is the engine itself, or a group of its parts.
            let other = module.strip_prefix("engine").map(|rest| rest.trim_start_matches(':'));
            if let Some(other) = other.filter(|other| other != service && !allowed.contains(other)) {
                wrong.push(format!("src/{}:{line}: {service} may not use engine::{other}", source.path.display()));
            }
        }
        // Paths to another service must start at the crate's root, so that this test sees them.
        let up = if matches!(parts[..], [_] | [_, "mod.rs"]) { "super::" } else { "super::super::" };
        if shipped.contains(up) {
            wrong.push(format!(
                "src/{}: write crate::engine:: for what lies outside of {service}",
                source.path.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen.len(), SERVICES.len(), "a service is not there: {seen:?}");
}

/// What is in src/engine/ without being a service: the handle, and what constructs the services and shuts them down.
const COMPOSITION: [&str; 3] = ["mod", "state", "lifecycle"];

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

#[test]
fn outside_crates_stay_where_they_belong() {
    let mut wrong = Vec::new();
    for source in sources() {
        for (name, layers) in OUTSIDE {
            if layers.contains(&source.layer().as_str()) {
                continue;
            }
            let path = format!("{name}::");
            if let Some((line, _)) = code(&source.text).find(|(_, line)| line.contains(&path)) {
                wrong.push(format!("src/{}:{line}: {name} belongs to {layers:?}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_owns() {
    let silent: Vec<_> =
        sources().into_iter().filter(|source| !source.text.starts_with("//! ")).map(|s| s.path).collect();
    assert!(silent.is_empty(), "these open without `//!`: {silent:?}");
}

#[test]
fn no_file_is_longer_than_a_reader_keeps_in_mind() {
    let sources = sources();
    let tests = test_modules(&sources);
    let scripts = std::fs::read_dir("src/browser/injected").unwrap().map(|entry| entry.unwrap().path());
    let scripts = scripts.filter(|path| path.extension().is_some_and(|extension| extension == "js"));
    let long: Vec<String> = sources
        .iter()
        .filter(|source| !tests.contains(&source.path))
        .map(|source| (source.text.lines().count(), source.path.display().to_string()))
        .chain(
            scripts.map(|path| (std::fs::read_to_string(&path).unwrap().lines().count(), path.display().to_string())),
        )
        .filter(|(lines, _)| *lines > MOST_LINES)
        .map(|(lines, path)| format!("{path}: {lines} lines, {MOST_LINES} at most"))
        .collect();
    assert!(long.is_empty(), "split them by what they own:\n{}", long.join("\n"));
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
