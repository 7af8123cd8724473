//! A screenshot of a page with the refs of a snapshot drawn on it.
//!
//! Owns the boxes: draws them in every frame and removes them after the screenshot, even if it fails.

use super::picture::{Area, Capture, ImageFormat};
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::RefName;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::read::Snapshot;
use crate::page::script::Injected;
use serde::Serialize;
use std::collections::HashMap;

#[derive(Serialize)]
struct NamedBox {
    number: u32,
    label: String,
}

impl Page {
    /// Captures the whole page with a box and a ref around each visible element that the snapshot lists.
    pub async fn annotated(&self, snapshot: &Snapshot, format: ImageFormat) -> Result<Capture, PageError> {
        let boxes = self.boxes(snapshot);
        let drawn = self.draw_boxes(&boxes).await;
        let result = match drawn {
            Ok(()) => self.capture(&Area::FullPage, format).await,
            Err(error) => Err(error),
        };
        for frame in boxes.keys() {
            match self.script::<serde_json::Value>(frame, Injected::RemoveBoxes, &[], SCRIPT_LIMIT).await {
                // The boxes are gone with their document.
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        result
    }

    async fn draw_boxes(&self, boxes: &HashMap<FrameId, Vec<NamedBox>>) -> Result<(), PageError> {
        for (frame, named) in boxes {
            match self.script::<serde_json::Value>(frame, Injected::DrawBoxes, &[named], SCRIPT_LIMIT).await {
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the elements of the snapshot, by frame.
    fn boxes(&self, snapshot: &Snapshot) -> HashMap<FrameId, Vec<NamedBox>> {
        let refs = self.memory.refs();
        let mut boxes: HashMap<FrameId, Vec<NamedBox>> = HashMap::new();
        for line in snapshot.text.lines().chain(snapshot.cursor.lines()) {
            let name = line.split_whitespace().next().and_then(RefName::parse);
            if let Some((name, place)) = name.and_then(|name| Some((name, refs.place(name)?))) {
                let named = NamedBox { number: place.number, label: name.to_string() };
                boxes.entry(place.frame.clone()).or_default().push(named);
            }
        }
        boxes
    }
}
