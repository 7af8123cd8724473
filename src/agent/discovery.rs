//! Finds an agent's program. A browser started from a desktop has a minimal PATH, and so has everything that it starts.
//!
//! Owns the folders and their order. Never starts a program except to ask for its version.

use super::adapter::AgentEnvironment;
use super::process::brief::{self, BriefError};
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Long enough for a cold start from a slow disk (Gemini CLI takes seconds on a fast one). A program that waits for a
/// network is given up.
const VERSION_LIMIT: Duration = Duration::from_secs(25);

/// Folders in the home directory where installers put programs without always adding them to PATH.
const HOME_FOLDERS: [&str; 5] = [".local/bin", ".claude/local", ".npm-global/bin", ".bun/bin", ".volta/bin"];
/// Folders of node versions, and the subfolder of each version that has the programs.
const NODE_FOLDERS: [(&str, &str); 4] = [
    (".nvm/versions/node", "bin"),
    (".local/share/fnm/node-versions", "installation/bin"),
    (".fnm/node-versions", "installation/bin"),
    ("Library/Application Support/fnm/node-versions", "installation/bin"),
];
const SYSTEM_FOLDERS: [&str; 2] = ["/opt/homebrew/bin", "/usr/local/bin"];

/// Returns the program that the configuration names, or the first one in the login shell's PATH and then in the usual
/// folders. Does not replace a missing configured program with another one, so that the person notices.
pub fn find(program: &str, configured: Option<&Path>, environment: &AgentEnvironment) -> Option<PathBuf> {
    if let Some(path) = configured {
        return is_program(path).then(|| path.to_owned());
    }
    folders(environment).into_iter().map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// Does the same without blocking the runtime, because disks can be slow.
pub async fn search(program: &str, configured: Option<PathBuf>, environment: &AgentEnvironment) -> Option<PathBuf> {
    let (program, environment) = (program.to_owned(), environment.clone());
    let search = move || find(&program, configured.as_deref(), &environment);
    tokio::task::spawn_blocking(search).await.ok().flatten()
}

/// Returns all searched folders, in order.
pub fn folders(environment: &AgentEnvironment) -> Vec<PathBuf> {
    let variable = |name: &str| environment.variables.get(OsStr::new(name));
    let mut all: Vec<PathBuf> = variable("PATH")
        .map(|path| std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect())
        .unwrap_or_default();
    if let Some(home) = variable("HOME").map(Path::new).filter(|home| home.is_absolute()) {
        all.extend(HOME_FOLDERS.iter().map(|folder| home.join(folder)));
        for (versions, programs) in NODE_FOLDERS {
            all.extend(newest_first(&home.join(versions)).into_iter().map(|version| version.join(programs)));
        }
    }
    all.extend(SYSTEM_FOLDERS.map(PathBuf::from));
    all
}

/// Returns the subfolders named like `v20.11.1`, highest version first.
fn newest_first(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut versions: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let numbers = name.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0)).collect();
            (numbers, entry.path())
        })
        .collect();
    versions.sort_by(|one, other| other.cmp(one));
    versions.into_iter().map(|(_, path)| path).collect()
}

fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    #[error(transparent)]
    Run(#[from] BriefError),
    #[error("it ended with {0}: {1}")]
    Failed(std::process::ExitStatus, String),
}

/// Returns the version from `PROGRAM --version`: the first word with a digit, or else the first line. Fails if the
/// program does not start or does not answer in time.
pub async fn version(program: &Path, environment: &AgentEnvironment) -> Result<String, VersionError> {
    let output = brief::run(program, &["--version"], environment, VERSION_LIMIT).await?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(VersionError::Failed(output.status, super::clip::one_line(&words, 300)));
    }
    let line = text.lines().next().unwrap_or_default().trim();
    let number = line.split_whitespace().find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
    Ok(number.unwrap_or(line).to_owned())
}

/// Returns `environment` with the program's own folder in PATH: a script of a node version needs the `node` in the same
/// folder.
pub fn with_own_folder(environment: &AgentEnvironment, program: &Path) -> AgentEnvironment {
    let mut with = environment.clone();
    if let Some(folder) = program.parent().filter(|folder| folder.is_absolute()) {
        let path = with.variables.entry("PATH".into()).or_default();
        if !std::env::split_paths(path.as_os_str()).any(|known| known == folder) {
            if !path.is_empty() {
                path.push(":");
            }
            path.push(folder);
        }
    }
    with
}

#[cfg(test)]
mod tests {
    use super::{find, version, with_own_folder};
    use crate::adapter::AgentEnvironment;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    const NAME: &str = "gstack-test-agent";

    fn program(folder: &Path) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(NAME);
        fs::write(&path, "#!/bin/sh\necho '2.1.0 (An Agent)'\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn environment(home: &Path, path: &str) -> AgentEnvironment {
        AgentEnvironment {
            variables: [("HOME".into(), home.into()), ("PATH".into(), path.into())].into(),
            ..AgentEnvironment::default()
        }
    }

    #[tokio::test]
    async fn the_order_is_config_then_path_then_the_usual_places() {
        let home = tempfile::tempdir().unwrap();
        let bare = environment(home.path(), "/usr/bin");
        assert_eq!(find(NAME, None, &bare), None);

        program(&home.path().join(".nvm/versions/node/v9.0.0/bin"));
        let newer = program(&home.path().join(".nvm/versions/node/v20.1.0/bin"));
        assert_eq!(find(NAME, None, &bare), Some(newer));

        let local = program(&home.path().join(".local/bin"));
        assert_eq!(find(NAME, None, &bare).as_ref(), Some(&local));

        let in_path = program(&home.path().join("tools"));
        let with_path = environment(home.path(), &format!("relative:{}", home.path().join("tools").display()));
        assert_eq!(find(NAME, None, &with_path), Some(in_path));

        assert_eq!(find(NAME, Some(&local), &with_path).as_ref(), Some(&local));
        assert_eq!(find(NAME, Some(Path::new("/not/there")), &with_path), None);
        assert_eq!(version(&local, &bare).await.unwrap(), "2.1.0");
    }

    #[test]
    fn a_file_that_may_not_run_is_passed_over_and_the_own_folder_is_added_once() {
        let home = tempfile::tempdir().unwrap();
        let path = program(&home.path().join(".local/bin"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let bare = environment(home.path(), "/usr/bin");
        assert_eq!(find(NAME, None, &bare), None);
        let once = with_own_folder(&bare, Path::new("/x/bin/agent"));
        assert_eq!(once.variables[std::ffi::OsStr::new("PATH")], "/usr/bin:/x/bin");
        assert_eq!(with_own_folder(&once, Path::new("/x/bin/agent")).variables, once.variables);
    }
}
