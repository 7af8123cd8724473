//! `gstack view`: links to a page that shows a browser live, and what that page sends.
//!
//! Owns the messages. A link's secret is only in the answer that creates it.

use super::basics::Millis;
use super::chat::Decision;
use super::ids::{ApprovalId, ConversationId, TabId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// `POST /view/open`: creates a link. Answered by [`ViewOpened`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ViewOpen {
    /// The tab to show. Absent: the tab in use, whichever that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The name of the browser. Absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
}

/// A link. It opens once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ViewOpened {
    /// `http://127.0.0.1:PORT/view#SECRET`
    pub url: String,
    /// Until then it must be opened.
    pub expires_at: Millis,
}

impl fmt::Debug for ViewOpened {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ViewOpened(…)")
    }
}

/// The answer to `POST /view/end`, which ends every link and every page that one opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct ViewEnded {
    /// How many there were.
    pub ended: usize,
}

/// `POST /view/begin`: what the page of a link sends first.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewBegin {
    pub secret: String,
}

/// `POST /view/stream`: a connection of the page. The page ends the older one when it makes another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ViewConnect {
    /// Another one each time that the page is loaded.
    pub document: String,
    /// Higher for each connection of a document.
    pub number: u64,
}

/// One act of the person on the page. `POST /view/act` has a list of them.
#[derive(Clone, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ViewAct {
    /// The picture with this number was drawn.
    Seen {
        number: u64,
    },
    /// The most pixels that the page can show.
    Size {
        width: u32,
        height: u32,
    },
    /// Shows this tab, or again the one in use.
    Tab {
        id: Option<TabId>,
    },
    Take,
    Back,
    Dialog {
        accept: bool,
        #[serde(default)]
        text: Option<String>,
    },
    Answer {
        conversation_id: ConversationId,
        approval_id: ApprovalId,
        decision: Decision,
    },
    Mouse(ViewMouse),
    Key(ViewKey),
    /// Text that was pasted or composed.
    Text {
        text: String,
    },
}

/// A mouse event, at a point of the tab in device-independent pixels.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ViewMouse {
    pub kind: MouseKind,
    pub x: f64,
    pub y: f64,
    pub button: MouseButton,
    /// As `MouseEvent.buttons` of the DOM.
    pub buttons: u32,
    pub clicks: u32,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8, as in DevTools.
    pub modifiers: u32,
    pub delta_x: f64,
    pub delta_y: f64,
}

impl Default for ViewMouse {
    fn default() -> Self {
        Self {
            kind: MouseKind::Moved,
            x: 0.0,
            y: 0.0,
            button: MouseButton::None,
            buttons: 0,
            clicks: 0,
            modifiers: 0,
            delta_x: 0.0,
            delta_y: 0.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseKind {
    Moved,
    Pressed,
    Released,
    Wheel,
}

/// Named as in DevTools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    None,
    Left,
    Middle,
    Right,
    Back,
    Forward,
}

/// A key event, as the DOM reports it.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[derive(Default)]
pub struct ViewKey {
    pub down: bool,
    pub key: String,
    pub code: String,
    pub key_code: u32,
    /// What the key types. Empty for a key that types nothing.
    pub text: String,
    pub modifiers: u32,
    pub location: u32,
    pub repeat: bool,
}
