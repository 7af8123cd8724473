//! A tool of a page (WebMCP) as an MCP client's tool.
//!
//! Owns what a client is told of it, and the prefix that no tool of gstack's own has.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The start of the name of every page's tool in `tools/list`.
pub const PAGE_TOOL_PREFIX: &str = "page_";

/// A page's tool as `tools/list` has it: reduced, and marked as the page's claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedPageTool {
    pub name: String,
    pub description: String,
    /// The JSON schema of its input.
    pub schema: Map<String, Value>,
}
