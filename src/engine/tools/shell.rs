//! The command line in an agent's own shell: the same tools, the same tabs, the same questions to the person.
//!
//! Owns what of a command line an agent may say. Never trusts what the caller says about who it is.

use super::ConversationTools;
use super::error::ToolError;
use super::offered;
use crate::agent::adapter::ToolResult;
use crate::command::{Call, tool_schema};
use crate::protocol::command::{CommandRequest, CommandResult};
use crate::protocol::fault::Fault;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

impl ConversationTools {
    /// Runs a command of the agent's command line; it ends with the caller's connection.
    pub(super) async fn run_from_shell(self: Arc<Self>, request: CommandRequest) -> Result<CommandResult, Fault> {
        let spec = offered::find(&request.command).ok_or_else(|| ToolError::NotOffered(request.command.clone()))?;
        let call = Call::of(spec, request.args)?;
        if let Some((name, holds)) = call.withheld() {
            return Err(tool_schema::withheld(spec, name, holds));
        }
        let cancel = CancellationToken::new();
        // When the caller goes, this is dropped, and what runs takes its question back.
        let _gone = cancel.clone().drop_guard();
        let (answer, answered) = oneshot::channel();
        let tools = self.clone();
        self.engine.spawn(async move {
            // The caller may have gone.
            answer.send(tools.run_in_turn(call, request.tab_id, None, cancel).await).ok();
        });
        let ToolResult { text, data, .. } = answered.await.map_err(|_| ToolError::Ending)??;
        Ok(CommandResult { output: text, data, ..CommandResult::default() })
    }
}
