//! The subject of an open approval card, shown in the page: an outline around the element, and the text to be typed.
//!
//! Owns the drawing for one approval and removes it with the approval. Like all marks it is drawn in our one element:
//! no page, snapshot or screenshot sees it, it receives no input, and drawing neither scrolls nor focuses the page.

use super::marks::Marks;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::Target;
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::Injected;
use serde_json::Value;

/// The drawing for one approval.
#[derive(Clone)]
pub struct ApprovalMark {
    marks: Marks,
    frame: FrameId,
    /// Identifies the approval in its page.
    id: String,
}

impl Page {
    /// Prepares the drawing in the frame of `target`. `id`: the approval's id.
    pub async fn place_asked(&self, marks: Marks, target: &Target, id: String) -> Result<ApprovalMark, PageError> {
        let (frame, _) = self.locate(target).await?;
        lock(&self.memory.drawn).frames.insert(frame.clone());
        Ok(ApprovalMark { marks, frame, id })
    }

    /// Outlines the target and shows `text` in it; returns false if the target does not exist.
    pub async fn draw_asked(
        &self,
        asked: &ApprovalMark,
        target: &Target,
        text: Option<&str>,
    ) -> Result<bool, PageError> {
        asked.marks.share_root().await?;
        self.ask(target, Injected::ShowAsked, &[&asked.id, &text], SCRIPT_LIMIT).await
    }
}

impl ApprovalMark {
    /// Removes the drawing. A document that is gone has none.
    pub async fn clear(&self) -> Result<(), PageError> {
        self.marks.try_call::<Value>(&self.frame, Injected::HideAsked, &[&self.id]).await.map(drop)
    }
}
