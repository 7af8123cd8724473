//! Codex as an agent: one long-lived `codex app-server` process a conversation.
//!
//! Owns finding it, asking what it offers and who is signed in, and starting it. Never keeps a process itself.

mod faults;
mod options;
#[cfg(test)]
mod replay;
mod start;
mod talk;
mod turn;
mod wire;
mod words;

use super::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Launch};
use super::discovery;
use super::rpc::session::RpcSession;
use crate::protocol::agents::{AgentInfo, AgentStatus};
use crate::protocol::fault::Fault;
use crate::protocol::ids::AgentName;
use futures_util::future::BoxFuture;
use std::path::PathBuf;
use tokio::sync::mpsc;

pub const NAME: &str = "codex";

/// Codex. Holds no process.
#[derive(Debug, Default)]
pub struct Codex {
    configured: Option<PathBuf>,
}

impl Codex {
    /// `configured`: the program's path from the configuration.
    pub fn new(configured: Option<PathBuf>) -> Self {
        Self { configured }
    }

    async fn look(&self, environment: &AgentEnvironment) -> AgentInfo {
        let mut info = AgentInfo {
            name: self.name(),
            label: self.label().to_owned(),
            status: AgentStatus::Missing,
            version: None,
            path: None,
            fault: None,
            default: false,
            has_model: true,
            models: Vec::new(),
            commands: Vec::new(),
            account: None,
            warning: None,
        };
        let Some(program) = discovery::search(NAME, self.configured.clone(), environment).await else {
            info.fault = Some(faults::PROGRAM.missing(self.configured.as_deref()));
            return info;
        };
        info.path = Some(program.display().to_string());
        let own = discovery::with_own_folder(environment, &program);
        let (version, told) = tokio::join!(discovery::version(&program, &own), start::ask(&program, &own));
        let told = match (version, told) {
            (Err(error), _) => Err(faults::PROGRAM.broken(&error.to_string())),
            (Ok(version), told) => {
                info.version = Some(version);
                told
            }
        };
        (info.status, info.fault) = match told {
            Err(fault) => (AgentStatus::Broken, Some(fault)),
            Ok(told) => {
                info.models = told.models;
                info.warning = told.warning;
                info.account = told.account;
                match told.signed_in {
                    true => (AgentStatus::Ready, None),
                    false => (AgentStatus::SignedOut, Some(faults::signed_out())),
                }
            }
        };
        info
    }
}

impl Agent for Codex {
    fn name(&self) -> AgentName {
        AgentName::new(NAME)
    }

    fn label(&self) -> &str {
        faults::PROGRAM.label
    }

    fn probe<'a>(&'a self, environment: &'a AgentEnvironment) -> BoxFuture<'a, AgentInfo> {
        Box::pin(self.look(environment))
    }

    fn start(
        &self,
        launch: Launch,
        events: mpsc::Sender<AgentEvent>,
    ) -> BoxFuture<'_, Result<Box<dyn AgentSession>, Fault>> {
        Box::pin(async move {
            let found = discovery::search(NAME, self.configured.clone(), &launch.environment).await;
            let program = found.ok_or_else(|| faults::PROGRAM.missing(self.configured.as_deref()))?;
            let start::Ready { wire, talk, notice } = start::start(&program, launch).await?;
            let session: Box<dyn AgentSession> = Box::new(RpcSession::run(wire, talk, (), notice, events));
            Ok(session)
        })
    }
}
