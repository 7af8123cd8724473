//! One recording of a tab, from its beginning until its video is written.
//!
//! Owns what is kept of it, the words beneath the pictures, and why it ended by itself. The task that takes the pictures in is
//! `recorder`'s. Outlives its tab and its browser: what was recorded is still there then.

use super::frames::{Frames, MOST_BYTES};
use super::recorder::Recorder;
use super::timeline::{Caption, Shot, arranged};
use crate::base::mutex::lock;
use crate::base::site::Place;
use crate::browser::devtools::page::{PictureFormat, StartScreencast};
use crate::browser::page::error::PageError;
use crate::browser::page::page::Page;
use crate::browser::shared::Shared;
use crate::browser::tab::Tab;
use crate::protocol::ids::TabId;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::MutexGuard;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// A recording ends by itself after this time.
pub const LONGEST: Duration = Duration::from_secs(10 * 60);
/// A page that is shown is drawn within milliseconds. One that hangs is recorded once it goes on.
const FIRST_LIMIT: Duration = Duration::from_secs(5);
/// In pixels: the largest side of a video without a size of its own.
const LARGEST_SIDE: u32 = 1280;
/// 0 to 100, of the pictures: the video's own losses come on top.
const QUALITY: i64 = 85;
/// More words than this are not kept.
const MOST_CAPTIONS: usize = 10_000;

/// What a recording is to be.
#[derive(Clone, Debug)]
pub struct VideoOptions {
    /// Width and height in pixels; none: those of the first picture.
    pub size: Option<(u32, u32)>,
    /// Pictures a second, at most.
    pub fps: u32,
    /// A model began it.
    pub for_model: bool,
    /// Only what the tab shows of this place is recorded; none: everything.
    pub only_on: Option<Place>,
    /// Where the video is to be written.
    pub path: PathBuf,
    /// The client's folder.
    pub folder: Option<PathBuf>,
}

/// Why a recording ended before it was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// After [`LONGEST`].
    Length,
    /// At [`MOST_BYTES`].
    Size,
    TabClosed,
    BrowserGone,
    /// The person sent gstack out of the tab of their everyday browser.
    SentOut,
    /// The page got an answer from an address that nothing is read from.
    Refused,
    Disk(String),
}

/// When things happen in a recording. The pictures' own times count: they come late.
#[derive(Debug)]
pub(super) struct RecordingClock {
    /// In seconds since 1970: when the first picture was drawn.
    first: Option<f64>,
    /// In milliseconds since then: when the newest was drawn.
    newest: u64,
    /// When that came.
    came: Instant,
    /// In milliseconds: when the recording ended.
    end: Option<u64>,
}

impl RecordingClock {
    /// The time of a picture that was drawn then, never before the one before it.
    pub(super) fn drawn(&mut self, timestamp: f64, now: Instant) -> u64 {
        let first = *self.first.get_or_insert(timestamp);
        let at = ((timestamp - first) * 1000.0).max(0.0) as u64;
        self.newest = self.newest.max(at);
        self.came = now;
        self.newest
    }

    /// How far the recording has come, or where it ended.
    fn reached(&self, now: Instant) -> u64 {
        let since = || u64::try_from(now.duration_since(self.came).as_millis()).unwrap_or(u64::MAX);
        self.end.unwrap_or_else(|| if self.first.is_some() { self.newest.saturating_add(since()) } else { 0 })
    }
}

/// A recording. It is stopped by [`VideoRecording::finish`], or ends by itself.
pub struct VideoRecording {
    tab: TabId,
    /// Its browser, which does not live on for it.
    browser: Weak<Shared>,
    pub options: VideoOptions,
    pub(super) clock: Mutex<RecordingClock>,
    captions: Mutex<Vec<Caption>>,
    ending: Mutex<Option<Ending>>,
    /// What was recorded, once it is over. None again when its video has been written.
    frames: tokio::sync::Mutex<Option<Frames>>,
    /// Its first picture is there.
    pub(super) began: CancellationToken,
    pub(super) stop: CancellationToken,
    /// The task has ended.
    pub(super) over: CancellationToken,
}

impl VideoRecording {
    /// A recording of the page's tab, which takes in what comes once it has begun. `spool`: where pictures are kept.
    ///
    /// # Errors
    ///
    /// Fails if the tab was closed.
    pub fn open(page: &Page, options: VideoOptions, spool: File) -> Result<Arc<Self>, PageError> {
        let tab: &Tab = page.work();
        let clock = RecordingClock { first: None, newest: 0, came: Instant::now(), end: None };
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
        // Before the first picture is sent.
        let recorder = Recorder::new(tab, recording.clone(), frames)?;
        tab.browser().cdp().tasks().spawn(recorder.run());
        Ok(recording)
    }

    /// Has the tab drawn for it; returns once the first picture has come.
    ///
    /// # Errors
    ///
    /// Fails if the browser sends no pictures of the tab.
    pub async fn begin(&self, page: &Page) -> Result<(), PageError> {
        let (width, height) = self.options.size.unwrap_or((LARGEST_SIDE, LARGEST_SIDE));
        let cast = StartScreencast {
            format: PictureFormat::Jpeg,
            quality: QUALITY,
            max_width: i64::from(width),
            max_height: i64::from(height),
        };
        page.work().start_screencast(cast).await?;
        if timeout(FIRST_LIMIT, self.began.cancelled()).await.is_err() {
            tracing::info!(tab = %self.tab, "a recorded page has drawn nothing yet");
        }
        Ok(())
    }

    /// The tab that is recorded. It may be closed.
    pub fn tab(&self) -> TabId {
        self.tab
    }

    /// Why it ended by itself; none: it has not.
    pub fn ending(&self) -> Option<Ending> {
        lock(&self.ending).clone()
    }

    /// The tab was closed, or its browser is gone.
    pub fn has_lost_its_tab(&self) -> bool {
        let is_open =
            |browser: Arc<Shared>| !browser.cdp.gone().is_cancelled() && browser.state().tabs.get(self.tab).is_some();
        !self.browser.upgrade().is_some_and(is_open)
    }

    /// When its first and its last moment were, in milliseconds since 1970.
    pub fn span(&self) -> Option<(u64, u64)> {
        let clock = lock(&self.clock);
        let first = (clock.first? * 1000.0).max(0.0) as u64;
        Some((first, first + clock.reached(Instant::now())))
    }

    /// Shows words beneath the pictures until what this returns is dropped. `None`: there are too many, or it is over.
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

    /// Ends it. What was recorded is there when this returns.
    pub async fn finish(&self) {
        self.stop.cancel();
        self.over.cancelled().await;
    }

    /// What was recorded, once it is over. Whoever has written its video takes it out.
    pub async fn frames(&self) -> MutexGuard<'_, Option<Frames>> {
        self.frames.lock().await
    }

    /// What its video shows.
    pub fn shots(&self, frames: &Frames) -> Vec<Shot> {
        arranged(frames.times(), &lock(&self.captions), frames.length())
    }

    /// Nothing comes any more.
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

/// Words that are shown in a recording until this is dropped.
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
        let mut clock = RecordingClock { first: None, newest: 0, came: begun, end: None };
        assert_eq!(clock.reached(at(9.0)), 0, "before the first picture");
        let drawn = [1000.0, 1000.5, 1000.2, 1002.0].map(|drawn| clock.drawn(drawn, at(10.0)));
        assert_eq!(drawn, [0, 500, 500, 2000]);
        assert_eq!(clock.reached(at(10.25)), 2250);
        clock.end = Some(2100);
        assert_eq!(clock.reached(at(20.0)), 2100);
    }
}
