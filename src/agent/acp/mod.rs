//! Any agent that supports the Agent Client Protocol (v1): one long-lived process per conversation.
//!
//! Owns finding it and starting it. `preset` has the details of the known agents. Never holds a process itself.

mod acp_handler;
mod agreed;
mod call;
mod choices;
mod examination;
mod faults;
mod form;
mod known;
mod modes;
pub mod neutral_folder;
pub mod preset;
#[cfg(test)]
mod replay_tests;
mod resume;
mod start;
mod wire;

use super::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Examined, Launch, Located, Started};
use super::discovery;
use super::rpc::rpc_session::RpcSession;
use super::sandbox::Access;
use examination::Looked;
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::catalogue;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::AgentName;
use preset::{Kind, Preset};
use start::Remembered;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// An ACP agent. Holds no process.
#[derive(Clone, Debug)]
pub struct Acp {
    preset: Preset,
    /// The program's path from the configuration.
    configured: Option<PathBuf>,
    remembered: Arc<Remembered>,
}

impl Acp {
    /// Creates the agent. `configured`: the program's path from the configuration.
    pub fn new(preset: Preset, configured: Option<PathBuf>) -> Self {
        Self { preset, configured, remembered: Arc::default() }
    }

    async fn find(&self, environment: &AgentEnvironment) -> Option<PathBuf> {
        let program = &self.preset.program;
        // Use a path as it is; search for a name.
        let by_path = program.is_absolute().then(|| program.clone());
        let configured = self.configured.clone().or(by_path);
        discovery::search(program.to_str().unwrap_or_default(), configured, environment).await
    }

    fn missing(&self) -> Fault {
        let program = &self.preset.program;
        let configured = self.configured.as_deref().or_else(|| program.is_absolute().then_some(program.as_path()));
        start::about(&self.preset, &self.preset.name, &AgentEnvironment::default()).missing(configured)
    }

    async fn look(&self, environment: &AgentEnvironment, info: &mut AgentInfo) -> Result<(), Fault> {
        info.warn(self.preset.warning(environment));
        let program = self.find(environment).await.ok_or_else(|| self.missing())?;
        info.path = Some(program.display().to_string());
        info.version = match self.preset.kind {
            // Its `initialize` takes seconds; asking for its version does not.
            Kind::Gemini => {
                let access = self.preset.access(environment);
                let own = AgentEnvironment { access, ..discovery::with_own_folder(environment, &program) };
                let version = discovery::version(&program, &own).await;
                let about = start::about(&self.preset, "gemini --version", environment);
                Some(version.map_err(|error| about.broken(&error.to_string()))?)
            }
            Kind::ClaudeAgent | Kind::Other => {
                match examination::ask_version(&self.preset, &program, environment).await? {
                    Looked::Ready(version) => version,
                    Looked::Slow { seconds } => {
                        let words = catalogue::AGENT_IS_SLOW.with([&self.preset.label, &seconds.to_string()]);
                        info.warn(Some(words));
                        None
                    }
                }
            }
        };
        match self.preset.is_signed_in(environment) {
            Some(false) => Err(faults::signed_out(&self.preset.label, self.preset.sign_in.as_deref(), "", &[])),
            Some(true) | None => Ok(()),
        }
    }
}

impl Agent for Acp {
    fn name(&self) -> AgentName {
        AgentName::new(self.preset.name.clone())
    }

    fn label(&self) -> &str {
        &self.preset.label
    }

    fn locate<'a>(&'a self, environment: &'a AgentEnvironment) -> Located<'a> {
        Box::pin(async move { self.find(environment).await.map(Some).ok_or_else(|| self.missing()) })
    }

    fn examine<'a>(&'a self, environment: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
        Box::pin(self.look(environment, info))
    }

    fn access(&self, environment: &AgentEnvironment) -> Access {
        self.preset.access(environment)
    }

    /// Gemini CLI takes such a turn out of its history, with all of its messages and results, and no agent says whether it does.
    fn may_forget(&self) -> bool {
        true
    }

    fn sign_in_by(&self, way: String) {
        self.remembered.sign_in_by(Some(way));
    }

    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_> {
        Box::pin(async move {
            let program = self.find(&launch.environment).await.ok_or_else(|| self.missing())?;
            let begin = start::start(&self.preset, &program, launch, &self.remembered).await?;
            let session: Box<dyn AgentSession> = Box::new(RpcSession::run(begin, events));
            Ok(session)
        })
    }
}
