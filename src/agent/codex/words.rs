//! Descriptions of Codex's actions: for the step line and for permission questions.
//!
//! Owns the words of its own tools. The words of `gstack`'s tools come from the registry.

use super::wire::FileUpdate;
use crate::adapter::StepWords;
use crate::clip::{clip, one_line};
use gstack_protocol::chat::StepKind;
use std::path::Path;

/// The object of a step is one line in a narrow panel.
const LONGEST_OBJECT: usize = 120;
/// A card shows the complete content. Text longer than this, cut off with `…`, is too long to review anyway.
const LONGEST_THING: usize = 16 * 1024;

pub(super) fn words(kind: StepKind, verb: &str, object: &str) -> StepWords {
    StepWords::of_own_tool(kind, verb, one_line(object, LONGEST_OBJECT))
}

/// Returns the command as the model wrote it, out of the shell that Codex wraps it in (`/bin/bash -lc '…'`). Anything else
/// is returned as it is: what a person approves must be what runs, so Codex's own summary of it is never shown.
pub(super) fn command_line(command: &str) -> String {
    const SHELLS: [&str; 4] = ["bash", "sh", "zsh", "dash"];
    // A program of that name anywhere else may be anything.
    const FOLDERS: [&str; 5] = ["", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];
    let is_shell = |program: &str| {
        FOLDERS.iter().any(|folder| program.strip_prefix(folder).is_some_and(|name| SHELLS.contains(&name)))
    };
    let words = shlex::split(command).unwrap_or_default();
    let line = match words.as_slice() {
        [shell, flag, script] if is_shell(shell) && matches!(flag.as_str(), "-c" | "-lc") => script.as_str(),
        _ => command,
    };
    clip(line, LONGEST_THING)
}

pub(super) fn running(command: &str) -> StepWords {
    words(StepKind::Shell, "Running", &command_line(command))
}

/// Describes a change of files: `Writing new.txt`, `Editing src/a.rs`, `Editing 3 files`.
pub(super) fn changing(changes: &[FileUpdate], folder: &Path) -> StepWords {
    let (verb, object) = match changes {
        [one] => {
            let verb = match one.kind.kind.as_str() {
                "add" => "Writing",
                "delete" => "Deleting",
                _ => "Editing",
            };
            (verb, relative(&one.path, folder))
        }
        many => ("Editing", format!("{} files", many.len())),
    };
    words(StepKind::File, verb, &object)
}

/// Returns the permission question for a change of files, and the changes.
pub(super) fn change_question(changes: &[FileUpdate], folder: &Path) -> (String, String) {
    let told = changing(changes, folder);
    let verb = match told.verb.as_str() {
        "Writing" => "Write",
        "Deleting" => "Delete",
        _ => "Edit",
    };
    let all: Vec<String> = changes.iter().map(|change| format!("{}\n{}", change.path, change.diff)).collect();
    (format!("{verb} {}", told.object).trim_end().to_owned(), clip(all.join("\n").trim_end(), LONGEST_THING))
}

fn relative(path: &str, folder: &Path) -> String {
    match Path::new(path).strip_prefix(folder) {
        Ok(below) if !below.as_os_str().is_empty() => below.display().to_string(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{change_question, changing, command_line, running};
    use crate::codex::wire::{FileUpdate, FileUpdateKind};
    use std::path::Path;

    fn change(kind: &str, path: &str) -> FileUpdate {
        FileUpdate { path: path.to_owned(), kind: FileUpdateKind { kind: kind.to_owned() }, diff: "+x".to_owned() }
    }

    #[test]
    fn a_command_is_shown_whole_and_only_its_shell_is_left_out() {
        for (command, shown) in [
            ("/bin/bash -lc 'cat a | sh > b'", "cat a | sh > b"),
            ("bash -c 'echo '\\''x'\\'' && rm -rf y'", "echo 'x' && rm -rf y"),
            ("/bin/sh -c ls", "ls"),
            ("bash -c 'ls' evil", "bash -c 'ls' evil"),
            ("/tmp/evil/bash -c ls", "/tmp/evil/bash -c ls"),
            ("./bin/bash -lc ls", "./bin/bash -lc ls"),
            ("/usr/bin/../../tmp/bash -c ls", "/usr/bin/../../tmp/bash -c ls"),
            ("bash script.sh", "bash script.sh"),
            ("bash -c 'unclosed", "bash -c 'unclosed"),
            ("", ""),
        ] {
            assert_eq!(command_line(command), shown);
        }
    }

    #[test]
    fn steps_are_told_in_words() {
        let told = running("/bin/bash -lc 'ls -l'");
        assert_eq!((told.verb.as_str(), told.object.as_str()), ("Running", "ls -l"));
        let folder = Path::new("/srv");
        let table = [
            (vec![change("add", "/srv/new.txt")], "Writing new.txt"),
            (vec![change("delete", "/etc/x")], "Deleting /etc/x"),
            (vec![change("update", "/srv/a"), change("add", "/srv/b")], "Editing 2 files"),
        ];
        for (changes, expected) in table {
            let told = changing(&changes, folder);
            assert_eq!(format!("{} {}", told.verb, told.object), expected);
        }
        let (ask, does) = change_question(&[change("add", "/srv/new.txt")], folder);
        assert_eq!((ask.as_str(), does.as_str()), ("Write new.txt", "/srv/new.txt\n+x"));
    }
}
