//! One question to an agent that can do nothing meanwhile: it gets no tools, an empty folder, and every request is denied.
//!
//! Owns that start and its end. The answer is data for the caller.

use super::pool::AgentPool;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gstack_agent::adapter::{
    Agent, AgentEvent, AgentSession, Launch, McpEndpoint, Prompt, StepWords, ToolCall, ToolResult, Tools,
};
use gstack_base::home::private_folder;
use gstack_protocol::catalogue;
use gstack_protocol::chat::{StepKind, TurnOutcome};
use gstack_protocol::control::{AskAlone, AskedAlone};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{AgentName, ConversationId};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How long an answer may take, with the agent's start.
const LIMIT: Duration = Duration::from_secs(180);
/// The longest answer, in bytes.
const MOST: usize = 64 * 1024;
/// The events that may wait.
const EVENTS: usize = 256;

/// The tools of an agent that has none.
struct NoTools;

impl Tools for NoTools {
    fn run(&self, _call: ToolCall, _cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        std::future::ready(Err(Fault::new(FaultCode::Denied, "no tools are offered for this question"))).boxed()
    }

    fn describe(&self, tool: &str, _arguments: &serde_json::Value) -> StepWords {
        StepWords::untranslated(StepKind::Act, tool, String::new())
    }
}

impl AgentPool {
    /// Starts the default agent for one question, and returns its answer. The agent has ended when this returns.
    ///
    /// # Errors
    ///
    /// Fails if no agent with a model can be used, or it gives no answer in time.
    pub async fn ask_alone(&self, asked: AskAlone) -> Result<AskedAlone, Fault> {
        // One at a time: such an agent takes no slot.
        let _turn = self.0.alone.lock().await;
        let wanted = self.0.config.get().agents.default_name().map(AgentName::new);
        let info = self.found(wanted.as_ref()).await;
        let info = info.filter(|info| info.has_model).ok_or_else(|| {
            Fault::new(FaultCode::AgentMissing, "there is no agent with a model to ask")
                .hint(catalogue::NO_AGENT_FOUND_NEXT)
        })?;
        if let Some(fault) = info.fault {
            return Err(fault);
        }
        let agent = self.get(&info.name)?;
        let id = ConversationId::random();
        let files = self.0.home.run_files();
        let folder = files.join(format!("alone-{}", id.as_str()));
        private_folder(&folder).map_err(|error| Fault::new(FaultCode::Storage, error.to_string()))?;
        let answer = tokio::time::timeout(LIMIT, self.answer_of(agent.as_ref(), &id, &folder, asked)).await;
        if let Err(error) = std::fs::remove_dir_all(&folder) {
            tracing::warn!(%error, "an agent's empty folder could not be removed");
        }
        let late = || Fault::new(FaultCode::Timeout, format!("{} gave no answer in time", agent.label()));
        let text = answer.map_err(|_elapsed| late())??;
        Ok(AskedAlone { agent: agent.label().to_owned(), text })
    }

    async fn answer_of(
        &self,
        agent: &dyn Agent,
        id: &ConversationId,
        folder: &Path,
        asked: AskAlone,
    ) -> Result<String, Fault> {
        // Nothing accepts this token.
        let token = uuid::Uuid::new_v4().simple().to_string();
        let launch = Launch {
            conversation_id: id.clone(),
            folder: folder.to_owned(),
            resume: None,
            model: None,
            mode: None,
            system_prompt: asked.instructions,
            mcp: McpEndpoint { url: String::new(), token: token.clone(), tools: Vec::new(), program: None },
            tools: Arc::new(NoTools),
            environment: self.environment_for(id, &token).await,
            run_files: self.0.home.run_files(),
            access: Default::default(),
            off_limits: vec![self.0.home.shared().to_owned()],
        };
        let (sender, mut events) = mpsc::channel(EVENTS);
        let mut session = agent.start(launch, sender).await?;
        let outcome = said(session.as_mut(), &mut events, asked.prompt).await;
        session.close().await;
        outcome
    }
}

/// Returns what an agent says in its turn. Denies what it asks for.
async fn said(
    session: &mut dyn AgentSession,
    events: &mut mpsc::Receiver<AgentEvent>,
    prompt: String,
) -> Result<String, Fault> {
    session.prompt(Prompt { text: prompt, ..Prompt::default() }).await?;
    let mut text = String::new();
    while let Some(event) = events.recv().await {
        match event {
            AgentEvent::TextStarted if !text.is_empty() => text.push('\n'),
            AgentEvent::TextDelta(more) => text.push_str(&more),
            AgentEvent::TurnDone { outcome: TurnOutcome::Done, .. } => return Ok(text),
            AgentEvent::TurnDone { fault, .. } | AgentEvent::Exited { fault } => {
                return Err(fault.unwrap_or_else(no_answer));
            }
            // Dropping a request denies it.
            _ => {}
        }
        if text.len() > MOST {
            return Err(Fault::new(FaultCode::TooLarge, "the agent's answer is too long"));
        }
    }
    Err(no_answer())
}

fn no_answer() -> Fault {
    Fault::new(FaultCode::AgentError, "the agent gave no answer")
}
