//! `Input`: trusted pointer and keyboard events.

use super::{Done, commands};
pub use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchKeyEventType, DispatchMouseEventType, MouseButton};

commands! { browser_protocol::input:
    DispatchMouseEventParams => Done;
    DispatchKeyEventParams => Done;
    InsertTextParams => Done;
}
