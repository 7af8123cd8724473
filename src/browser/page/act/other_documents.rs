//! Blocks input in every document of the tab except its target's.
//!
//! Owns the order of a press: the pointer moves first, because a page may rearrange itself at that; then the point is tested again, and
//! only then is the button pressed, while the other documents take no input. A tab with one document needs none of
//! that. Never sends the press.

use crate::error::BrowserError;
use crate::frames::{Frame, FrameId};
use crate::page::error::PageError;
use crate::page::input::{Modifiers, events};
use crate::page::locate::{Point, Ready, Target};
use crate::page::page::Page;
use crate::page::script::{Argument, Guarded, Injected};
use futures_util::future::join_all;
use serde::Deserialize;
use std::time::Duration;

/// A document that does not answer within this time can't be kept out.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// The other documents of the tab, which take no input until they are opened.
#[derive(Default)]
pub(in crate::page) struct Closed {
    documents: Vec<(FrameId, String)>,
    /// Every frame with its document, as they were before.
    shown: Vec<(FrameId, String)>,
}

impl Closed {
    /// Returns true if the tab has other documents since the closing began.
    pub(in crate::page) fn is_outdated(&self, frames: &[Frame]) -> bool {
        documents_of(frames) != self.shown
    }
}

#[derive(Deserialize)]
struct Tested {
    covered: Option<String>,
}

impl Page {
    /// Returns true if nothing but the document of a ready element can receive a press: its guard sees every event, so the
    /// pointer may move in the same write. A move that waits for its reply waits for the browser's next frame.
    pub(super) async fn is_only_document(&self, ready: &Ready) -> bool {
        self.frames().await.is_ok_and(|frames| matches!(frames.as_slice(), [only] if only.id == ready.frame))
    }

    /// Moves the pointer to a ready element, with these modifiers, and closes the other documents; `None`: there is no
    /// pointer to move. An inner `Err` says why the element would not
    /// receive a press there; the documents are open again then.
    pub(super) async fn approach(
        &self,
        target: &Target,
        ready: &Ready,
        point: Point,
        moves: Option<Modifiers>,
    ) -> Result<Result<Closed, String>, PageError> {
        let hover = async {
            match moves {
                Some(held) => self.unless_closed(events::hover(self.session(), point, held).await).await,
                None => Ok(()),
            }
        };
        let (moved, closed) = tokio::join!(hover, self.close_others(ready));
        let (closed, fault) = closed?;
        let refused = match (moved, fault) {
            (Err(error), _) => Some(Err(error)),
            (Ok(()), Some(reason)) => Some(Ok(reason)),
            (Ok(()), None) => self.moved_away(target, ready, point, &closed).await.transpose(),
        };
        match refused {
            None => Ok(Ok(closed)),
            Some(refused) => {
                self.open_others(closed).await;
                refused.map(Err)
            }
        }
    }

    /// Returns why the element no longer receives input at this point of the tab.
    async fn moved_away(
        &self,
        target: &Target,
        ready: &Ready,
        point: Point,
        closed: &Closed,
    ) -> Result<Option<String>, PageError> {
        if self.is_closed() {
            return Ok(None);
        }
        let at = ready.point.ok_or_else(|| PageError::Unreadable(format!("no clickable point of {target}")))?;
        let given: [&dyn Argument; 2] = [&ready.place, &at];
        let tested: Tested = match self.script(&ready.frame, Injected::CoveredAt, &given, CLOSE_LIMIT).await {
            Ok(tested) => tested,
            // It navigated at the move: the next try looks at the new document.
            Err(PageError::DocumentGone) => return Ok(Some("the page navigated as the pointer moved".to_owned())),
            Err(error) => return Err(error),
        };
        if tested.covered.is_some() {
            return Ok(tested.covered);
        }
        // A frame on the way up may have moved, or something may cover it.
        if self.frame(&ready.frame)?.parent.is_some() {
            match self.tab_point(target, ready).await? {
                Err(reason) => return Ok(Some(reason)),
                Ok(now) if now != point => return Ok(Some("its frame moved".to_owned())),
                Ok(_) => {}
            }
        }
        let is_outdated = closed.is_outdated(&self.frames().await?);
        Ok(is_outdated.then(|| "a frame of the page changed as the pointer moved".to_owned()))
    }

