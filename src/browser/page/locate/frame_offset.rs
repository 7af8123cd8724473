//! Converts a point in a frame to the point of the tab that receives input.
//!
//! Owns the path up through the parent frames.

use super::element::{FaultReply, Point};
use crate::devtools::dom::{GetFrameOwnerParams, resolve};
use crate::frames::{FrameId, World};
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Injected, WORLD};
use serde::Deserialize;

impl Page {
    /// Converts a point of a frame to a point of the tab, which receives input. An inner `Err(reason)` means that something
    /// covers the frame.
    pub(in crate::page) async fn point_in_tab(
        &self,
        frame: &FrameId,
        point: Point,
    ) -> Result<Result<Point, String>, PageError> {
        self.walk_up(frame, point, true).await
    }

    /// Like `point_in_tab`, ignoring what covers the frame.
    pub(in crate::page) async fn frame_offset(&self, frame: &FrameId, point: Point) -> Result<Point, PageError> {
        Ok(self.walk_up(frame, point, false).await?.unwrap_or(point))
    }

    /// Walks from a frame to the tab's document. Fails if a frame on the way has left the page.
    async fn walk_up(
        &self,
        frame: &FrameId,
        point: Point,
        looks_for_covers: bool,
    ) -> Result<Result<Point, String>, PageError> {
        let mut at = point;
        let mut frame = frame.clone();
        while let Some(parent) = self.frame(&frame)?.parent {
            let number = self.owner_in(&parent, &frame).await?;
            let looked_at = looks_for_covers.then_some(at);
            let origin: FrameOrigin =
                self.script(&parent, Injected::FrameOrigin, &[&number, &looked_at], SCRIPT_LIMIT).await?;
            if let Some(cover) = origin.covered {
                return Ok(Err(format!("its frame: {cover}")));
            }
            if origin.fault.fault.is_some() {
                return Err(PageError::DocumentGone);
            }
            at = Point { x: at.x + origin.x, y: at.y + origin.y };
            frame = parent;
        }
        Ok(Ok(at))
    }

    /// Returns the script's number of the element that owns `child`, in its parent's document.
    async fn owner_in(&self, parent: &FrameId, child: &FrameId) -> Result<u32, PageError> {
        let session = self.session_of(parent)?;
        let owner = session.call(GetFrameOwnerParams::new(child.as_str().to_owned())).await?;
        let context = self.context(parent, &World::Isolated(WORLD.to_owned())).await?;
        let node = session.call(resolve(owner.backend_node_id, context.id)).await?;
        let object = node.object.object_id.ok_or(PageError::DocumentGone)?;
        self.number_of(&session, &object).await
    }
}

#[derive(Debug, Deserialize)]
struct FrameOrigin {
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default)]
    covered: Option<String>,
    #[serde(flatten)]
    fault: FaultReply,
}
