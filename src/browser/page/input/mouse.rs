//! Mouse input at a point of the tab's viewport: moves, buttons and wheel.
//!
//! Owns the mouse events, and the document that a press is meant for: the one that was under the mouse when the mouse was
//! moved there. No other document receives the press. Never judges the element at the point: the caller has.

use super::events;
use super::events::{ClickButton, INPUT_LIMIT, mouse, taken};
use super::held_input::HeldButton;
use super::pointer_watch::PointerAt;
use crate::devtools::input::{DispatchMouseEventParams, DispatchMouseEventType, MouseButton};
use crate::devtools::page::GetLayoutMetricsParams;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::Point;
use crate::page::page::{Page, lock};
use crate::page::wait::Settling;

/// The moves of a mouse with a button down.
const CARRIED_STEPS: u32 = 3;

/// A mouse action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MouseAct {
    /// To a point of the viewport, in CSS pixels.
    Move {
        x: f64,
        y: f64,
    },
    Down(ClickButton),
    Up(ClickButton),
    /// In CSS pixels, right and down.
    Wheel {
        x: f64,
        y: f64,
    },
}

impl Page {
    /// Performs the action at the mouse's position, which is initially the top left corner.
    pub async fn mouse(&self, act: MouseAct) -> Result<(), PageError> {
        self.check_site().await?;
        let settling = Settling::begin(self);
        let was_held = lock(&self.memory.held).button.is_some();
        match act {
            MouseAct::Down(button) => self.press_mouse(button).await?,
            MouseAct::Move { x, y } => {
                self.show_mouse(Point { x, y }, false);
                self.move_mouse(Point { x, y }, 1).await?;
            }
            MouseAct::Up(_) | MouseAct::Wheel { .. } => {
                if matches!(act, MouseAct::Wheel { .. }) && !was_held {
                    // A wheel's event comes with a later frame: the page tells by a move whether input reaches it.
                    let (x, y) = lock(&self.memory.held).mouse.unwrap_or_default();
                    self.send_mouse(self.mouse_event(MouseAct::Move { x, y }).1).await?;
                }
                let (at, event) = self.mouse_event(act);
                self.show_mouse(at, false);
                self.send_mouse(event).await?;
            }
        }
        if !was_held && self.is_over_only_document().await {
            let received = self.settle_received(settling, "the mouse").await;
            if received.is_err() {
                lock(&self.memory.held).button = None;
            }
            return received;
        }
        self.settle(settling).await;
        Ok(())
    }

    /// Returns true if the mouse is inside the page's document, and that is the only one. What is carried may get other events.
    async fn is_over_only_document(&self) -> bool {
        if !self.frames().await.is_ok_and(|frames| frames.len() == 1) {
            return false;
        }
        let (x, y) = lock(&self.memory.held).mouse.unwrap_or_default();
        self.viewport().await.is_ok_and(|(width, height)| (0.0..width).contains(&x) && (0.0..height).contains(&y))
    }

    /// Returns the width and height of the viewport, in CSS pixels.
    pub(super) async fn viewport(&self) -> Result<(f64, f64), PageError> {
        let seen = self.session().call_within(GetLayoutMetricsParams {}, INPUT_LIMIT).await?.css_visual_viewport;
        Ok((seen.client_width, seen.client_height))
    }

    async fn send_mouse(&self, event: DispatchMouseEventParams) -> Result<(), PageError> {
        let sent = taken(self.session().call_within(event, INPUT_LIMIT).await);
        self.unless_closed(sent).await
    }

    fn show_mouse(&self, at: Point, pressed: bool) {
        if let Some(watch) = &self.pointer {
            watch(PointerAt { tab: self.id(), x: at.x, y: at.y, pressed });
        }
    }

