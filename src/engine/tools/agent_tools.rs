//! The tools of agents and drivers: which token gives access to the tools of which conversation.
//!
//! Owns the lifetime of a token, which is that of its agent. The table of tokens is in `agents`.

use super::step_list::{Listed, StepList};
use super::{ConversationTools, page_tool_list, page_tool_look, tool_list};
use crate::activity::ActivityLog;
use crate::agents::{AgentAccess, ListedSteps, OfferedTool, PageToolOffer, Tokens};
use crate::approvals::Approvals;
use crate::browser_connection::BrowserConnection;
use crate::browsers::Browsers;
use crate::command_runner::CommandRunner;
use crate::config::ConfigFile;
use crate::conversations::ConversationGate;
use crate::drivers::{Driver, Drivers};
use crate::elements::Elements;
use crate::lease_requests::LeaseRequests;
use crate::pauses::Pauses;
use crate::policy::PolicyService;
use crate::sign_ins::SignIns;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use crate::views::Views;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gstack_agent::adapter::ToolResult;
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ConversationId;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The services that tools act through, and the tokens of running agents. Cheap to clone.
#[derive(Clone)]
pub struct AgentTools {
    pub(crate) activity: ActivityLog,
    pub(crate) approvals: Approvals,
    pub(crate) browsers: Browsers,
    pub(crate) config: ConfigFile,
    pub(crate) connection: BrowserConnection,
    pub(crate) drivers: Drivers,
    pub(crate) elements: Elements,
    pub(crate) lease_requests: LeaseRequests,
    pub(crate) pauses: Pauses,
    pub(crate) policy: PolicyService,
    pub(crate) runner: CommandRunner,
    pub(crate) sign_ins: SignIns,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    pub(crate) tokens: Tokens<dyn AgentAccess>,
    pub(crate) views: Views,
}

impl AgentTools {
    /// Returns new tools for an agent of a conversation, with a token. `by_person` is true for the built-in agent.
    pub(crate) fn open(&self, gate: ConversationGate, by_person: bool) -> Arc<ConversationTools> {
        self.admit(ConversationTools::new(self.clone(), gate, by_person, None))
    }

    /// Returns new tools for a registered driver that the policy judges, with a token. `gate` is that of its detached
    /// conversation.
    pub(crate) fn open_for_driver(&self, gate: ConversationGate, driver: Arc<Driver>) -> Arc<ConversationTools> {
        self.admit(ConversationTools::new(self.clone(), gate, false, Some(driver)))
    }

    /// Registers the token of the tools.
    fn admit(&self, tools: ConversationTools) -> Arc<ConversationTools> {
        let tools = Arc::new(tools);
        self.tokens.admit(tools.token(), tools.clone());
        if !tools.by_person {
            self.tasks.spawn(page_tool_look::follow(tools.clone()));
        }
        tools
    }

    /// Revokes the token of an agent that has ended.
    pub(crate) fn revoke(&self, tools: &ConversationTools) {
        self.tokens.revoke(tools.token());
        tools.ended.cancel();
    }

    /// Returns the tools that a token gives access to. The comparison takes the same time for every token.
    pub fn of_token(&self, presented: &str) -> Option<Arc<dyn AgentAccess>> {
        self.tokens.opened_by(presented)
    }

    /// Returns the tools of a driver that the policy judges. A trusted one has none.
    pub fn of_driver(&self, driver: &Driver) -> Option<Arc<dyn AgentAccess>> {
        self.of_conversation(driver.conversation.id())
    }

    /// Returns the tools of a conversation whose agent runs.
    pub fn of_conversation(&self, id: &ConversationId) -> Option<Arc<dyn AgentAccess>> {
        self.tokens.find(|tools| tools.conversation_id() == id)
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

    fn page_tools(&self) -> watch::Receiver<Arc<Vec<PageToolOffer>>> {
        self.page_tools.watch()
    }

    fn offers(&self, tool: &str) -> bool {
        tool_list::find(tool).is_some() || page_tool_list::is_page_tool(tool)
    }

    fn run_tool<'a>(
        &'a self,
        id: Option<String>,
        tool: &'a str,
        arguments: Value,
        keeps: Option<usize>,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ToolResult, Fault>> {
        self.note_keeps(keeps);
        self.run_over_mcp(id, tool, arguments, cancel).boxed()
    }

    fn folder(&self) -> PathBuf {
        self.conversation().folder().into()
    }

    fn step_list(self: Arc<Self>, ask: &str, steps: &[String]) -> Arc<dyn ListedSteps> {
        Arc::new(Listed { tools: self, list: Arc::new(StepList::new(ask, steps)) })
    }

    fn command(self: Arc<Self>, request: CommandRequest) -> BoxFuture<'static, Result<CommandResult, Fault>> {
        if let Err(fault) = self.check_browser(&request) {
            return std::future::ready(Err(fault)).boxed();
        }
        match self.driver.clone() {
            Some(driver) => self.run_for_driver(driver, request).boxed(),
            None => self.run_from_shell(request).boxed(),
        }
    }
}
