//! Mouse input at a point of the tab's viewport: moves, buttons and wheel.
//!
//! Owns the mouse events. Never judges the element at the point: the caller has.

use super::events;
use super::events::{ClickButton, INPUT_LIMIT, mouse, taken};
use super::held_input::HeldButton;
use super::pointer_watch::PointerAt;
use crate::devtools::input::{DispatchMouseEventParams, DispatchMouseEventType, MouseButton};
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
        let (at, event) = self.mouse_event(act);
        let pressed = matches!(act, MouseAct::Down(_));
        if let Some(watch) = &self.pointer {
            watch(PointerAt { tab: self.id(), x: at.x, y: at.y, pressed });
        }
        let sent = if pressed {
            let held = self.hold_keyboard(&self.main_frame().await?.id).await;
            let sent = events::press_with(self.session(), event, held.panel()).await;
            held.give_back().await;
            sent
        } else {
            taken(self.session().call_within(event, INPUT_LIMIT).await)
        };
        self.unless_closed(sent).await?;
        self.settle(settling).await;
        Ok(())
    }

    /// Moves the mouse to a point, with the button that a client holds. A later `mouse down` presses there.
    pub(in crate::page) async fn move_mouse(&self, to: Point) -> Result<(), PageError> {
        let (from, is_held) = {
            let held = lock(&self.memory.held);
            (held.mouse.unwrap_or((to.x, to.y)), held.button.is_some())
        };
        // What is carried reacts to each move.
        let steps = if is_held { CARRIED_STEPS } else { 1 };
        for step in 1..=steps {
            let part = f64::from(step) / f64::from(steps);
            let at = MouseAct::Move { x: from.0 + (to.x - from.0) * part, y: from.1 + (to.y - from.1) * part };
            taken(self.session().call_within(self.mouse_event(at).1, INPUT_LIMIT).await)?;
        }
        Ok(())
    }

    /// Remembers where an action has left the mouse.
    pub(in crate::page) fn mouse_is_at(&self, at: Point) {
        lock(&self.memory.held).mouse = Some((at.x, at.y));
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
