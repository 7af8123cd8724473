//! What the person does in a page.
//!
//! `recording` reports it for a flow.

mod recording;

pub use recording::PersonRecording;
