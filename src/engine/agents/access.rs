//! What an agent's token gives access to: the tools of one conversation.
//!
//! Owns the interface that the HTTP and MCP servers see. The engine's `tools` implement it.

use futures_util::future::BoxFuture;
use gstack_agent::adapter::{ToolCall, ToolResult};
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use gstack_protocol::page_tool::ListedPageTool;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A tool as MCP lists it.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub schema: Map<String, Value>,
    pub read_only: bool,
    /// True if the tool changes the page, the tab or a file.
    pub writes: bool,
}

/// A tool of the page that an agent's tab shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToolOffer {
    pub listed: ListedPageTool,
    /// The page's own name for it.
    pub tool: String,
    /// The host of its document, if it has one.
    pub site: Option<String>,
    pub tab: TabId,
}

/// Steps that the person allows as one. The rules of each are those of the agent's own acts.
pub trait ListedSteps: Send + Sync {
    /// Runs a step.
    fn run(&self, step: ToolCall, cancel: CancellationToken) -> BoxFuture<'static, Result<ToolResult, Fault>>;
}

/// The tools of one agent of one conversation.
pub trait AgentAccess: Send + Sync {
    fn conversation_id(&self) -> &ConversationId;

    /// Returns a token that is cancelled when the agent has ended. Anything kept for the agent can be dropped then.
    fn ended(&self) -> &CancellationToken;

    /// Returns the tools as MCP lists them.
    fn offered(&self) -> Vec<OfferedTool>;

    /// Returns the tools of the page in the agent's tab, as they change.
    fn page_tools(&self) -> watch::Receiver<Arc<Vec<PageToolOffer>>>;

    /// Returns true if a call of a tool of this name runs or says why not.
    fn offers(&self, tool: &str) -> bool;

    /// Runs a call that came over MCP. `id` is the agent's own id of the call, if it gives one. `keeps`: the bytes of a result
    /// that reach the agent's model, if that is known.
    fn run_tool<'a>(
        &'a self,
        id: Option<String>,
        tool: &'a str,
        arguments: Value,
        keeps: Option<usize>,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ToolResult, Fault>>;

    /// Returns the folder that the agent works in.
    fn folder(&self) -> PathBuf;

    /// Returns a list of steps for the person to allow as one. `ask` says what is run, `steps` each step in words, with its values.
    fn step_list(self: Arc<Self>, ask: &str, steps: &[String]) -> Arc<dyn ListedSteps>;

    /// Runs a command of the agent's own command line. Ends when the caller disconnects.
    fn command(self: Arc<Self>, request: CommandRequest) -> BoxFuture<'static, Result<CommandResult, Fault>>;
}
