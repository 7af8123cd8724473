//! Which token gives access to the tools of which conversation.
//!
//! Owns the lifetime of a token, which is that of its agent. The table of tokens is in `agents`.

use super::{ConversationTools, tool_list};
use crate::agent::adapter::ToolResult;
use crate::engine::Engine;
use crate::engine::agents::{AgentAccess, OfferedTool};
use crate::engine::drivers::Driver;
use crate::protocol::command::{CommandRequest, CommandResult};
use crate::protocol::fault::Fault;
use crate::protocol::ids::ConversationId;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Engine {
    /// Registers the token of the tools.
    pub(in crate::engine) fn admit(&self, tools: &Arc<ConversationTools>) {
        self.inner.tokens.admit(tools.token(), tools.clone());
    }

    /// Revokes the token of an agent that has ended.
    pub(in crate::engine) fn revoke(&self, tools: &ConversationTools) {
        self.inner.tokens.revoke(tools.token());
        tools.ended.cancel();
    }

    /// Returns the tools that a token gives access to. The comparison takes the same time for every token.
    pub(crate) fn tools_of_token(&self, presented: &str) -> Option<Arc<dyn AgentAccess>> {
        self.inner.tokens.opened_by(presented)
    }

    /// Returns the tools of a driver that the policy judges. A trusted one has none.
    pub(crate) fn tools_of_driver(&self, driver: &Driver) -> Option<Arc<dyn AgentAccess>> {
        self.tools_of_conversation(driver.conversation.id())
    }

    /// Returns the tools of a conversation whose agent runs.
    pub(crate) fn tools_of_conversation(&self, id: &ConversationId) -> Option<Arc<dyn AgentAccess>> {
        self.inner.tokens.find(|tools| tools.conversation_id() == id)
    }
}

impl AgentAccess for ConversationTools {
    fn conversation_id(&self) -> &ConversationId {
        self.conversation().id()
    }

    fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    fn offered(&self) -> Vec<OfferedTool> {
        tool_list::all()
    }

    fn offers(&self, tool: &str) -> bool {
        tool_list::find(tool).is_some()
    }

    fn run_tool<'a>(
        &'a self,
        id: Option<String>,
        tool: &'a str,
        arguments: Value,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ToolResult, Fault>> {
        self.run_over_mcp(id, tool, arguments, cancel).boxed()
    }

    fn command(self: Arc<Self>, request: CommandRequest) -> BoxFuture<'static, Result<CommandResult, Fault>> {
        match self.driver.clone() {
            Some(driver) => self.run_for_driver(driver, request).boxed(),
            None => self.run_from_shell(request).boxed(),
        }
    }
}
