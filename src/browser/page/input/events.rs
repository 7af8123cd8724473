//! Trusted input: pointer and keyboard events, several in one write.
//!
//! Owns the sequences. Never chooses targets: points are in the tab's viewport, keys go to the focused element.

use super::keys::{self, Key, Modifiers, SHIFT, Stroke};
use crate::cdp::CdpError;
use crate::devtools::Done;
use crate::devtools::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType, InsertTextParams,
    MouseButton,
};
use crate::devtools_session::{Batch, Reply, Session};
use crate::keyboard::PanelKeyboard;
use crate::page::error::PageError;
use crate::page::locate::Point;
use std::time::Duration;

/// The page acknowledges input: a slow handler delays the reply, and a dialog blocks it.
pub(super) const INPUT_LIMIT: Duration = Duration::from_secs(30);

/// Converts the reply to input. A timeout means the outcome is unknown: the page may have received the input.
pub(super) fn taken<T>(answer: Result<T, CdpError>) -> Result<(), PageError> {
    match answer {
        Ok(_) => Ok(()),
        Err(CdpError::Timeout { after, .. }) => Err(PageError::Unknown {
            what: "the page".to_owned(),
            reason: format!("it did not answer within {} s and may be hung", after.as_secs()),
        }),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn mouse(
    kind: DispatchMouseEventType,
    at: Point,
    button: MouseButton,
    click_count: i64,
) -> DispatchMouseEventParams {
    let buttons = i64::from(kind == DispatchMouseEventType::MousePressed);
    DispatchMouseEventParams {
        button: Some(button),
        buttons: Some(buttons),
        click_count: Some(click_count),
        ..DispatchMouseEventParams::new(kind, at.x, at.y)
    }
}

/// The button of a click, and the click count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clicks {
    pub button: ClickButton,
    /// 2 is a double click.
    pub count: u8,
    /// Held during the click.
    pub modifiers: Modifiers,
    /// The point on the element; `None`: its middle.
    pub offset: Option<Offset>,
    pub pointer: PointerKind,
}

/// In CSS pixels from an element's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    pub x: u32,
    pub y: u32,
}

/// The kind of pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointerKind {
    #[default]
    Mouse,
    /// A touch. It has no buttons and no click count.
    Touch,
}

