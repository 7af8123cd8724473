//! Focus and selection: focuses an element, blurs the focused one, selects text, and finds a point on an element.
//!
//! Owns these calls. Other files send input.

use super::actions::Done;
use crate::page::error::PageError;
use crate::page::input::Offset;
use crate::page::locate::{FaultReply, Need, Point, Ready, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected};
use crate::page::wait::Settling;
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize)]
struct At {
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Selected {
    #[serde(default)]
    characters: usize,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Focuses an element.
    pub async fn focus(&self, target: &Target, limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        let ready = self.ready(target, &[Need::Visible, Need::Enabled], "focusing", limit).await?;
        let arguments: [&dyn Argument; 3] = [&ready.place, &false, &self.is_restricted()];
        let done = self.act_by_script::<Done>(&ready.frame, Injected::FocusElement, &arguments, SCRIPT_LIMIT).await?;
        done.map(|done| done.check(target)).transpose()?;
        self.settle(settling).await;
        Ok(())
    }

    /// Blurs the focused element, in any frame. Returns its description: `<input id="q">`.
    pub async fn blur(&self) -> Result<Option<String>, PageError> {
        self.check_site().await?;
        let settling = Settling::begin(self);
        let mut left = None;
        for frame in self.frames().await? {
            match self.script::<Option<String>>(&frame.id, Injected::BlurFocused, &[], SCRIPT_LIMIT).await {
                Ok(what) => left = left.or(what),
                Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
        self.settle(settling).await;
        Ok(left)
    }

    /// Selects an element's text. Returns the number of characters.
    pub async fn select_text(&self, target: &Target, limit: Duration) -> Result<usize, PageError> {
        let ready = self.ready(target, &[Need::Visible], "selecting its text", limit).await?;
        let selected: Selected = self.script(&ready.frame, Injected::SelectText, &[&ready.place], SCRIPT_LIMIT).await?;
        match selected.fault.fault {
            Some(_) => Err(selected.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string()))),
            None => Ok(selected.characters),
        }
    }

    /// Returns the same ready element with another point on it.
    pub(super) async fn at_offset(&self, target: &Target, ready: Ready, offset: Offset) -> Result<Ready, PageError> {
        let at: At = self
            .script(&ready.frame, Injected::PointWithin, &[&ready.place, &offset.x, &offset.y], SCRIPT_LIMIT)
            .await?;
        if at.fault.fault.is_none() {
            return Ok(Ready { point: Some(Point { x: at.x, y: at.y }), ..ready });
        }
        // No input follows: the guard must let pointer events through again.
        let _: Option<serde_json::Value> =
            self.script(&ready.frame, Injected::ReleaseGuard, &[&ready.document], SCRIPT_LIMIT).await?;
        Err(at.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())))
    }
}
