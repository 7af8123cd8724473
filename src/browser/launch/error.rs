//! The errors of starting a browser, with the next step.

use super::find::Skipped;
use crate::browser::keeper_link::LinkError;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("no browser was found{}", said(.skipped))]
    NoBrowser { skipped: Vec<Skipped> },
    /// `source_name`: the setting that the path came from, as the user knows it.
    #[error("there is no browser at {path} ({source_name})")]
    NotThere { path: PathBuf, source_name: &'static str },
    #[error("{skipped}")]
    Confined { skipped: Skipped },
    #[error("the profile {profile} is in use by another browser (pid {pid} on {host})")]
    ProfileInUse { profile: PathBuf, host: String, pid: u32 },
    #[error("{what} {path}: {source}")]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("the browser's keeper can't be started: {0}")]
    Keeper(String),
    #[error("{message}{}", tail(.detail))]
    Browser { message: String, detail: String },
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl From<LaunchError> for Fault {
    fn from(error: LaunchError) -> Self {
        let hint = match &error {
            LaunchError::NoBrowser { .. } => {
                "Install Chromium or Google Chrome from a package that is not a snap or flatpak, or name one: \
                 gstack connect --browser PATH"
                    .to_owned()
            }
            LaunchError::NotThere { .. } => "Check the path; without it gstack looks for a browser itself.".to_owned(),
            LaunchError::Confined { skipped } => skipped.remedy(),
            LaunchError::ProfileInUse { .. } => {
                "Close that browser, then try again. If there is none, delete SingletonLock in the profile.".to_owned()
            }
            LaunchError::Io { .. } | LaunchError::Keeper(_) => "Check that the folder is writable for you.".to_owned(),
            LaunchError::Browser { .. } => "Its last words above say why; another browser: --browser PATH".to_owned(),
            LaunchError::Link(LinkError::Busy) => {
                "Another daemon drives this browser: end it, or use another --session.".to_owned()
            }
            LaunchError::Link(LinkError::Refused) => {
                "This daemon was started by an agent. In a terminal of yours: gstack stop, then gstack connect."
                    .to_owned()
            }
            LaunchError::Link(LinkError::Impostor { .. } | LinkError::Garbled(_)) => {
                "Close the browser's window, then run gstack connect.".to_owned()
            }
            LaunchError::Link(_) => {
                "Try again; if it stays so: gstack disconnect --force, then gstack connect.".to_owned()
            }
        };
        Fault::new(FaultCode::BrowserDown, error.to_string()).hint(hint).at(Hop::Browser)
    }
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
