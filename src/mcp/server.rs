//! One MCP server for all conversations: which one is meant comes with each request.

use crate::engine::{ConversationTools, Image, Tools};
use crate::protocol::VERSION;
use crate::protocol::fault::Fault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::Arc;

/// What one answer may hold: more would only eat the agent's context.
const MOST_TEXT: usize = 100 * 1024;

#[derive(Clone, Copy, Debug)]
pub struct BrowserTools;

/// The tools that `authenticate` put into the request.
fn tools(context: &RequestContext<RoleServer>) -> Result<Arc<ConversationTools>, ErrorData> {
    context
        .extensions
        .get::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<Arc<ConversationTools>>())
        .cloned()
        .ok_or_else(|| ErrorData::internal_error("the request carries no conversation", None))
}

impl ServerHandler for BrowserTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("gstack", VERSION))
            .with_instructions("The browser tab that the person looks at. Take a snapshot before clicking.")
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered = tools(&context)?.offered();
        let tools = offered
            .into_iter()
            .map(|tool| {
                Tool::new(tool.name, tool.description, Arc::new(tool.schema)).with_annotations(
                    ToolAnnotations::new().read_only(tool.read_only).destructive(!tool.read_only).open_world(true),
                )
            })
            .collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = tools(&context)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = match tools.call_of(&request.name, &arguments) {
            Ok(call) => call,
            Err(fault) => return Ok(failure(&fault).into()),
        };
        Ok(match tools.run(call, context.ct).await {
            Ok(result) => CallToolResult::success(content(result.text, &result.images)).into(),
            Err(fault) => failure(&fault).into(),
        })
    }
}

fn content(text: String, images: &[Image]) -> Vec<ContentBlock> {
    let mut blocks = Vec::with_capacity(1 + images.len());
    if !text.is_empty() || images.is_empty() {
        blocks.push(ContentBlock::text(cap(text)));
    }
    blocks.extend(images.iter().map(|image| ContentBlock::image(STANDARD.encode(&image.bytes), image.mime.clone())));
    blocks
}

fn failure(fault: &Fault) -> CallToolResult {
    let text = match &fault.hint {
        Some(hint) => format!("{}\n{hint}", fault.message),
        None => fault.message.clone(),
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Cuts at a character, and says so.
fn cap(mut text: String) -> String {
    if text.len() <= MOST_TEXT {
        return text;
    }
    let whole = text.len();
    let mut end = MOST_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&format!("\n… {} bytes more. Narrow the request.", whole - end));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_cut_at_a_character_and_says_so() {
        let text = cap("ä".repeat(MOST_TEXT));
        assert!(text.len() < MOST_TEXT + 100);
        assert!(text.ends_with("bytes more. Narrow the request."));
    }

    #[test]
    fn an_image_comes_as_image_content_with_no_empty_text_before_it() {
        let image = Image { mime: "image/png".to_owned(), bytes: vec![1, 2, 3] };
        assert_eq!(content(String::new(), &[image]).len(), 1);
        assert_eq!(content(String::new(), &[]).len(), 1);
    }
}
