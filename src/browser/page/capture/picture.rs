//! Screenshots of a page, even of a hidden tab.
//!
//! Owns the area of a screenshot. Our own elements are hidden while it is taken. Never writes files.

use crate::devtools::page::{
    CaptureScreenshotFormat, CaptureScreenshotParams, GetLayoutMetricsParams, LayoutMetrics, Viewport,
};
use crate::devtools::runtime::EvaluateParams;
use crate::page::error::PageError;
use crate::page::locate::Target;
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::Injected;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use serde::Deserialize;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// In device pixels: the browser does not draw beyond it; a screenshot would be black there or repeat what is above.
const TALLEST_AT_ONCE: f64 = 16_384.0;
/// More parts take minutes, and hardly any program can open the result.
const MOST_PARTS: f64 = 16.0;
/// No screen has more device pixels per CSS pixel.
const LARGEST_RATIO: f64 = 8.0;
/// When an attempt counts as lost: a screenshot takes a fraction of the first. If the tab is hidden or its document
/// changes, it is sometimes lost without an error; a repeated request succeeds, if the document does not change again.
const LOST_AFTER: [Duration; 7] = [
    Duration::from_secs(1),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(3),
    Duration::from_secs(3),
    Duration::from_secs(3),
    Duration::from_secs(3),
];
/// The longest wait for attempts that were sent after the one whose picture counts.
const LATE_LIMIT: Duration = Duration::from_secs(3);
/// The delay before a retry while the document changes.
const BETWEEN_PAGES: Duration = Duration::from_millis(50);
const CAPTURE_LIMIT: Duration = Duration::from_secs(20);
pub(super) const JPEG_QUALITY: u8 = 85;
/// The number of screenshots remembered per tab to tell whether the next one differs.
const MOST_NAMES: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    Png,
    Jpeg,
    Webp,
}

/// In CSS pixels from the page's top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The area of a screenshot.
#[derive(Clone, Debug, PartialEq)]
pub enum Area {
    /// From the top of the page to its end.
    FullPage,
    /// The visible viewport.
    Viewport,
    Clip(Region),
    Element(Target),
}

/// An encoded image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub bytes: Vec<u8>,
    /// Set if the area is taller than an image can be: its end is missing.
    pub cut: Option<Truncated>,
}

/// In CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated {
    pub asked: u64,
    pub shown: u64,
}

/// The reply of `hideOwn`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Hidden {
    /// One of our elements is in the page.
    own: bool,
    /// The viewport shows the whole page.
    fits: bool,
    /// The height that a box which scrolls in place of the page does not show.
    inside: f64,
}

impl Page {
    pub async fn capture(&self, area: &Area, format: ImageFormat) -> Result<Capture, PageError> {
        let drawing = self.draw();
        let hidden = self.hide_own(true).await?;
        let is_full = *area == Area::FullPage;
        let area = if hidden.fits && is_full && hidden.inside < 1.0 { &Area::Viewport } else { area };
        let inside = if is_full { hidden.inside } else { 0.0 };
        let result = self.capture_now(area, inside, format).await;
        let shown = if hidden.own { self.hide_own(false).await } else { Ok(hidden) };
        drop(drawing);
        shown?;
        result
    }

    /// Returns true if a screenshot differs from the last one of the same name in this tab, and remembers it.
    pub fn is_new_picture(&self, name: String, picture: &Capture) -> bool {
        let mut hasher = DefaultHasher::new();
        picture.bytes.hash(&mut hasher);
        let number = hasher.finish();
        let mut pictures = lock(&self.memory.pictures);
        // The client chooses the names, so their number is limited.
        if pictures.len() >= MOST_NAMES && !pictures.contains_key(&name) {
            pictures.clear();
        }
        pictures.insert(name, number) != Some(number)
    }

    /// `inside`: the height to add for a box that scrolls in place of the page.
    async fn capture_now(&self, area: &Area, inside: f64, format: ImageFormat) -> Result<Capture, PageError> {
        let (region, metrics) = match area {
            Area::Viewport => return Ok(Capture { bytes: self.picture(None, false, format).await?, cut: None }),
            Area::FullPage => {
                let metrics = self.metrics().await?;
                let size = &metrics.css_content_size;
                (Region { x: 0.0, y: 0.0, width: size.width, height: size.height + inside }, metrics)
            }
            Area::Clip(region) => (*region, self.metrics().await?),
            // It has been scrolled into view.
            Area::Element(target) => (self.element_region(target).await?, self.metrics().await?),
        };
        let at_once = match region.height > TALLEST_AT_ONCE / LARGEST_RATIO {
            true => whole_device_pixels(TALLEST_AT_ONCE, self.pixel_ratio().await?),
            false => TALLEST_AT_ONCE,
        };
        // Only PNG parts can be joined without loss; the other formats cannot hold much more anyway.
        let most = if format == ImageFormat::Png { at_once * MOST_PARTS } else { at_once };
        let shown = Region { height: region.height.min(most), ..region };
        // Both are positive and far below 2^53.
        let cut = Truncated { asked: region.height.ceil() as u64, shown: most as u64 };
        let cut = (region.height > most).then_some(cut);
        let bytes = if is_in_view(&shown, &metrics) {
            self.picture(Some(shown), false, format).await?
        } else {
            match self.stitched(shown, inside >= 1.0, format).await? {
                Some(bytes) => bytes,
                // The page decides where it scrolls to: it is laid out in one piece for a moment.
                None => self.picture(Some(Region { height: shown.height.min(at_once), ..shown }), true, format).await?,
            }
        };
        Ok(Capture { bytes, cut })
    }

