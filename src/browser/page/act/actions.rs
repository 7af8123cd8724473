//! User actions in a page: click, hover, scroll.
//!
//! Owns the conditions and the order of each action. Each one waits until its element is actionable, uses trusted input
//! for user input, and returns when the network requests it started have settled.

use super::other_documents::Closed;
use crate::error::BrowserError;
use crate::page::error::PageError;
use crate::page::input::{Clicks, PointerKind, events, touch};
use crate::page::locate::{FaultReply, Need, OptionPlace, Point, Ready, Target};
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::{Argument, Guarded, Injected};
use crate::page::wait::{Settled, Settling};
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

const CLICK_NEEDS: [Need; 5] = [Need::Visible, Need::Enabled, Need::Stable, Need::Hit, Need::Guard];
const RESTRICTED_CLICK_NEEDS: [Need; 6] =
    [Need::Visible, Need::Enabled, Need::Stable, Need::Hit, Need::Guard, Need::Itself];
const HOVER_NEEDS: [Need; 3] = [Need::Visible, Need::Stable, Need::Hit];
pub(super) const SELECT_NEEDS: [Need; 2] = [Need::Visible, Need::Enabled];

/// The longest delay between the end of a page or its session and the report that its tab closed or shows another page.
pub(in crate::page) const CLOSING_LIMIT: Duration = Duration::from_secs(10);

/// The outcome of a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clicked {
    Element,
    /// The element received the press, but not the click, because the page changed in between.
    Pressed,
    /// The page closed its own tab in response.
    Closed,
    /// The target was an `<option>`, which was chosen in its `<select>`; its text.
    Option(String),
}

/// A click that the element received, and what the page said afterwards.
type Delivered = (Clicked, Option<Settled>);

#[derive(Debug, Default, Deserialize)]
pub(in crate::page) struct Done {
    #[serde(default)]
    pub(super) typed: bool,
    /// It is a code editor.
    #[serde(default)]
    pub(super) editor: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Done {
    pub(in crate::page) fn check(self, target: &Target) -> Result<Self, PageError> {
        match self.fault.error(target) {
            Some(error) => Err(error),
            None if self.fault.fault.is_some() => Err(PageError::NotFound(target.to_string())),
            None => Ok(self),
        }
    }
}

impl Page {
    /// Clicks the middle of the element once it is visible, enabled, stable and receives pointer events.
    pub async fn click(&self, target: &Target, clicks: Clicks, limit: Duration) -> Result<Clicked, PageError> {
        let settling = Settling::begin(self);
        let (clicked, settled) = self.click_now(target, clicks, limit).await?;
        self.settle_asked(settling, settled).await;
        Ok(if self.is_closed() { Clicked::Closed } else { clicked })
    }

    pub(in crate::page) fn is_closed(&self) -> bool {
        matches!(self.info(), Err(BrowserError::TabClosed(_)))
    }

    /// Ignores an error of input if the tab has closed: the page may close its tab at the first of several events.
    pub(in crate::page) async fn unless_closed(&self, sent: Result<(), PageError>) -> Result<(), PageError> {
        match &sent {
            Err(PageError::Browser(BrowserError::Cdp(error))) if error.is_session_gone() => {}
            _ => return sent,
        }
        // The session ends a moment before the tab is reported as closed.
        self.until_closed().await;
        if self.is_closed() { Ok(()) } else { sent }
    }

    /// Waits until the browser reports that the tab is closed, at most `CLOSING_LIMIT`.
    pub(in crate::page) async fn until_closed(&self) {
        let mut events = self.browser().events();
        let closed = async { while !self.is_closed() && events.recv().await.is_ok() {} };
        if tokio::time::timeout(CLOSING_LIMIT, closed).await.is_err() {
            tracing::debug!("a tab that was closing is still open");
        }
    }

