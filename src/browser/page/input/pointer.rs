//! Reports the position of input, so that the user sees what an agent does.
//!
//! Owns the reported positions, and the mark on the element if its refs are shown. Without a watcher nothing is
//! reported or marked; no command waits for either.

use super::pointer_watch::{PointerAt, Touch};
use crate::frames::World;
use crate::page::error::PageError;
use crate::page::locate::{Point, Ready, Target};
use crate::page::page::{Page, lock};
use crate::page::script::WORLD;

impl Page {
    pub(in crate::page) async fn points_at(&self, ready: &Ready, point: Point, pressed: bool) {
        let Some(watch) = &self.pointer else { return };
        watch(PointerAt { tab: self.id(), x: point.x, y: point.y, pressed });
        if !lock(&self.memory.drawn).refs {
            return;
        }
        match self.touch(ready).await {
            // The previous mark ends first, so that it cannot remove this one.
            Ok((touch, number)) => {
                drop(lock(&self.touched).take());
                touch.tell(Some(number));
                *lock(&self.touched) = Some(touch);
            }
            Err(error) => tracing::debug!(%error, "what the agent acts on could not be marked"),
        }
    }

    async fn touch(&self, ready: &Ready) -> Result<(Touch, u32), PageError> {
        let number = ready.number()?;
        let session = self.session_of(&ready.frame)?;
        let context = self.context(&ready.frame, &World::Isolated(WORLD.to_owned())).await?.id;
        Ok((Touch { session, context, document: ready.document.clone() }, number))
    }

    /// Like `points_at`, for an element without pointer input: it is filled, or one of its options is chosen.
    pub(in crate::page) async fn points_at_element(&self, target: &Target, ready: &Ready) {
        if self.pointer.is_none() {
            return;
        }
        let place = async {
            let (frame, found) = self.rectangle(target).await?;
            Ok::<_, PageError>(self.projection(&frame).await?.point(found.middle()))
        };
        match place.await {
            Ok(point) => self.points_at(ready, point, false).await,
            // Only for display: the action itself reports errors.
            Err(error) => tracing::debug!(%error, "where the agent works could not be shown"),
        }
    }
}
