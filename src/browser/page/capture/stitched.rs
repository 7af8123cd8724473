//! Pictures that are larger than the window: the page is scrolled, each part is captured, and the parts are joined.
//!
//! Owns the parts. Any other way lays the page out at another size, which fires `resize` and closes menus. Never decides
//! what is captured.

use super::picture::{ImageFormat, JPEG_QUALITY, Region, whole_device_pixels};
use super::stitch;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::FaultReply;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize)]
struct Window {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct Scrolled {
    x: f64,
    y: f64,
    /// How far the picture's places lie below the page's.
    #[serde(default)]
    shift: f64,
    /// The part of the window that shows the picture, if not all of it does.
    #[serde(default)]
    height: Option<f64>,
}

#[derive(Serialize)]
struct Part {
    data: String,
    x: u32,
    y: u32,
}

#[derive(Serialize)]
struct Whole {
    width: u32,
    height: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    quality: f64,
}

#[derive(Deserialize)]
struct Joined {
    #[serde(default)]
    data: String,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Captures a region of the page in parts. `inside`: the box that scrolls in place of the page is scrolled. `None` if
    /// the page does not scroll where it is told to.
    pub(super) async fn stitched(
        &self,
        region: Region,
        inside: bool,
        format: ImageFormat,
    ) -> Result<Option<Vec<u8>>, PageError> {
        let main = self.main_frame().await?.id;
        let window: Window = self.script(&main, Injected::BeginStitching, &[&inside], SCRIPT_LIMIT).await?;
        let parts = self.parts(&main, region, &window).await;
        let ended = self.script::<Value>(&main, Injected::EndStitching, &[], SCRIPT_LIMIT).await;
        let Some(parts) = parts? else { return Ok(None) };
        match ended {
            Ok(_) | Err(PageError::DocumentGone) => {}
            Err(error) => return Err(error),
        }
        if format != ImageFormat::Png {
            return self.joined_as(&main, &parts, format).await.map(Some);
        }
        let joined = tokio::task::spawn_blocking(move || stitch::join(&parts)).await;
        let joined = joined.map_err(|error| PageError::Unreadable(error.to_string()))?;
        joined.map(Some).map_err(|error| PageError::Unreadable(error.to_string()))
    }

    /// Returns the rows of parts, from top to bottom.
    async fn parts(
        &self,
        main: &FrameId,
        region: Region,
        window: &Window,
    ) -> Result<Option<Vec<Vec<Vec<u8>>>>, PageError> {
        let ratio = self.pixel_ratio().await?;
        let region = Region { width: region.width.max(1.0), height: region.height.max(1.0), ..region };
        let (right, bottom) = (region.x + region.width, region.y + region.height);
        let mut rows = Vec::new();
        let mut top = region.y;
        while top < bottom {
            let (mut row, mut left, mut height) = (Vec::new(), region.x, 1.0);
            while left < right {
                let is_last = top + window.height >= bottom;
                let at: Scrolled =
                    self.script(main, Injected::ScrollForPart, &[&left, &top, &is_last], SCRIPT_LIMIT).await?;
                if at.y > top + 0.5 || at.x > left + 0.5 {
                    return Ok(None);
                }
                let within = |start: f64, length: f64, from: f64, end: f64| {
                    let seen = whole_device_pixels(start + length - from, ratio);
                    // Beyond the page's end there is nothing to scroll to: that part stays white.
                    if seen >= 1.0 { seen.min(end - from) } else { end - from }
                };
                let width = within(at.x, window.width, left, right);
                height = within(at.y, at.height.unwrap_or(window.height), top, bottom);
                let part = Region { x: left, y: top - at.shift, width, height };
                row.push(self.picture(Some(part), false, ImageFormat::Png).await?);
                left += width;
            }
            rows.push(row);
            top += height;
        }
        Ok(Some(rows))
    }

    /// Joins the parts in a format that only the browser can write.
    async fn joined_as(
        &self,
        main: &FrameId,
        rows: &[Vec<Vec<u8>>],
        format: ImageFormat,
    ) -> Result<Vec<u8>, PageError> {
        let unread = |error: stitch::StitchError| PageError::Unreadable(error.to_string());
        let (mut parts, mut width, mut y) = (Vec::new(), 0, 0);
        for row in rows {
            let (mut x, mut height) = (0, 0);
            for bytes in row {
                let (across, down) = stitch::size(bytes).map_err(unread)?;
                parts.push(Part { data: STANDARD.encode(bytes), x, y });
                x += across;
                height = down;
            }
            width = width.max(x);
            y += height;
        }
        let kind = if format == ImageFormat::Jpeg { "image/jpeg" } else { "image/webp" };
        let whole = Whole { width, height: y, kind, quality: f64::from(JPEG_QUALITY) / 100.0 };
        let joined: Joined = self.script(main, Injected::JoinParts, &[&parts, &whole], SCRIPT_LIMIT).await?;
        if joined.fault.fault.is_some() {
            return Err(PageError::Unreadable(joined.fault.message));
        }
        STANDARD.decode(joined.data).map_err(|error| PageError::Unreadable(error.to_string()))
    }
}
