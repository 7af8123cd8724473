//! Finds the frame that a selector applies to if no frame was chosen.
//!
//! Owns the order: the main frame first, then all others at once; with time to wait, the first frame with a match.

use super::element::FaultReply;
use crate::frames::{Frame, FrameId};
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::{Argument, Injected};
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// An inner frame that does not answer counts as one without a match.
const FRAME_LIMIT: Duration = Duration::from_secs(2);
/// Nothing is known without the main frame's answer, which takes longer in a huge page or on a busy machine.
const MAIN_LIMIT: Duration = Duration::from_secs(5);
/// While nothing matches, new frames are looked for at this interval: the running queries cannot see them.
const ROUND: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
struct Matches {
    #[serde(default)]
    count: usize,
    /// Nothing matched, and closed roots must be asked for.
    #[serde(default)]
    suspects: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Returns the chosen frame; without one, the frame in which the selector matches, or the main frame after `wait`.
    /// Fails with `Several` if more than one frame besides the main one has a match.
    pub(in crate::page) async fn frame_with(&self, selector: &str, wait: Duration) -> Result<FrameId, PageError> {
        let deadline = Instant::now() + wait;
        let chosen = self.current_frame().await?;
        if selector.contains("role=") {
            let frames = self.frames().await?;
            // A frame that is gone has no match.
            join_all(frames.iter().map(|frame| self.read_internals(&frame.id))).await;
        }
        if self.frame(&chosen)?.parent.is_some() {
            return Ok(chosen);
        }
        loop {
            let inner: Vec<Frame> = self.frames().await?.into_iter().filter(|frame| frame.parent.is_some()).collect();
            match self.counted(&chosen, selector, Duration::ZERO, MAIN_LIMIT).await {
                Ok(0) => {}
                // The caller handles the next document.
                Ok(_) | Err(PageError::DocumentGone) => return Ok(chosen),
                Err(error) => return Err(error),
            }
            if let Some(found) = self.only_match(&inner, selector).await? {
                return Ok(found);
            }
            let left = deadline.saturating_duration_since(Instant::now()).min(ROUND);
            if left.is_zero() {
                return Ok(chosen);
            }
            self.first_match(&chosen, &inner, selector, left).await;
        }
    }

    /// Returns the only inner frame that has matches now.
    async fn only_match(&self, inner: &[Frame], selector: &str) -> Result<Option<FrameId>, PageError> {
        let asked = inner.iter().map(|frame| self.matches(&frame.id, selector, Duration::ZERO));
        let counts: Vec<usize> = join_all(asked).await.into_iter().map(Result::unwrap_or_default).collect();
        let mut found = inner.iter().zip(&counts).filter(|(_, count)| **count > 0).map(|(frame, _)| &frame.id);
        match (found.next(), found.count()) {
            (None, _) => Ok(None),
            (Some(only), 0) => Ok(Some(only.clone())),
            (Some(_), more) => Err(PageError::Several {
                selector: selector.to_owned(),
                message: format!("{} elements match, in {} frames", counts.iter().sum::<usize>(), more + 1),
            }),
        }
    }

    /// Returns once any of the frames has a match, or the time is up.
    async fn first_match(&self, main: &FrameId, inner: &[Frame], selector: &str, wait: Duration) {
        let frames = std::iter::once(main).chain(inner.iter().map(|frame| &frame.id));
        let mut asked: FuturesUnordered<_> = frames.map(|frame| self.matches(frame, selector, wait)).collect();
        while let Some(matches) = asked.next().await {
            if matches.is_ok_and(|count| count > 0) {
                return;
            }
        }
    }

    pub(in crate::page) async fn matches(
        &self,
        frame: &FrameId,
        selector: &str,
        wait: Duration,
    ) -> Result<usize, PageError> {
        self.counted(frame, selector, wait, FRAME_LIMIT).await
    }

    /// Returns the number of matches, also in closed shadow roots.
    async fn counted(
        &self,
        frame: &FrameId,
        selector: &str,
        wait: Duration,
        limit: Duration,
    ) -> Result<usize, PageError> {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let given: [&dyn Argument; 2] = [&selector, &millis];
        let mut found: Matches = self.script(frame, Injected::CountMatches, &given, wait + limit).await?;
        if found.suspects {
            self.open_closed_roots(frame).await?;
            found = self.script(frame, Injected::CountMatches, &given, wait + limit).await?;
        }
        match found.fault.fault {
            Some(_) => Err(PageError::BadSelector(found.fault.message)),
            None => Ok(found.count),
        }
    }
}
