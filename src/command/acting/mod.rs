//! Page input beyond a plain click: other mouse buttons, touch, held keys, the wheel, the clipboard.
//!
//! Owns the list of files. Each file declares its own commands.

mod act;
pub(super) mod clipboard;
pub(super) mod dialog_answers;
pub(super) mod fields;
pub(super) mod interaction;
pub(super) mod keys;
pub(super) mod mouse;
pub(super) mod pointer;
pub(super) mod scrolling;
pub(crate) mod sign_in;
pub(crate) mod tool_input;
pub(crate) mod web_mcp;
