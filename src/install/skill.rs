//! The skill for agents that use the command line, and the folders where clients look for it.
//!
//! Owns the text, which always matches the program's version because it is embedded, and the folders. Never replaces a
//! skill that is not gstack's.

use super::InstallError;
use gstack_base::atomic;
use gstack_protocol::VERSION;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const GUIDE: &str = include_str!("../../skills/gstack/SKILL.md");
const MORE: &str = include_str!("../../skills/gstack/MORE.md");
/// The mark at the end of the guide, printed or installed. A file without it is not ours.
const MARK: &str = "Made by gstack ";

/// The clients that read skills, each with the folder of a person's skills, relative to the home folder. Sources:
/// <https://code.claude.com/docs/en/skills>, <https://developers.openai.com/codex/skills>,
/// <https://geminicli.com/docs/cli/skills/>
pub const CLIENTS: [(&str, &str); 3] =
    [("claude", ".claude/skills"), ("codex", ".agents/skills"), ("gemini", ".gemini/skills")];

/// Returns this version's guide.
pub fn guide() -> String {
    format!("{GUIDE}\n{MARK}{VERSION}; `gstack skill` prints the guide of the program that is installed.\n")
}

/// Returns the guide to what is needed less often, which agents print on demand.
pub fn more() -> &'static str {
    MORE
}

/// Returns the folder where a client of [`CLIENTS`] finds skills.
///
/// # Errors
///
/// Fails if there is no home directory.
pub fn folder(client: &str) -> Result<PathBuf, InstallError> {
    let home = dirs::home_dir().ok_or(InstallError::NoHome)?;
    let beneath = CLIENTS.iter().find(|(name, _)| *name == client).map_or(CLIENTS[0].1, |(_, beneath)| beneath);
    Ok(home.join(beneath))
}

/// Writes the guide to `skills/gstack/SKILL.md`.
///
/// # Errors
///
/// Fails if the file cannot be written, or a link or a file that gstack did not make is in its place.
pub fn install(skills: &Path) -> Result<PathBuf, InstallError> {
    let file = place(skills)?;
    let failed = |source| InstallError::Write { path: file.clone(), source };
    fs::create_dir_all(skills.join("gstack")).map_err(failed)?;
    atomic::write(&file, guide().as_bytes()).map_err(failed)?;
    Ok(file)
}

/// Removes the guide. Returns false if there was none.
///
/// # Errors
///
/// Fails if the file cannot be removed, or a link or a file that gstack did not make is in its place.
pub fn uninstall(skills: &Path) -> Result<bool, InstallError> {
    let file = place(skills)?;
    let failed = |source| InstallError::Write { path: file.clone(), source };
    match fs::remove_file(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        other => other.map_err(failed)?,
    }
    // Removes the folder only if it is empty: a person may have added files.
    fs::remove_dir(skills.join("gstack")).ok();
    Ok(true)
}

/// Returns the path of the guide. Fails if it is another file or a symlink: a project folder may contain untrusted
/// files.
fn place(skills: &Path) -> Result<PathBuf, InstallError> {
    let folder = skills.join("gstack");
    let file = folder.join("SKILL.md");
    let taken = |words: &str| io::Error::new(ErrorKind::AlreadyExists, words.to_owned());
    let refused = |source| Err(InstallError::Write { path: file.clone(), source });
    if folder.is_symlink() || file.is_symlink() {
        return refused(taken("a link is in its place"));
    }
    match fs::read(&file) {
        Ok(bytes) if !String::from_utf8_lossy(&bytes).contains(MARK) => {
            refused(taken("another skill of that name exists, which gstack did not install"))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => refused(error),
        _ => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_is_written_renewed_and_removed_and_a_strangers_is_left() {
        let skills = tempfile::tempdir().unwrap();
        let file = install(skills.path()).unwrap();
        assert!(fs::read_to_string(&file).unwrap().contains(VERSION));
        fs::write(&file, format!("older\n{MARK}0.0.1")).unwrap();
        install(skills.path()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), guide());
        assert!(uninstall(skills.path()).unwrap() && !uninstall(skills.path()).unwrap());
        assert_eq!(fs::read_dir(skills.path()).unwrap().count(), 0);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "a skill of my own").unwrap();
        assert!(install(skills.path()).is_err() && uninstall(skills.path()).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "a skill of my own");
    }

    #[test]
    fn a_link_in_the_place_of_the_guide_leads_it_nowhere() {
        let skills = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), skills.path().join("gstack")).unwrap();
        assert!(install(skills.path()).is_err() && uninstall(skills.path()).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        fs::remove_file(skills.path().join("gstack")).unwrap();
        fs::create_dir(skills.path().join("gstack")).unwrap();
        fs::write(elsewhere.path().join("odd"), [0xff, 0xfe]).unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("odd"), skills.path().join("gstack/SKILL.md")).unwrap();
        assert!(install(skills.path()).is_err());
        fs::remove_file(skills.path().join("gstack/SKILL.md")).unwrap();
        fs::write(skills.path().join("gstack/SKILL.md"), [0xff, 0xfe]).unwrap();
        assert!(install(skills.path()).is_err() && uninstall(skills.path()).is_err(), "a file that is not text");
        assert_eq!(fs::read(elsewhere.path().join("odd")).unwrap(), [0xff, 0xfe]);
    }

    #[test]
    fn the_everyday_half_is_short() {
        let everyday = GUIDE.split("## When it fails").next().unwrap();
        // Such text has at least three characters for each token: 2,500 tokens at most.
        assert!(everyday.len() < 3 * 2_500, "{} characters", everyday.len());
    }
}
