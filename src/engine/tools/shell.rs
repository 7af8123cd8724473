//! The command line in an agent's own shell: the same tools, the same tabs, the same approvals.
//!
//! Owns which commands an agent may run. Never trusts the caller's claims about its identity.

use super::error::ToolError;
use super::{ConversationTools, Manner};
use super::{page_tool_list, tool_list};
use gstack_agent::adapter::ToolResult;
use gstack_command::{Call, tool_schema};
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

impl ConversationTools {
    /// Runs a command of the agent's command line. Ends when the caller disconnects.
    pub(super) async fn run_from_shell(self: Arc<Self>, request: CommandRequest) -> Result<CommandResult, Fault> {
        self.note_keeps(request.keeps);
        if let (Some(cursor), Some(spec)) = (&request.cursor, tool_list::find(&request.command)) {
            let rest = self.read_on(spec, cursor)?;
            return Ok(rest.into_result_for_model());
        }
        let (call, tab) = self.requested(&request)?;
        let manner = Manner { acts_on: request.acts_on.clone(), ..Manner::in_tab(tab) };
        if let Some((name, holds)) = call.withheld() {
            return Err(tool_schema::withheld(call.spec, name, holds));
        }
        let cancel = CancellationToken::new();
        // Dropped when the caller disconnects, so that the running call withdraws its approval.
        let _gone = cancel.clone().drop_guard();
        let (answer, answered) = oneshot::channel();
        let tools = self.clone();
        self.services.tasks.spawn(async move {
            // The caller may have disconnected.
            answer.send(tools.run_in_turn(call, manner, None, cancel).await).ok();
        });
        let ToolResult { text, data, files, .. } = answered.await.map_err(|_| ToolError::Ending)??;
        // An MCP client gets the pictures from the files; an agent's shell is not told where they are.
        let files = if self.driver.is_some() { files } else { Vec::new() };
        Ok(CommandResult { output: text, data, files, ..CommandResult::default() })
    }

    /// Returns the call, and the tab that it names. A page's tool has its input, JSON, as its only argument.
    fn requested(&self, request: &CommandRequest) -> Result<(Call, Option<TabId>), Fault> {
        if page_tool_list::is_page_tool(&request.command) {
            let input = serde_json::from_str(request.args.first().map_or("{}", String::as_str));
            let input: Value = input.map_err(|_| ToolError::InputNotJson(request.command.clone()))?;
            if let Some(of_page) = self.page_tool_call(&request.command, &input) {
                return of_page.map(|(call, tab)| (call, Some(tab)));
            }
        }
        let spec = tool_list::find(&request.command).ok_or_else(|| ToolError::NotOffered(request.command.clone()))?;
        Ok((Call::of(spec, request.args.clone())?, request.tab_id))
    }
}
