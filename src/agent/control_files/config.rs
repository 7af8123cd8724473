//! Reads a git configuration: the lines that could make git run something, or read another file.
//!
//! Owns the list of keys that cannot. Whatever is not on it, or cannot be parsed, counts.

/// Sections, with their keys that change nothing that git runs.
const HARMLESS: [(&str, &[&str]); 6] = [
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
        ],
    ),
    ("branch", &["remote", "merge", "rebase", "description", "pushremote"]),
    ("remote", &["url", "fetch", "pushurl", "push", "tagopt", "prune"]),
    ("user", &["name", "email"]),
    ("submodule", &["url", "active", "branch"]),
    ("extensions", &["objectformat"]),
];

/// Returns the settings that matter, in their order, with their sections.
pub(super) fn that_matters(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let mut found = Vec::new();
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        // A value that continues could hide what the next line is.
        if line.ends_with('\\') {
            found.push(line.to_owned());
            continue;
        }
        let mut rest = line;
        if let Some(header) = rest.strip_prefix('[') {
            let Some((name, after)) = split_header(header) else {
                found.push(line.to_owned());
                continue;
            };
            section = name.to_owned();
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let key =
            rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').next().unwrap_or_default();
        if !is_harmless(&section, key) {
            found.push(format!("[{section}] {rest}"));
        }
    }
    found
}

/// Splits what follows a `[` at the `]` of its header. A subsection is quoted and may contain any character.
fn split_header(text: &str) -> Option<(&str, &str)> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

fn is_harmless(section: &str, key: &str) -> bool {
    let name = section.split(|letter: char| letter == '.' || letter.is_whitespace()).next().unwrap_or_default();
    HARMLESS.iter().any(|(known, keys)| {
        known.eq_ignore_ascii_case(name) && keys.iter().any(|known| known.eq_ignore_ascii_case(key))
    })
}

#[cfg(test)]
mod tests {
    use super::that_matters;

    #[test]
    fn what_runs_is_found_however_it_is_written() {
        let harmless =
            "[core]\n\tbare = false\n# core.pager = x\n[remote \"a]\"]\n\turl = x\n[Branch.main] remote = o\n";
        assert_eq!(that_matters(harmless.as_bytes()), Vec::<String>::new());
        for evil in [
            "[core] fsmonitor = x",
            "[CORE]\n  FsMonitor=x",
            "[core]\nbare = false\nfsmonitor",
            "[remote \"o\"]\nuploadpack = x",
            "[include]\npath = x",
            "[includeIf \"gitdir:/\"] path = x",
            "[alias] a = !x",
            "[filter \"[core]\"]\nclean = x",
            "[core]\nbare = \\\nfalse",
            "[core]\n# \\\nhooksPath = x",
            "[branch \"a\"] [include]\npath = x",
            "[broken\nurl = x",
            "[submodule \"a\"]\nupdate = !x",
            "url = outside",
        ] {
            assert!(!that_matters(evil.as_bytes()).is_empty(), "{evil}");
        }
    }
}
