//! Commands that record a tab as a video.

pub(super) mod video;
mod video_file;
mod vp8;
mod webm;
