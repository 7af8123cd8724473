//! Video recordings of a tab: frames of its screencast, which the browser encodes when the recording ends.
//!
//! Owns the recordings with their limits and captions, and the encoding. Never writes the video file and never decides
//! who may record what.

mod encoder;
mod frames;
mod gate;
mod recorder;
mod recording;
mod recordings;
mod timeline;

pub use encoder::{EncodeError, Encoded, Encoder, SentShot};
pub use frames::{Frames, MOST_BYTES};
pub use recording::{Ending, LONGEST, ShownWords, VideoOptions, VideoRecording};
pub use recordings::Recordings;
