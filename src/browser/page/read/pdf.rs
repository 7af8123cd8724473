//! The text of a PDF that a tab or a frame shows, read from the browser's own viewer, which makes no request for it.
//!
//! Owns the script in the viewer. Its parts are internals of the browser: where they are missing, there is no text, and
//! the caller says that there is a PDF.

use crate::devtools::runtime::{Evaluation, evaluate_promise};
use crate::error::BrowserError;
use crate::frames::{Frame, FrameId, World};
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The browser's PDF viewer.
const VIEWER: &str = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/";
/// 300 pages take two seconds.
const LIMIT: Duration = Duration::from_secs(20);
/// How long the viewer takes to open. No event names its frame.
const OPENS_LIMIT: Duration = Duration::from_secs(15);
/// How long the document of an embedded PDF takes to come: the load event of the page does not wait for it.
const COMES_LIMIT: Duration = Duration::from_secs(1);
const OPENS_STEP: Duration = Duration::from_millis(50);
/// Selects everything and returns the selected text. A viewer has no words at first, or only the ends of pages; one that has
/// loaded gets a few seconds more for them, because its pages may be pictures.
const READ: &str = "(async () => {
  const viewer = document.querySelector('pdf-viewer');
  let until = performance.now() + 15000;
  for (let hasLoaded = false; ; ) {
    if (!hasLoaded && viewer?.loadState === 'success') {
      hasLoaded = true;
      until = performance.now() + 5000;
    }
    const controller = viewer?.currentController;
    if (controller?.selectAll) {
      controller.selectAll();
      const { selectedText } = await controller.getSelectedText();
      if (selectedText?.trim() || performance.now() > until) return selectedText ?? '';
    }
    if (performance.now() > until) return null;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
})()";

/// The main document.
#[derive(Deserialize)]
struct Document {
    kind: String,
}

impl Page {
    /// Returns the text of the PDF that a frame shows: empty if it has only pictures. `None` if the frame shows no PDF, or
    /// its viewer cannot be read.
    pub(super) async fn pdf_text(&self, frame: &FrameId) -> Result<Option<String>, PageError> {
        let deadline = Instant::now() + OPENS_LIMIT;
        loop {
            match self.read_pdf(frame).await {
                // The viewer's frame moves to a process of its own while it opens.
                Err(PageError::Browser(BrowserError::FrameGone) | PageError::DocumentGone)
                    if Instant::now() < deadline =>
                {
                    sleep(OPENS_STEP).await;
                }
                read => return read,
            }
        }
    }

    async fn read_pdf(&self, frame: &FrameId) -> Result<Option<String>, PageError> {
        let Some(viewer) = self.pdf_viewer(frame).await? else { return Ok(None) };
        let context = self.context(&viewer.id, &World::Main).await?;
        let read = evaluate_promise(READ).ending_after(LIMIT).within(&context);
        let reply = self.session_of(&viewer.id)?.call_within(read, LIMIT).await?;
        let text = reply.result.value.and_then(|value| serde_json::from_str::<Option<String>>(value.get()).ok());
        // The viewer ends lines as Windows does. Pages of pictures have the ends of lines alone.
        let without_returns = |text: String| text.replace("\r\n", "\n");
        Ok(text.flatten().map(|text| if text.trim().is_empty() { String::new() } else { without_returns(text) }))
    }

    /// Returns true if the current frame, which is the whole tab or one in it, shows a PDF.
    pub async fn shows_pdf(&self) -> Result<bool, PageError> {
        Ok(self.pdf_viewer(&self.current_frame().await?).await?.is_some())
    }

    /// Returns the number of PDFs in frames of the current one.
    pub async fn embedded_pdfs(&self) -> Result<usize, PageError> {
        let around = self.current_frame().await?;
        let frames = self.frames().await?;
        let inner = frames.iter().filter(|frame| frame.parent.as_ref() == Some(&around));
        Ok(inner.filter(|frame| viewer_in(&frames, &frame.id).is_some()).count())
    }

    /// Returns the frame of the viewer, which comes a moment after the document.
    async fn pdf_viewer(&self, around: &FrameId) -> Result<Option<Frame>, PageError> {
        let begun = Instant::now();
        loop {
            let frames = self.frames().await?;
            if let Some(viewer) = viewer_in(&frames, around) {
                return Ok(Some(viewer.clone()));
            }
            let document: Document = self.script(around, Injected::ReadShown, &[], SCRIPT_LIMIT).await?;
            let is_empty = |frame: &Frame| frame.parent.is_some() && matches!(frame.url.as_str(), "" | "about:blank");
            let limit = match document.kind.as_str() {
                "application/pdf" => OPENS_LIMIT,
                _ if frames.iter().any(|frame| frame.id == *around && is_empty(frame)) => COMES_LIMIT,
                _ => return Ok(None),
            };
            if begun.elapsed() >= limit {
                return Ok(None);
            }
            sleep(OPENS_STEP).await;
        }
    }
}

/// Returns the viewer in a frame that shows a PDF.
pub(super) fn viewer_in<'a>(frames: &'a [Frame], around: &FrameId) -> Option<&'a Frame> {
    frames.iter().find(|frame| frame.parent.as_ref() == Some(around) && frame.url.starts_with(VIEWER))
}