    async fn click_now(&self, target: &Target, clicks: Clicks, limit: Duration) -> Result<Delivered, PageError> {
        let clicks = Clicks { modifiers: clicks.modifiers.and(self.held_modifiers()), ..clicks };
        let _drawing = self.draw();
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let needs = if self.is_restricted() { &RESTRICTED_CLICK_NEEDS[..] } else { &CLICK_NEEDS[..] };
            let ready = self.ready(target, needs, "a click", left).await.map_err(|error| error.of_whole(limit))?;
            if let Some(option) = &ready.option {
                return self.click_option(target, option, limit).await;
            }
            let ready = match clicks.offset {
                Some(offset) => self.at_offset(target, ready, offset).await?,
                None => ready,
            };
            let covered = match self.tab_point(target, &ready).await? {
                Ok(point) => self.press_at(target, &ready, point, clicks).await?,
                Err(reason) => Err(reason),
            };
            let reason = match covered {
                Ok(delivered) => return Ok(delivered),
                Err(reason) => reason,
            };
            // The page did not see the event, so a retry is safe.
            if Instant::now() >= deadline {
                let what = target.to_string();
                return Err(PageError::NotReady { what, action: "a click", reason, waited: limit });
            }
        }
    }

    /// Clicks a ready element at a point of the tab. An inner `Err` says why it did not receive the press.
    async fn press_at(
        &self,
        target: &Target,
        ready: &Ready,
        point: Point,
        clicks: Clicks,
    ) -> Result<Result<Delivered, String>, PageError> {
        self.points_at(ready, point, true).await;
        let moves = clicks.pointer == PointerKind::Mouse;
        let moves_at_once = moves && self.is_only_document(ready).await;
        let closed = if moves_at_once {
            Closed::default()
        } else {
            match self.approach(target, ready, point, moves.then_some(clicks.modifiers)).await? {
                Ok(closed) => closed,
                Err(reason) => {
                    self.release(ready).await;
                    return Ok(Err(reason));
                }
            }
        };
        let held = self.hold_keyboard(&ready.frame).await;
        let clicked = match clicks.pointer {
            PointerKind::Mouse => {
                self.mouse_is_at(point, (!ready.is_frame()).then_some(&ready.frame));
                events::click(self.session(), point, clicks, moves_at_once, held.panel()).await
            }
            PointerKind::Touch => touch::tap(self, point).await,
        };
        held.give_back().await;
        let clicked = self.unless_closed(clicked).await;
        let went_elsewhere = self.open_others(closed).await;
        clicked?;
        if went_elsewhere {
            self.release(ready).await;
            return Ok(Err("another frame was in the way".to_owned()));
        }
        self.verdict(target, ready).await
    }

    /// Ends the guard without a verdict: nothing was pressed.
    async fn release(&self, ready: &Ready) {
        let given: [&dyn Argument; 1] = [&ready.document];
        let released = self.script::<Option<Guarded>>(&ready.frame, Injected::ReleaseGuard, &given, SCRIPT_LIMIT);
        if let Err(error) = released.await {
            tracing::debug!(%error, "a guard ends by itself");
        }
    }

    async fn click_option(
        &self,
        target: &Target,
        option: &OptionPlace,
        limit: Duration,
    ) -> Result<Delivered, PageError> {
        let ready = self.ready(target, &SELECT_NEEDS, "a choice", limit).await?;
        let ended =
            self.act_by::<Done>(&ready.frame, Injected::ChooseOption, &[&option.select, &option.option]).await?;
        ended.value.map(|done| done.check(target)).transpose()?;
        Ok((Clicked::Option(option.text.clone()), ended.settled))
    }

