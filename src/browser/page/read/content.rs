//! Content read from a page: text, links, forms, HTML, and one element's attributes, styles and states.
//!
//! Owns the calls. The injected script defines the formats.

use super::destination::{Activation, ClickDestination};
use super::pdf::viewer_in;
use crate::frames::{Frame, FrameId};
use crate::page::error::PageError;
use crate::page::locate::{Bounds, FaultReply, TRIES_TO_READ, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected};
use futures_util::future::{join, join_all};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The text of a whole document may take long.
const DOCUMENT_LIMIT: Duration = Duration::from_secs(20);
/// A frame that is busy for longer does not delay the page's text.
const FRAME_LIMIT: Duration = Duration::from_secs(2);
/// Before the text of a PDF, for a model.
const PDF_MARK: &str = "[a PDF: text that a person can't see is not marked]";

/// The text of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeText {
    pub text: String,
    /// The frames that show text which is not in `text`.
    pub frames: usize,
    /// The frames with a PDF, whose text is not in `text` either.
    pub pdfs: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub text: String,
    pub href: String,
}

/// The states that `is` checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ElementState {
    Visible,
    Hidden,
    Enabled,
    Disabled,
    Checked,
    Editable,
    Focused,
    /// Checked by the policy, not by `is`.
    Password,
}

impl ElementState {
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "visible" => Self::Visible,
            "hidden" => Self::Hidden,
            "enabled" => Self::Enabled,
            "disabled" => Self::Disabled,
            "checked" => Self::Checked,
            "editable" => Self::Editable,
            "focused" => Self::Focused,
            _ => return None,
        })
    }
}

/// The properties that `readElement` returns.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ReadWhat"))]
#[serde(rename_all = "lowercase")]
pub(in crate::page) enum What {
    Text,
    Html,
    Attributes,
    Css,
    Is,
    Box,
    Leads,
    Description,
}

