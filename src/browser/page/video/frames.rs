//! The frames of one recording: JPEG files in an unnamed file, with their times.
//!
//! Owns the limit in bytes and the frame rate: of the frames within one interval, the last is kept. Never decodes.

use std::fs::File as StdFile;
use std::io::{self, SeekFrom};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

/// The limit of one recording, on disk.
pub const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Why a frame was not stored.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// The recording has reached its size limit.
    Full,
    Disk(io::Error),
}

impl From<io::Error> for NotTaken {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

#[derive(Clone, Copy, Debug)]
struct FrameSpan {
    start: u64,
    bytes: usize,
}

/// The recorded frames.
#[derive(Debug)]
pub struct Frames {
    file: File,
    /// When each frame was shown, in milliseconds since the first.
    times: Vec<u64>,
    places: Vec<FrameSpan>,
    bytes: u64,
    most: u64,
    /// The newest frame, which another one of the same interval replaces.
    held: Option<(u64, Vec<u8>)>,
    per_second: u64,
    /// The length of the recording in milliseconds; set by `close`.
    length: u64,
    /// The number of frames that were not stored because they show other sites, or what a person did.
    left_out: usize,
}

impl Frames {
    pub(super) fn new(file: StdFile, per_second: u32, most: u64) -> Self {
        Self {
            file: File::from_std(file),
            times: Vec::new(),
            places: Vec::new(),
            bytes: 0,
            most,
            held: None,
            per_second: u64::from(per_second.max(1)),
            length: 0,
            left_out: 0,
        }
    }

    /// Stores a frame that is shown from `at` on.
    pub(super) async fn take(&mut self, at: u64, picture: Vec<u8>) -> Result<(), NotTaken> {
        if let Some((held, before)) = self.held.replace((at, picture))
            && self.frame_of(held) != self.frame_of(at)
        {
            self.write(held, &before).await?;
        }
        Ok(())
    }

    pub(super) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Writes the last frame and sets the length to `end`.
    pub(super) async fn close(&mut self, end: u64) -> Result<(), NotTaken> {
        self.length = end.max(1000 / self.per_second);
        let written = match self.held.take() {
            Some((held, picture)) => self.write(held, &picture).await,
            None => Ok(()),
        };
        self.file.flush().await?;
        written
    }

    fn frame_of(&self, at: u64) -> u64 {
        at * self.per_second / 1000
    }

    async fn write(&mut self, at: u64, picture: &[u8]) -> Result<(), NotTaken> {
        if self.bytes + picture.len() as u64 > self.most {
            return Err(NotTaken::Full);
        }
        self.file.write_all(picture).await?;
        // The video begins with its first frame.
        self.times.push(if self.times.is_empty() { 0 } else { at });
        self.places.push(FrameSpan { start: self.bytes, bytes: picture.len() });
        self.bytes += picture.len() as u64;
        Ok(())
    }

    /// When each frame was shown, in milliseconds.
    pub fn times(&self) -> &[u64] {
        &self.times
    }

    /// The size of all frames, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The length in milliseconds.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The number of frames that were not stored because they show other sites, or what a person did.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Reads a frame back, a JPEG file.
    pub async fn read(&mut self, number: usize) -> io::Result<Vec<u8>> {
        let missing = || io::Error::new(io::ErrorKind::InvalidInput, "there is no such picture");
        let FrameSpan { start, bytes } = *self.places.get(number).ok_or_else(missing)?;
        self.file.seek(SeekFrom::Start(start)).await?;
        let mut picture = vec![0; bytes];
        self.file.read_exact(&mut picture).await?;
        Ok(picture)
    }
}

#[cfg(test)]
mod tests {
    use super::{Frames, NotTaken};

    fn frames(per_second: u32, most: u64) -> Frames {
        Frames::new(tempfile::tempfile().unwrap(), per_second, most)
    }

    #[tokio::test]
    async fn the_last_picture_of_each_frame_is_kept_and_read_again() {
        let mut frames = frames(10, 1000);
        for (at, picture) in [(0, "a"), (40, "bb"), (99, "ccc"), (100, "dddd"), (350, "e"), (399, "ff")] {
            frames.take(at, picture.into()).await.unwrap();
        }
        frames.close(900).await.unwrap();
        assert_eq!((frames.times(), frames.length()), (&[0, 100, 399][..], 900));
        let mut read = Vec::new();
        for number in [2, 0, 1] {
            read.push(String::from_utf8(frames.read(number).await.unwrap()).unwrap());
        }
        assert_eq!(read, ["ff", "ccc", "dddd"]);
        assert!(frames.read(3).await.is_err());
    }

    #[tokio::test]
    async fn what_would_be_too_large_is_not_taken_and_what_is_there_stays() {
        let mut frames = frames(10, 10);
        frames.take(0, vec![1; 8]).await.unwrap();
        frames.take(200, vec![2; 8]).await.unwrap();
        assert!(matches!(frames.take(400, vec![3; 8]).await, Err(NotTaken::Full)));
        assert!(matches!(frames.close(500).await, Err(NotTaken::Full)));
        assert_eq!((frames.times().len(), frames.read(0).await.unwrap()), (1, vec![1; 8]));
    }
}
