//! `select` in a list that a page draws itself: an element with the role combobox or listbox, or a button that opens one.
//!
//! Owns the order: open it, click the option with that name, compare what it shows, close it. Never guesses an option: another list of
//! the page, or a frame, may have one with the same name.

use crate::page::error::PageError;
use crate::page::input::{Clicks, events, keys};
use crate::page::locate::{ElementPlace, FaultReply, Ready, RefKind, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;
use std::time::Duration;

/// How long a list takes to open.
const OPENS_LIMIT: Duration = Duration::from_millis(1500);
const HOW: &str = "click it, then click the option in the next snapshot";
/// For a text field with a list.
const HOW_TYPED: &str = "type the start of it with `type … --into`, then click the option in the next snapshot";

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
    /// It is a text field, and may list only what is typed.
    typed: bool,
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

fn refused(target: &Target, reason: String) -> PageError {
    PageError::Refused { what: target.to_string(), reason }
}

impl Page {
    /// Chooses options by name. Fails if an option is missing, or if the list does not show the choice afterwards.
    pub(super) async fn select_in_custom(
        &self,
        target: &Target,
        ready: &Ready,
        values: &[String],
        limit: Duration,
    ) -> Result<(), PageError> {
        if self.is_bound() {
            return Err(refused(target, format!("it is not a <select>: {HOW}")));
        }
        // While a list is open, many pages hide all that is around it from assistive technology, and so from selectors by role.
        let place =
            ElementPlace { frame: ready.frame.clone(), document: ready.document.clone(), number: ready.number()? };
        let list = Target::Ref(self.memory.refs().name(RefKind::Element, place));
        let mut was_open = false;
        for (at, value) in values.iter().enumerate() {
            let now: Options = self.ask(&list, Injected::CustomOptions, &[value], SCRIPT_LIMIT).await?;
            was_open |= at == 0 && (now.open || now.own > 0);
            let chosen = self.choose_in_custom(target, &list, value, now, limit).await;
            let is_last = at + 1 == values.len() || chosen.is_err();
            if is_last && !was_open {
                self.close_custom(&list, value).await?;
            }
            chosen?;
        }
        Ok(())
    }

    async fn choose_in_custom(
        &self,
        target: &Target,
        list: &Target,
        value: &str,
        mut now: Options,
        limit: Duration,
    ) -> Result<(), PageError> {
        let named = serde_json::to_string(value).map_err(|error| PageError::Unreadable(error.to_string()))?;
        let selector = format!("role=option[name={named}]");
        if now.own == 0 && !(now.open && now.options > 0) {
            let others = now.options;
            // Another click would close it.
            if !now.open {
                self.click(list, Clicks::default(), limit).await?;
            }
            let mut shows = self.is_shown(&selector, OPENS_LIMIT).await?;
            if !shows && !self.ask::<Options>(list, Injected::CustomOptions, &[&value], SCRIPT_LIMIT).await?.open {
                // A click only gives some of them the focus.
                let down = keys::parse("ArrowDown").map_err(PageError::Usage)?;
                self.unless_closed(events::stroke(self.session(), &down).await).await?;
                shows = self.is_shown(&selector, OPENS_LIMIT).await?;
            }
            if !shows {
                let how = if now.typed { HOW_TYPED } else { HOW };
                let reason = format!("no option with the name {named} appeared after a click on it: {how}");
                return Err(refused(target, reason));
            }
            now = self.ask(list, Injected::CustomOptions, &[&value], SCRIPT_LIMIT).await?;
            if now.own == 0 && others > 0 {
                return Err(refused(target, format!("another list shows an option with the name {named}: {HOW}")));
            }
        }
        if now.options != 1 || self.frame_with(&selector, Duration::ZERO).await? != self.locate(list).await?.0 {
            return Err(refused(target, format!("not only this list shows an option with the name {named}: {HOW}")));
        }
        self.click(&Target::Selector(selector), Clicks::default(), limit).await?;
        match self.ask::<Shows>(list, Injected::CustomShows, &[&value], SCRIPT_LIMIT).await {
            Ok(shows) if shows.fault.fault.is_some() || shows.chosen => Ok(()),
            Ok(Shows { shows, .. }) => {
                Err(refused(target, format!("its option {named} was clicked, and it shows {shows:?}")))
            }
            // The choice led to another page.
            Err(PageError::DocumentGone | PageError::NotFound(_) | PageError::RefStale { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Closes a list that was opened for a choice and stays open: it covers the page.
    async fn close_custom(&self, list: &Target, value: &str) -> Result<(), PageError> {
        match self.ask::<Options>(list, Injected::CustomOptions, &[&value], SCRIPT_LIMIT).await {
            Ok(now) if now.open || now.own > 0 => {
                let escape = keys::parse("Escape").map_err(PageError::Usage)?;
                self.unless_closed(events::stroke(self.session(), &escape).await).await
            }
            // The choice led to another page, or closed the list.
            Ok(_) | Err(_) => Ok(()),
        }
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
