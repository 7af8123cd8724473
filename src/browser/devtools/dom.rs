//! `DOM`: from a frame to its owner element, and back.

use super::commands;
use super::runtime::Remote;
use serde::{Deserialize, Serialize};

/// Returns the element that owns a frame, in the parent document.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetFrameOwner {
    pub frame_id: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameOwner {
    pub backend_node_id: i64,
}

/// Returns a handle to a node in one of its document's worlds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveNode {
    pub backend_node_id: i64,
    pub execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
pub struct ResolvedNode {
    pub object: Remote,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribeNode {
    pub object_id: String,
    /// The depth of the children that are described too.
    pub depth: i64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DescribedNode {
    pub node: Node,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Set for an element that owns a frame.
    #[serde(default)]
    pub frame_id: Option<String>,
    pub backend_node_id: i64,
    /// The shadow roots of an element, whether open, closed or the browser's own.
    #[serde(default)]
    pub shadow_roots: Vec<Node>,
    /// Set for a shadow root: `open`, `closed` or `user-agent`.
    #[serde(default)]
    pub shadow_root_type: Option<String>,
}

commands! {
    GetFrameOwner => FrameOwner, "DOM.getFrameOwner";
    ResolveNode => ResolvedNode, "DOM.resolveNode";
    DescribeNode => DescribedNode, "DOM.describeNode";
}