    /// Presses a button in the document that the mouse was moved to. Fails with `Changed` if another one is there now, which
    /// does not see the press.
    async fn press_mouse(&self, button: ClickButton) -> Result<(), PageError> {
        let changed = || PageError::Changed { what: "the document under the mouse".to_owned() };
        let (at, known) = {
            let held = lock(&self.memory.held);
            (held.mouse.map_or(Point { x: 0.0, y: 0.0 }, |(x, y)| Point { x, y }), held.under.clone())
        };
        let meant = match known {
            Some(known) => known,
            None => self.document_at(at).await?,
        };
        let frames = self.frames().await?;
        if !frames.iter().any(|frame| frame.id == meant.0 && frame.loader == meant.1) {
            return Err(changed());
        }
        let (closed, fault) = self.close_except(&frames, std::slice::from_ref(&meant.0)).await?;
        let is_there = self.document_at(at).await.is_ok_and(|there| there == meant);
        if fault.is_some() || !is_there || closed.is_outdated(&self.frames().await?) {
            self.open_others(closed).await;
            return Err(changed());
        }
        let (at, event) = self.mouse_event(MouseAct::Down(button));
        self.show_mouse(at, true);
        let held = self.hold_keyboard(&meant.0).await;
        let sent = events::press_with(self.session(), event, held.panel()).await;
        held.give_back().await;
        let sent = self.unless_closed(sent).await;
        if self.open_others(closed).await {
            // The document that did not see the press sees neither the release nor the click.
            let (closed, _) = self.close_except(&self.frames().await?, &[]).await?;
            let released = self.send_mouse(self.mouse_event(MouseAct::Up(button)).1).await;
            self.open_others(closed).await;
            released?;
            return Err(changed());
        }
        sent
    }

    /// Returns the document at a point of the tab: its frame and loader.
    async fn document_at(&self, point: Point) -> Result<(FrameId, String), PageError> {
        let mut frame = self.main_frame().await?;
        if self.frames().await?.len() > 1
            && let Some(inner) = self.frame_at(&frame.id, point).await?
        {
            frame = self.frame(&inner)?;
        }
        Ok((frame.id, frame.loader))
    }

    /// Moves the mouse over an element, with the button that a client holds. A later `mouse down` presses there.
    pub(in crate::page) async fn carry_mouse(&self, to: Point) -> Result<(), PageError> {
        // What is carried reacts to each move.
        let steps = if lock(&self.memory.held).button.is_some() { CARRIED_STEPS } else { 1 };
        self.move_mouse(to, steps).await
    }

    async fn move_mouse(&self, to: Point, steps: u32) -> Result<(), PageError> {
        let under = self.document_at(to).await?;
        let from = {
            let mut held = lock(&self.memory.held);
            held.under = Some(under);
            held.mouse.unwrap_or((to.x, to.y))
        };
        for step in 1..=steps {
            let part = f64::from(step) / f64::from(steps);
            let at = MouseAct::Move { x: from.0 + (to.x - from.0) * part, y: from.1 + (to.y - from.1) * part };
            self.send_mouse(self.mouse_event(at).1).await?;
        }
        Ok(())
    }

    /// Remembers where an action has left the mouse, and the frame that it was for; `None`: the action was for a frame's
    /// element, whose content is under the mouse.
    pub(in crate::page) fn mouse_is_at(&self, at: Point, frame: Option<&FrameId>) {
        let under = frame.and_then(|frame| self.frame(frame).ok()).map(|frame| (frame.id, frame.loader));
        let mut held = lock(&self.memory.held);
        (held.mouse, held.under) = (Some((at.x, at.y)), under);
    }

    fn mouse_event(&self, act: MouseAct) -> (Point, DispatchMouseEventParams) {
        let mut held = lock(&self.memory.held);
        let before = held.mouse.map_or(Point { x: 0.0, y: 0.0 }, |(x, y)| Point { x, y });
        let button = held.button.map_or(MouseButton::None, |button| pressed(button).cdp());
        let mut event = match act {
            MouseAct::Move { x, y } => {
                held.mouse = Some((x, y));
                mouse(DispatchMouseEventType::MouseMoved, Point { x, y }, button, 0)
            }
            MouseAct::Down(button) => {
                held.button = Some(kept(button));
                mouse(DispatchMouseEventType::MousePressed, before, button.cdp(), 1)
            }
            MouseAct::Up(button) => {
                held.button = None;
                mouse(DispatchMouseEventType::MouseReleased, before, button.cdp(), 1)
            }
            MouseAct::Wheel { x, y } => {
                let mut event = mouse(DispatchMouseEventType::MouseWheel, before, MouseButton::None, 0);
                (event.delta_x, event.delta_y) = (Some(x), Some(y));
                event
            }
        };
        event.buttons = Some(held.button.map_or(0, |button| pressed(button).bit()));
        event.modifiers = Some(held.modifiers);
        (held.mouse.map_or(before, |(x, y)| Point { x, y }), event)
    }
}

fn kept(button: ClickButton) -> HeldButton {
    match button {
        ClickButton::Left => HeldButton::Left,
        ClickButton::Middle => HeldButton::Middle,
        ClickButton::Right => HeldButton::Right,
    }
}

fn pressed(button: HeldButton) -> ClickButton {
    match button {
        HeldButton::Left => ClickButton::Left,
        HeldButton::Middle => ClickButton::Middle,
        HeldButton::Right => ClickButton::Right,
    }
}
