//! Drags one element onto another.
//!
//! Owns the order of press, moves and drop, and both kinds of drag: pointer events handled by the page, and drag and
//! drop by the browser (`dragstart` … `drop`), detected during the drag. If the page does not react, the drag is repeated
//! once with a hold after the press. Never chooses the point on an element.

use crate::events::Subscription;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::input::{Modifiers, events};
use crate::page::locate::{Need, Point, Ready, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::read::Activation;
use crate::page::script::{Injected, tell};
use crate::page::wait::Settling;
use gstack_base::site;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

const DRAG_NEEDS: [Need; 4] = [Need::Visible, Need::Enabled, Need::Stable, Need::Hit];
const DROP_NEEDS: [Need; 3] = [Need::Visible, Need::Stable, Need::Hit];
/// The number of moves: lists that make room for a dragged item react to each.
const STEPS: u32 = 5;
/// In CSS pixels: more than the distance below which programs ignore a drag.
const FIRST_STEP: f64 = 6.0;
/// The hold of the second attempt: longer than the delays of touch and long-press sensors.
const HOLD: Duration = Duration::from_millis(600);
/// The longest hold that a client may name.
pub const LONGEST_HOLD: Duration = Duration::from_secs(5);
/// Chromium reports its drag right after the page's `dragstart`.
const INTERCEPT_LIMIT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
struct Intercepted {
    data: Value,
}

/// What the page did during a drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dragged {
    /// Something moved, or the page can draw without a change that shows.
    Moved,
    /// Nothing in the page changed, also after a hold.
    NothingMoved,
    /// The page changed, but did not accept the drop there.
    NotAccepted,
}

/// How the page reacted to the drop.
#[derive(Deserialize)]
struct Dropped {
    changed: bool,
    dropped: bool,
}

/// The ends of a drag.
#[derive(Clone, Copy)]
struct Ends<'a> {
    from: &'a Target,
    to: &'a Target,
    limit: Duration,
    /// The time between the press and the first move.
    hold: Option<Duration>,
    /// Whether to release where nothing is clicked if the page does not react.
    may_repeat: bool,
}

impl Page {
    /// Presses on the middle of one element, drags to the middle of another and releases there. `hold`: the time between the
    /// press and the first move; without it, a drag that moves nothing is repeated with one.
    pub async fn drag(
        &self,
        from: &Target,
        to: &Target,
        hold: Option<Duration>,
        limit: Duration,
    ) -> Result<Dragged, PageError> {
        let settling = Settling::begin(self);
        let _drawing = self.draw();
        let is_only = self.frames().await.is_ok_and(|frames| frames.len() == 1);
        tell(self.session(), "Input.setInterceptDrags", &json!({ "enabled": true })).await?;
        let ends = Ends { from, to, limit, hold, may_repeat: hold.is_none() };
        let dragged = match self.drag_now(ends).await {
            Ok(None) if hold.is_none() => self.drag_now(Ends { hold: Some(HOLD), may_repeat: false, ..ends }).await,
            other => other,
        };
        let restored = tell(self.session(), "Input.setInterceptDrags", &json!({ "enabled": false })).await;
        let dragged = dragged?;
        self.unless_closed(restored).await?;
        if is_only {
            self.settle_received(settling, &from.to_string()).await?;
        } else {
            self.settle(settling).await;
        }
        let Some((dragged, frame)) = dragged else { return Ok(Dragged::NothingMoved) };
        self.outcome(dragged, &frame, to).await
    }

    /// Returns what a drag did, with what the page did at the drop. Fails if nothing accepted a drop of the browser's.
    async fn outcome(&self, dragged: Dragged, frame: &FrameId, to: &Target) -> Result<Dragged, PageError> {
        if dragged == Dragged::Moved {
            return Ok(dragged);
        }
        let Dropped { changed, dropped } = match self.script(frame, Injected::DropOutcome, &[], SCRIPT_LIMIT).await {
            Ok(ended) => ended,
            Err(PageError::DocumentGone) => return Ok(Dragged::Moved),
            Err(PageError::Browser(_)) if self.is_closed() => return Ok(Dragged::Moved),
            Err(error) => return Err(error),
        };
        match (dragged, changed) {
            (Dragged::NothingMoved, false) => Ok(Dragged::NothingMoved),
            (Dragged::NotAccepted, _) if dropped => Ok(Dragged::Moved),
            (Dragged::NotAccepted, true) => Ok(Dragged::NotAccepted),
            (Dragged::NotAccepted, false) => Err(PageError::Refused {
                what: to.to_string(),
                reason: "the page does not accept the drop there".to_owned(),
            }),
            (Dragged::NothingMoved, true) | (Dragged::Moved, _) => Ok(Dragged::Moved),
        }
    }

    /// Returns what moved, and the frame of the drop. `None`: nothing did, and it was released where nothing is clicked.
    async fn drag_now(&self, ends: Ends<'_>) -> Result<Option<(Dragged, FrameId)>, PageError> {
        let Ends { from, limit, .. } = ends;
        let source = self.ready(from, &DRAG_NEEDS, "dragging", limit).await?;
        let start = self.free_point(from, &source, "dragging", limit).await?;
        // Both ends, before the first press; the drop target again before the drop.
        self.check_all_expected().await?;
        let _: Value = self.script(&source.frame, Injected::WatchDrag, &[], SCRIPT_LIMIT).await?;
        let intercepted = self.subscribe(&["Input.dragIntercepted"])?;
        self.points_at(&source, start, true).await;
        let not_ready =
            |reason| PageError::NotReady { what: from.to_string(), action: "dragging", reason, waited: limit };
        let closed = self.approach(from, &source, start, Some(Modifiers::default())).await?.map_err(not_ready)?;
        let held = self.hold_keyboard(&source.frame).await;
        let pressed = events::press_button(self.session(), start, held.panel()).await;
        held.give_back().await;
        let went_elsewhere = self.open_others(closed).await;
        pressed?;
        if went_elsewhere {
            events::let_go_outside(self.session()).await?;
            return Err(not_ready("another frame was in the way".to_owned()));
        }
        let carried = self.carry(&source, start, ends, intercepted).await;
        if carried.is_err() {
            // The button must not stay down, nor click where it was pressed.
            events::let_go_outside(self.session()).await?;
        }
        carried
    }

