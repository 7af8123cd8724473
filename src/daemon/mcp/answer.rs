//! A command's result as MCP content: truncated text, images, and faults with their next step.

use super::clients;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_command::{Spec, registry, structured};
use gstack_engine::OfferedTool;
use gstack_protocol::fault::Fault;
use gstack_protocol::page_tool::ListedPageTool;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, MetaObject, PaginatedRequestParams, ProtocolVersion, Tool, ToolAnnotations,
};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// The limit for the text of one answer, in bytes. More would only fill the agent's context.
const MOST_TEXT: usize = 100 * 1024;

/// Returns the versions of the protocol that are served. The next one, 2026-07-28, has neither sessions nor
/// notifications that nobody subscribed to: a client that speaks it would not hear of a page's tools.
pub(super) fn versions() -> Cow<'static, [ProtocolVersion]> {
    Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25))
}

/// Returns true if a tool's schema has a property of this name.
pub(super) fn has_property(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

/// Returns a tool as it is listed. No known client gives its model the title: it is for people.
pub(super) fn tool(name: String, description: String, schema: Map<String, Value>, reads: bool, writes: bool) -> Tool {
    let mut meta = MetaObject::new();
    meta.insert(clients::CLAUDE_MOST.to_owned(), clients::CLAUDE_MOST_CHARACTERS.into());
    let title = registry::find(&name).map(|spec| spec.summary.to_owned());
    let mut tool = Tool::new(name, description, Arc::new(schema))
        .with_meta(meta)
        .with_annotations(ToolAnnotations::new().read_only(reads).destructive(writes && !reads).open_world(true));
    tool.title = title;
    tool
}

/// Returns a tool of an agent as it is listed.
pub(super) fn offered(tool: OfferedTool) -> Tool {
    let OfferedTool { name, description, schema, read_only, writes } = tool;
    self::tool(name, description, schema, read_only, writes)
}

/// Adds the schema of the tool's structured results, if it has any.
pub(super) fn with_output_schema(mut tool: Tool, spec: &Spec) -> Tool {
    tool.output_schema = structured::output_schema(spec).map(Arc::new);
    tool
}

/// Returns a page's tool as it is listed: it may do anything that the page can.
pub(super) fn page_tool(tool: ListedPageTool) -> Tool {
    self::tool(tool.name, tool.description, tool.schema, false, true)
}

/// Refuses a cursor: the whole list is one page, so no page has named one.
pub(super) fn check_cursor(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("Unknown cursor: the list has one page", None)),
    }
}

/// Returns a successful result. `images` are pairs of media type and bytes.
pub(super) fn success<'a>(text: String, images: impl Iterator<Item = (&'a str, &'a [u8])>) -> CallToolResult {
    let images: Vec<ContentBlock> =
        images.map(|(mime, bytes)| ContentBlock::image(STANDARD.encode(bytes), mime.to_owned())).collect();
    let mut blocks = Vec::with_capacity(1 + images.len());
    if !text.is_empty() || images.is_empty() {
        blocks.push(ContentBlock::text(cap(text)));
    }
    blocks.extend(images);
    CallToolResult::success(blocks)
}

/// Adds the structured result, if the tool has one. Where the text is cut, the structure has the cut text and no data.
pub(super) fn with_structure(
    mut result: CallToolResult,
    spec: &Spec,
    data: Option<Value>,
    text: String,
) -> CallToolResult {
    let data = data.filter(|_| text.len() <= MOST_TEXT);
    result.structured_content = structured::structured(spec, data, &cap(text));
    result
}

/// Returns a failed result. `hint` is the fault's hint, worded for the client.
pub(super) fn failure(fault: &Fault, hint: Option<String>) -> CallToolResult {
    let text = match hint {
        Some(hint) => format!("{}\n{hint}", fault.message),
        None => fault.message.clone(),
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns the protocol's error for a call of a tool that is not listed. Suggests the nearest listed one.
pub(super) fn unknown_tool<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> ErrorData {
    let near = registry::nearest(name, offered).map(|near| format!(". Did you mean: {near}?")).unwrap_or_default();
    ErrorData::invalid_params(format!("Unknown tool: {name}{near}"), None)
}

/// Truncates at a character boundary, and says so.
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
        let image: [(&str, &[u8]); 1] = [("image/png", &[1, 2, 3])];
        assert_eq!(success(String::new(), image.into_iter()).content.len(), 1);
        assert_eq!(success(String::new(), std::iter::empty()).content.len(), 1);
    }
}
