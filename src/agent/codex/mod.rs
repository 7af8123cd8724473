//! Codex as an agent: one long-lived `codex app-server` process per conversation.
//!
//! Owns finding it, asking for its offers and account, and starting it. Never holds a process itself.

mod codex_handler;
mod codex_turn;
mod faults;
mod models;
mod options;
#[cfg(test)]
mod replay_tests;
mod start;
mod wire;
mod words;

use super::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Examined, Launch, Located, Started};
use super::discovery;
use super::rpc::rpc_session::RpcSession;
use super::sandbox::Access;
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::AgentName;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// The agent's name.
pub const NAME: &str = "codex";

/// Codex. Holds no process.
#[derive(Debug, Default)]
pub struct Codex {
    configured: Option<PathBuf>,
}

impl Codex {
    /// Creates the agent. `configured`: the program's path from the configuration.
    pub fn new(configured: Option<PathBuf>) -> Self {
        Self { configured }
    }

    async fn find(&self, environment: &AgentEnvironment) -> Result<PathBuf, Fault> {
        let found = discovery::search(NAME, self.configured.clone(), environment).await;
        found.ok_or_else(|| faults::PROGRAM.missing(self.configured.as_deref()))
    }

    async fn look(&self, environment: &AgentEnvironment, info: &mut AgentInfo) -> Result<(), Fault> {
        let program = self.find(environment).await?;
        info.path = Some(program.display().to_string());
        let own = options::own_environment(environment, &program);
        let (version, told) = tokio::join!(discovery::version(&program, &own), start::ask(&program, &own));
        info.version = Some(version.map_err(|error| faults::PROGRAM.broken(&error.to_string()))?);
        let start::AccountReport { signed_in, account, warning, models } = told?;
        (info.models, info.account) = (models, account);
        info.warn(warning);
        if signed_in { Ok(()) } else { Err(faults::signed_out()) }
    }
}

impl Agent for Codex {
    fn name(&self) -> AgentName {
        AgentName::new(NAME)
    }

    fn label(&self) -> &str {
        faults::PROGRAM.label
    }

    fn locate<'a>(&'a self, environment: &'a AgentEnvironment) -> Located<'a> {
        Box::pin(async move { self.find(environment).await.map(Some) })
    }

    fn examine<'a>(&'a self, environment: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
        Box::pin(self.look(environment, info))
    }

    fn access(&self, _environment: &AgentEnvironment) -> Access {
        Access::codex()
    }

    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_> {
        Box::pin(async move {
            let program = self.find(&launch.environment).await?;
            let begin = start::start(&program, launch).await?;
            let session: Box<dyn AgentSession> = Box::new(RpcSession::run(begin, events));
            Ok(session)
        })
    }
}
