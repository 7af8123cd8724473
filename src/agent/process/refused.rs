//! What a program's errors say: the line that names the trouble, and the path that the sandbox refused.
//!
//! Pure. Recognises the words of the runtimes that agents are written in.

use crate::clip::one_line;
use std::path::{Component, Path, PathBuf};

/// The longest line of a program's errors that is shown.
const LONGEST_LINE: usize = 500;
/// The words for a refused file: of Node, Python, Go and the C library.
const REFUSED: [&str; 4] = ["erofs", "eacces", "read-only file system", "permission denied"];
/// The words of a line that names the trouble.
const TROUBLE: [&str; 10] =
    ["error", "fatal", "exception", "panic", "failed", "cannot", "can't", "could not", "not found", "denied"];

/// The end of a program's errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWords {
    /// The line that names the trouble.
    pub line: String,
    /// The path that it could not write or read.
    pub refused: Option<PathBuf>,
}

impl LastWords {
    /// Reads the errors that a program wrote. `None` if it wrote none.
    pub fn of(errors: &str) -> Option<Self> {
        let lines = || errors.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
        let says = |line: &str, words: &[&str]| {
            let line = line.to_lowercase();
            words.iter().any(|word| line.contains(word))
        };
        // Node's recursive `mkdir` on a read-only file system says that the folder does not exist.
        let is_refusal = |line: &&str| says(line, &REFUSED) || (says(line, &["enoent"]) && says(line, &["mkdir"]));
        let refusal = lines().filter(is_refusal).find_map(|line| Some((line, path_in(line)?)));
        // The first line of the last trouble: what follows is a stack, then the runtime's version.
        let is_stack = |line: &&str| line.starts_with("at ") || line.starts_with("File \"");
        let trouble = lines().rfind(|line| !is_stack(line) && says(line, &TROUBLE));
        let line = refusal.as_ref().map(|(line, _)| *line).or(trouble).or_else(|| lines().next_back())?;
        Some(Self { line: one_line(line, LONGEST_LINE), refused: refusal.map(|(_, path)| path) })
    }
}

/// Returns the first absolute path of a line, quoted or not.
fn path_in(line: &str) -> Option<PathBuf> {
    let quoted = line.split(['\'', '"', '`']).skip(1).find(|part| part.starts_with('/'));
    let plain = || {
        let mut words = line.split_whitespace().map(|word| word.trim_matches([':', ',', ';', '(', ')', '.']));
        words.find(|word| word.starts_with('/') && word.len() > 1)
    };
    quoted.or_else(plain).map(PathBuf::from)
}

/// Returns the folder to open for a refused path: the program's own one, if it is in the home directory.
pub fn place(path: &Path, home: Option<&Path>) -> PathBuf {
    let Some(within) = home.and_then(|home| path.strip_prefix(home).ok()) else { return path.to_owned() };
    let parts: Vec<Component<'_>> = within.components().collect();
    let depth = match parts.first().and_then(|part| part.as_os_str().to_str()) {
        Some(".local" | "Library") => 3,
        Some(".config" | ".cache") => 2,
        _ => 1,
    };
    Path::new("~").join(parts.into_iter().take(depth).collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    use super::{LastWords, place};
    use std::path::Path;

    #[test]
    fn the_line_that_names_the_trouble_is_found_and_the_path_in_it() {
        for (errors, line, refused) in [
            (
                "EROFS: read-only file system, mkdir '/h/.local/state/opencode'\n    at mkdir (node:fs)\n}\n\nBun v1.3",
                "EROFS: read-only file system, mkdir '/h/.local/state/opencode'",
                Some("/h/.local/state/opencode"),
            ),
            (
                "Traceback (most recent call last):\n  File \"/x/run.py\", line 3\nOSError: [Errno 30] Read-only file system: '/.fast-agent'\n",
                "OSError: [Errno 30] Read-only file system: '/.fast-agent'",
                Some("/.fast-agent"),
            ),
            (
                "Error: ENOENT: no such file or directory, mkdir '/h/.y'\n    at mkdir\n\nNode.js v20.20.0\n",
                "Error: ENOENT: no such file or directory, mkdir '/h/.y'",
                Some("/h/.y"),
            ),
            ("Error: ENOENT: no such file, open '/h/.z'\n", "Error: ENOENT: no such file, open '/h/.z'", None),
            ("mkdir /h/.x: permission denied\n", "mkdir /h/.x: permission denied", Some("/h/.x")),
            ("Error: Cannot find module 'x'\n  at y\n}\nNode.js v20.20.0\n", "Error: Cannot find module 'x'", None),
            ("noise\nthe reason\n", "the reason", None),
        ] {
            let words = LastWords::of(errors).unwrap();
            assert_eq!((words.line.as_str(), words.refused.as_deref()), (line, refused.map(Path::new)), "{errors}");
        }
        assert_eq!(LastWords::of("}\n\n"), None);
    }

    #[test]
    fn the_program_s_own_folder_is_named_and_not_the_file_in_it() {
        let home = Some(Path::new("/h"));
        for (path, expected) in [
            ("/h/.local/state/opencode/locks/a", "~/.local/state/opencode"),
            ("/h/.config/x/y.json", "~/.config/x"),
            ("/h/.augment/z", "~/.augment"),
            ("/srv/x", "/srv/x"),
        ] {
            assert_eq!(place(Path::new(path), home), Path::new(expected), "{path}");
        }
    }
}
