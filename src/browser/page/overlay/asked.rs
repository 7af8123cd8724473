//! What an open approval card is about, shown in the page: an outline around the element, and the text that would be typed.
//!
//! Owns what is drawn for one question and takes it away with it. It lies in our one element as all marks do: no page,
//! snapshot or picture sees it, nothing of it takes input, and the page is neither scrolled nor focused for it.

use super::marks::Marks;
use crate::browser::frames::FrameId;
use crate::browser::page::error::PageError;
use crate::browser::page::locate::Target;
use crate::browser::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::browser::page::script::Injected;
use serde_json::Value;

/// What is drawn for one question.
#[derive(Clone)]
pub struct Asked {
    marks: Marks,
    frame: FrameId,
    /// Tells the questions of a page apart.
    id: String,
}

impl Page {
    /// Finds where it would be drawn. `id`: the question's own.
    pub async fn place_asked(&self, marks: Marks, target: &Target, id: String) -> Result<Asked, PageError> {
        let (frame, _) = self.locate(target).await?;
        lock(&self.memory.drawn).frames.insert(frame.clone());
        Ok(Asked { marks, frame, id })
    }

    /// Outlines the element of `target` and shows `text` in it; `false` if it is not there.
    pub async fn draw_asked(&self, asked: &Asked, target: &Target, text: Option<&str>) -> Result<bool, PageError> {
        asked.marks.share_root().await?;
        self.ask(target, Injected::ShowAsked, &[&asked.id, &text], SCRIPT_LIMIT).await
    }
}

impl Asked {
    /// Takes it away. A document that is gone has nothing drawn.
    pub async fn clear(&self) -> Result<(), PageError> {
        self.marks.try_call::<Value>(&self.frame, Injected::HideAsked, &[&self.id]).await.map(drop)
    }
}