    async fn carry(
        &self,
        source: &Ready,
        start: Point,
        Ends { from, to, limit, hold, may_repeat }: Ends<'_>,
        mut intercepted: Subscription,
    ) -> Result<Option<(Dragged, FrameId)>, PageError> {
        if let Some(hold) = hold {
            tokio::time::sleep(hold.min(LONGEST_HOLD)).await;
        }
        let _: Value = self.script(&source.frame, Injected::WatchMoves, &[&source.place], SCRIPT_LIMIT).await?;
        events::carry(self.session(), Point { x: start.x + FIRST_STEP, y: start.y + FIRST_STEP }).await?;
        let destination = self.ready(to, &DROP_NEEDS, "dropping", limit).await?;
        self.refuse_other_site(source, &destination, from, to).await?;
        let end = self.free_point(to, &destination, "dropping", limit).await?;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let at = Point { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
            events::carry(self.session(), at).await?;
        }
        self.points_at(&destination, end, false).await;
        self.check_expected(Some(to)).await?;
        let by_browser: bool = self.script(&source.frame, Injected::DragBegan, &[], SCRIPT_LIMIT).await?;
        if !by_browser {
            self.refuse_click(source, &destination, to).await?;
            // Lists make room step by step, some of them by a timer.
            let has_moved: bool = self.script(&source.frame, Injected::MovesSettled, &[], SCRIPT_LIMIT).await?;
            if !has_moved && may_repeat {
                events::let_go_outside(self.session()).await?;
                return Ok(None);
            }
            self.expect_drop(&destination).await?;
            self.unless_closed(events::release_button(self.session(), end).await).await?;
            self.mouse_is_at(end, (!destination.is_frame()).then_some(&destination.frame));
            let dragged = if has_moved || destination.is_frame() { Dragged::Moved } else { Dragged::NothingMoved };
            return Ok(Some((dragged, destination.frame)));
        }
        let event = tokio::time::timeout(INTERCEPT_LIMIT, intercepted.next()).await.ok().flatten();
        let Some(Intercepted { data }) = event.and_then(|event| event.read()) else {
            let reason = format!("the browser reported nothing about the drag for {} s", INTERCEPT_LIMIT.as_secs());
            return Err(PageError::Unknown { what: to.to_string(), reason });
        };
        let send = async |kind: &str| {
            let params = json!({ "type": kind, "x": end.x, "y": end.y, "data": data });
            tell(self.session(), "Input.dispatchDragEvent", &params).await
        };
        self.expect_drop(&destination).await?;
        let sending = async {
            send("dragEnter").await?;
            send("dragOver").await?;
            send("drop").await
        };
        let into = match destination.is_frame() {
            true => self.content_frame(&destination.frame, destination.number()?).await?,
            false => destination.frame.clone(),
        };
        self.only_into(&[into], &to.to_string(), std::future::ready(Ok(())), sending).await?;
        // The content of a frame is another document.
        let dragged = if destination.is_frame() { Dragged::Moved } else { Dragged::NotAccepted };
        Ok(Some((dragged, destination.frame)))
    }

    async fn expect_drop(&self, destination: &Ready) -> Result<(), PageError> {
        let _: Value =
            self.script(&destination.frame, Injected::ExpectDrop, &[&destination.place], SCRIPT_LIMIT).await?;
        Ok(())
    }

    /// Refuses a drop in a frame of another site: the approval was for one site, and the drop would act on the other
    /// and give it the dragged data.
    async fn refuse_other_site(
        &self,
        source: &Ready,
        destination: &Ready,
        from: &Target,
        to: &Target,
    ) -> Result<(), PageError> {
        if !self.is_restricted() || source.frame == destination.frame {
            return Ok(());
        }
        let home = |target| async move {
            let subject = self.leads_to(Some(target), Activation::Click).await?;
            site::of(&subject.home)
        };
        match (home(from).await, home(to).await) {
            (Some(one), Some(other)) if one == other => Ok(()),
            _ => Err(PageError::Refused {
                what: to.to_string(),
                reason: "it is in a document of another site: drag only within one site".to_owned(),
            }),
        }
    }

    /// Refuses a drag within one button: press and release would be a click, which was not checked as one.
    async fn refuse_click(&self, source: &Ready, destination: &Ready, to: &Target) -> Result<(), PageError> {
        let Some(point) = destination.point.filter(|_| self.is_restricted() && source.frame == destination.frame)
        else {
            return Ok(());
        };
        match self.script::<bool>(&source.frame, Injected::DragClicks, &[&point], SCRIPT_LIMIT).await? {
            false => Ok(()),
            true => Err(PageError::Refused {
                what: to.to_string(),
                reason: "the drag would be a click there: use click".to_owned(),
            }),
        }
    }

    /// Returns the point in the tab for a ready element. Fails if something covers its frame.
    pub(in crate::page) async fn free_point(
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
