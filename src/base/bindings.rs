//! `.gstack/session.toml`: the session and the profile that a project asks for, and `bindings.json`: what the person
//! answered.
//!
//! Owns the format of the request. A project's file is a stranger's until the person has allowed it: it only names, and a file that was
//! changed is another file. Never asks and never decides which instance is used.

use super::answers::Answers;
use super::home::Home;
use super::plain_name;
use super::project_file;
use serde::{Deserialize, Serialize};
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file in a project's `.gstack`.
pub const FILE: &str = "session.toml";
/// In bytes. Two names have far less.
const MOST_BYTES: u64 = 4 * 1024;

/// The request of a project's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// A project's file, and the person's answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// With symlinks resolved.
    pub file: PathBuf,
    pub binding: Binding,
    /// `None`: the person has not been asked about this file, or it asked for something else then.
    pub allowed: Option<bool>,
}

/// A file that cannot be used, or answers that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} can't be used: {why}", file.display())]
pub struct BindingError {
    pub file: PathBuf,
    pub why: String,
}

/// Returns the innermost file that applies in the current folder. `None` if there is none.
///
/// # Errors
///
/// Fails if the file or the person's answers cannot be used.
pub fn find(home: &Path) -> Result<Option<Found>, BindingError> {
    match env::current_dir() {
        Ok(folder) => find_in(&folder, home),
        // The folder was deleted.
        Err(_) => Ok(None),
    }
}

fn find_in(folder: &Path, home: &Path) -> Result<Option<Found>, BindingError> {
    let error = |file: PathBuf, why: String| BindingError { file, why };
    let places = project_file::places(folder, home).map_err(|why| error(folder.to_owned(), why.to_string()))?;
    for place in places {
        let file = place.join(FILE);
        let read = || {
            let Some(text) = project_file::read(&place, FILE, MOST_BYTES)? else { return Ok(None) };
            Binding::parse(&text).map(Some)
        };
        let Some(binding) = read().map_err(|why| error(file.clone(), why))? else { continue };
        let answers = answers(home);
        let allowed =
            answers.find(&file, &binding).map_err(|why| error(answers.stored().to_owned(), why.to_string()))?;
        return Ok(Some(Found { file, binding, allowed }));
    }
    Ok(None)
}

impl Binding {
    /// Reads the text of a file. Fails with the reason, which quotes no value of the file.
    fn parse(text: &str) -> Result<Self, String> {
        let table: Table = toml::from_str(text).map_err(|error| project_file::syntax(text, &error))?;
        let mut binding = Self::default();
        for (key, value) in table {
            let place = match key.as_str() {
                "session" => &mut binding.session,
                "profile" => &mut binding.profile,
                _ => {
                    let key: String = key.chars().take(40).collect();
                    return Err(format!("{key:?} is refused: it has a session, a profile, or both"));
                }
            };
            match value {
                Value::String(name) if plain_name::is_name(&name) => *place = Some(name),
                _ => return Err(format!("its {key} is not a name of at most 32 letters, digits, - and _")),
            }
        }
        Ok(binding)
    }
}

/// Records the person's answer to a file, in place of an earlier one.
///
/// # Errors
///
/// Fails if the answers cannot be read or written.
pub fn answer(home: &Home, found: &Found, allowed: bool) -> io::Result<()> {
    answers(home.shared()).record(&found.file, &found.binding, allowed)
}

/// Forgets the person's answer to a file. Returns false if there was none.
///
/// # Errors
///
/// Fails if the answers cannot be read or written.
pub fn forget(home: &Home, file: &Path) -> io::Result<bool> {
    answers(home.shared()).forget(file)
}

fn answers(home: &Path) -> Answers {
    Answers::new(home.join("bindings.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::stage::Stage;
    use std::fs;

    fn write(folder: &Path, text: &str) -> PathBuf {
        let place = folder.join(project_file::FOLDER);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(FILE), text).unwrap();
        place.join(FILE)
    }

    #[test]
    fn an_answer_holds_for_one_file_with_one_content() {
        let stage = Stage::new();
        let (home, project) = (&stage.home, &stage.project);
        let at = |file: &Path| find_in(file.ancestors().nth(2).unwrap(), home.root());
        stage.answers_hold_for_one_file_with_one_content(
            Path::new(".gstack/session.toml"),
            ("session = \"shop\"\n", "session = \"shop\"\nprofile = \"work\"\n"),
            &answers(home.shared()),
            |file| Ok(at(file).map_err(|error| error.to_string())?.unwrap().allowed),
            |file| answer(home, &at(file).unwrap().unwrap(), true).unwrap(),
        );
        let inner = project.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let find = |folder: &Path| find_in(folder, home.root()).unwrap().unwrap();
        let file = write(project, "# a comment\nsession = \"shop\"");
        let found = find(&inner);
        assert_eq!((&found.file, found.allowed), (&file, Some(true)), "it asks for the same");
        // The innermost file alone counts.
        write(&inner, "session = \"other\"\n");
        assert_eq!(find(&inner).binding.session.as_deref(), Some("other"));
        answer(home, &found, false).unwrap();
        assert_eq!(find(project).allowed, Some(false));
        assert!(forget(home, &file).unwrap() && !forget(home, &file).unwrap());
        assert_eq!(find(project).allowed, None);
    }

    #[test]
    fn a_file_only_names_and_anything_else_makes_it_unusable() {
        let stage = Stage::new();
        let (home, project) = (&stage.home, &stage.project);
        for (text, said) in [
            ("home = \"/etc\"\n", "\"home\" is refused"),
            ("session = \"../../etc\"\n", "its session is not a name"),
            ("profile = \"/home/a/.config/chromium\"\n", "its profile is not a name"),
            ("profile = \"\"\n", "its profile is not a name"),
            ("session = 1\n", "its session is not a name"),
            ("session = [\"a\"]\n", "its session is not a name"),
            ("\ntoken hunter2\n", "line 2 is not valid TOML"),
        ] {
            write(project, text);
            let error = find_in(project, home.root()).unwrap_err();
            assert!(error.why.starts_with(said) && !error.to_string().contains("hunter2"), "{text}: {error}");
        }
        write(project, &"#".repeat(10_000));
        assert!(find_in(project, home.root()).unwrap_err().why.contains("longer than 4 KiB"));
        let file = write(project, "session = \"shop\"\n");
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(home.root().join("x.toml"), &file).unwrap();
        fs::write(home.root().join("x.toml"), "session = \"shop\"\n").unwrap();
        assert!(find_in(project, home.root()).unwrap_err().why.contains("symlinks"));
        fs::remove_file(&file).unwrap();
        write(project, "session = \"shop\"\n");
        assert!(find_in(project, home.root()).unwrap().is_some());
    }

    #[test]
    fn gstacks_own_home_is_not_a_project() {
        let stage = Stage::new();
        let (home, project) = (&stage.home, &stage.project);
        let own = project.join(project_file::FOLDER);
        write(project, "session = \"shop\"\n");
        assert_eq!(find_in(project, &own).unwrap(), None);
        assert!(find_in(project, home.root()).unwrap().is_some());
    }
}
