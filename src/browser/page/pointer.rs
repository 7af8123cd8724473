//! Telling somebody where input goes, so that a person sees what an agent does.
//!
//! Owns the places that are told of. Nobody is told unless a command was given a watcher; nothing waits for one.

use super::element::{Point, Ready, Target};
use super::page::Page;
use crate::protocol::ids::TabId;
use std::sync::Arc;

/// A point of a tab's viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerAt {
    pub tab: TabId,
    pub x: f64,
    pub y: f64,
    /// A button goes down there; otherwise the pointer only moves, or what is there is filled.
    pub pressed: bool,
}

/// Is told of each place just before the input is sent. Must not block.
pub type PointerWatch = Arc<dyn Fn(PointerAt) + Send + Sync>;

impl Page {
    pub(super) fn points_at(&self, point: Point, pressed: bool) {
        if let Some(watch) = &self.pointer {
            watch(PointerAt { tab: self.id(), x: point.x, y: point.y, pressed });
        }
    }

    /// The same for an element that no pointer goes to: it is filled, or an option of it is chosen.
    pub(super) async fn points_at_element(&self, target: &Target, ready: &Ready) {
        if self.pointer.is_none() {
            return;
        }
        let place = async {
            let box_of = self.rectangle(target).await?;
            let middle = Point { x: box_of.x + box_of.width / 2.0, y: box_of.y + box_of.height / 2.0 };
            self.frame_offset(&ready.frame, middle).await
        };
        match place.await {
            Ok(point) => self.points_at(point, false),
            // It is only shown: the action itself says what is wrong.
            Err(error) => tracing::debug!(%error, "where the agent works could not be shown"),
        }
    }
}
