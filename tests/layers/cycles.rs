//! Cycles between files: files that import each other, directly or indirectly, are one file in several places.
//!
//! A re-export is not an import: an import through `pub use` counts for the file that defines the item.

use super::source::{Source, code, sources, test_modules};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The maximum number of files in a cycle.
const MOST: usize = 4;
/// The path of a module: `["engine", "ports"]`.
type Module = Vec<String>;

struct Crate {
    files: BTreeMap<Module, PathBuf>,
    /// The names that `pub use` defines in a module, as paths from the crate's root.
    exports: BTreeMap<(Module, String), Module>,
}

fn module_of(path: &Path) -> Module {
    let mut parts: Module = path.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

/// Expands `a::{b, c::{d}}` to `a::b`, `a::c::d`, each without `as …`.
fn expanded(path: &str) -> Vec<String> {
    let path = path.trim();
    let Some((before, group)) = path.split_once('{') else {
        return vec![path.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let mut depth = 0;
    let parts = group.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| expanded(part).into_iter().map(|rest| format!("{}{rest}", before.trim())).collect::<Vec<_>>())
        .collect()
}

/// Returns the path of a module's crate below src/. It is empty in the root package.
fn root_of(module: &Module) -> Module {
    let member = module.first().filter(|first| Path::new("src").join(first).join("Cargo.toml").exists());
    member.cloned().into_iter().collect()
}

/// Returns a path from src/; `None` if it leads to a package from elsewhere.
fn absolute(path: &str, from: &Module, files: &BTreeMap<Module, PathBuf>) -> Option<Module> {
    let parts: Module = path.split("::").map(str::to_owned).collect();
    let mut base = from.clone();
    match parts[0].as_str() {
        "crate" => Some(root_of(from).into_iter().chain(parts[1..].to_vec()).collect()),
        "self" => Some(base.into_iter().chain(parts[1..].to_vec()).collect()),
        "super" => {
            let up = parts.iter().take_while(|part| *part == "super").count();
            base.truncate(base.len().checked_sub(up)?);
            Some(base.into_iter().chain(parts[up..].to_vec()).collect())
        }
        first if first.starts_with("gstack_") => {
            let member = first.trim_start_matches("gstack_").to_owned();
            Some(std::iter::once(member).chain(parts[1..].to_vec()).collect())
        }
        first => {
            base.push(first.to_owned());
            files.contains_key(&base).then(|| from.iter().cloned().chain(parts).collect())
        }
    }
}

/// Returns the `use` declarations of a text, and whether they are public.
fn uses(text: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for (_, line) in code(text) {
        let trimmed = line.trim();
        if open.is_none() {
            let after = trimmed.find("use ").filter(|at| *at == 0 || trimmed.starts_with("pub"));
            if let Some(at) = after {
                open = Some((trimmed.starts_with("pub"), trimmed[at + 4..].to_owned()));
            }
        } else if let Some((_, path)) = &mut open {
            path.push_str(trimmed);
        }
        if let Some((public, path)) = open.take_if(|(_, path)| path.ends_with(';')) {
            found.extend(expanded(path.trim_end_matches(';')).into_iter().map(|path| (public, path)));
        }
    }
    found
}

/// Returns the paths outside `use` declarations that begin with `crate::`, `super::` or the name of a child module.
fn inline_paths(text: &str, children: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    let starts: Vec<String> = ["crate", "super"]
        .into_iter()
        .chain(children.iter().map(String::as_str))
        .map(|name| format!("{name}::"))
        .collect();
    let declares = |line: &str| line.split_whitespace().take(3).any(|word| word == "use");
    for (_, line) in code(text).filter(|(_, line)| !declares(line)) {
        // A visibility is not an import.
        let line = line.replace("pub(in crate::", "pub(in ");
        for start in &starts {
            for (at, _) in line.match_indices(start.as_str()) {
                // The end of a longer name, or a later part of a path.
                if line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                    continue;
                }
                let rest = &line[at..];
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
                found.push(rest[..end].trim_end_matches(':').to_owned());
            }
        }
    }
    found
}

fn shipped(source: &Source) -> &str {
    &source.text[..source.text.find("\nmod tests {").unwrap_or(source.text.len())]
}

impl Crate {
    fn read(sources: &[&Source]) -> Self {
        let files: BTreeMap<Module, PathBuf> =
            sources.iter().map(|source| (module_of(&source.path), source.path.clone())).collect();
        let mut exports = BTreeMap::new();
        for source in sources {
            let module = module_of(&source.path);
            for (_, path) in uses(shipped(source)).into_iter().filter(|(public, _)| *public) {
                if let Some(target) = absolute(&path, &module, &files) {
                    exports.insert((module.clone(), target.last().cloned().unwrap_or_default()), target);
                }
            }
        }
        Self { files, exports }
    }

    /// Returns the names of the modules directly in a module.
    fn children(&self, module: &Module) -> BTreeSet<String> {
        let below = self.files.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
        below.filter_map(|other| other.last().cloned()).collect()
    }

    /// Returns the file that defines what a path names.
    fn file_of(&self, path: &Module) -> Option<&PathBuf> {
        let held = (1..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let (module, rest) = (path[..held].to_vec(), &path[held..]);
        let exported = rest.first().and_then(|name| self.exports.get(&(module.clone(), name.clone())));
        match exported {
            Some(target) if target != path => {
                self.file_of(&target.iter().chain(&rest[1..]).cloned().collect()).or_else(|| self.files.get(&module))
            }
            _ => self.files.get(&module),
        }
    }

    fn imports(&self, sources: &[&Source]) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let of_file = |source: &&Source| {
            let module = module_of(&source.path);
            let text = shipped(source);
            let imported = uses(text).into_iter().filter(|(public, _)| !public).map(|(_, path)| path);
            let found = imported
                .chain(inline_paths(text, &self.children(&module)))
                .filter_map(|path| self.file_of(&absolute(&path, &module, &self.files)?).cloned())
                .filter(|file| *file != source.path);
            (source.path.clone(), found.collect())
        };
        sources.iter().map(of_file).collect()
    }
}

/// Returns everything that is reachable from a file.
fn reached(from: &PathBuf, imports: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> BTreeSet<PathBuf> {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        for to in imports.get(file).into_iter().flatten() {
            if seen.insert(to.clone()) {
                next.push(to);
            }
        }
    }
    seen
}

/// Returns the sets of files that reach each other.
fn cycles(imports: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> BTreeSet<BTreeSet<PathBuf>> {
    let all: BTreeMap<&PathBuf, BTreeSet<PathBuf>> =
        imports.keys().map(|file| (file, reached(file, imports))).collect();
    let cycle = |file: &&PathBuf| all[*file].contains(*file);
    let of = |file: &PathBuf| all[file].iter().filter(|other| all[*other].contains(file)).cloned().collect();
    imports.keys().filter(|file| cycle(file)).map(of).collect()
}

#[test]
fn files_do_not_import_each_other_in_large_circles() {
    let sources = sources();
    let tests = test_modules(&sources);
    let shipped: Vec<&Source> = sources.iter().filter(|source| !tests.contains(&source.path)).collect();
    let imports = Crate::read(&shipped).imports(&shipped);
    let mut wrong = Vec::new();
    for cycle in cycles(&imports) {
        let layers: BTreeSet<String> =
            cycle.iter().map(|file| file.iter().next().unwrap().to_str().unwrap().to_owned()).collect();
        if layers.len() > 1 || cycle.len() > MOST {
            wrong.push(format!("{} files, {MOST} at most: {cycle:?}", cycle.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_imports_follows_groups_parents_and_exports() {
    let file = |path: &str, text: &str| Source { path: path.into(), text: text.to_owned() };
    let made = [
        file("a/mod.rs", "mod b;\nmod c;\npub use b::B;\n"),
        file("a/b.rs", "use crate::d::{self, D};\npub struct B;\n"),
        file("a/c.rs", "use super::B;\n// use crate::d::D;\n"),
        file("d.rs", "fn f() { crate::a::B; }\n"),
        file("e/mod.rs", "mod g;\nfn f() { g::h(); long::g::h(); }\n"),
        file("e/g.rs", "use super::f;\npub fn h() {}\n"),
    ];
    let sources: Vec<&Source> = made.iter().collect();
    let imports = Crate::read(&sources).imports(&sources);
    let of = |path: &str| imports[Path::new(path)].iter().map(|to| to.to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(of("a/b.rs"), ["d.rs"]);
    assert_eq!(of("a/c.rs"), ["a/b.rs"], "a re-export counts for the file that defines it");
    assert_eq!(of("d.rs"), ["a/b.rs"]);
    let found: Vec<Vec<PathBuf>> = cycles(&imports).into_iter().map(|cycle| cycle.into_iter().collect()).collect();
    let pairs = [["a/b.rs", "d.rs"], ["e/g.rs", "e/mod.rs"]].map(|pair| pair.map(PathBuf::from).to_vec());
    assert_eq!(found, pairs, "a child module is named without `crate::` or `super::`");
}
