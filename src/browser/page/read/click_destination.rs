//! The destination of a click, Enter or Space according to the page's markup: the address of a link, or of a submitted
//! form.
//!
//! Owns the check, made before any click. The reaction of the page's scripts is unknown.

use super::destination::{Activation, ClickDestination};
use crate::frames::{Frame, FrameId};
use crate::page::error::PageError;
use crate::page::locate::Target;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected};
use futures_util::future::join_all;
use gstack_base::site;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Focused {
    has_focus: bool,
    #[serde(flatten)]
    subject: ClickDestination,
}

impl Page {
    /// Returns true if reloading this page would submit a form again.
    pub async fn resends(&self) -> bool {
        let method = self.memory.journal().document_method().map(|method| method != "GET");
        match method {
            Some(sends) => sends,
            None => self.came_by_form().await,
        }
    }

    /// Returns the destination of an action on an element; without a target, of a key in the focused element of any
    /// frame. `None` if it cannot be determined.
    pub async fn leads_to(&self, target: Option<&Target>, how: Activation) -> Option<ClickDestination> {
        match target {
            Some(target) => self.leads(target, how).await.ok(),
            None => self.focus_leads_to(how).await,
        }
    }

    /// Each frame remembers its focused element. If several have one and none has the focus now, one that submits a
    /// form takes precedence.
    async fn focus_leads_to(&self, how: Activation) -> Option<ClickDestination> {
        self.focused(how).await.map(|(_, focused)| focused.subject)
    }

    /// Returns the frames that get the keys of an approved act: that of the focused element, or those of the page's site.
    pub(in crate::page) async fn keyboard_frames(&self) -> Result<Vec<FrameId>, PageError> {
        if !self.is_limited() {
            return Ok(Vec::new());
        }
        if let Some((frame, _)) = self.focused(Activation::Click).await {
            return Ok(vec![frame]);
        }
        let main = self.main_frame().await?;
        let is_its_own = |frame: &Frame| frame.url.starts_with("about:") || site::of(&frame.url) == site::of(&main.url);
        Ok(self.frames().await?.into_iter().filter(is_its_own).map(|frame| frame.id).collect())
    }

    /// Returns the frame of the focused element. In a tab that is not in front, no document has the focus: then it is a frame
    /// that remembers one.
    pub(in crate::page) async fn focused_frame(&self) -> Option<FrameId> {
        self.focused(Activation::Click).await.map(|(frame, _)| frame)
    }

    async fn focused(&self, how: Activation) -> Option<(FrameId, Focused)> {
        let frames = self.frames().await.ok()?;
        let given: [&dyn Argument; 1] = [&how];
        let asked = frames.iter().map(async |frame| {
            let focused = self.script::<Option<Focused>>(&frame.id, Injected::FocusLeadsTo, &given, SCRIPT_LIMIT);
            focused.await.ok().flatten().map(|focused| (frame.id.clone(), focused))
        });
        let found: Vec<(FrameId, Focused)> = join_all(asked).await.into_iter().flatten().collect();
        found.into_iter().rev().max_by_key(|(_, focused)| (focused.has_focus, focused.subject.submits))
    }
}
