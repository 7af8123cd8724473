//! How a frame is drawn in the tab: converts its points and rectangles to those of the tab, which receives input.
//!
//! Owns the path up through the parent frames. Each step is the map of the frame's viewport onto the quad that the
//! browser draws it as, and the element at the mapped point must be the frame's own.

use super::element::{FaultReply, Point};
use super::projection::Projection;
use crate::cdp::CdpError;
use crate::devtools::dom::{GetFrameOwnerParams, box_model, resolve};
use crate::frames::{FrameId, World};
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected, WORLD};
use serde::Deserialize;
use serde_json::Value;

/// The element that owns a frame, in the parent's document.
struct Owner {
    backend_node_id: i64,
    number: u32,
}

#[derive(Debug, Deserialize)]
struct FrameView {
    /// The size of the frame's viewport, in its own CSS pixels.
    #[serde(default)]
    width: f64,
    #[serde(default)]
    height: f64,
    /// The device pixels of a CSS pixel of the parent's document: a frame in a zoomed element has others than the tab.
    #[serde(default)]
    ratio: f64,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Debug, Deserialize)]
struct FrameHit {
    covered: Option<String>,
}

/// How often a frame is scrolled to another place, if something covers it: in the middle, low, high.
const REVEALS: u32 = 3;
const NOT_DRAWN: &str = "its frame is not visible";

impl Page {
    /// Converts a point of a frame to a point of the tab, which receives input; scrolls the frame into view where a
    /// parent document clips it. An inner `Err(reason)` means that something covers the frame.
    pub(in crate::page) async fn point_in_tab(
        &self,
        frame: &FrameId,
        point: Point,
    ) -> Result<Result<Point, String>, PageError> {
        let mut at = point;
        let mut frame = frame.clone();
        while let Some(parent) = self.frame(&frame)?.parent {
            let owner = self.owner_in(&parent, &frame).await?;
            let mut attempt = 0;
            at = loop {
                let Some(step) = self.drawn_in(&parent, &owner, attempt > 0).await? else {
                    return Ok(Err(NOT_DRAWN.to_owned()));
                };
                let there = step.point(at);
                let hit: FrameHit =
                    self.script(&parent, Injected::FrameHit, &[&owner.number, &there], SCRIPT_LIMIT).await?;
                match hit.covered {
                    None => break there,
                    Some(reason) if attempt == REVEALS => return Ok(Err(format!("its frame: {reason}"))),
                    Some(_) => {
                        let given: [&dyn Argument; 3] = [&owner.number, &there, &attempt];
                        let _: Value = self.script(&parent, Injected::RevealFrame, &given, SCRIPT_LIMIT).await?;
                        attempt += 1;
                    }
                }
            };
            frame = parent;
        }
        Ok(Ok(at))
    }

    /// Returns the frame that receives input at a point of the viewport of a frame, within it; `None`: that frame itself.
    pub(in crate::page) async fn frame_at(&self, outer: &FrameId, point: Point) -> Result<Option<FrameId>, PageError> {
        let (mut at, mut found) = (point, None);
        loop {
            let parent = found.as_ref().unwrap_or(outer);
            let number: Option<u32> = self.script(parent, Injected::FrameAt, &[&at], SCRIPT_LIMIT).await?;
            let Some(number) = number else { return Ok(found) };
            let Ok(child) = self.content_frame(parent, number).await else { return Ok(found) };
            let owner = self.owner_in(parent, &child).await?;
            let drawn = self.drawn_in(parent, &owner, false).await?;
            let Some(back) = drawn.and_then(|step| step.inverse()) else { return Ok(found) };
            (at, found) = (back.point(at), Some(child));
        }
    }

    /// Returns the map from a frame's viewport to the tab's, whatever covers the frame.
    pub(in crate::page) async fn projection(&self, frame: &FrameId) -> Result<Projection, PageError> {
        let mut all = Projection::IDENTITY;
        let mut frame = frame.clone();
        while let Some(parent) = self.frame(&frame)?.parent {
            let owner = self.owner_in(&parent, &frame).await?;
            let refused = || PageError::Refused { what: "the element".to_owned(), reason: NOT_DRAWN.to_owned() };
            let step = self.drawn_in(&parent, &owner, false).await?.ok_or_else(refused)?;
            all = step.after(&all);
            frame = parent;
        }
        Ok(all)
    }

    /// Returns the map from the owned frame's viewport to its parent's. `None` if the frame is not drawn.
    async fn drawn_in(&self, parent: &FrameId, owner: &Owner, moved: bool) -> Result<Option<Projection>, PageError> {
        let Some(inner) = self.drawn_in_root(parent, owner, moved).await? else { return Ok(None) };
        // The browser measures in the topmost document of a process.
        let Some(outer) = self.parent_in_process(parent)? else { return Ok(Some(inner)) };
        let above = self.owner_in(&outer, parent).await?;
        let around = self.drawn_in_root(&outer, &above, false).await?;
        Ok(around.and_then(|around| around.inverse()).map(|back| back.after(&inner)))
    }

    /// Returns the parent of a frame if both are in one process.
    fn parent_in_process(&self, frame: &FrameId) -> Result<Option<FrameId>, PageError> {
        let frame = self.frame(frame)?;
        let Some(parent) = frame.parent else { return Ok(None) };
        Ok((self.frame(&parent)?.session == frame.session).then_some(parent))
    }

    /// Returns the map from the owned frame's viewport to that of the topmost document of the parent's process.
    async fn drawn_in_root(
        &self,
        parent: &FrameId,
        owner: &Owner,
        moved: bool,
    ) -> Result<Option<Projection>, PageError> {
        let view: FrameView = self.script(parent, Injected::FrameView, &[&owner.number, &moved], SCRIPT_LIMIT).await?;
        if view.fault.fault.is_some() {
            return Err(PageError::DocumentGone);
        }
        let session = self.session_of(parent)?;
        let model = match session.call(box_model(owner.backend_node_id)).await {
            Ok(reply) => reply.model,
            // It has no box.
            Err(CdpError::Protocol { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut root = parent.clone();
        while let Some(outer) = self.parent_in_process(&root)? {
            root = outer;
        }
        // The quad is in CSS pixels of the parent's document, with the zoom of the frames around it.
        let factor = match root == *parent {
            true => 1.0,
            false => view.ratio / self.script::<f64>(&root, Injected::PixelRatio, &[], SCRIPT_LIMIT).await?,
        };
        let [x1, y1, x2, y2, x3, y3, x4, y4] = model.content.map(|part| part * factor);
        let corners = [(x1, y1), (x2, y2), (x3, y3), (x4, y4)].map(|(x, y)| Point { x, y });
        Ok(Projection::onto(view.width, view.height, corners))
    }

    /// Returns the element that owns `child`, in its parent's document.
    async fn owner_in(&self, parent: &FrameId, child: &FrameId) -> Result<Owner, PageError> {
        let session = self.session_of(parent)?;
        let owner = session.call(GetFrameOwnerParams::new(child.as_str().to_owned())).await?;
        let context = self.context(parent, &World::Isolated(WORLD.to_owned())).await?;
        let node = session.call(resolve(owner.backend_node_id, context.id)).await?;
        let object = node.object.object_id.ok_or(PageError::DocumentGone)?;
        let number = self.number_of(&session, &object).await?;
        Ok(Owner { backend_node_id: owner.backend_node_id, number })
    }
}
