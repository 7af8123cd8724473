//! Closed shadow roots: gets them from the browser for the elements that may have one, and passes them to our script.
//!
//! Owns the requests; the script chooses the elements. The page cannot notice, and its own scripts still cannot see
//! into a closed root.

use crate::devtools::dom::{DescribedNode, ResolvedNode};
use crate::frames::{FrameId, World};
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::{Injected, WORLD, call};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// The deepest nesting of closed roots.
const DEEPEST: usize = 4;
/// The object group that releases the handles.
const GROUP: &str = "gstack closed roots";

impl Page {
    /// Passes the closed shadow roots of a frame to our script, except for those it knows.
    pub(in crate::page) async fn open_closed_roots(&self, frame: &FrameId) -> Result<(), PageError> {
        for _ in 0..DEEPEST {
            let Some(suspects) = self.listed(frame, Injected::ListSuspects, GROUP).await? else { break };
            let found = join_all(suspects.elements.iter().map(|suspect| self.open_root(frame, suspect))).await;
            self.release_listed(frame, GROUP).await?;
            // An element that was removed has no root.
            if !found.into_iter().any(|found| matches!(found, Ok(true))) {
                break;
            }
        }
        Ok(())
    }

    /// Passes the element's closed root to the script. Returns false if it has none.
    async fn open_root(&self, frame: &FrameId, suspect: &str) -> Result<bool, PageError> {
        let session = self.session_of(frame)?;
        let described: DescribedNode =
            call(&session, "DOM.describeNode", &json!({ "objectId": suspect, "depth": 0 })).await?;
        let closed =
            described.node.shadow_roots.into_iter().find(|root| root.shadow_root_type.as_deref() == Some("closed"));
        let Some(closed) = closed else { return Ok(false) };
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await?;
        let resolve = json!({
            "backendNodeId": closed.backend_node_id,
            "executionContextId": context.id,
            "objectGroup": GROUP,
        });
        let root: ResolvedNode = call(&session, "DOM.resolveNode", &resolve).await?;
        let Some(root) = root.object.object_id else { return Ok(false) };
        let show = json!({
            "objectId": suspect,
            "functionDeclaration": format!("function (root) {{ globalThis.__gstack?.{}(this, root); }}", Injected::ShowClosedRoot),
            "arguments": [{ "objectId": root }],
        });
        let _: Value = call(&session, "Runtime.callFunctionOn", &show).await?;
        Ok(true)
    }
}
