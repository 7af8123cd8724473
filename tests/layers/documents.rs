//! docs/ARCHITECTURE.md and the files that it names.

use std::fs;
use std::path::Path;

#[test]
fn every_file_that_the_architecture_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let named: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.contains('/') && !word.contains([' ', '$', '~', '@']) && !word.starts_with('/'))
        .filter(|word| word.ends_with(['/']) || Path::new(word).extension().is_some())
        .collect();
    assert!(named.len() > 5, "{named:?}");
    let exists =
        |path: &str| ["", "src", "src/browser", "src/engine"].iter().any(|base| root.join(base).join(path).exists());
    let missing: Vec<&&str> = named.iter().filter(|path| !exists(path)).collect();
    assert!(missing.is_empty(), "docs/ARCHITECTURE.md names files that are not there: {missing:?}");
}

/// Returns the section of docs/ARCHITECTURE.md below a heading, up to the next one.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, after) = text.split_once(&format!("\n## {heading}\n")).expect(heading);
    after.split_once("\n## ").map_or(after, |(section, _)| section)
}

/// Returns the files that a text names by their whole path.
fn files_named(text: &str) -> Vec<&str> {
    let whole = |word: &&str| word.starts_with("src/") || word.starts_with("extension/");
    text.split('`').skip(1).step_by(2).filter(whole).collect()
}

/// A reader follows the walks with the file tree open: each step names the file that does it, by its whole path.
#[test]
fn every_step_of_a_walk_and_every_row_of_the_index_names_its_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let is_step = |line: &str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let mut wrong = Vec::new();
    for (heading, least) in
        [("One message: from Enter to the answer", 12), ("One click: from the command to the page", 12)]
    {
        // A step may continue on indented lines.
        let steps: Vec<String> = section(&text, heading)
            .replace("\n   ", " ")
            .lines()
            .filter(|line| is_step(line))
            .map(ToOwned::to_owned)
            .collect();
        assert!(steps.len() >= least, "{heading}: {} steps", steps.len());
        wrong
            .extend(steps.into_iter().filter(|step| files_named(step).is_empty() && !step.contains("walk of a click")));
    }
    let rows: Vec<&str> =
        section(&text, "Where to find").lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 12, "{rows:?}");
    wrong.extend(rows.into_iter().filter(|row| files_named(row).is_empty()).map(ToOwned::to_owned));
    assert!(wrong.is_empty(), "these name no file:\n{}", wrong.join("\n"));
}

/// Returns the crates of this workspace that a manifest depends on, without those for tests.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let (_, after) = text.split_once("\n[dependencies]\n").expect("each crate has dependencies");
    let own = after.lines().take_while(|line| !line.starts_with('['));
    own.filter_map(|line| Some(line.strip_prefix("gstack-")?.split('.').next()?.to_owned())).collect()
}

#[test]
fn the_drawing_of_the_crates_is_what_their_manifests_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let drawing = section(&text, "Layers").split("```").nth(1).unwrap();
    let drawn: Vec<&str> = drawing.lines().filter(|line| line.contains('→')).collect();
    let mut expected = Vec::new();
    for entry in fs::read_dir(root.join("src")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        // The fuzz targets are not part of the program.
        if folder.join("Cargo.toml").exists() && name != "fuzz" {
            expected.push((name, dependencies(&folder.join("Cargo.toml"))));
        }
    }
    expected.push(("gstack".to_owned(), dependencies(&root.join("Cargo.toml"))));
    assert_eq!(drawn.len(), expected.len(), "one line a crate");
    for (name, uses) in expected {
        let uses = if uses.is_empty() { "nothing".to_owned() } else { uses.join(", ") };
        let line = format!("{name:<16} → {uses}");
        let found = drawn.iter().any(|drawn| *drawn == line || drawn.starts_with(&format!("{line}  ")));
        assert!(found, "docs/ARCHITECTURE.md does not say: {line}");
    }
}

#[test]
fn the_complete_command_of_contributing_is_one_that_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let (_, after) = page.split_once("This is a complete command, `").unwrap();
    let (file, after) = after.split_once("`:\n\n```rust\n").unwrap();
    let (code, _) = after.split_once("```").unwrap();
    assert_eq!(code, fs::read_to_string(root.join(file)).unwrap(), "{file} has changed: copy it into CONTRIBUTING.md");
}
