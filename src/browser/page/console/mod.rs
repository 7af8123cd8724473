//! The console messages of an engaged tab, its requests with their responses, and their copies on disk.
//!
//! Owns their memory and its limits. Never sends anything to the page.

mod body;
pub(crate) mod capture_file;
mod console_events;
mod exchange;
mod feed;
pub(crate) mod journal;
mod network_events;
mod recorder;
mod recording;
mod remembered;
mod traffic;

pub(crate) use body::Body;
pub(super) use capture_file::CaptureFile;
pub(in crate::browser) use console_events::error_text;
pub(crate) use exchange::{Answer, Exchange, Header, Timing};
pub(in crate::browser::page) use feed::feed;
pub(in crate::browser::page) use journal::Journal;
pub(in crate::browser::page) use recording::Recorded;
pub(crate) use recording::{Recording, RecordingOptions};
pub(crate) use traffic::SocketMessage;
