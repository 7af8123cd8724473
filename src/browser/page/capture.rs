//! Pictures of a page, also of one that nobody looks at.
//!
//! Owns what is in the picture. Our own elements are hidden while it is taken. Never writes files.

use super::element::{Point, Target};
use super::error::PageError;
use super::page::{Page, SCRIPT_LIMIT};
use crate::browser::frames::FrameId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chromiumoxide::cdp::browser_protocol::page::{
    CaptureScreenshotFormat, CaptureScreenshotParams, GetLayoutMetricsParams, Viewport,
};
use chromiumoxide::cdp::js_protocol::runtime::EvaluateParams;
use std::time::Duration;

/// In device pixels: what lies beyond is not drawn, and a picture of it would be black or repeat what is above.
const TALLEST: f64 = 16_384.0;
/// No screen has more device pixels a CSS pixel.
const LARGEST_RATIO: f64 = 8.0;
const CAPTURE_LIMIT: Duration = Duration::from_secs(20);
const JPEG_QUALITY: i64 = 85;

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

/// What is in the picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Area {
    /// From its top to its end.
    FullPage,
    /// What its window shows.
    Viewport,
    Clip(Region),
    Element(Target),
}

/// A picture, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub bytes: Vec<u8>,
    /// What was asked for is taller than a picture can be: its end is missing.
    pub cut: Option<Cut>,
}

/// In CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub asked: u64,
    pub shown: u64,
}

impl Page {
    pub async fn capture(&self, area: &Area, format: ImageFormat) -> Result<Capture, PageError> {
        let drawing = self.draw();
        self.hide_own(true).await?;
        let result = self.capture_now(area, format).await;
        let shown = self.hide_own(false).await;
        drop(drawing);
        shown?;
        result
    }

    async fn capture_now(&self, area: &Area, format: ImageFormat) -> Result<Capture, PageError> {
        let metrics = self.session().call_within(GetLayoutMetricsParams {}, CAPTURE_LIMIT).await?;
        let (region, beyond) = match area {
            Area::Viewport => (None, false),
            Area::FullPage => {
                let size = &metrics.css_content_size;
                (Some(Region { x: 0.0, y: 0.0, width: size.width, height: size.height }), true)
            }
            Area::Clip(region) => (Some(*region), true),
            Area::Element(target) => (Some(self.element_region(target).await?), true),
        };
        let tallest = match region {
            Some(region) if region.height > TALLEST / LARGEST_RATIO => (TALLEST / self.pixel_ratio().await?).floor(),
            _ => TALLEST,
        };
        let cut = region.filter(|region| region.height > tallest).map(|region| Cut {
            // Both are positive and far below 2^53.
            asked: region.height.ceil() as u64,
            shown: tallest as u64,
        });
        let command = CaptureScreenshotParams {
            format: Some(match format {
                ImageFormat::Png => CaptureScreenshotFormat::Png,
                ImageFormat::Jpeg => CaptureScreenshotFormat::Jpeg,
                ImageFormat::Webp => CaptureScreenshotFormat::Webp,
            }),
            quality: (format != ImageFormat::Png).then_some(JPEG_QUALITY),
            capture_beyond_viewport: Some(beyond),
            clip: region.map(|region| Viewport {
                x: region.x,
                y: region.y,
                width: region.width.max(1.0),
                height: region.height.clamp(1.0, tallest),
                scale: 1.0,
            }),
            ..CaptureScreenshotParams::default()
        };
        let picture = self.session().call_within(command, CAPTURE_LIMIT).await?;
        let encoded: &str = picture.data.as_ref();
        let bytes = STANDARD.decode(encoded).map_err(|error| PageError::Unreadable(error.to_string()))?;
        Ok(Capture { bytes, cut })
    }

    /// Device pixels a CSS pixel. The page may say anything here, so it is held within reason.
    async fn pixel_ratio(&self) -> Result<f64, PageError> {
        let reply = self.session().call_within(EvaluateParams::new("devicePixelRatio"), CAPTURE_LIMIT).await?;
        let said = reply.result.value.and_then(|value| value.as_f64()).unwrap_or(1.0);
        Ok(said.clamp(0.25, LARGEST_RATIO))
    }

    /// An element's rectangle from the page's top left corner.
    async fn element_region(&self, target: &Target) -> Result<Region, PageError> {
        let (frame, _) = self.locate(target).await?;
        let place = self.rectangle(target).await?;
        let origin = Point { x: place.x, y: place.y };
        let at = self.origin_in_tab(&frame, origin).await?;
        let metrics = self.session().call_within(GetLayoutMetricsParams {}, CAPTURE_LIMIT).await?;
        let (left, top) = (metrics.css_visual_viewport.page_x, metrics.css_visual_viewport.page_y);
        Ok(Region { x: at.x + left, y: at.y + top, width: place.width, height: place.height })
    }

    /// A picture may show what is covered: only the place counts.
    async fn origin_in_tab(&self, frame: &FrameId, point: Point) -> Result<Point, PageError> {
        if self.frame(frame)?.parent.is_none() {
            return Ok(point);
        }
        self.frame_offset(frame, point).await
    }

    async fn hide_own(&self, hide: bool) -> Result<(), PageError> {
        let main = self.main_frame().await?.id;
        for frame in self.drawn_frames(main) {
            match self.script::<serde_json::Value>(&frame, "hideOwn", &[&hide], SCRIPT_LIMIT).await {
                // What was drawn there went with its document.
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
