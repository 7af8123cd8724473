//! One recording of a tab, from its start until its video is written.
//!
//! Owns its frames, its captions and the reason why it ended. `recorder` is its task. Outlives its tab and its browser.

use super::frames::{Frames, MOST_BYTES};
use super::recorder::Recorder;
use super::timeline::{Caption, Shot, arranged};
use crate::devtools::page::jpeg_frames;
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::shared::Shared;
use crate::tab::Tab;
use gstack_base::mutex::lock;
use gstack_base::site::SiteOrPage;
use gstack_protocol::ids::TabId;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::MutexGuard;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// The limit in time: a recording ends by itself after it.
pub const LONGEST: Duration = Duration::from_secs(10 * 60);
/// A page that responds sends its first frame within milliseconds.
const FIRST_LIMIT: Duration = Duration::from_secs(5);
/// The largest side in pixels of a video without `--size`.
const LARGEST_SIDE: u32 = 1280;
/// JPEG quality, 0 to 100. Encoding the video loses some more.
const QUALITY: i64 = 85;
/// The most captions of one recording.
const MOST_CAPTIONS: usize = 10_000;

/// The settings of a recording.
#[derive(Clone, Debug)]
pub struct VideoOptions {
    /// Width and height in pixels; `None` for the size of the first frame.
    pub size: Option<(u32, u32)>,
    /// The most frames a second.
    pub fps: u32,
    /// Whether a model started it.
    pub for_model: bool,
    /// Limits the recording to this place; `None` records everything.
    pub only_on: Option<SiteOrPage>,
    /// The video file.
    pub path: PathBuf,
    /// The client's working directory.
    pub folder: Option<PathBuf>,
}

/// Why a recording ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// After [`LONGEST`].
    Length,
    /// At [`MOST_BYTES`].
    Size,
    TabClosed,
    BrowserGone,
    /// The person detached gstack from the tab of their everyday browser.
    SentOut,
    /// The page got a response from an address that gstack never reads.
    Refused,
    Disk(String),
}

/// The time in a recording, by the frames' own timestamps: frames arrive late.
#[derive(Debug)]
pub(super) struct RecordingClock {
    /// The timestamp of the first frame, in seconds since 1970.
    first: Option<f64>,
    /// The time of the newest frame, in milliseconds since the first.
    newest: u64,
    /// When the recording was opened, which was before any frame was drawn.
    opened: Instant,
    /// When the newest frame arrived.
    came: Instant,
    /// The time of the end, in milliseconds; `None` while it records.
    end: Option<u64>,
}

impl RecordingClock {
    /// Returns the time of a frame with this timestamp, never earlier than the previous frame. Timestamps follow the
    /// system's clock, which jumps when it is set or after a sleep: no frame is later than the recording has lasted.
    pub(super) fn drawn(&mut self, timestamp: f64, now: Instant) -> u64 {
        let first = *self.first.get_or_insert(timestamp);
        let lasted = u64::try_from(now.duration_since(self.opened).as_millis()).unwrap_or(u64::MAX);
        let at = (((timestamp - first) * 1000.0).max(0.0) as u64).min(lasted);
        self.newest = self.newest.max(at);
        self.came = now;
        self.newest
    }

    /// Returns the time in the recording now, or of its end.
    fn reached(&self, now: Instant) -> u64 {
        let since = || u64::try_from(now.duration_since(self.came).as_millis()).unwrap_or(u64::MAX);
        self.end.unwrap_or_else(|| if self.first.is_some() { self.newest.saturating_add(since()) } else { 0 })
    }
}

/// A recording. [`VideoRecording::finish`] ends it, unless it ends by itself.
pub struct VideoRecording {
    tab: TabId,
    /// Its browser, which it does not keep alive.
    browser: Weak<Shared>,
    pub options: VideoOptions,
    pub(super) clock: Mutex<RecordingClock>,
    captions: Mutex<Vec<Caption>>,
    ending: Mutex<Option<Ending>>,
    /// Set once it has ended; `None` again after its video is written.
    frames: tokio::sync::Mutex<Option<Frames>>,
    /// Cancelled when the first frame has arrived.
    pub(super) began: CancellationToken,
    pub(super) stop: CancellationToken,
    /// Cancelled when the task has stored everything.
    pub(super) over: CancellationToken,
}

impl VideoRecording {
    /// Prepares a recording of the page's tab. `spool` takes the frames.
    ///
    /// # Errors
    ///
    /// Fails if the tab was closed.
    pub fn open(page: &Page, options: VideoOptions, spool: File) -> Result<Arc<Self>, PageError> {
        let tab: &Tab = page.work();
        let now = Instant::now();
        let clock = RecordingClock { first: None, newest: 0, opened: now, came: now, end: None };
        let recording = Arc::new(Self {
            tab: tab.id(),
            browser: Arc::downgrade(&tab.browser().shared),
            clock: Mutex::new(clock),
            captions: Mutex::default(),
            ending: Mutex::default(),
            frames: tokio::sync::Mutex::default(),
            began: CancellationToken::new(),
            stop: CancellationToken::new(),
            over: CancellationToken::new(),
            options,
        });
        let frames = Frames::new(spool, recording.options.fps, MOST_BYTES);
        // Subscribes before the first frame is sent.
        let recorder = Recorder::new(tab, recording.clone(), frames)?;
        tab.browser().cdp().tasks().spawn(recorder.run());
        Ok(recording)
    }