    /// Sends keys, text or a drop to these frames of an approved act, while the other documents are closed. `check` runs in
    /// between. Fails if another document was to receive some of it.
    pub(in crate::page) async fn only_into(
        &self,
        meant: &[FrameId],
        what: &str,
        check: impl Future<Output = Result<(), PageError>>,
        sending: impl Future<Output = Result<(), PageError>>,
    ) -> Result<(), PageError> {
        let refused = |reason: String| PageError::Refused { what: what.to_owned(), reason };
        if !self.is_limited() {
            check.await?;
            return self.unless_closed(sending.await).await;
        }
        let frames = match self.frames().await {
            Ok(frames) => frames,
            Err(_) if self.is_closed() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let (closed, fault) = self.close_except(&frames, meant).await?;
        let sent = async {
            match fault {
                Some(reason) => Err(refused(reason)),
                None => {
                    check.await?;
                    self.unless_closed(sending.await).await
                }
            }
        };
        let sent = sent.await;
        let went_elsewhere = self.open_others(closed).await;
        sent?;
        if went_elsewhere {
            return Err(refused("the page led it to another frame, which did not get it".to_owned()));
        }
        Ok(())
    }

    /// Closes every document but that of the element and, if it is a frame, its content. Also returns why a document could
    /// not be closed, if that matters.
    async fn close_others(&self, ready: &Ready) -> Result<(Closed, Option<String>), PageError> {
        let frames = match self.frames().await {
            Ok(frames) => frames,
            Err(_) if self.is_closed() => return Ok((Closed::default(), None)),
            Err(error) => return Err(error.into()),
        };
        let mut meant = vec![ready.frame.clone()];
        if ready.is_frame()
            && let Ok(content) = self.content_frame(&ready.frame, ready.number()?).await
        {
            meant.push(content);
            for frame in &frames {
                if frame.parent.as_ref().is_some_and(|parent| meant[1..].contains(parent)) {
                    meant.push(frame.id.clone());
                }
            }
        }
        self.close_except(&frames, &meant).await
    }

    /// Closes every document but those in the `meant` frames. Also returns why a document could not be closed, if that matters.
    pub(in crate::page) async fn close_except(
        &self,
        frames: &[Frame],
        meant: &[FrameId],
    ) -> Result<(Closed, Option<String>), PageError> {
        let others = frames.iter().filter(|frame| !meant.contains(&frame.id));
        let closing = others.map(async |frame| {
            let closed = self.script::<String>(&frame.id, Injected::CloseToPointer, &[], CLOSE_LIMIT).await;
            (frame, closed)
        });
        let mut found = Closed { documents: Vec::new(), shown: documents_of(frames) };
        let mut fault = None;
        for (frame, closed) in join_all(closing).await {
            match closed {
                Ok(document) => found.documents.push((frame.id.clone(), document)),
                Err(PageError::Browser(BrowserError::Gone)) => return Err(BrowserError::Gone.into()),
                Err(error) if self.is_limited() && is_of_web(frame) => {
                    tracing::debug!(%error, "a frame could not be kept from a press");
                    fault = Some("another frame of the page did not answer".to_owned());
                }
                // The browser's own documents, and a person's own click, which may land anywhere.
                Err(error) => tracing::debug!(%error, "a frame is not kept from a press"),
            }
        }
        Ok((found, fault))
    }

    /// Lets the documents take input again. Returns true if one of them was to receive some.
    pub(in crate::page) async fn open_others(&self, closed: Closed) -> bool {
        let opening = closed.documents.iter().map(async |(frame, document)| {
            let given: [&dyn Argument; 1] = [document];
            self.script::<Option<Guarded>>(frame, Injected::ReleaseGuard, &given, CLOSE_LIMIT).await
        });
        let said = join_all(opening).await;
        said.iter().any(|said| matches!(said, Ok(Some(Guarded::Covered { .. }))))
    }
}

fn documents_of(frames: &[Frame]) -> Vec<(FrameId, String)> {
    frames.iter().map(|frame| (frame.id.clone(), frame.loader.clone())).collect()
}

/// Whether a frame shows a page, rather than a document of the browser or of an extension, where our script can't run.
fn is_of_web(frame: &Frame) -> bool {
    !["chrome:", "chrome-error:", "chrome-extension:", "devtools:"].iter().any(|kind| frame.url.starts_with(kind))
}
