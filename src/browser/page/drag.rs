//! Dragging one element onto another.
//!
//! Owns the order of press, moves and drop, and the two kinds of drag: the page's own (pointer events) and the browser's
//! (`dragstart` … `drop`), which is told apart as it goes. Never decides where on an element.

use super::devtools::tell;
use super::element::{Need, Point, Ready, Target};
use super::error::PageError;
use super::injected::Injected;
use super::input;
use super::page::{Page, SCRIPT_LIMIT};
use super::settle::Settling;
use crate::browser::events::Subscription;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

const DRAG_NEEDS: [Need; 4] = [Need::Visible, Need::Enabled, Need::Stable, Need::Hit];
const DROP_NEEDS: [Need; 3] = [Need::Visible, Need::Stable, Need::Hit];
/// Moves on the way: lists that make room while something is dragged over them look at each.
const STEPS: u32 = 5;
/// In CSS pixels: farther than what programs take for a trembling hand.
const FIRST_STEP: f64 = 6.0;
/// Chromium tells of its drag right after the page's `dragstart`.
const INTERCEPT_LIMIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
struct Intercepted {
    data: Value,
}

impl Page {
    /// Presses on the middle of one element, carries it to the middle of another and lets go there.
    pub async fn drag(&self, from: &Target, to: &Target, limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        let _drawing = self.draw();
        tell(self.session(), "Input.setInterceptDrags", &json!({ "enabled": true })).await?;
        let dragged = self.drag_now(from, to, limit).await;
        let restored = tell(self.session(), "Input.setInterceptDrags", &json!({ "enabled": false })).await;
        dragged?;
        restored?;
        self.settle(settling).await;
        Ok(())
    }

    async fn drag_now(&self, from: &Target, to: &Target, limit: Duration) -> Result<(), PageError> {
        let source = self.ready(from, &DRAG_NEEDS, "dragging", limit).await?;
        let start = self.free_point(from, &source, "dragging", limit).await?;
        let _: Value = self.script(&source.frame, Injected::WatchDrag, &[], SCRIPT_LIMIT).await?;
        let intercepted = self.subscribe(&["Input.dragIntercepted"])?;
        self.points_at(&source, start, true).await;
        input::hover(self.session(), start).await?;
        let held = self.hold_keyboard(&source.frame).await;
        let pressed = input::press_button(self.session(), start, held.panel()).await;
        held.give_back().await;
        pressed?;
        let carried = self.carry(&source, start, to, limit, intercepted).await;
        if carried.is_err() {
            // The button must not stay down.
            input::release_button(self.session(), start).await?;
        }
        carried
    }

    async fn carry(
        &self,
        source: &Ready,
        start: Point,
        to: &Target,
        limit: Duration,
        mut intercepted: Subscription,
    ) -> Result<(), PageError> {
        input::carry(self.session(), Point { x: start.x + FIRST_STEP, y: start.y + FIRST_STEP }).await?;
        let destination = self.ready(to, &DROP_NEEDS, "dropping", limit).await?;
        let end = self.free_point(to, &destination, "dropping", limit).await?;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let at = Point { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
            input::carry(self.session(), at).await?;
        }
        self.points_at(&destination, end, false).await;
        let by_browser: bool = self.script(&source.frame, Injected::DragBegan, &[], SCRIPT_LIMIT).await?;
        if !by_browser {
            return input::release_button(self.session(), end).await;
        }
        let event = tokio::time::timeout(INTERCEPT_LIMIT, intercepted.next()).await.ok().flatten();
        let Some(Intercepted { data }) = event.and_then(|event| event.read()) else {
            return Err(PageError::Timeout { what: "the browser's drag".to_owned(), after: INTERCEPT_LIMIT });
        };
        for kind in ["dragEnter", "dragOver", "drop"] {
            let params = json!({ "type": kind, "x": end.x, "y": end.y, "data": data });
            tell(self.session(), "Input.dispatchDragEvent", &params).await?;
        }
        Ok(())
    }

    /// Where input goes for a ready element of which nothing covers the frame.
    pub(super) async fn free_point(
        &self,
        target: &Target,
        ready: &Ready,
        action: &'static str,
        limit: Duration,
    ) -> Result<Point, PageError> {
        self.tab_point(target, ready).await?.map_err(|reason| PageError::NotReady {
            what: target.to_string(),
            action,
            reason,
            waited: limit,
        })
    }
}
