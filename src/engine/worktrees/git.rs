//! The person's `git`: found as agents are, run without a terminal, and what it refused as an error.
//!
//! Owns how it is run. Never decides what is done with a tree.

use crate::agent::adapter::AgentEnvironment;
use crate::agent::discovery;
use crate::agent::process::brief::{self, BriefError};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A large repository is checked out within this, also from a slow disk.
const LIMIT: Duration = Duration::from_secs(180);
/// Would lead it elsewhere than it is told.
const LEADING: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"];

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git was not found")]
    Missing,
    #[error("git {command} failed: {words}")]
    Failed { command: String, words: String },
    #[error("git {command}: {source}")]
    Run { command: String, source: BriefError },
}

/// A git that can be run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    environment: AgentEnvironment,
}

impl Git {
    /// `environment`: of the person's login shell.
    pub async fn find(mut environment: AgentEnvironment) -> Result<Self, GitError> {
        let program = discovery::search("git", None, &environment).await.ok_or(GitError::Missing)?;
        environment.variables.retain(|name, _| !LEADING.iter().any(|leading| OsStr::new(leading) == name));
        for (name, value) in [("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0"), ("LC_ALL", "C")] {
            environment.variables.insert(name.into(), value.into());
        }
        Ok(Self { program, environment })
    }

    /// Runs it in a folder; gives what it printed.
    pub async fn run<A: AsRef<OsStr>>(&self, at: &Path, arguments: &[A]) -> Result<String, GitError> {
        let command =
            arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
        let mut all: Vec<OsString> = vec!["-C".into(), at.into()];
        all.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        let output = match brief::run(&self.program, &all, &self.environment, LIMIT).await {
            Ok(output) => output,
            Err(source) => return Err(GitError::Run { command, source }),
        };
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        // The first line says what is wrong; behind it comes advice.
        let words = said.lines().map(str::trim).find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let words = words.or_else(|| said.lines().next()).unwrap_or("it said nothing").to_owned();
        Err(GitError::Failed { command, words })
    }
}
