//! What an agent's token opens: the tools of one conversation.
//!
//! Owns the shape that the doors see. The engine's `tools` are behind it.

use crate::agent::adapter::ToolResult;
use crate::protocol::command::{CommandRequest, CommandResult};
use crate::protocol::fault::Fault;
use crate::protocol::ids::ConversationId;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One tool as MCP lists it.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub schema: Map<String, Value>,
    pub read_only: bool,
    /// It changes the page, the tab or a file.
    pub writes: bool,
}

/// The tools of one agent of one conversation.
pub trait AgentAccess: Send + Sync {
    fn conversation_id(&self) -> &ConversationId;

    /// Cancelled when the agent has ended. What is kept for it can go then.
    fn ended(&self) -> &CancellationToken;

    /// The tools, as MCP lists them.
    fn offered(&self) -> Vec<OfferedTool>;

    /// Whether there is a tool of this name.
    fn offers(&self, tool: &str) -> bool;

    /// Runs a call that came over MCP. `id`: the agent's own name of it, if it gives one.
    fn run_tool<'a>(
        &'a self,
        id: Option<String>,
        tool: &'a str,
        arguments: Value,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ToolResult, Fault>>;

    /// Runs a command of the agent's own command line. Ends with the caller's connection.
    fn command(self: Arc<Self>, request: CommandRequest) -> BoxFuture<'static, Result<CommandResult, Fault>>;
}
