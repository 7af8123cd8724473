//! `Input`: trusted events of pointer and keyboard.

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
    /// The buttons that are down, as bits. Source: <https://www.w3.org/TR/uievents/#dom-mouseevent-buttons>
    pub buttons: i64,
    pub click_count: i64,
    /// Alt 1, Control 2, Meta 4, Shift 8.
    pub modifiers: i64,
    /// How far a wheel turns, in CSS pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_y: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventType {
    /// With a text.
    KeyDown,
    KeyUp,
    /// Without one.
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
    /// 0 the middle of the keyboard, 1 left, 2 right, 3 the number pad.
    pub location: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmodified_text: Option<String>,
    /// Editing commands that the key stands for.
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
