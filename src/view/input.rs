//! The person's mouse and keys as DevTools commands.
//!
//! Owns their parameters. Source: the `Input` domain of the DevTools protocol. Never keeps or logs what was typed.

use gstack_protocol::view::{MouseKind, ViewKey, ViewMouse};
use serde_json::{Value, json};

const CTRL: u32 = 2;
const META: u32 = 4;

/// Returns the selected text, also that of a field, but never of a password's.
pub(crate) const SELECTED: &str = "(() => { let of = document; while (of.activeElement?.shadowRoot) of = of.activeElement.shadowRoot; \
    const at = of.activeElement; \
    if (at && 'selectionStart' in at && at.selectionStart !== null) \
    return at.type === 'password' ? '' : at.value.slice(at.selectionStart, at.selectionEnd); \
    return String(getSelection()); })()";

/// Returns the parameters of `Input.dispatchMouseEvent`.
pub(crate) fn mouse(mouse: &ViewMouse) -> Value {
    let kind = match mouse.kind {
        MouseKind::Moved => "mouseMoved",
        MouseKind::Pressed => "mousePressed",
        MouseKind::Released => "mouseReleased",
        MouseKind::Wheel => "mouseWheel",
    };
    let mut params = json!({
        "type": kind, "x": mouse.x, "y": mouse.y, "button": mouse.button, "buttons": mouse.buttons,
        "clickCount": mouse.clicks, "modifiers": mouse.modifiers,
    });
    if mouse.kind == MouseKind::Wheel {
        params["deltaX"] = json!(mouse.delta_x);
        params["deltaY"] = json!(mouse.delta_y);
    }
    params
}

/// Returns the parameters of `Input.dispatchKeyEvent`.
pub(crate) fn key(key: &ViewKey) -> Value {
    let types = key.down && !key.text.is_empty();
    let kind = match (key.down, types) {
        (true, true) => "keyDown",
        (true, false) => "rawKeyDown",
        (false, _) => "keyUp",
    };
    let mut params = json!({
        "type": kind, "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.key_code,
        "modifiers": key.modifiers, "location": key.location.min(2), "isKeypad": key.location == 3,
        "autoRepeat": key.repeat,
    });
    if types {
        params["text"] = json!(key.text);
        params["unmodifiedText"] = json!(key.text);
    }
    // On a Mac, the system turns keys into these, and DevTools sends no keys through the system.
    if cfg!(target_os = "macos")
        && key.down
        && let Some(command) = editing(key)
    {
        params["commands"] = json!([command]);
    }
    params
}

/// Returns the editing command of a key.
fn editing(key: &ViewKey) -> Option<&'static str> {
    if key.modifiers & (CTRL | META) == 0 {
        return None;
    }
    match key.key.to_ascii_lowercase().as_str() {
        "a" => Some("selectAll"),
        "c" => Some("copy"),
        "x" => Some("cut"),
        "z" => Some("undo"),
        _ => None,
    }
}

/// Returns true for a key that copies or cuts.
pub(crate) fn copies(key: &ViewKey) -> bool {
    matches!(editing(key), Some("copy" | "cut"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_types_its_text_and_a_shortcut_types_none() {
        let of = |text: &str, down| ViewKey { down, key: "c".into(), text: text.into(), ..ViewKey::default() };
        assert_eq!(key(&of("c", true))["type"], "keyDown");
        assert_eq!(key(&of("c", true))["text"], "c");
        assert_eq!(key(&of("c", false))["type"], "keyUp");
        let shortcut = ViewKey { modifiers: CTRL, ..of("", true) };
        assert_eq!(key(&shortcut)["type"], "rawKeyDown");
        assert!(key(&shortcut).get("text").is_none() && copies(&shortcut) && !copies(&of("c", true)));
        let keypad = ViewKey { location: 3, ..of("1", true) };
        assert_eq!((&key(&keypad)["location"], &key(&keypad)["isKeypad"]), (&json!(2), &json!(true)));
    }

    #[test]
    fn only_a_wheel_has_a_distance() {
        let of = |kind| ViewMouse { kind, delta_y: 3.0, ..ViewMouse::default() };
        assert_eq!(mouse(&of(MouseKind::Wheel))["deltaY"], 3.0);
        assert!(mouse(&of(MouseKind::Moved)).get("deltaY").is_none());
    }
}
