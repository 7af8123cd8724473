//! The video file of a recording.
//!
//! Owns the transfer of the frames through the browser's encoder into the file, in parts. Never holds all frames in
//! memory. `webm` defines the file's format.

use super::vp8;
use super::webm::{Block, Movie};
use crate::core::Progress;
use crate::files::PartialFile;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::nameless;
use gstack_browser::browser::Browser;
use gstack_browser::page::video::{EncodeError, Encoded, Encoder, Frames, SentShot, VideoRecording};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::io::{self, SeekFrom};
use std::path::Path;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt, BufReader, BufWriter};

/// The time between key frames in milliseconds: to seek, players decode from the previous key frame.
const KEY_EVERY: u64 = 4000;
/// Limits of what is sent to the encoder at once: frames, and bytes of base64.
const MOST_AT_ONCE: usize = 16;
const LARGEST_PART: usize = 4 * 1024 * 1024;

/// The size of the written video.
pub(super) struct Written {
    /// In pixels.
    pub(super) size: (u32, u32),
    pub(super) pictures: usize,
}

/// Encodes a recording in this browser and writes it to `file`. `temp` is a folder for temporary files. `progress` is told
/// how many bytes of the frames are encoded: that takes almost all of the time.
pub(super) async fn write(
    browser: &Browser,
    recording: &VideoRecording,
    frames: &mut Frames,
    file: &mut PartialFile,
    temp: &Path,
    progress: &Progress,
) -> Result<Written, Fault> {
    let total = frames.bytes();
    let first = frames.read(0).await.map_err(|error| unusable(&error))?;
    let options = &recording.options;
    let encoder = Encoder::open(browser, &first, options.size, options.fps).await.map_err(not_encoded)?;
    let mut spool = Spool::create(temp, encoder.as_files)?;
    let mut part: Vec<SentShot> = Vec::new();
    let (mut sent, mut key): (Option<usize>, Option<u64>) = (None, None);
    let mut bytes = 0;
    let mut done = 0;
    for shot in recording.shots(frames) {
        let mut picture = None;
        if sent.replace(shot.frame) != Some(shot.frame) {
            let frame = frames.read(shot.frame).await.map_err(|error| unusable(&error))?;
            done += frame.len() as u64;
            picture = Some(STANDARD.encode(frame));
        }
        let is_key = key.is_none_or(|key| shot.at - key >= KEY_EVERY);
        key = if is_key { Some(shot.at) } else { key };
        bytes += picture.as_ref().map_or(0, String::len);
        part.push(SentShot { at: shot.at, is_key, words: shot.words, picture });
        if part.len() >= MOST_AT_ONCE || bytes >= LARGEST_PART {
            spool.take(encoder.add(&part).await.map_err(not_encoded)?).await?;
            progress.tell(done, Some(total));
            part.clear();
            bytes = 0;
        }
    }
    if !part.is_empty() {
        spool.take(encoder.add(&part).await.map_err(not_encoded)?).await?;
        progress.tell(done, Some(total));
    }
    let size = encoder.size;
    // Closes its tab.
    drop(encoder);
    spool.write(size, frames.length(), file).await
}

/// The encoded frames, in an unnamed file until all their sizes are known.
struct Spool {
    file: BufWriter<File>,
    blocks: Vec<Block>,
    as_files: bool,
}

impl Spool {
    fn create(folder: &Path, as_files: bool) -> Result<Self, Fault> {
        let file = nameless::create(folder).map_err(|error| unusable(&error))?;
        Ok(Self { file: BufWriter::new(File::from_std(file)), blocks: Vec::new(), as_files })
    }

    async fn take(&mut self, came: Vec<Encoded>) -> Result<(), Fault> {
        for Encoded { at, is_key, bytes } in came {
            let frame = if self.as_files { vp8::frame_of(&bytes) } else { Some(bytes.as_slice()) };
            let is_first = self.blocks.is_empty();
            let Some(frame) = frame.filter(|_| is_key || !is_first) else {
                return Err(not_encoded(EncodeError::Refused(
                    "it returned a picture that is not a video frame".to_owned(),
                )));
            };
            let at = self.blocks.last().map_or(0, |before| at.max(before.at));
            self.file.write_all(frame).await.map_err(|error| unusable(&error))?;
            self.blocks.push(Block { at, is_key, bytes: frame.len() });
        }
        Ok(())
    }

    async fn write(mut self, size: (u32, u32), length: u64, file: &mut PartialFile) -> Result<Written, Fault> {
        if self.blocks.is_empty() {
            return Err(not_encoded(EncodeError::Refused("it returned no pictures".to_owned())));
        }
        self.file.seek(SeekFrom::Start(0)).await.map_err(|error| unusable(&error))?;
        let mut pictures = BufReader::new(self.file.into_inner());
        let written = Written { size, pictures: self.blocks.len() };
        let sizes: Vec<usize> = self.blocks.iter().map(|block| block.bytes).collect();
        let movie = Movie::new(size, length, self.blocks);
        file.write(&movie.head()).await?;
        for (number, bytes) in sizes.into_iter().enumerate() {
            let mut part = movie.before(number);
            let head = part.len();
            part.resize(head + bytes, 0);
            pictures.read_exact(&mut part[head..]).await.map_err(|error| unusable(&error))?;
            file.write(&part).await?;
        }
        Ok(written)
    }
}

fn not_encoded(error: EncodeError) -> Fault {
    match error {
        EncodeError::Page(error) => error.into(),
        EncodeError::Refused(_) => Fault::new(FaultCode::Internal, error.to_string())
            .hint("The recording is kept: try `gstack video stop` again, or in another browser.")
            .at(Hop::Browser),
    }
}

pub(super) fn unusable(error: &io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("the recording can't be kept in the temp directory: {error}"))
        .hint("Free some space there.")
}