    /// Starts the screencast; returns once the first frame has arrived.
    ///
    /// # Errors
    ///
    /// Fails if the browser refuses a screencast of the tab.
    pub async fn begin(&self, page: &Page) -> Result<(), PageError> {
        let (width, height) = self.options.size.unwrap_or((LARGEST_SIDE, LARGEST_SIDE));
        page.work().start_screencast(jpeg_frames(QUALITY, width, height)).await?;
        if timeout(FIRST_LIMIT, self.began.cancelled()).await.is_err() {
            tracing::info!(tab = %self.tab, "a recorded page has drawn nothing yet");
        }
        Ok(())
    }

    /// The recorded tab, which may be closed.
    pub fn tab(&self) -> TabId {
        self.tab
    }

    /// Why it ended by itself; `None` if it did not.
    pub fn ending(&self) -> Option<Ending> {
        lock(&self.ending).clone()
    }

    /// Returns whether the tab was closed or its browser is gone.
    pub fn has_lost_its_tab(&self) -> bool {
        let is_open =
            |browser: Arc<Shared>| !browser.cdp.gone().is_cancelled() && browser.state().tabs.get(self.tab).is_some();
        !self.browser.upgrade().is_some_and(is_open)
    }

    /// Its start and its end, in milliseconds since 1970; `None` before the first frame.
    pub fn span(&self) -> Option<(u64, u64)> {
        let clock = lock(&self.clock);
        let first = (clock.first? * 1000.0).max(0.0) as u64;
        Some((first, first + clock.reached(Instant::now())))
    }

    /// Shows a caption until the returned guard is dropped. `None` if the recording has ended or has too many.
    pub fn show(self: &Arc<Self>, words: &str) -> Option<ShownWords> {
        let from = lock(&self.clock).reached(Instant::now());
        let mut captions = lock(&self.captions);
        let number = captions.len();
        if number >= MOST_CAPTIONS || self.over.is_cancelled() {
            return None;
        }
        captions.push(Caption { from, until: None, words: Arc::from(words) });
        Some(ShownWords { recording: self.clone(), number })
    }

    /// Ends it. Its frames are available when this returns.
    pub async fn finish(&self) {
        self.stop.cancel();
        self.over.cancelled().await;
    }

    /// The frames, once it has ended. The caller that has written the video takes them out.
    pub async fn frames(&self) -> MutexGuard<'_, Option<Frames>> {
        self.frames.lock().await
    }

    /// The frames of its video, with captions.
    pub fn shots(&self, frames: &Frames) -> Vec<Shot> {
        arranged(frames.times(), &lock(&self.captions), frames.length())
    }

    /// Stores the result of the task.
    pub(super) async fn close(&self, mut frames: Frames, ending: Option<Ending>) {
        let end = {
            let mut clock = lock(&self.clock);
            let reached = clock.reached(Instant::now());
            *clock.end.get_or_insert(reached)
        };
        let unwritten = frames.close(end).await.err().map(Ending::from);
        *lock(&self.ending) = ending.or(unwritten);
        *self.frames.lock().await = Some(frames);
    }
}

/// A caption that is shown until this is dropped.
pub struct ShownWords {
    recording: Arc<VideoRecording>,
    number: usize,
}

impl Drop for ShownWords {
    fn drop(&mut self) {
        let now = lock(&self.recording.clock).reached(Instant::now());
        if let Some(caption) = lock(&self.recording.captions).get_mut(self.number) {
            caption.until = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RecordingClock;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn times_are_those_of_the_pictures_and_never_run_backwards() {
        let begun = Instant::now();
        let at = |seconds: f64| begun + Duration::from_secs_f64(seconds);
        let mut clock = RecordingClock { first: None, newest: 0, opened: begun, came: begun, end: None };
        assert_eq!(clock.reached(at(9.0)), 0, "before the first picture");
        let drawn = [1000.0, 1000.5, 1000.2, 1002.0].map(|drawn| clock.drawn(drawn, at(10.0)));
        assert_eq!(drawn, [0, 500, 500, 2000]);
        assert_eq!(clock.reached(at(10.25)), 2250);
        clock.end = Some(2100);
        assert_eq!(clock.reached(at(20.0)), 2100);
    }

    #[test]
    fn a_clock_that_jumps_makes_no_recording_longer_than_it_lasted() {
        let begun = Instant::now();
        let mut clock = RecordingClock { first: None, newest: 0, opened: begun, came: begun, end: None };
        let now = begun + Duration::from_secs(3);
        assert_eq!(clock.drawn(0.0, begun), 0);
        assert_eq!(clock.drawn(1.7e9, now), 3000);
        assert_eq!(clock.drawn(f64::NAN, now), 3000);
    }
}
