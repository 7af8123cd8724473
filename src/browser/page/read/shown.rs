//! Explains an empty answer: describes the content of a tab that has no text, or no controls.
//!
//! Owns the words.

use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use futures_util::future::join_all;
use gstack_base::counted::counted;
use serde::Deserialize;

#[derive(Deserialize)]
struct Shown {
    kind: String,
    loading: bool,
    frames: usize,
    drawings: usize,
    pictures: usize,
    videos: usize,
    /// It has text that people can read, so that only the controls are missing.
    readable: bool,
    hidden: bool,
}

impl Page {
    /// Explains why the tab has no text or no controls, and names the command that shows its content.
    pub async fn why_empty(&self) -> Result<String, PageError> {
        if self.shows_pdf().await? {
            return Ok(
                "This is a PDF: `text` prints its words, unless they are pictures; `screenshot` shows it, `download` \
                with its address saves it."
                    .to_owned(),
            );
        }
        let frame = self.current_frame().await?;
        let shown: Shown = self.script(&frame, Injected::ReadShown, &[], SCRIPT_LIMIT).await?;
        Ok(shown.words())
    }
}

impl Page {
    /// Returns the number of style sheets that the page's scripts made: the browser leaves them out of a saved page.
    pub async fn adopted_sheets(&self) -> Result<usize, PageError> {
        let frames = self.frames().await?;
        let asked =
            frames.iter().map(|frame| self.script::<usize>(&frame.id, Injected::AdoptedSheets, &[], SCRIPT_LIMIT));
        // A frame that is gone has none.
        Ok(join_all(asked).await.into_iter().flatten().sum())
    }
}

impl Shown {
    fn words(&self) -> String {
        let kind = ["image/", "video/", "audio/"].iter().find(|kind| self.kind.starts_with(**kind));
        match kind {
            Some(_) if self.kind == "image/svg+xml" => {}
            Some(kind) => {
                let file = kind.trim_end_matches('/');
                return format!("This is one {file} file, without text: `screenshot` shows it, `download` saves it.");
            }
            None => {}
        }
        if self.loading {
            return "The page is still loading: `wait --load`.".to_owned();
        }
        if self.readable {
            return "The page has text, but nothing to click or fill: `text` reads it.".to_owned();
        }
        let parts: Vec<String> =
            [(self.frames, "frame"), (self.drawings, "drawing"), (self.pictures, "picture"), (self.videos, "video")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, name)| counted(count, name))
                .collect();
        match (parts.is_empty(), self.hidden) {
            (false, _) if self.frames > 0 => {
                format!("No text of its own: it shows {}. `snapshot` lists what is in frames.", parts.join(", "))
            }
            (false, _) => format!("No text: it shows {}. `screenshot` shows them.", parts.join(", ")),
            (true, true) => "The page has text, but hides all of it.".to_owned(),
            (true, false) => "The page is empty.".to_owned(),
        }
    }
}
