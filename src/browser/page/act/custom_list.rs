//! `select` in a list that a page draws itself: an element with the role combobox or listbox, or a button that opens one.
//!
//! Owns the order: open it, type or scroll until it shows the option with that name, click it, compare what it shows, close it.
//! Never guesses an option: another list of the page, or a frame, may have one with the same name.

use crate::page::error::PageError;
use crate::page::input::{Clicks, events, keys};
use crate::page::locate::{ElementPlace, FaultReply, Ready, RefKind, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;
use std::time::Duration;

/// How long a list takes to open.
const OPENS_LIMIT: Duration = Duration::from_millis(1500);
/// How long a list takes to show what was typed: it may ask a server.
const LISTS_LIMIT: Duration = Duration::from_secs(4);
/// How long an open list is scrolled.
const SCROLLS_LIMIT: Duration = Duration::from_secs(12);
/// An option may be drawn again between its choice and the click.
const MOST_CLICKS: usize = 3;
const HOW: &str = "click it, then click the option in the next snapshot";
/// For a text field with a list.
const HOW_TYPED: &str = "type the start of it with `type … --into`, then click the option in the next snapshot";

/// Whether an element is such a list.
#[derive(Deserialize)]
pub(super) struct Custom {
    pub(super) custom: bool,
    /// It is a text field with suggestions of the browser (`<datalist>`), which no page shows.
    #[serde(default)]
    pub(super) suggests: bool,
}

/// The visible options with a name, and those in the list or in what it refers to.
#[derive(Deserialize)]
struct Options {
    options: usize,
    own: usize,
    open: bool,
    /// It is a text field with the focus, and may list only what is typed.
    typed: bool,
    /// The text in it.
    holds: String,
    /// The only one that can be meant.
    number: Option<u32>,
    /// The element to click to open the list, if the list itself takes no clicks (`pointer-events: none`).
    opener: Option<u32>,
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

/// The page has drawn the element again, or removed it.
fn is_lost(error: &PageError) -> bool {
    matches!(error, PageError::RefStale { .. } | PageError::RefNotFound(_) | PageError::NotFound(_))
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
        let list = self.element_ref(&place, place.number);
        let mut was_open = false;
        for (at, value) in values.iter().enumerate() {
            let now: Options = self.ask(&list, Injected::CustomOptions, &[value], SCRIPT_LIMIT).await?;
            was_open |= at == 0 && (now.open || now.own > 0);
            let chosen = self.choose_in_custom(target, &place, value, now, limit).await;
            let is_last = at + 1 == values.len() || chosen.is_err();
            if is_last && !was_open {
                self.close_custom(&list, value).await?;
            }
            chosen?;
        }
        Ok(())
    }

    /// Names an element of the list's document.
    fn element_ref(&self, list: &ElementPlace, number: u32) -> Target {
        Target::Ref(self.memory.refs().name(RefKind::Element, ElementPlace { number, ..list.clone() }))
    }

    async fn choose_in_custom(
        &self,
        target: &Target,
        place: &ElementPlace,
        value: &str,
        mut now: Options,
        limit: Duration,
    ) -> Result<(), PageError> {
        let list = &self.element_ref(place, place.number);
        let named = serde_json::to_string(value).map_err(|error| PageError::Unreadable(error.to_string()))?;
        for attempt in 1.. {
            if now.own == 0 && !(now.open && now.options > 0) {
                now = self.open_custom(target, place, value, now, limit).await?;
            }
            let Some(number) = now.number else {
                let reason = format!("it shows {} options with the name {named}: {HOW}", now.own.max(now.options));
                return Err(refused(target, reason));
            };
            match self.click(&self.element_ref(place, number), Clicks::default(), limit).await {
                // It was drawn again, or the list was just closing.
                Err(error) if attempt < MOST_CLICKS && is_lost(&error) => {}
                clicked => {
                    clicked?;
                    break;
                }
            }
            now = self.ask(list, Injected::CustomOptions, &[&value], SCRIPT_LIMIT).await?;
        }
        match self.ask::<Shows>(list, Injected::CustomShows, &[&value], SCRIPT_LIMIT).await {
            Ok(shows) if shows.fault.fault.is_some() || shows.chosen => Ok(()),
            Ok(Shows { shows, .. }) => {
                Err(refused(target, format!("its option {named} was clicked, and it shows {shows:?}")))
            }
            // The choice led to another page.
            Err(error) if matches!(error, PageError::DocumentGone) || is_lost(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens the list, and types into it or scrolls it until it shows an option with this name.
    async fn open_custom(
        &self,
        target: &Target,
        place: &ElementPlace,
        value: &str,
        mut now: Options,
        limit: Duration,
    ) -> Result<Options, PageError> {
        let list = &self.element_ref(place, place.number);
        let others = now.options > 0;
        let is_shown = |now: &Options| now.own > 0 || (now.options > 0 && !others);
        // Another click would close it.
        if !now.open {
            for attempt in 1.. {
                let opener = now.opener.map(|number| self.element_ref(place, number));
                match self.click(opener.as_ref().unwrap_or(list), Clicks::default(), limit).await {
                    Err(error) if attempt < MOST_CLICKS && now.opener.is_some() && is_lost(&error) => {}
                    clicked => {
                        clicked?;
                        break;
                    }
                }
                now = self.ask(list, Injected::CustomOptions, &[&value], SCRIPT_LIMIT).await?;
            }
        }
        now = self.custom_appears(place, list, value, others, OPENS_LIMIT).await?;
        if !is_shown(&now) && !now.open {
            // A click only gives some of them the focus.
            self.stroke("ArrowDown").await?;
            now = self.custom_appears(place, list, value, others, OPENS_LIMIT).await?;
        }
        let typed = !is_shown(&now) && now.typed;
        if typed {
            let held = now.holds;
            self.stroke("ControlOrMeta+A").await?;
            self.unless_closed(events::insert(self.session(), value).await).await?;
            now = self.custom_appears(place, list, value, others, LISTS_LIMIT).await?;
            if !is_shown(&now) && now.typed && now.holds == value {
                self.stroke("ControlOrMeta+A").await?;
                match held.is_empty() {
                    true => self.stroke("Delete").await?,
                    false => self.unless_closed(events::insert(self.session(), &held).await).await?,
                }
            }
        } else if !is_shown(&now) {
            now = self.ask(list, Injected::CustomReveals, &[&value], SCRIPT_LIMIT + SCROLLS_LIMIT).await?;
        }
        if is_shown(&now) {
            return Ok(now);
        }
        let named = serde_json::to_string(value).map_err(|error| PageError::Unreadable(error.to_string()))?;
        Err(refused(
            target,
            match (others, typed) {
                (true, _) => format!("another list shows an option with the name {named}: {HOW}"),
                (_, true) => format!("no option with the name {named} appeared after it was typed: {HOW_TYPED}"),
                _ => format!("no option with the name {named} appeared after a click on it: {HOW}"),
            },
        ))
    }

    async fn custom_appears(
        &self,
        place: &ElementPlace,
        list: &Target,
        value: &str,
        others: bool,
        wait: Duration,
    ) -> Result<Options, PageError> {
        // Options may have their role by internals.
        self.read_internals(&place.frame).await?;
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.ask(list, Injected::CustomAppears, &[&value, &others, &millis], wait + SCRIPT_LIMIT).await
    }

    async fn stroke(&self, key: &str) -> Result<(), PageError> {
        let key = keys::parse(key).map_err(PageError::Usage)?;
        self.unless_closed(events::stroke(self.session(), &key).await).await
    }

    /// Closes a list that was opened for a choice and stays open: it covers the page.
    async fn close_custom(&self, list: &Target, value: &str) -> Result<(), PageError> {
        match self.ask::<Options>(list, Injected::CustomOptions, &[&value], SCRIPT_LIMIT).await {
            Ok(now) if now.open || now.own > 0 => self.stroke("Escape").await,
            // The choice led to another page, or closed the list.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}
