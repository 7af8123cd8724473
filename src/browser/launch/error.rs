//! The errors of starting a browser, with the next step.

use super::find::Skipped;
use crate::keeper_link::LinkError;
use gstack_base::profiles::{DEFAULT, ProfileName};
use gstack_base::trouble;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::io;
use std::path::PathBuf;

/// The reasons why a browser cannot be started or connected to.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No browser was found on this machine that gstack could use.
    #[error("no browser was found{}", said(.skipped))]
    NoBrowser {
        /// The browsers that were found but are confined.
        skipped: Vec<Skipped>,
    },
    /// `source_name`: the setting that the path came from, as the user knows it.
    #[error("there is no browser at {path} ({source_name})")]
    NotThere {
        /// The path that is not one of a program.
        path: PathBuf,
        /// `--program`, the environment variable or the setting.
        source_name: &'static str,
    },
    /// The named browser is a snap or a flatpak.
    #[error("{skipped}")]
    Confined {
        /// The browser and its confinement.
        skipped: Skipped,
    },
    /// Another browser has the profile open.
    #[error("the profile {profile} is in use by another browser (pid {pid} on {host})")]
    ProfileInUse {
        /// The folder of the profile.
        profile: PathBuf,
        /// The machine on which that browser runs.
        host: String,
        /// The process id of that browser.
        pid: u32,
    },
    /// Another instance's browser uses the profile.
    #[error("the profile {profile} is in use by {}", holder.as_deref().map_or_else(|| "another instance".to_owned(), instance))]
    ProfileHeld {
        /// The profile.
        profile: ProfileName,
        /// The name of that instance, if it is known.
        holder: Option<String>,
    },
    /// A file or folder could not be used.
    #[error("{what} {path}: {source}")]
    Io {
        /// The step that failed, as the beginning of the message.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system did not let the keeper start.
    #[error("the browser's keeper can't be started: {source}")]
    KeeperStart {
        /// The keeper's log, in the home.
        log: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The keeper did not report. The text says why.
    #[error("the browser's keeper can't be started: {0}")]
    Keeper(String),
    /// The keeper started the browser, and the browser did not run.
    #[error("{message}{}", tail(.detail))]
    Browser {
        /// The cause.
        message: String,
        /// The browser's last stderr output; only its last lines are shown.
        detail: String,
    },
    /// The keeper did not accept the connection.
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl From<LaunchError> for Fault {
    fn from(error: LaunchError) -> Self {
        let hint = match &error {
            LaunchError::NoBrowser { .. } => {
                "Install Chromium or Google Chrome from a package that is not a snap or flatpak, or name one: \
                 gstack connect --program PATH"
                    .to_owned()
            }
            LaunchError::NotThere { .. } => "Check the path; without it gstack looks for a browser itself.".to_owned(),
            LaunchError::Confined { skipped } => skipped.remedy(),
            LaunchError::ProfileInUse { .. } => {
                "Close that browser, then try again. If there is none, delete SingletonLock in the profile.".to_owned()
            }
            LaunchError::ProfileHeld { holder: Some(holder), .. } => {
                format!("Close that browser first, or use another profile: gstack --session {holder} disconnect")
            }
            LaunchError::ProfileHeld { holder: None, .. } => {
                "Close that browser, or use another profile. `gstack profiles` lists them.".to_owned()
            }
            LaunchError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "Create that folder, or name another one.".to_owned()
            }
            LaunchError::Io { path, source, .. } | LaunchError::KeeperStart { log: path, source } => {
                trouble::hint(path, source)
            }
            LaunchError::Keeper(_) => "`gstack doctor` checks what it needs.".to_owned(),
            LaunchError::Browser { .. } => "Its output above says why. To use another browser, add --program \
                PATH."
                .to_owned(),
            LaunchError::Link(LinkError::Busy) => {
                "Another daemon drives this browser. End that daemon, or use another --session.".to_owned()
            }
            LaunchError::Link(LinkError::Refused) => {
                "This daemon was started by an agent. In your own terminal, run gstack stop, then gstack connect."
                    .to_owned()
            }
            LaunchError::Link(LinkError::Impostor { .. } | LinkError::Garbled(_)) => {
                "Close the browser's window, then run gstack connect.".to_owned()
            }
            LaunchError::Link(_) => {
                "Try again. If it fails again, run gstack disconnect --force, then gstack connect.".to_owned()
            }
        };
        let code = match &error {
            LaunchError::ProfileHeld { .. } => FaultCode::Conflict,
            _ => FaultCode::BrowserDown,
        };
        Fault::new(code, error.to_string()).hint(hint).at(Hop::Browser)
    }
}

fn instance(name: &str) -> String {
    if name == DEFAULT { "the default session".to_owned() } else { format!("the session {name}") }
}

fn said(skipped: &[Skipped]) -> String {
    skipped.iter().map(|skipped| format!("; {skipped}")).collect()
}

/// Returns the last lines of stderr, because most of it is noise.
fn tail(detail: &str) -> String {
    const LINES: usize = 8;
    let lines: Vec<&str> = detail.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(LINES);
    lines[from..].iter().map(|line| format!("\n  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::LaunchError;
    use gstack_protocol::fault::Fault;
    use rustix::io::Errno;
    use std::io;
    use std::path::PathBuf;

    #[test]
    fn a_limit_of_open_files_is_not_taken_for_a_folder_that_is_not_writable() {
        let log = PathBuf::from("/home/a/.gstack/keeper.log");
        let fault = Fault::from(LaunchError::KeeperStart { log, source: Errno::MFILE.into() });
        assert!(fault.hint.is_some_and(|hint| hint.contains("ulimit -n")));
        let (path, source) = (PathBuf::from("/gone"), io::ErrorKind::NotFound.into());
        let fault = Fault::from(LaunchError::Io { what: "the folder", path, source });
        assert!(fault.message.contains("/gone") && fault.hint.is_some_and(|hint| hint.starts_with("Create")));
    }
}
