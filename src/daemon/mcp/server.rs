//! The MCP server for all conversations. Each request carries its conversation's tools.

use super::{answer, clients, hints, list_changes, progress};
use crate::flows::tool;
use gstack_base::home::Home;
use gstack_command::registry;
use gstack_engine::{AgentAccess, OfferedTool};
use gstack_protocol::VERSION;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// The key under which Claude Code sends the id of the call's step.
const CALL_ID: &str = "claudecode/toolUseId";

/// The server of one session.
#[derive(Clone, Debug)]
pub(super) struct BrowserTools {
    /// The home with the person's flows.
    home: Home,
    /// True once its client is told of changes of the list.
    tells: Arc<AtomicBool>,
    /// Dropped with the session. Whoever tells its client anything keeps the session's buffers, and so ends then.
    lives: Arc<watch::Sender<()>>,
}

impl BrowserTools {
    pub(super) fn new(home: Home) -> Self {
        Self { home, tells: Arc::default(), lives: Arc::default() }
    }
}

/// Returns the tools that the HTTP guard attached to the request. Fails if there are none.
fn tools(context: &RequestContext<RoleServer>) -> Result<Arc<dyn AgentAccess>, ErrorData> {
    context
        .extensions
        .get::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<Arc<dyn AgentAccess>>())
        .cloned()
        .ok_or_else(|| ErrorData::internal_error("the request carries no conversation", None))
}

/// Returns true if a tool has an argument of this name.
fn takes(tools: &dyn AgentAccess, tool: &str, argument: &str) -> bool {
    let offers = tools.page_tools().borrow().clone();
    let of_page = offers.iter().find(|offer| offer.listed.name == tool).map(|offer| offer.listed.schema.clone());
    let schema = of_page.or_else(|| Some(tools.offered().into_iter().find(|offered| offered.name == tool)?.schema));
    schema.is_some_and(|schema| answer::has_property(&schema, argument))
}

/// Returns the flows that may run in a folder.
pub(super) async fn flows(home: Home, folder: PathBuf) -> Vec<OfferedTool> {
    tokio::task::spawn_blocking(move || tool::offered(&home, &folder)).await.unwrap_or_default()
}

impl ServerHandler for BrowserTools {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        answer::versions()
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
            .with_server_info(Implementation::new("gstack", VERSION))
            .with_instructions("The browser tab that the person looks at. Take a snapshot before clicking. With `look`, an act also returns what it changed.")
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        answer::check_cursor(request.as_ref())?;
        let tools = tools(&context)?;
        let mut offers = tools.page_tools();
        let of_page = offers.borrow_and_update().clone();
        // Only a client that has listed them needs to know of a change.
        if !self.tells.swap(true, Ordering::Relaxed) {
            let lives = self.lives.subscribe();
            tokio::spawn(list_changes::follow(offers, context.peer.clone(), tools.ended().clone(), lives));
        }
        let listed = tools.offered().into_iter().map(answer::offered);
        let of_page = of_page.iter().map(|offer| answer::page_tool(offer.listed.clone()));
        let flows = flows(self.home.clone(), tools.folder()).await.into_iter().map(answer::offered);
        Ok(ListToolsResult::with_all_items(listed.chain(of_page).chain(flows).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = tools(&context)?;
        if let Some(flow) = tool::named(&request.name) {
            let arguments = Value::Object(request.arguments.unwrap_or_default());
            let call = tool::run(tools, &self.home, flow, &arguments, context.ct.child_token());
            return Ok(match progress::told(&context, &request.name, call).await {
                Ok(result) => answer::success(result.text, std::iter::empty()).into(),
                Err(fault) => {
                    let hint = fault.hint.clone();
                    answer::failure(&fault, hint).into()
                }
            });
        }
        if !tools.offers(&request.name) {
            let offered = tools.offered();
            return Err(answer::unknown_tool(&request.name, offered.iter().map(|tool| tool.name.as_str())));
        }
        let known = clients::known(&context.peer);
        let given = request.arguments.unwrap_or_default();
        let arguments =
            Value::Object(clients::without_added(known, given, |name| takes(tools.as_ref(), &request.name, name)));
        let id = context.meta.0.get(CALL_ID).and_then(Value::as_str).map(str::to_owned);
        let call = tools.run_tool(id, &request.name, arguments, clients::keeps(known), context.ct.clone());
        Ok(match progress::told(&context, &request.name, call).await {
            Ok(result) => {
                let images = result.images.iter().map(|image| (image.mime.as_str(), image.bytes.as_slice()));
                answer::success(result.text, images).into()
            }
            Err(fault) => {
                let hint = hints::for_client(&fault, registry::find(&request.name), &|name| tools.offers(name));
                answer::failure(&fault, hint).into()
            }
        })
    }
}
