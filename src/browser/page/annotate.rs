//! Boxes around the elements of refs: in a picture of the page, or in the page for a person who looks at it.
//!
//! Owns the boxes. Those of a picture are drawn in every frame and removed again, also when it fails.

use super::capture::{Area, Capture, ImageFormat};
use super::error::PageError;
use super::page::{Page, SCRIPT_LIMIT};
use super::refs::RefName;
use super::snapshot::Snapshot;
use crate::browser::frames::FrameId;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Serialize)]
struct NamedBox {
    number: u32,
    label: String,
}

impl Page {
    /// The whole page with a box and its ref around each element that the snapshot lists and a person could see.
    pub async fn annotated(&self, snapshot: &Snapshot, format: ImageFormat) -> Result<Capture, PageError> {
        let boxes = self.boxes(snapshot);
        let drawn = self.draw_boxes(&boxes).await;
        let result = match drawn {
            Ok(()) => self.capture(&Area::FullPage, format).await,
            Err(error) => Err(error),
        };
        for frame in boxes.keys() {
            match self.script::<Value>(frame, "removeBoxes", &[], SCRIPT_LIMIT).await {
                // They went with their document.
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        result
    }

    async fn draw_boxes(&self, boxes: &HashMap<FrameId, Vec<NamedBox>>) -> Result<(), PageError> {
        for (frame, named) in boxes {
            match self.script::<Value>(frame, "drawBoxes", &[named], SCRIPT_LIMIT).await {
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Marks the elements of these refs for a person who looks at the page, and no others; pictures do not show it.
    /// `into_view`: the first is scrolled to.
    pub async fn mark(&self, names: &[String], into_view: bool) -> Result<(), PageError> {
        let parsed: Vec<RefName> = names.iter().filter_map(|name| RefName::parse(name)).collect();
        let boxes = self.boxes_of(parsed.iter().copied());
        if let (true, [name, ..]) = (boxes.is_empty(), names) {
            return Err(PageError::RefNotFound(name.clone()));
        }
        for frame in self.frames().await? {
            let marked = match boxes.get(&frame.id) {
                Some(named) => {
                    self.script::<Value>(&frame.id, "markElements", &[named, &into_view], SCRIPT_LIMIT).await
                }
                None => self.script::<Value>(&frame.id, "removeMarks", &[], SCRIPT_LIMIT).await,
            };
            match marked {
                Ok(_) | Err(PageError::DocumentGone) => {}
                // A frame that hangs keeps what it has.
                Err(error) if frame.parent.is_some() => tracing::debug!(%error, "a frame could not be marked"),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What the snapshot lists, by frame.
    fn boxes(&self, snapshot: &Snapshot) -> HashMap<FrameId, Vec<NamedBox>> {
        let lines = snapshot.text.lines().chain(snapshot.cursor.lines());
        self.boxes_of(lines.filter_map(|line| line.split_whitespace().next().and_then(RefName::parse)))
    }

    fn boxes_of(&self, names: impl Iterator<Item = RefName>) -> HashMap<FrameId, Vec<NamedBox>> {
        let refs = self.memory.refs();
        let mut boxes: HashMap<FrameId, Vec<NamedBox>> = HashMap::new();
        for name in names {
            if let Some(place) = refs.place(name) {
                let named = NamedBox { number: place.number, label: name.to_string() };
                boxes.entry(place.frame.clone()).or_default().push(named);
            }
        }
        boxes
    }
}