impl Default for Clicks {
    fn default() -> Self {
        Self {
            button: ClickButton::Left,
            count: 1,
            modifiers: Modifiers::default(),
            offset: None,
            pointer: PointerKind::Mouse,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClickButton {
    Left,
    Middle,
    Right,
}

impl ClickButton {
    pub(super) fn cdp(self) -> MouseButton {
        match self {
            Self::Left => MouseButton::Left,
            Self::Middle => MouseButton::Middle,
            Self::Right => MouseButton::Right,
        }
    }
    /// Returns its bit in `buttons`. Source: <https://www.w3.org/TR/uievents/#dom-mouseevent-buttons>
    pub(super) fn bit(self) -> i64 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

/// Presses and releases in one write, and awaits all replies. The pointer must be there already, unless it `moves` in the
/// same write. A press takes the keyboard focus, so the same write gives it back to the panel that had it.
pub(in crate::page) async fn click(
    page: &Session,
    at: Point,
    clicks: Clicks,
    moves: bool,
    panel: Option<&PanelKeyboard>,
) -> Result<(), PageError> {
    let mut batch = page.batch();
    let held = |kind, count| {
        let event = mouse(kind, at, clicks.button.cdp(), count);
        DispatchMouseEventParams { modifiers: Some(clicks.modifiers.bits()), ..event }
    };
    let mut replies: Vec<Reply<Done>> = Vec::with_capacity(1 + 2 * usize::from(clicks.count));
    if moves {
        replies.push(batch.add(move_to(at, clicks.modifiers))?);
    }
    for count in 1..=i64::from(clicks.count) {
        let mut down = held(DispatchMouseEventType::MousePressed, count);
        down.buttons = Some(clicks.button.bit());
        replies.push(press(&mut batch, down, panel)?);
        replies.push(batch.add(held(DispatchMouseEventType::MouseReleased, count))?);
    }
    batch.send();
    for reply in replies {
        taken(reply.within(INPUT_LIMIT).await)?;
    }
    Ok(())
}

/// Presses the main button at the pointer's position.
pub(in crate::page) async fn press_button(
    page: &Session,
    at: Point,
    panel: Option<&PanelKeyboard>,
) -> Result<(), PageError> {
    press_with(page, mouse(DispatchMouseEventType::MousePressed, at, MouseButton::Left, 1), panel).await
}

/// Presses a mouse button with a prepared event.
pub(super) async fn press_with(
    page: &Session,
    down: DispatchMouseEventParams,
    panel: Option<&PanelKeyboard>,
) -> Result<(), PageError> {
    let mut batch = page.batch();
    let pressed = press(&mut batch, down, panel)?;
    batch.send();
    taken(pressed.within(INPUT_LIMIT).await)
}

fn press(
    batch: &mut Batch<'_>,
    down: DispatchMouseEventParams,
    panel: Option<&PanelKeyboard>,
) -> Result<Reply<Done>, PageError> {
    let pressed = batch.add(down)?;
    if let Some(panel) = panel {
        panel.restore_in(batch)?;
    }
    Ok(pressed)
}

/// Moves with the main button down.
pub(in crate::page) async fn carry(page: &Session, at: Point) -> Result<(), PageError> {
    let mut event = mouse(DispatchMouseEventType::MouseMoved, at, MouseButton::Left, 0);
    event.buttons = Some(1);
    taken(page.call_within(event, INPUT_LIMIT).await)?;
    Ok(())
}

/// Releases the main button outside of the page, where it clicks nothing.
pub(in crate::page) async fn let_go_outside(page: &Session) -> Result<(), PageError> {
    release_button(page, Point { x: -10.0, y: -10.0 }).await
}

pub(in crate::page) async fn release_button(page: &Session, at: Point) -> Result<(), PageError> {
    taken(page.call_within(mouse(DispatchMouseEventType::MouseReleased, at, MouseButton::Left, 1), INPUT_LIMIT).await)?;
    Ok(())
}

/// Moves the pointer and waits until the page has handled it.
pub(in crate::page) async fn hover(page: &Session, at: Point, held: Modifiers) -> Result<(), PageError> {
    taken(page.call_within(move_to(at, held), INPUT_LIMIT).await)?;
    Ok(())
}

fn move_to(at: Point, held: Modifiers) -> DispatchMouseEventParams {
    let moved = mouse(DispatchMouseEventType::MouseMoved, at, MouseButton::None, 0);
    DispatchMouseEventParams { modifiers: Some(held.bits()), ..moved }
}

/// Inserts text as an input method does: one event, no keys.
pub(in crate::page) async fn insert(page: &Session, text: &str) -> Result<(), PageError> {
    taken(page.call_within(InsertTextParams::new(text), INPUT_LIMIT).await)?;
    Ok(())
}

type KeyReply = Reply<Done>;

fn key_event(kind: DispatchKeyEventType, key: &Key, bits: i64) -> DispatchKeyEventParams {
    DispatchKeyEventParams {
        modifiers: Some(bits),
        key: Some(key.key.clone()),
        code: Some(key.code.clone()),
        windows_virtual_key_code: Some(key.key_code),
        location: Some(key.location),
        ..DispatchKeyEventParams::new(kind)
    }
}

fn down(batch: &mut Batch<'_>, key: &Key, bits: i64) -> Result<KeyReply, PageError> {
    let kind = if key.text.is_empty() { DispatchKeyEventType::RawKeyDown } else { DispatchKeyEventType::KeyDown };
    let mut event = key_event(kind, key, bits);
    if !key.text.is_empty() {
        event.text = Some(key.text.clone());
        event.unmodified_text = Some(key.text.clone());
    }
    event.commands = editing_command(key, bits).map(|command| vec![command.to_owned()]);
    Ok(batch.add(event)?)
}

fn up(batch: &mut Batch<'_>, key: &Key, bits: i64) -> Result<KeyReply, PageError> {
    Ok(batch.add(key_event(DispatchKeyEventType::KeyUp, key, bits))?)
}

/// Returns the editing command of a shortcut that on macOS the system handles, not the page.
fn editing_command(key: &Key, bits: i64) -> Option<&'static str> {
    if !cfg!(target_os = "macos") || bits != keys::META {
        return None;
    }
    match key.key.as_str() {
        "a" => Some("selectAll"),
        "c" => Some("copy"),
        "v" => Some("paste"),
        "x" => Some("cut"),
        "z" => Some("undo"),
        _ => None,
    }
}

/// Presses the modifiers, presses and releases the key, and releases the modifiers, in one write.
pub(in crate::page) async fn stroke(page: &Session, stroke: &Stroke) -> Result<(), PageError> {
    let mut batch = page.batch();
    let mut replies = Vec::with_capacity(2 + 2 * stroke.modifiers.len());
    let mut held = 0;
    for modifier in &stroke.modifiers {
        held |= bit_of(modifier);
        replies.push(down(&mut batch, modifier, held)?);
    }
    replies.push(down(&mut batch, &stroke.key, stroke.bits)?);
    replies.push(up(&mut batch, &stroke.key, stroke.bits)?);
    for modifier in stroke.modifiers.iter().rev() {
        held &= !bit_of(modifier);
        replies.push(up(&mut batch, modifier, held)?);
    }
    batch.send();
    for reply in replies {
        taken(reply.within(INPUT_LIMIT).await)?;
    }
    Ok(())
}

fn bit_of(key: &Key) -> i64 {
    match key.key.as_str() {
        "Alt" => keys::ALT,
        "Control" => keys::CONTROL,
        "Meta" => keys::META,
        _ => SHIFT,
    }
}

/// Presses or releases a key. `bits`: the modifiers held at that time.
pub(super) async fn hold(page: &Session, key: &Key, bits: i64, goes_down: bool) -> Result<(), PageError> {
    let mut batch = page.batch();
    let reply = if goes_down { down(&mut batch, key, bits)? } else { up(&mut batch, key, bits)? };
    batch.send();
    taken(reply.within(INPUT_LIMIT).await)
}

/// Sends key events for each character; inserts characters that a keyboard lacks.
pub(in crate::page) async fn type_text(page: &Session, text: &[char]) -> Result<(), PageError> {
    let mut batch = page.batch();
    let mut replies = Vec::with_capacity(text.len() * 2);
    let mut inserted = Vec::new();
    for character in text {
        match keys::typing(*character) {
            Some((key, shift)) => {
                let bits = if shift { SHIFT } else { 0 };
                replies.push(down(&mut batch, &key, bits)?);
                replies.push(up(&mut batch, &key, bits)?);
            }
            None => inserted.push(batch.add(InsertTextParams::new(*character))?),
        }
    }
    batch.send();
    for reply in replies {
        taken(reply.within(INPUT_LIMIT).await)?;
    }
    for reply in inserted {
        taken(reply.within(INPUT_LIMIT).await)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CdpError, PageError, taken};
    use std::time::Duration;

    #[test]
    fn input_that_is_not_answered_may_have_been_taken() {
        let after = Duration::from_secs(30);
        let silent: Result<(), _> = Err(CdpError::Timeout { method: "Input.dispatchMouseEvent".to_owned(), after });
        assert!(matches!(taken(silent), Err(PageError::Unknown { .. })));
        assert!(matches!(taken::<()>(Err(CdpError::Gone)), Err(PageError::Browser(_))));
        assert!(taken(Ok(())).is_ok());
    }
}
