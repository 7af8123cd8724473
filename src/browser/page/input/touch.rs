//! Touch input: a tap, and a swipe over an element or the page.
//!
//! Owns the touch events. `click` ensures that a tap hits its element.

use crate::devtools_session::Session;
use crate::page::error::PageError;
use crate::page::locate::{Need, Point, Target};
use crate::page::page::Page;
use crate::page::script::tell;
use crate::page::wait::Settling;
use serde_json::{Value, json};
use std::time::Duration;

/// The number of moves in a swipe: a faster one would be a fling, and the page would continue to scroll by itself.
const SWIPE_STEPS: u32 = 10;
const SWIPE_NEEDS: [Need; 3] = [Need::Visible, Need::Stable, Need::Hit];

/// The distance of a swipe, in CSS pixels from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swipe {
    pub x: f64,
    pub y: f64,
}

/// Taps. Touch emulation is on for the time of the tap.
pub(in crate::page) async fn tap(page: &Page, at: Point) -> Result<(), PageError> {
    let session = page.session();
    let tap = async {
        touch(session, "touchStart", Some(at)).await?;
        touch(session, "touchEnd", None).await
    };
    with_touch(session, page.unless_left(tap)).await
}

async fn with_touch(page: &Session, acts: impl Future<Output = Result<(), PageError>>) -> Result<(), PageError> {
    tell(page, "Emulation.setTouchEmulationEnabled", &json!({ "enabled": true, "maxTouchPoints": 1 })).await?;
    let done = acts.await;
    let restored = tell(page, "Emulation.setTouchEmulationEnabled", &json!({ "enabled": false })).await;
    done.and(restored)
}

async fn touch(page: &Session, kind: &str, at: Option<Point>) -> Result<(), PageError> {
    let points: Vec<Value> = at.into_iter().map(|at| json!({ "x": at.x, "y": at.y })).collect();
    tell(page, "Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points })).await
}

impl Page {
    /// Awaits input, or the next document: the browser does not answer a touch whose document was replaced.
    pub(in crate::page) async fn unless_left(
        &self,
        input: impl Future<Output = Result<(), PageError>>,
    ) -> Result<(), PageError> {
        let mut arrivals = self.subscribe(&["Page.frameNavigated"])?;
        let main = self.main_frame().await?;
        let left = async {
            while arrivals.next().await.is_some() {
                if self.frame(&main.id).is_ok_and(|now| now.loader != main.loader) {
                    return;
                }
            }
            // The connection ended: the input's own reply reports that.
            std::future::pending().await
        };
        tokio::select! {
            biased;
            done = input => done,
            () = left => Ok(()),
        }
    }

    /// Swipes over the element, or over the middle of the page.
    pub async fn swipe(&self, target: Option<&Target>, swipe: Swipe, limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        let mut is_seen = self.frames().await.is_ok_and(|frames| frames.len() == 1);
        let start = match target {
            Some(target) => {
                let ready = self.ready(target, &SWIPE_NEEDS, "swiping", limit).await?;
                let point = self.free_point(target, &ready, "swiping", limit).await?;
                self.points_at(&ready, point, true).await;
                is_seen &= !ready.is_frame();
                point
            }
            None => {
                self.check_site().await?;
                let (width, height) = self.viewport().await?;
                Point { x: width / 2.0, y: height / 2.0 }
            }
        };
        let page = self.session();
        let draw = async {
            touch(page, "touchStart", Some(start)).await?;
            for step in 1..=SWIPE_STEPS {
                let part = f64::from(step) / f64::from(SWIPE_STEPS);
                let at = Point { x: start.x + swipe.x * part, y: start.y + swipe.y * part };
                touch(page, "touchMove", Some(at)).await?;
            }
            touch(page, "touchEnd", None).await
        };
        let swiped = with_touch(page, self.unless_left(draw)).await;
        self.unless_closed(swiped).await?;
        if is_seen {
            let what = target.map_or_else(|| "the page".to_owned(), ToString::to_string);
            return self.settle_received(settling, &what).await;
        }
        self.settle(settling).await;
        Ok(())
    }
}
