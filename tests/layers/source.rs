//! The source as text: its files, the code in them that ships, and the paths that a text names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct Source {
    /// Relative to src/.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Source {
    /// Returns the first folder, or the name of a file directly in src/.
    pub(super) fn layer(&self) -> String {
        let first = self.path.iter().next().unwrap().to_str().unwrap();
        first.trim_end_matches(".rs").to_owned()
    }

    /// Returns the lines that ship, without comments: everything after the tests' module is test code.
    pub(super) fn shipped_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("\nmod tests {").unwrap_or(self.text.len());
        code(&self.text[..end])
    }
}

pub(super) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(n, line)| (n + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

pub(super) fn sources() -> Vec<Source> {
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
pub(super) fn test_modules(sources: &[Source]) -> BTreeSet<PathBuf> {
    let mut modules = BTreeSet::new();
    for source in sources {
        let beside = source.path.parent().unwrap();
        let folder = match source.path.file_name().unwrap().to_str().unwrap() {
            "mod.rs" | "lib.rs" => beside.to_owned(),
            _ => source.path.with_extension(""),
        };
        let text = source.text.replace("#[cfg(feature = \"for-tests\")]", "#[cfg(test)]");
        for after in text.split("#[cfg(test)]\n").skip(1) {
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
pub(super) fn used(text: &str) -> BTreeMap<String, usize> {
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
