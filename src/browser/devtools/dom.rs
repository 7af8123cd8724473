//! `DOM`: from a frame to its owner element, and back.

use super::commands;
use super::runtime::Remote;
use chromiumoxide_cdp::cdp::browser_protocol::dom::BackendNodeId;
use chromiumoxide_cdp::cdp::js_protocol::runtime::{ExecutionContextId, RemoteObjectId};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameOwner {
    pub backend_node_id: i64,
}

/// Returns a handle to a node in one of its document's worlds.
pub fn resolve(backend_node_id: i64, context_id: i64) -> ResolveNodeParams {
    let node = BackendNodeId::new(backend_node_id);
    ResolveNodeParams::builder().backend_node_id(node).execution_context_id(ExecutionContextId::new(context_id)).build()
}

#[derive(Debug, Deserialize)]
pub struct ResolvedNode {
    pub object: Remote,
}

/// Asks how an element is drawn in its process's topmost viewport, in CSS pixels of the element's own document. Fails for an
/// element without a box.
pub fn box_model(backend_node_id: i64) -> GetBoxModelParams {
    GetBoxModelParams::builder().backend_node_id(BackendNodeId::new(backend_node_id)).build()
}

#[derive(Clone, Debug, Deserialize)]
pub struct Boxed {
    pub model: BoxModel,
}

/// Quads: the x and y of four corners, from the top left one on clockwise.
#[derive(Clone, Debug, Deserialize)]
pub struct BoxModel {
    pub content: [f64; 8],
}

/// Describes a node without its children.
pub fn describe(object_id: String) -> DescribeNodeParams {
    DescribeNodeParams::builder().object_id(RemoteObjectId::from(object_id)).depth(0).build()
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

commands! { browser_protocol::dom:
    GetBoxModelParams => Boxed;
    GetFrameOwnerParams => FrameOwner;
    ResolveNodeParams => ResolvedNode;
    DescribeNodeParams => DescribedNode;
}