    /// Returns the guard's verdict: `Ok` for a hit, with what the page said afterwards; an inner `Err(reason)` names
    /// what was in the way. If the document was left, the click counts as delivered.
    async fn verdict(&self, target: &Target, ready: &Ready) -> Result<Result<Delivered, String>, PageError> {
        let unknown = Ok(Ok((Clicked::Element, None)));
        if self.is_closed() {
            return unknown;
        }
        let ended = match self.end_by::<Option<Guarded>>(&ready.frame, Injected::ReleaseGuard, &[&ready.document]).await
        {
            Ok(ended) => ended,
            // The browser is gone too: whether the input arrived is unknown.
            Err(error @ PageError::Browser(BrowserError::Gone)) => return Err(error),
            Err(PageError::Browser(_)) => return unknown,
            Err(error) => return Err(error),
        };
        match ended.value {
            None => unknown,
            Some(Some(Guarded::Hit | Guarded::Left)) => Ok(Ok((Clicked::Element, ended.settled))),
            Some(Some(Guarded::Pressed)) => Ok(Ok((Clicked::Pressed, ended.settled))),
            Some(Some(Guarded::Covered { reason })) => Ok(Err(reason)),
            // The content of a frame is another document.
            Some(None) if ready.is_frame() => unknown,
            // If the browser's hit test still uses the frame's old position, the event went to the frame's element in
            // the parent; `frameOrigin` has checked that nothing covers it.
            Some(None) if self.frame(&ready.frame)?.parent.is_some() => {
                Ok(Err("its frame did not receive the event".to_owned()))
            }
            Some(None) => Err(PageError::NotReceived { what: target.to_string() }),
        }
    }

    /// Returns the point in the tab for a ready element; an inner `Err` names what covers it.
    pub(super) async fn tab_point(&self, target: &Target, ready: &Ready) -> Result<Result<Point, String>, PageError> {
        let point = ready.point.ok_or_else(|| PageError::Unreadable(format!("no clickable point of {target}")))?;
        self.point_in_tab(&ready.frame, point).await
    }

    /// Moves the pointer over the element.
    pub async fn hover(&self, target: &Target, limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        let _drawing = self.draw();
        let deadline = Instant::now() + limit;
        let is_seen = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ready =
                self.ready(target, &HOVER_NEEDS, "hovering", left).await.map_err(|error| error.of_whole(limit))?;
            match self.tab_point(target, &ready).await? {
                Ok(point) => {
                    self.points_at(&ready, point, false).await;
                    self.unless_closed(self.carry_mouse(point).await).await?;
                    // What is carried may get its own kind of events.
                    let is_carried = lock(&self.memory.held).button.is_some();
                    break !is_carried && !ready.is_frame() && self.is_only_document(&ready).await;
                }
                Err(reason) if Instant::now() >= deadline => {
                    let what = target.to_string();
                    return Err(PageError::NotReady { what, action: "hovering", reason, waited: limit });
                }
                Err(_) => {}
            }
        };
        if is_seen {
            return self.settle_received(settling, &target.to_string()).await;
        }
        self.settle(settling).await;
        Ok(())
    }

    /// Scrolls the element into view; without a target scrolls to the end of the page.
    pub async fn scroll(&self, target: Option<&Target>, limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        match target {
            None => {
                let frame = self.main_frame().await?.id;
                let _: serde_json::Value = self.script(&frame, Injected::ScrollToBottom, &[], SCRIPT_LIMIT).await?;
            }
            Some(target) => {
                let ready = self.ready(target, &[Need::Visible], "scrolling", limit).await?;
                let done: Done =
                    self.script(&ready.frame, Injected::ScrollToElement, &[&ready.place], SCRIPT_LIMIT).await?;
                done.check(target)?;
            }
        }
        self.settle(settling).await;
        Ok(())
    }

    pub(in crate::page) async fn settle(&self, settling: Option<Settling>) {
        self.settle_asked(settling, None).await;
    }

    /// Like `settle`, for input to the page's document. Fails with `NotReceived` if the document, which is there still, saw
    /// none of it.
    pub(in crate::page) async fn settle_received(
        &self,
        settling: Option<Settling>,
        what: &str,
    ) -> Result<(), PageError> {
        let Some(settling) = settling else { return Ok(()) };
        // The page may have answered before the input came.
        if settling.end(self, None).await && !self.is_closed() && self.still_misses_input().await {
            return Err(PageError::NotReceived { what: what.to_owned() });
        }
        Ok(())
    }

    /// Like `settle`, if the call that ended the action has asked the page already.
    pub(super) async fn settle_asked(&self, settling: Option<Settling>, settled: Option<Settled>) {
        if let Some(settling) = settling {
            settling.end(self, settled).await;
        }
    }
}
