//! The console messages of an engaged tab, its requests with their responses, and their copies on disk.
//!
//! Owns their memory and its limits. Never sends anything to the page.

mod body;
pub mod capture_file;
mod console_events;
mod exchange;
mod feed;
mod held_bytes;
pub mod journal;
mod network_events;
mod recorder;
mod recording;
mod remembered;
mod traffic;

pub use body::Body;
pub(super) use capture_file::CaptureFile;
pub(crate) use console_events::error_text;
pub use exchange::{Answer, Exchange, Header, Timing};
pub(in crate::page) use feed::feed;
pub(in crate::page) use journal::Journal;
pub(in crate::page) use recording::Recorded;
pub use recording::{Recording, RecordingOptions};
pub use traffic::SocketMessage;
