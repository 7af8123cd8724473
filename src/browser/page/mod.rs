//! What is read from a page and done in it: snapshot, locating, actions, captures.
//!
//! Owns everything between a tab's session and a command's words. Never attaches, navigates or decides what is allowed.

mod accessibility;
mod actions;
mod annotate;
mod capture;
mod console_events;
mod contents;
mod cookies;
mod devtools;
mod element;
mod emulation;
pub mod error;
mod evaluate;
mod files;
mod frame;
mod frame_search;
mod input;
mod inspect;
pub mod journal;
mod keys;
mod marks;
mod memory;
#[expect(clippy::module_inception, reason = "the folder is about pages; the file is the page's handle")]
mod page;
mod password;
mod picker;
mod pointer;
mod print;
mod read;
pub mod refs;
pub mod script;
mod settle;
mod snapshot;
mod snapshot_lines;
mod temporary;
mod tidy;
mod titles;
mod wait;
mod watch;

pub use actions::Clicked;
pub use capture::{Area, Capture, Cut, ImageFormat, Region};
pub use contents::PageStorage;
pub use cookies::Cookie;
pub use element::Target;
pub use emulation::LaidOut;
pub use evaluate::ScriptValue;
pub use files::Fetched;
pub use frame::FrameChoice;
pub use inspect::{BoxModel, Inspection, Origin, Rule};
pub use marks::{ListedRef, Marks};
pub use memory::{BrowserProcess, MemoryReport, TabMemory};
pub use page::{Page, Pages};
pub use picker::PickedElement;
pub use pointer::{PointerAt, PointerWatch};
pub use read::{ElementState, Link};
pub use script::early_script;
pub use snapshot::{Snapshot, SnapshotOptions};
pub use temporary::TemporaryTab;
pub use tidy::{Clutter, StyleChange};
pub use titles::titles;
pub use wait::LoadState;
pub use watch::Watched;