    async fn metrics(&self) -> Result<LayoutMetrics, PageError> {
        Ok(self.session().call_within(GetLayoutMetricsParams {}, CAPTURE_LIMIT).await?)
    }

    /// Takes one screenshot; without a region, of the visible viewport.
    pub(super) async fn picture(
        &self,
        region: Option<Region>,
        beyond: bool,
        format: ImageFormat,
    ) -> Result<Vec<u8>, PageError> {
        let command = CaptureScreenshotParams {
            format: Some(match format {
                ImageFormat::Png => CaptureScreenshotFormat::Png,
                ImageFormat::Jpeg => CaptureScreenshotFormat::Jpeg,
                ImageFormat::Webp => CaptureScreenshotFormat::Webp,
            }),
            quality: (format != ImageFormat::Png).then_some(i64::from(JPEG_QUALITY)),
            capture_beyond_viewport: Some(beyond),
            clip: region.map(|region| Viewport {
                x: region.x,
                y: region.y,
                width: region.width.max(1.0),
                height: region.height.max(1.0),
                scale: 1.0,
            }),
            ..CaptureScreenshotParams::default()
        };
        let deadline = Instant::now() + CAPTURE_LIMIT;
        let mut attempts = FuturesUnordered::new();
        let mut sent = 0;
        loop {
            if sent < LOST_AFTER.len() {
                let left = deadline.saturating_duration_since(Instant::now());
                let answer = self.session().call_within(command.clone(), left);
                attempts.push(answer.map(move |picture| (sent, picture)));
                sent += 1;
            }
            // The first answer counts, whichever attempt it belongs to: slow attempts stay pending.
            let Ok(Some((attempt, picture))) = timeout(LOST_AFTER[sent - 1], attempts.next()).await else { continue };
            match picture {
                Err(error) if error.is_between_pages() && Instant::now() < deadline => sleep(BETWEEN_PAGES).await,
                Err(error) => return Err(error.into()),
                Ok(picture) => {
                    // A late attempt would disturb the next capture: a part of a tall page would show rows of another
                    // part. Attempts are answered in order, so earlier ones are lost.
                    let mut late = sent - 1 - attempt;
                    while late > 0
                        && let Ok(Some((attempt_of, _))) = timeout(LATE_LIMIT, attempts.next()).await
                    {
                        late -= usize::from(attempt_of > attempt);
                    }
                    let bytes = STANDARD.decode(picture.data);
                    return bytes.map_err(|error| PageError::Unreadable(error.to_string()));
                }
            }
        }
    }

    /// Returns the device pixels per CSS pixel. The page controls this value, so it is clamped.
    pub(super) async fn pixel_ratio(&self) -> Result<f64, PageError> {
        let reply = self.session().call_within(EvaluateParams::new("devicePixelRatio"), CAPTURE_LIMIT).await?;
        let said: f64 = reply.result.value.and_then(|value| value.get().parse().ok()).unwrap_or(1.0);
        Ok(said.clamp(0.25, LARGEST_RATIO))
    }

    /// Scrolls an element into view, in each document around it, and returns its rectangle from the top left corner of the
    /// page.
    async fn element_region(&self, target: &Target) -> Result<Region, PageError> {
        let place = self.element_box(target).await?;
        let metrics = self.metrics().await?;
        let (left, top) = (metrics.css_visual_viewport.page_x, metrics.css_visual_viewport.page_y);
        Ok(Region { x: place.x + left, y: place.y + top, width: place.width, height: place.height })
    }

    async fn hide_own(&self, hide: bool) -> Result<Hidden, PageError> {
        let main = self.main_frame().await?.id;
        let mut all = Hidden::default();
        for frame in self.drawn_frames(main.clone()) {
            match self.script::<Hidden>(&frame, Injected::HideOwn, &[&hide], SCRIPT_LIMIT).await {
                Ok(hidden) => {
                    all.own |= hidden.own;
                    all.fits |= hidden.fits && frame == main;
                    all.inside += if frame == main { hidden.inside } else { 0.0 };
                }
                // The drawings are gone with their document.
                Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

/// Returns true if the window shows the whole region.
fn is_in_view(region: &Region, metrics: &LayoutMetrics) -> bool {
    let seen = &metrics.css_visual_viewport;
    region.x >= seen.page_x - 0.5
        && region.y >= seen.page_y - 0.5
        && region.x + region.width <= seen.page_x + seen.client_width + 0.5
        && region.y + region.height <= seen.page_y + seen.client_height + 0.5
}

/// Returns the largest height in whole CSS pixels that is also whole in device pixels, if there is one: parts then meet
/// without a gap.
pub(super) fn whole_device_pixels(most: f64, ratio: f64) -> f64 {
    let tallest = (most / ratio).floor();
    let is_whole = |height: f64| ((height * ratio).round() - height * ratio).abs() < 1e-6;
    let steps = (0..100).map(|less| tallest - f64::from(less));
    steps.take_while(|height| *height >= 1.0).find(|height| is_whole(*height)).unwrap_or(tallest)
}

#[cfg(test)]
mod tests {
    use super::whole_device_pixels;

    #[test]
    fn parts_end_where_a_device_pixel_does() {
        for (ratio, height) in [(1.0, 16_384.0), (2.0, 8192.0), (1.25, 13_104.0), (1.1, 14_890.0), (1.5, 10_922.0)] {
            let found = whole_device_pixels(16_384.0, ratio);
            assert!((found - height).abs() < f64::EPSILON, "{ratio}: {found}");
        }
    }
}
