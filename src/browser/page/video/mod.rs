//! Videos of a tab: what it shows is recorded frame by frame, and encoded by the browser itself when the recording is over.
//!
//! Owns what is kept of a recording, its limits, the words beneath the pictures, and the encoding. Never writes a file that
//! has a name, and never decides who may record what.

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
pub use timeline::Shot;
