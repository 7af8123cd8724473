//! `select` in a list that a page draws itself: an element with the role combobox or listbox, or a button that opens one.
//!
//! Owns the order: open it, click the option with that name, compare what it shows. Never guesses an option: another list of
//! the page, or a frame, may have one with the same name.

use crate::page::error::PageError;
use crate::page::input::Clicks;
use crate::page::locate::{FaultReply, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;
use std::time::Duration;

/// How long a list takes to open.
const OPENS_LIMIT: Duration = Duration::from_millis(1500);
const HOW: &str = "click it, then click the option in the next snapshot";

/// Whether an element is such a list.
#[derive(Deserialize)]
pub(super) struct Custom {
    pub(super) custom: bool,
}

/// The visible options with a name, and those in the list or in what it refers to.
#[derive(Deserialize)]
struct Options {
    options: usize,
    own: usize,
    open: bool,
}

/// The option that the list shows.
#[derive(Deserialize)]
struct Shows {
    #[serde(default)]
    chosen: bool,
    #[serde(default)]
    shows: String,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Chooses options by name. Fails if an option is missing, or if the list does not show the choice afterwards.
    pub(super) async fn select_in_custom(
        &self,
        target: &Target,
        values: &[String],
        limit: Duration,
    ) -> Result<(), PageError> {
        let refused = |reason: String| PageError::Refused { what: target.to_string(), reason };
        if self.is_bound() {
            return Err(refused(format!("it is not a <select>: {HOW}")));
        }
        for value in values {
            let named = serde_json::to_string(value).map_err(|error| PageError::Unreadable(error.to_string()))?;
            let selector = format!("role=option[name={named}]");
            let option = Target::Selector(selector.clone());
            let mut now: Options = self.ask(target, Injected::CustomOptions, &[value], SCRIPT_LIMIT).await?;
            if now.own == 0 && !(now.open && now.options > 0) {
                let others = now.options;
                self.click(target, Clicks::default(), limit).await?;
                if !self.is_shown(&selector, OPENS_LIMIT).await? {
                    return Err(refused(format!(
                        "no option with the name {named} appeared after a click on it: {HOW}"
                    )));
                }
                now = self.ask(target, Injected::CustomOptions, &[value], SCRIPT_LIMIT).await?;
                if now.own == 0 && others > 0 {
                    return Err(refused(format!("another list shows an option with the name {named}: {HOW}")));
                }
            }
            if now.options != 1 || self.frame_with(&selector, Duration::ZERO).await? != self.locate(target).await?.0 {
                return Err(refused(format!("not only this list shows an option with the name {named}: {HOW}")));
            }
            self.click(&option, Clicks::default(), limit).await?;
            match self.ask::<Shows>(target, Injected::CustomShows, &[value], SCRIPT_LIMIT).await {
                Ok(shows) if shows.fault.fault.is_some() || shows.chosen => {}
                Ok(Shows { shows, .. }) => {
                    return Err(refused(format!("its option {named} was clicked, and it shows {shows:?}")));
                }
                // The choice led to another page.
                Err(PageError::DocumentGone | PageError::NotFound(_) | PageError::RefStale { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn is_shown(&self, selector: &str, wait: Duration) -> Result<bool, PageError> {
        let frame = self.frame_with(selector, wait).await?;
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let found: serde_json::Value = self
            .script(
                &frame,
                Injected::Appears,
                &[&serde_json::json!({ "selector": selector }), &millis],
                wait + SCRIPT_LIMIT,
            )
            .await?;
        Ok(found["ok"] == true)
    }
}
