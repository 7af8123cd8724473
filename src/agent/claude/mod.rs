//! Claude Code as an agent: one long-lived `claude -p` process per conversation, with its stream-json format and
//! control protocol.
//!
//! Owns finding it, checking whether it is signed in, and starting it. Never holds a process itself.

mod claude_session;
mod faults;
mod map;
mod options;
mod outgoing;
mod permissions;
mod plan;
mod question;
#[cfg(test)]
mod replay_tests;
mod start;
mod streamed;
mod wire;
mod words;

use super::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Examined, Launch, Located, Started};
use super::discovery;
use super::process::brief;
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::AgentName;
use options::Abilities;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

pub use faults::INSTALL_COMMAND;

/// The agent's name.
pub const NAME: &str = "claude";
const PROGRAM: &str = "claude";
/// A warm start takes half a second.
const QUESTION_LIMIT: Duration = Duration::from_secs(15);

/// Claude Code. Holds no process.
#[derive(Debug, Default)]
pub struct ClaudeCode {
    configured: Option<PathBuf>,
    /// The features of the programs found so far, until the next probe.
    abilities: Mutex<HashMap<PathBuf, Abilities>>,
}

impl ClaudeCode {
    /// Creates the agent. `configured`: the program's path from the configuration.
    pub fn new(configured: Option<PathBuf>) -> Self {
        Self { configured, abilities: Mutex::default() }
    }

    async fn find(&self, environment: &AgentEnvironment) -> Option<PathBuf> {
        discovery::search(PROGRAM, self.configured.clone(), environment).await
    }

    fn missing(&self) -> Fault {
        faults::PROGRAM.missing(self.configured.as_deref())
    }

    fn known_abilities(&self, program: &Path) -> Option<Abilities> {
        self.abilities.lock().unwrap_or_else(PoisonError::into_inner).get(program).copied()
    }

    async fn ask_abilities(&self, program: &Path, environment: &AgentEnvironment) -> Result<Abilities, Fault> {
        let output = brief::run(program, &["--help"], environment, QUESTION_LIMIT)
            .await
            .map_err(|error| faults::PROGRAM.broken(&error.to_string()))?;
        let abilities = Abilities::from_help(&String::from_utf8_lossy(&output.stdout));
        let mut known = self.abilities.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(program.to_owned(), abilities);
        Ok(abilities)
    }

    async fn look(&self, environment: &AgentEnvironment, info: &mut AgentInfo) -> Result<(), Fault> {
        let program = self.find(environment).await.ok_or_else(|| self.missing())?;
        info.path = Some(program.display().to_string());
        let environment = options::environment(environment, &program);
        let (version, abilities, sign_in) = tokio::join!(
            discovery::version(&program, &environment),
            self.ask_abilities(&program, &environment),
            sign_in(&program, &environment),
        );
        info.warn(sign_in.warning());
        let version = version.map_err(|error| faults::PROGRAM.broken(&error.to_string()))?;
        let abilities = abilities?;
        info.version = Some(version.clone());
        if !abilities.confinable {
            return Err(faults::too_old(&version));
        }
        if sign_in.is_out() { Err(faults::signed_out()) } else { Ok(()) }
    }
}

impl Agent for ClaudeCode {
    fn name(&self) -> AgentName {
        AgentName::new(NAME)
    }

    fn label(&self) -> &str {
        "Claude Code"
    }

    fn locate<'a>(&'a self, environment: &'a AgentEnvironment) -> Located<'a> {
        Box::pin(async move { self.find(environment).await.map(Some).ok_or_else(|| self.missing()) })
    }

    fn examine<'a>(&'a self, environment: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
        Box::pin(self.look(environment, info))
    }

    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_> {
        Box::pin(async move {
            let found = self.find(&launch.environment).await;
            let program = found.ok_or_else(|| faults::PROGRAM.missing(self.configured.as_deref()))?;
            let abilities = match self.known_abilities(&program) {
                Some(known) => known,
                None => {
                    let environment = options::environment(&launch.environment, &program);
                    self.ask_abilities(&program, &environment).await?
                }
            };
            if !abilities.confinable {
                return Err(faults::too_old("the installed release"));
            }
            let ready = start::start(&program, abilities, launch).await?;
            let session: Box<dyn AgentSession> = Box::new(claude_session::ClaudeSession::run(ready, events));
            Ok(session)
        })
    }
}

#[derive(Deserialize)]
struct AuthStatus {
    #[serde(rename = "loggedIn")]
    logged_in: bool,
}

/// The way in which it would sign in.
struct SignIn {
    /// The environment variable that holds a key.
    key: Option<&'static str>,
    /// Whether an account is signed in too. `None` if unknown (an old release, no answer): the first turn will show.
    account: Option<bool>,
}

impl SignIn {
    fn is_out(&self) -> bool {
        self.key.is_none() && self.account == Some(false)
    }

    /// Returns the warning that a key takes precedence over the account, and each message is billed to it.
    fn warning(&self) -> Option<Sentence> {
        let key = self.key.filter(|_| self.account == Some(true))?;
        Some(catalogue::KEY_BILLED_CLAUDE.with([key]))
    }
}

const KEYS: [&str; 2] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];

async fn sign_in(program: &Path, environment: &AgentEnvironment) -> SignIn {
    let set =
        |name: &&str| environment.variables.get(std::ffi::OsStr::new(name)).is_some_and(|value| !value.is_empty());
    let key = KEYS.into_iter().find(set);
    // Check the account as if there were no key.
    let mut bare = environment.clone();
    bare.variables.retain(|name, _| !KEYS.iter().any(|key| name == key));
    let output = brief::run(program, &["auth", "status", "--json"], &bare, QUESTION_LIMIT).await.ok();
    let status = output.and_then(|output| serde_json::from_slice::<AuthStatus>(&output.stdout).ok());
    SignIn { key, account: status.map(|status| status.logged_in) }
}
