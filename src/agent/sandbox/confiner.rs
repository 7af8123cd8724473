//! Whether and how agents are confined now: the person's choice, and the mechanisms of this machine.
//!
//! Owns both, and the detection of a mechanism, whose result is cached. Never confines a process.

use super::{Access, Confinement, Mechanism, Sandbox, detect};
use crate::adapter::AgentEnvironment;
use gstack_protocol::catalogue::{self, Sentence};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The setting `agents.sandbox`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Agents are confined if this machine can; otherwise they are not, and the person is informed.
    #[default]
    Auto,
    /// An agent does not start without a sandbox.
    Require,
    /// Agents run without a sandbox.
    Off,
}

impl SandboxMode {
    /// Returns the value in the configuration file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Require => "require",
            Self::Off => "off",
        }
    }
}

/// The sandbox settings that the daemon knows before it has examined the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    /// See [`Sandbox`] for these.
    pub program: PathBuf,
    pub scratch: PathBuf,
    pub closed: Vec<PathBuf>,
    pub added: Access,
}

/// The current state, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxState {
    pub mode: SandboxMode,
    /// The description of the mechanism in use; `Err`: what is missing. `None` before the first detection.
    pub found: Option<Result<String, String>>,
}

impl SandboxState {
    pub fn is_in_force(&self) -> bool {
        self.mode != SandboxMode::Off && matches!(self.found, Some(Ok(_)))
    }

    /// Returns the state and what a person can do about it.
    pub fn words(&self) -> Sentence {
        match (self.mode, &self.found) {
            (SandboxMode::Off, _) => "Agents run without a sandbox (agents.sandbox = off).".into(),
            (_, None) => "`gstack doctor` says whether agents run in a sandbox.".into(),
            (_, Some(Ok(mechanism))) => format!(
                "Agents run in a sandbox ({mechanism}). `sandbox-read` and `sandbox-write` under [agents] in config.toml \
                 open further folders."
            )
            .into(),
            (SandboxMode::Auto, Some(Err(why))) => catalogue::SANDBOX_MISSING.with([why]),
            (SandboxMode::Require, Some(Err(why))) => catalogue::SANDBOX_REQUIRED.with([why]),
        }
    }
}

/// Adds the sandbox to the environment of a new process.
#[derive(Debug)]
pub struct Confiner {
    settings: Mutex<Option<SandboxSettings>>,
    found: Mutex<Option<Result<Mechanism, String>>>,
}

impl Confiner {
    /// Creates it. `None`: nothing is ever confined.
    pub fn new(settings: Option<SandboxSettings>) -> Self {
        Self { settings: Mutex::new(settings), found: Mutex::default() }
    }

    /// Applies a changed configuration to the next start.
    pub fn configure(&self, settings: Option<SandboxSettings>) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    /// Detects the mechanism again at the next use.
    pub fn forget(&self) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn settings(&self) -> Option<SandboxSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn look(&self, environment: &AgentEnvironment) -> Result<Mechanism, String> {
        let known = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return known;
        }
        let found = detect(environment).await;
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        found
    }

    /// Returns the current state; `None` if nothing is ever confined.
    pub fn known(&self) -> Option<SandboxState> {
        let mode = self.settings()?.mode;
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some(SandboxState { mode, found: found.map(|found| found.map(|mechanism| mechanism.to_string())) })
    }

    pub async fn confine(&self, mut environment: AgentEnvironment) -> AgentEnvironment {
        let Some(settings) = self.settings().filter(|settings| settings.mode != SandboxMode::Off) else {
            return environment;
        };
        environment.confinement = match self.look(&environment).await {
            Ok(mechanism) => {
                let SandboxSettings { program, scratch, closed, added, .. } = settings;
                Confinement::In(Arc::new(Sandbox { mechanism, program, scratch, closed, added }))
            }
            Err(why) if settings.mode == SandboxMode::Require => Confinement::Refused(why),
            Err(_) => Confinement::Off,
        };
        environment
    }
}

/// Returns the files that a sandbox of namespaces makes read-only one by one. Such a mount ends inside as soon as somebody
/// outside saves its file by a rename, as editors do (Linux 6.18); then the agent can write the file.
pub(crate) fn single_files(environment: &AgentEnvironment, access: &Access) -> Vec<PathBuf> {
    let Confinement::In(sandbox) = &environment.confinement else { return Vec::new() };
    let home = environment.variables.get(OsStr::new("HOME")).map(PathBuf::from);
    let (Mechanism::Namespaces { .. }, Some(home)) = (sandbox.mechanism.suited_to(access), home) else {
        return Vec::new();
    };
    access.fixed.iter().filter(|fixed| fixed.empty.is_some()).map(|fixed| home.join(&fixed.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mode: SandboxMode) -> SandboxSettings {
        let folder = PathBuf::from("/nowhere");
        SandboxSettings { mode, program: folder.clone(), scratch: folder, closed: Vec::new(), added: Access::default() }
    }

    #[tokio::test]
    async fn nothing_is_confined_and_no_mechanism_is_looked_for_where_it_is_off() {
        let confiner = Confiner::new(Some(settings(SandboxMode::Off)));
        let environment = confiner.confine(AgentEnvironment::default()).await;
        assert!(matches!(environment.confinement, Confinement::Off));
        assert!(confiner.found.lock().unwrap().is_none());
        let state = confiner.known().unwrap();
        assert_eq!(&*state.words(), "Agents run without a sandbox (agents.sandbox = off).");
        assert!(!state.is_in_force());
        confiner.configure(Some(settings(SandboxMode::Auto)));
        assert!(!confiner.known().unwrap().is_in_force(), "nothing is said before the machine was looked at");
        confiner.confine(AgentEnvironment::default()).await;
        assert_ne!(confiner.known().unwrap().words(), state.words());
    }

    #[test]
    fn files_that_are_mounted_alone_are_named_where_they_are() {
        let files = |mechanism, access: &Access| {
            let SandboxSettings { program, scratch, closed, added, .. } = settings(SandboxMode::Auto);
            let confinement = Confinement::In(Arc::new(Sandbox { mechanism, program, scratch, closed, added }));
            let variables = [("HOME".into(), "/home/ada".into())].into();
            single_files(&AgentEnvironment { variables, confinement, ..AgentEnvironment::default() }, access)
        };
        let namespaces = Mechanism::Namespaces { bwrap: "/usr/bin/bwrap".into(), abi: 7, nests: true };
        let gemini = ["settings.json", "trustedFolders.json", "GEMINI.md"];
        let gemini = gemini.map(|name| PathBuf::from("/home/ada/.gemini").join(name));
        assert_eq!(files(namespaces.clone(), &Access::gemini()), gemini);
        assert!(files(namespaces.clone(), &Access::codex()).contains(&"/home/ada/.codex/config.toml".into()));
        assert_eq!(files(namespaces, &Access::claude()), Vec::<PathBuf>::new(), "a folder in memory has them");
        assert_eq!(files(Mechanism::Landlock { abi: 7 }, &Access::gemini()), Vec::<PathBuf>::new());
    }

    #[tokio::test]
    async fn with_require_an_agent_is_refused_where_no_mechanism_was_found() {
        let confiner = Confiner::new(Some(settings(SandboxMode::Require)));
        *confiner.found.lock().unwrap() = Some(Err("bubblewrap is not installed".to_owned()));
        let environment = confiner.confine(AgentEnvironment::default()).await;
        assert!(matches!(environment.confinement, Confinement::Refused(why) if why == "bubblewrap is not installed"));
    }
}
