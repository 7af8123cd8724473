//! `DOM`: from a frame to the element that holds it, and back.

use super::commands;
use super::runtime::Remote;
use serde::{Deserialize, Serialize};

/// The element that holds a frame, in the document around it.
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

/// A handle to a node, in one of its document's worlds.
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
    /// How many levels of children are described too.
    pub depth: i64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DescribedNode {
    pub node: Node,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Of an element that holds a frame.
    #[serde(default)]
    pub frame_id: Option<String>,
}

commands! {
    GetFrameOwner => FrameOwner, "DOM.getFrameOwner";
    ResolveNode => ResolvedNode, "DOM.resolveNode";
    DescribeNode => DescribedNode, "DOM.describeNode";
}
