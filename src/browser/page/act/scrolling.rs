//! Scrolls an element or the page: by a distance, to an edge, until an element appears.
//!
//! Owns the limits. The injected script finds the scroll container.

use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::{FaultReply, Need, ScriptTarget, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected};
use crate::page::wait::Settling;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;

/// A cancelled command stops scrolling within this time. The wait at the end of a list fits into one slice.
const SLICE: Duration = Duration::from_secs(4);

/// The distance to scroll.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScrollBy {
    /// In CSS pixels, right and down.
    By(f64, f64),
    To(Edge),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Edge {
    Top,
    Bottom,
    Left,
    Right,
}

/// The outcome of scrolling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Scrolled {
    /// The distance scrolled, in CSS pixels.
    #[serde(default)]
    pub x: f64,
    #[serde(default)]
    pub y: f64,
    /// The end is reached: there is nothing below.
    #[serde(default)]
    pub ended: bool,
    /// The list says that it is loading, or a request that began at its end is under way.
    #[serde(default)]
    pub busy: bool,
    #[serde(default)]
    pub steps: u32,
    #[serde(default)]
    pub found: bool,
    /// The page navigated during it: the distance is unknown.
    #[serde(default)]
    pub left: bool,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(flatten)]
    scrolled: Scrolled,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Reply {
    fn check(self, target: Option<&Target>) -> Result<Scrolled, PageError> {
        let page = Target::Selector("the page".to_owned());
        let target = target.unwrap_or(&page);
        match self.fault.fault {
            Some(_) => Err(self.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string()))),
            None => Ok(self.scrolled),
        }
    }
}

impl Page {
    /// Scrolls the element's scroll container, or the page.
    pub async fn scroll_within(
        &self,
        target: Option<&Target>,
        how: ScrollBy,
        limit: Duration,
    ) -> Result<Scrolled, PageError> {
        let settling = Settling::begin(self);
        let (frame, place) = self.box_of(target, limit).await?;
        let reply = self.act_by_script::<Reply>(&frame, Injected::ScrollWithin, &[&place, &how], SCRIPT_LIMIT).await?;
        let left = Scrolled { left: true, ..Scrolled::default() };
        let scrolled = reply.map_or(Ok(left), |reply| reply.check(target))?;
        self.settle(settling).await;
        Ok(scrolled)
    }

    /// Scrolls down until something visible matches the selector, the end is reached or the time is up.
    pub async fn scroll_until(
        &self,
        target: Option<&Target>,
        selector: &str,
        limit: Duration,
    ) -> Result<Scrolled, PageError> {
        // Lists grow when their end is drawn.
        let _drawing = self.draw();
        let deadline = Instant::now() + limit;
        let (frame, place) = self.box_of(target, limit).await?;
        let mut all = Scrolled::default();
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).min(SLICE);
            let millis = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            let arguments: [&dyn Argument; 3] = [&place, &selector, &millis];
            let limit = left + SCRIPT_LIMIT;
            let mut asked = Settling::begin(self);
            let reply = self.act_by_script::<Reply>(&frame, Injected::ScrollUntil, &arguments, limit).await?;
            let Some(reply) = reply else { return Ok(Scrolled { left: true, ..all }) };
            let part = reply.check(target)?;
            all = Scrolled { y: all.y + part.y, steps: all.steps + part.steps, ..part };
            // What a list asked for at its end may come late.
            if all.ended && asked.as_mut().is_some_and(Settling::has_requests) {
                (all.ended, all.busy) = (false, true);
            }
            if all.found || all.ended || Instant::now() >= deadline {
                return Ok(all);
            }
        }
    }

    async fn box_of(
        &self,
        target: Option<&Target>,
        limit: Duration,
    ) -> Result<(FrameId, Option<ScriptTarget>), PageError> {
        match target {
            Some(target) => {
                let ready = self.ready(target, &[Need::Visible], "scrolling", limit).await?;
                Ok((ready.frame, Some(ready.place)))
            }
            None => {
                self.check_site().await?;
                Ok((self.current_frame().await?, None))
            }
        }
    }
}