#[derive(Debug, Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct ReadReply<T> {
    value: Option<T>,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    pub(super) async fn read_whole<T: DeserializeOwned>(
        &self,
        function: Injected,
        arguments: &[&dyn Argument],
    ) -> Result<T, PageError> {
        let mut tries = 0;
        loop {
            let frame = self.current_frame().await?;
            match self.script(&frame, function, arguments, DOCUMENT_LIMIT).await {
                Err(PageError::DocumentGone) if tries < TRIES_TO_READ => tries += 1,
                result => return result,
            }
        }
    }

    async fn read_one<T: DeserializeOwned>(
        &self,
        target: &Target,
        what: What,
        argument: &(impl Serialize + Send + Sync),
    ) -> Result<T, PageError> {
        Ok(self.read_one_where(target, what, argument).await?.1)
    }

    /// Like `read_one`, and returns the element's frame.
    async fn read_one_where<T: DeserializeOwned>(
        &self,
        target: &Target,
        what: What,
        argument: &(impl Serialize + Send + Sync),
    ) -> Result<(FrameId, T), PageError> {
        let (frame, reply): (FrameId, ReadReply<T>) =
            self.ask_where(target, Injected::ReadElement, &[&what, argument], SCRIPT_LIMIT).await?;
        if let Some(value) = reply.value {
            return Ok((frame, value));
        }
        Err(reply.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())))
    }

    pub(super) async fn leads(&self, target: &Target, how: Activation) -> Result<ClickDestination, PageError> {
        self.read_one(target, What::Leads, &how).await
    }

    /// Returns the visible text of the page or of one element: one line per block, trimmed, without empty lines.
    pub async fn text(&self, target: Option<&Target>) -> Result<String, PageError> {
        match target {
            None => self.whole_text(false).await,
            Some(target) => self.text_of(target, false).await,
        }
    }
    /// Returns the text of an element, or of the document in it.
    async fn text_of(&self, target: &Target, marks: bool) -> Result<String, PageError> {
        let text: String = match marks {
            true => self.read_one(target, What::Text, &true).await?,
            false => self.read_one(target, What::Text, &()).await?,
        };
        if !text.is_empty() {
            return Ok(text);
        }
        match self.frame_in(target).await {
            Ok(frame) => self.text_in_frame(&frame.id, marks).await,
            // It is an element without text.
            Err(_) => Ok(text),
        }
    }
    /// Returns the text of a frame inside the page: its own, or that of its PDF.
    async fn text_in_frame(&self, frame: &FrameId, marks: bool) -> Result<String, PageError> {
        let with_marks: [&dyn Argument; 1] = [&true];
        let arguments = if marks { &with_marks[..] } else { &[] };
        let text: String = self.script(frame, Injected::ReadText, arguments, SCRIPT_LIMIT).await?;
        if !text.is_empty() {
            return Ok(text);
        }
        let text = self.pdf_text(frame).await?.unwrap_or_default();
        // The viewer also selects what is drawn in no colour, as the words over a scanned page are.
        Ok(if marks && !text.is_empty() { format!("{PDF_MARK}\n{text}") } else { text })
    }
    /// Returns the text of the page, of the PDF that it shows, or, if it has no text of its own, of the frames in it.
    async fn whole_text(&self, marks: bool) -> Result<String, PageError> {
        Ok(self.text_and_frames(marks).await?.text)
    }
    /// Like `text` of the whole page, with what its frames have that is not in it. They are asked at the same time.
    pub async fn text_and_frames(&self, marks: bool) -> Result<WholeText, PageError> {
        let with_marks: [&dyn Argument; 1] = [&true];
        let arguments = if marks { &with_marks[..] } else { &[] };
        let (text, inside) = join(self.read_whole::<String>(Injected::ReadText, arguments), self.inner_texts()).await;
        let text = text?;
        if text.is_empty() {
            return Ok(WholeText { text: self.text_instead(marks).await?, frames: 0, pdfs: 0 });
        }
        let (frames, pdfs) = inside?;
        Ok(WholeText { text, frames, pdfs })
    }
    /// Counts the frames inside the current one that show text, and its PDFs.
    async fn inner_texts(&self) -> Result<(usize, usize), PageError> {
        let around = self.current_frame().await?;
        let all = self.frames().await?;
        let is_inner = |frame: &&Frame| is_in(&all, frame, std::slice::from_ref(&around));
        let (pdfs, others): (Vec<&Frame>, Vec<&Frame>) =
            all.iter().filter(is_inner).partition(|frame| viewer_in(&all, &frame.id).is_some());
        let papers: Vec<FrameId> = pdfs.iter().map(|frame| frame.id.clone()).collect();
        // What a PDF's viewer consists of is no text of the page.
        let is_viewer = |frame: &Frame| frame.url.starts_with("chrome-extension:") || is_in(&all, frame, &papers);
        let asked = others
            .into_iter()
            .filter(|frame| !is_viewer(frame))
            .map(|frame| self.script::<bool>(&frame.id, Injected::ShowsText, &[], FRAME_LIMIT));
        // A frame that is gone, or does not answer, is not counted.
        let showing = join_all(asked).await.into_iter().flatten().filter(|shows| *shows).count();
        Ok((showing, pdfs.len()))
    }
    /// Returns what a page without text of its own shows: a PDF, or the text of its frames.
    async fn text_instead(&self, marks: bool) -> Result<String, PageError> {
        let around = self.current_frame().await?;
        let text = self.text_in_frame(&around, marks).await?;
        if !text.is_empty() || self.shows_pdf().await? {
            return Ok(text);
        }
        let frames = self.frames().await?;
        let inner = frames.iter().filter(|frame| frame.parent.as_ref() == Some(&around));
        let asked = inner.map(|frame| self.text_in_frame(&frame.id, marks));
        // A frame that is gone has no text.
        let texts: Vec<String> = join_all(asked).await.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        Ok(texts.join("\n"))
    }
    /// Like `text`, for a model: text that the user cannot see is marked as `[hidden text: …]`.
    pub async fn text_with_marks(&self, target: Option<&Target>) -> Result<String, PageError> {
        match target {
            None => self.whole_text(true).await,
            Some(target) => self.text_of(target, true).await,
        }
    }
    /// Returns the document with its doctype, or an element's inner HTML.
    pub async fn html(&self, target: Option<&Target>) -> Result<String, PageError> {
        match target {
            None => self.read_whole(Injected::ReadDocument, &[]).await,
            Some(target) => self.read_one(target, What::Html, &()).await,
        }
    }
    /// Returns every link that has a text or a name.
    pub async fn links(&self) -> Result<Vec<Link>, PageError> {
        self.read_whole(Injected::ReadLinks, &[]).await
    }
    /// Returns every form with its fields, as JSON; passwords are redacted.
    pub async fn forms(&self) -> Result<serde_json::Value, PageError> {
        self.read_whole(Injected::ReadForms, &[]).await
    }
    /// Returns an element's attributes, as a JSON object in document order.
    pub async fn attributes(&self, target: &Target) -> Result<serde_json::Value, PageError> {
        self.read_one(target, What::Attributes, &()).await
    }
    /// Returns a computed style value; empty for a property that does not exist.
    pub async fn css(&self, target: &Target, property: &str) -> Result<String, PageError> {
        self.read_one(target, What::Css, &property).await
    }
    /// Returns an element's description, as in error messages: `<p id="one">`.
    pub(super) async fn describe(&self, target: &Target) -> Result<String, PageError> {
        self.read_one(target, What::Description, &()).await
    }
    pub async fn is(&self, target: &Target, state: ElementState) -> Result<bool, PageError> {
        self.read_one(target, What::Is, &state).await
    }
    /// Scrolls the element into view and returns its frame, and its rectangle in the frame's viewport.
    pub(in crate::page) async fn rectangle(&self, target: &Target) -> Result<(FrameId, Bounds), PageError> {
        self.read_one_where(target, What::Box, &()).await
    }
}

/// Returns true if a frame lies in one of the others.
fn is_in(all: &[Frame], frame: &Frame, others: &[FrameId]) -> bool {
    let mut at = frame.parent.as_ref();
    while let Some(parent) = at {
        if others.contains(parent) {
            return true;
        }
        at = all.iter().find(|one| one.id == *parent).and_then(|one| one.parent.as_ref());
    }
    false
}
