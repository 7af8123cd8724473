//! The frame of a tab that selectors and scripts are meant for.
//!
//! Owns the choice; it lasts until another one, and ends with the frame. Refs mean their own frame whatever is chosen.

use super::element::{FaultReply, Target};
use super::error::PageError;
use super::page::{Page, SCRIPT_LIMIT, lock};
use crate::browser::frames::{Frame, FrameId};
use serde::Deserialize;

/// How a client names a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    Main,
    /// The frame that this element holds.
    Element(Target),
    /// By the `name` of its element or window.
    Name(String),
    /// By a regular expression (JavaScript's) that its address matches.
    Url(String),
}

#[derive(Deserialize)]
struct Matched {
    index: Option<usize>,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Held {
    number: Option<u32>,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// The chosen frame, or the main one. `FrameLost` once where the chosen one is gone.
    pub(super) async fn current_frame(&self) -> Result<FrameId, PageError> {
        let main = self.main_frame().await?.id;
        let chosen = lock(&self.memory.chosen_frame).clone();
        match chosen {
            None => Ok(main),
            Some(frame) if self.frame(&frame).is_ok() => Ok(frame),
            Some(_) => {
                *lock(&self.memory.chosen_frame) = None;
                Err(PageError::FrameLost)
            }
        }
    }

    /// The chosen frame, where it is not the main one and still there. Asks nothing of the page.
    pub fn chosen_frame(&self) -> Option<Frame> {
        let chosen = lock(&self.memory.chosen_frame).clone()?;
        self.frame(&chosen).ok()
    }

    /// Chooses a frame; returns it.
    pub async fn choose_frame(&self, choice: &FrameChoice) -> Result<Frame, PageError> {
        let frame = match choice {
            FrameChoice::Main => self.main_frame().await?,
            FrameChoice::Element(target) => self.frame_in(target).await?,
            FrameChoice::Name(name) => {
                let frames = self.frames().await?;
                let found = frames.into_iter().find(|frame| frame.parent.is_some() && frame.name == *name);
                found.ok_or_else(|| PageError::NotFound(format!("frame named {name:?}")))?
            }
            FrameChoice::Url(pattern) => self.frame_by_url(pattern).await?,
        };
        *lock(&self.memory.chosen_frame) = frame.parent.is_some().then(|| frame.id.clone());
        Ok(frame)
    }

    async fn frame_in(&self, target: &Target) -> Result<Frame, PageError> {
        let (parent, _) = self.locate(target).await?;
        let held: Held = self.ask(target, "frameElement", &[], SCRIPT_LIMIT).await?;
        let number = held
            .number
            .ok_or_else(|| held.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())))?;
        let frame = self.content_frame(&parent, number).await?;
        Ok(self.frame(&frame)?)
    }

    async fn frame_by_url(&self, pattern: &str) -> Result<Frame, PageError> {
        let frames: Vec<Frame> = self.frames().await?.into_iter().filter(|frame| frame.parent.is_some()).collect();
        let urls: Vec<&str> = frames.iter().map(|frame| frame.url.as_str()).collect();
        let main = self.main_frame().await?.id;
        let matched: Matched = self.script(&main, "firstMatch", &[&pattern, &urls], SCRIPT_LIMIT).await?;
        if matched.fault.fault.is_some() {
            return Err(PageError::BadSelector(matched.fault.message));
        }
        let found = matched.index.and_then(|at| frames.into_iter().nth(at));
        found.ok_or_else(|| PageError::NotFound(format!("frame whose address matches /{pattern}/")))
    }
}
