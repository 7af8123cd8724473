//! The frame of a tab that selectors and scripts apply to, and bringing the tab to the front.
//!
//! Owns the choice; it lasts until the next one, and ends with the frame. A ref always belongs to its own frame.

use super::element::FaultReply;
use super::target::Target;
use crate::frames::{Frame, FrameId};
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::{Injected, call, tell};
use serde::Deserialize;
use serde_json::json;

/// A client's choice of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    Main,
    /// The frame owned by this element.
    Element(Target),
    /// By the `name` of its element or window.
    Name(String),
    /// By a JavaScript regular expression that matches its address.
    Url(String),
}

#[derive(Deserialize)]
struct Matched {
    index: Option<usize>,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Window {
    window_id: i64,
    bounds: Bounds,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bounds {
    #[serde(default)]
    window_state: String,
}

#[derive(Deserialize)]
struct FrameElement {
    number: Option<u32>,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Returns the chosen frame, or the main one. Fails once with `FrameLost` if the chosen one is gone.
    pub(in crate::page) async fn current_frame(&self) -> Result<FrameId, PageError> {
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

    /// Returns the chosen frame unless it is the main one or gone. Sends nothing to the page.
    pub fn chosen_frame(&self) -> Option<Frame> {
        let chosen = lock(&self.memory.chosen_frame).clone()?;
        self.frame(&chosen).ok()
    }

    /// Chooses a frame and returns it.
    pub async fn choose_frame(&self, choice: &FrameChoice) -> Result<Frame, PageError> {
        let frame = match choice {
            FrameChoice::Main => self.main_frame().await?,
            FrameChoice::Element(target) => self.frame_in(target).await?,
            FrameChoice::Name(name) => self.frame_by_name(name).await?,
            FrameChoice::Url(pattern) => self.frame_by_url(pattern).await?,
        };
        *lock(&self.memory.chosen_frame) = frame.parent.is_some().then(|| frame.id.clone());
        Ok(frame)
    }

    /// Brings the tab into view and its window to the front, even if it is minimized. A panel that has the keyboard
    /// focus keeps it.
    pub async fn bring_to_front(&self) -> Result<(), PageError> {
        let held = self.hold_keyboard(&self.main_frame().await?.id).await;
        let shown = self.show_window().await;
        held.give_back().await;
        shown
    }

    async fn show_window(&self) -> Result<(), PageError> {
        let target = self.info()?.page.ok_or(PageError::DocumentGone)?;
        let window: Window =
            call(&self.browser().root(), "Browser.getWindowForTarget", &json!({ "targetId": target.as_str() })).await?;
        if window.bounds.window_state == "minimized" {
            let bounds = json!({ "windowId": window.window_id, "bounds": { "windowState": "normal" } });
            tell(&self.browser().root(), "Browser.setWindowBounds", &bounds).await?;
        }
        self.activate().await?;
        tell(self.session(), "Page.bringToFront", &json!({})).await?;
        Ok(self.browser().refresh_views().await?)
    }

    /// Returns the frame in an element. Fails if the element cannot hold one.
    pub(in crate::page) async fn frame_in(&self, target: &Target) -> Result<Frame, PageError> {
        let (parent, _) = self.locate(target).await?;
        let held: FrameElement = self.ask(target, Injected::FrameElement, &[], SCRIPT_LIMIT).await?;
        let number = held
            .number
            .ok_or_else(|| held.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())))?;
        let frame = self.content_frame(&parent, number).await?;
        Ok(self.frame(&frame)?)
    }

    /// Finds a frame by its window's name, or by its element's `name` if that was changed later.
    async fn frame_by_name(&self, name: &str) -> Result<Frame, PageError> {
        let frames = self.frames().await?;
        if let Some(found) = frames.into_iter().find(|frame| frame.parent.is_some() && frame.name == name) {
            return Ok(found);
        }
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        let element = Target::Selector(format!("iframe[name=\"{quoted}\"], frame[name=\"{quoted}\"]"));
        match self.frame_in(&element).await {
            Err(PageError::NotFound(_)) => Err(PageError::NotFound(format!("frame named {name:?}"))),
            other => other,
        }
    }

    async fn frame_by_url(&self, pattern: &str) -> Result<Frame, PageError> {
        let frames: Vec<Frame> = self.frames().await?.into_iter().filter(|frame| frame.parent.is_some()).collect();
        let urls: Vec<&str> = frames.iter().map(|frame| frame.url.as_str()).collect();
        let main = self.main_frame().await?.id;
        let matched: Matched = self.script(&main, Injected::FirstMatch, &[&pattern, &urls], SCRIPT_LIMIT).await?;
        if matched.fault.fault.is_some() {
            return Err(PageError::BadSelector(matched.fault.message));
        }
        let found = matched.index.and_then(|at| frames.into_iter().nth(at));
        found.ok_or_else(|| PageError::NotFound(format!("frame whose address matches /{pattern}/")))
    }
}
