//! `Input`: trusted pointer and keyboard events.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MouseEventType {
    MousePressed,
    MouseReleased,
    MouseMoved,
    MouseWheel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MouseButton {
    None,
    Left,
    Middle,
    Right,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DispatchMouseEvent {
    #[serde(rename = "type")]
    pub kind: MouseEventType,
    /// In CSS pixels of the tab's viewport.
    pub x: f64,
    pub y: f64,
    pub button: MouseButton,
    /// The pressed buttons, as bits. Source: <https://www.w3.org/TR/uievents/#dom-mouseevent-buttons>
    pub buttons: i64,
    pub click_count: i64,
    /// Alt 1, Control 2, Meta 4, Shift 8.
    pub modifiers: i64,
    /// The distance a wheel scrolls, in CSS pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_y: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventType {
    /// A key press with text.
    KeyDown,
    KeyUp,
    /// A key press without text.
    RawKeyDown,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DispatchKeyEvent {
    #[serde(rename = "type")]
    pub kind: KeyEventType,
    /// Alt 1, Control 2, Meta 4, Shift 8.
    pub modifiers: i64,
    pub key: String,
    pub code: String,
    pub windows_virtual_key_code: i64,
    /// 0 standard, 1 left, 2 right, 3 numpad.
    pub location: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmodified_text: Option<String>,
    /// Editing commands that the key triggers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<String>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct InsertText {
    pub text: String,
}

commands! {
    DispatchMouseEvent => Done, "Input.dispatchMouseEvent";
    DispatchKeyEvent => Done, "Input.dispatchKeyEvent";
    InsertText => Done, "Input.insertText";
}
