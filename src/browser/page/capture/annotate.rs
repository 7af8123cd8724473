//! A picture of a page with the refs of a snapshot drawn into it.
//!
//! Owns the boxes: they are drawn in every frame, taken into the picture and removed again, also when it fails.

use super::picture::{Area, Capture, ImageFormat};
use crate::browser::frames::FrameId;
use crate::browser::page::error::PageError;
use crate::browser::page::locate::RefName;
use crate::browser::page::page::{Page, SCRIPT_LIMIT};
use crate::browser::page::read::Snapshot;
use crate::browser::page::script::Injected;
use serde::Serialize;
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
            match self.script::<serde_json::Value>(frame, Injected::RemoveBoxes, &[], SCRIPT_LIMIT).await {
                // They went with their document.
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

    /// What the snapshot lists, by frame.
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
