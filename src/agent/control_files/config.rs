//! Reads a git configuration: the lines that could make git run something, or read another file.
//!
//! Owns the list of keys that cannot. Whatever is not on it, or cannot be parsed, counts, and so does a remote that is a
//! folder: a push there runs the hooks in it.

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
    let mut remotes = vec![".".to_owned()];
    let mut named = Vec::new();
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
        let setting = format!("[{section}] {rest}");
        let value = rest[key.len()..].trim_start().strip_prefix('=').unwrap_or_default().trim();
        match (name_of(&section).to_ascii_lowercase().as_str(), key.to_ascii_lowercase().as_str()) {
            _ if !is_harmless(&section, key) => found.push(setting),
            ("remote", "url" | "pushurl") => {
                remotes.extend(subsection(&section));
                found.extend((!is_other_machine(value)).then_some(setting));
            }
            // Git takes a name without a remote as a folder's.
            ("branch", "remote" | "pushremote") => named.push((value.to_owned(), setting)),
            _ => {}
        }
    }
    found.extend(named.into_iter().filter(|(name, _)| !remotes.contains(name)).map(|(_, setting)| setting));
    found
}

/// Returns true if git asks another machine at this address, and runs nothing here but ssh.
fn is_other_machine(address: &str) -> bool {
    if address.starts_with('-') || address.contains("::") || address.contains(['"', '\\']) {
        return false;
    }
    match address.split_once("://") {
        Some((scheme, _)) => ["https", "http", "ssh", "git"].contains(&scheme),
        // `user@host:path`.
        None => address.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/')),
    }
}

/// Returns `a` of `remote "a"` or `remote.a`.
fn subsection(section: &str) -> Option<String> {
    let rest = section[name_of(section).len()..].trim();
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    quoted.or_else(|| rest.strip_prefix('.')).filter(|name| !name.contains(['"', '\\'])).map(str::to_owned)
}

fn name_of(section: &str) -> &str {
    section.split(|letter: char| letter == '.' || letter.is_whitespace()).next().unwrap_or_default()
}

/// Returns the lines of a rebase's list of commands that run a program.
pub(super) fn that_runs(todo: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(todo);
    let runs = |line: &&str| matches!(line.split_whitespace().next(), Some("exec" | "x"));
    text.lines().map(str::trim).filter(runs).map(str::to_owned).collect()
}

/// Returns the lines of a merge strategy, or of the options of a cherry-pick, that name a path: git runs `git-merge-NAME`,
/// and takes a name with a slash as a file of the working folder.
pub(super) fn that_leads_to_a_program(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().filter(|line| line.contains('/')).map(str::to_owned).collect()
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
    let name = name_of(section);
    HARMLESS.iter().any(|(known, keys)| {
        known.eq_ignore_ascii_case(name) && keys.iter().any(|known| known.eq_ignore_ascii_case(key))
    })
}

#[cfg(test)]
mod tests {
    use super::that_matters;

    #[test]
    fn what_runs_is_found_however_it_is_written() {
        let harmless = "[core]\n\tbare = false\n# core.pager = x\n[remote \"a]\"]\n\turl = https://h.example/x\n[Branch.main] remote = o\n\
             [remote \"o\"] url = git@h.example:x\n[remote.p] pushurl = ssh://h/x\n[branch \"b\"]\npushRemote = p\nremote = .\n";
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
            "[remote \"o\"] url = ../folder",
            "[remote \"o\"] url = folder",
            "[remote \"o\"] url = file:///folder",
            "[remote \"o\"] url = ./a:b",
            "[remote \"o\"] url = \"./folder\"",
            "[remote \"o\"]\nPushURL = ext::sh -c x",
            "[remote \"o\"]\nurl",
            "[branch \"a\"] remote = folder",
            "[branch \"a\"] pushRemote = /folder",
            "[remote \"o\"] url = https://h/\n[branch.a] remote = O",
        ] {
            assert!(!that_matters(evil.as_bytes()).is_empty(), "{evil}");
        }
    }
}
