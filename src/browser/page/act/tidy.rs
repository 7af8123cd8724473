//! Changes the styling of a page: sets a property of an element, and hides clutter.
//!
//! Owns the list of changes that can be undone. The injected script decides what counts as clutter.

use super::style_change::{Inline, StyleChange};
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::{ElementPlace, FaultReply, Target};
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::Injected;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Restyled {
    #[serde(default)]
    number: u32,
    #[serde(default)]
    document: String,
    #[serde(default)]
    old: String,
    before: Option<Inline>,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Counted {
    count: Option<u32>,
    #[serde(flatten)]
    fault: FaultReply,
}

/// The kinds of clutter that `clean_up` hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Clutter {
    Ads,
    Cookies,
    Sticky,
    Social,
    Overlays,
    #[serde(rename = "clutter")]
    Widgets,
}

impl Page {
    /// Sets a property of an element in its inline style.
    pub async fn set_style(&self, target: &Target, property: &str, value: &str) -> Result<StyleChange, PageError> {
        let (frame, done): (FrameId, Restyled) =
            self.ask_where(target, Injected::SetStyle, &[&property, &value], SCRIPT_LIMIT).await?;
        let Some(before) = done.before else {
            return Err(done.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        };
        let change = StyleChange {
            target: target.to_string(),
            property: property.to_owned(),
            old: done.old,
            new: value.to_owned(),
            reverted: false,
            place: ElementPlace { frame, document: done.document, number: done.number },
            before,
        };
        lock(&self.memory.style_changes).push(change.clone());
        Ok(change)
    }

    /// Returns the changes of this tab, oldest first.
    pub fn style_changes(&self) -> Vec<StyleChange> {
        lock(&self.memory.style_changes).clone()
    }

    /// Undoes the change at an index of `style_changes`. Fails with `Usage` if there is none, and `RefStale` if its
    /// element is gone.
    pub async fn undo_style(&self, index: usize) -> Result<(), PageError> {
        let change = lock(&self.memory.style_changes).get(index).cloned();
        let change = change.filter(|change| !change.reverted);
        let Some(change) = change else {
            return Err(PageError::Usage("there is no such modification to revert".to_owned()));
        };
        let ElementPlace { frame, document, number } = change.place;
        let place = json!({ "number": number, "document": document });
        let restored = self
            .script(&frame, Injected::RestoreStyle, &[&place, &change.property, &change.before], SCRIPT_LIMIT)
            .await;
        if let Some(change) = lock(&self.memory.style_changes).get_mut(index) {
            change.reverted = true;
        }
        match restored {
            Ok(true) => Ok(()),
            Ok(false) | Err(PageError::DocumentGone) => Err(PageError::Refused {
                what: change.target,
                reason: "the element left the page, and the change with it".to_owned(),
            }),
            Err(error) => Err(error),
        }
    }

    /// Hides clutter and unlocks scrolling. Returns the number of elements by kind, including `scrolling`.
    pub async fn clean_up(&self, kinds: &[Clutter]) -> Result<BTreeMap<String, u32>, PageError> {
        let frame = self.current_frame().await?;
        self.script(&frame, Injected::CleanUp, &[&kinds], SCRIPT_LIMIT).await
    }

    /// Hides everything that these selectors match; returns the number of elements.
    pub async fn hide(&self, selectors: &[String]) -> Result<u32, PageError> {
        self.hide_all(selectors, false).await
    }

    /// Like `hide`, but leaves blank space: nothing else moves.
    pub async fn mask(&self, selectors: &[String]) -> Result<u32, PageError> {
        self.hide_all(selectors, true).await
    }

    async fn hide_all(&self, selectors: &[String], keeps_place: bool) -> Result<u32, PageError> {
        let frame = self.current_frame().await?;
        let counted: Counted =
            self.script(&frame, Injected::HideAll, &[&selectors, &keeps_place], SCRIPT_LIMIT).await?;
        counted.count.ok_or(PageError::BadSelector(counted.fault.message))
    }

    /// Undoes `clean_up`, `hide` and `mask` in this document.
    pub async fn unhide(&self) -> Result<(), PageError> {
        let frame = self.current_frame().await?;
        let _: serde_json::Value = self.script(&frame, Injected::Unhide, &[], SCRIPT_LIMIT).await?;
        Ok(())
    }

    /// Scrolls the first visible element that matches a selector, or contains this text, to the top of the window.
    pub async fn scroll_to_first(&self, wanted: &str) -> Result<(), PageError> {
        let frame = self.current_frame().await?;
        let counted: Counted = self.script(&frame, Injected::ScrollToFirst, &[&wanted], SCRIPT_LIMIT).await?;
        counted.count.map(|_| ()).ok_or_else(|| PageError::NotFound(wanted.to_owned()))
    }
}
