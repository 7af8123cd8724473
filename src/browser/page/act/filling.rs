//! Sets a control: `fill` replaces a field's text, `select` chooses options of a list.
//!
//! Owns the one rule for every control: after the page had its turn, the control is read back, and an action that the
//! page has undone fails.

use super::actions::{Done, SELECT_NEEDS};
use super::custom_list::Custom;
use crate::page::error::PageError;
use crate::page::input::{events, keys};
use crate::page::locate::{FaultReply, Need, Ready, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected};
use crate::page::wait::Settling;
use serde::Deserialize;
use std::time::Duration;

const FILL_NEEDS: [Need; 3] = [Need::Visible, Need::Enabled, Need::Editable];

/// What a filled field holds after the page had its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The text.
    Same,
    /// Another form of it: formatted, in capitals, cut. `None` for a password, whose text is never told.
    Changed(Option<String>),
    /// The page removed the field or went elsewhere.
    Gone,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Holds {
    Same,
    Changed,
    /// Another text, as masks make of one that comes at once.
    Mixed,
    Gone,
}

#[derive(Debug, Deserialize)]
pub(in crate::page) struct ReadBack {
    #[serde(default)]
    is: Option<Holds>,
    #[serde(default)]
    shows: Option<String>,
    #[serde(flatten)]
    fault: FaultReply,
}

/// The way in which a field gets its text. Masks expect keys.
#[derive(Clone, Copy)]
enum By {
    Text,
    Keys,
}

impl ReadBack {
    fn gone() -> Self {
        Self { is: Some(Holds::Gone), shows: None, fault: FaultReply::default() }
    }
    pub(super) fn filled(self, target: &Target) -> Result<Filled, PageError> {
        match self.fault.error(target) {
            Some(error) => Err(error),
            None => Ok(self.held()),
        }
    }
    pub(in crate::page) fn held(self) -> Filled {
        match self.is {
            Some(Holds::Same) => Filled::Same,
            Some(Holds::Changed | Holds::Mixed) => Filled::Changed(self.shows),
            Some(Holds::Gone) | None => Filled::Gone,
        }
    }
}

impl Page {
    /// Replaces the element's text with `value`: selects all of it and inserts the value in one input event; `change`
    /// follows. A field that makes another text of it gets it key by key. Fails if the page refuses or clears the text.
    pub async fn fill(&self, target: &Target, value: &str, limit: Duration) -> Result<Filled, PageError> {
        let settling = Settling::begin(self);
        // Pages draw a field again when it gets the focus.
        let _drawing = self.draw();
        let given: [&dyn Argument; 1] = [&value];
        let then = self.is_free().then_some((Injected::BeginFill, &given[..]));
        let ready = self.ready_then(target, &FILL_NEEDS, "filling", limit, then).await?;
        self.points_at_element(target, &ready).await;
        let begun: Done = match &ready.then {
            Some(begun) => Done::deserialize(begun).map_err(|error| PageError::Unreadable(error.to_string()))?,
            None => self.script(&ready.frame, Injected::BeginFill, &[&ready.place, &value], SCRIPT_LIMIT).await?,
        };
        let begun = begun.check(target)?;
        if begun.editor {
            let filled = self.fill_editor(target, &ready, value).await?;
            self.settle(settling).await;
            return Ok(filled);
        }
        let is_typed = begun.typed;
        let mut filled = self.fill_begun(settling, target, &ready, value, is_typed, By::Text).await?;
        if is_typed && matches!(filled, ReadBack { is: Some(Holds::Mixed), .. }) {
            let settling = Settling::begin(self);
            let given: [&dyn Argument; 2] = [&ready.place, &value];
            let begun: Done = self.script(&ready.frame, Injected::BeginFill, &given, SCRIPT_LIMIT).await?;
            let is_typed = begun.check(target)?.typed;
            filled = self.fill_begun(settling, target, &ready, value, is_typed, By::Keys).await?;
        }
        filled.filled(target)
    }

    /// Gives the text to a field that is ready for it, and returns what the field holds.
    async fn fill_begun(
        &self,
        settling: Option<Settling>,
        target: &Target,
        ready: &Ready,
        value: &str,
        is_typed: bool,
        by: By,
    ) -> Result<ReadBack, PageError> {
        if is_typed {
            let delete = keys::parse("Delete").map_err(PageError::Usage)?;
            let sending = async {
                match by {
                    By::Text if value.is_empty() => events::stroke(self.session(), &delete).await,
                    By::Text => events::insert(self.session(), value).await,
                    By::Keys => {
                        events::stroke(self.session(), &delete).await?;
                        let keys: Vec<char> = value.chars().collect();
                        events::type_text(self.session(), &keys).await
                    }
                }
            };
            self.only_into(
                std::slice::from_ref(&ready.frame),
                &target.to_string(),
                std::future::ready(Ok(())),
                sending,
            )
            .await?;
        }
        let (place, has_text) = (&ready.place, is_typed && !value.is_empty());
        // The page may navigate once the field is full.
        let ended = self.end_by::<Done>(&ready.frame, Injected::EndFill, &[place, &has_text]).await?;
        let is_left = ended.value.is_none();
        ended.value.map(|done| done.check(target)).transpose()?;
        self.settle_asked(settling, ended.settled).await;
        if is_left { Ok(ReadBack::gone()) } else { self.read_fill(ready, value).await }
    }

    async fn read_fill(&self, ready: &Ready, value: &str) -> Result<ReadBack, PageError> {
        let given: [&dyn Argument; 2] = [&ready.place, &value];
        match self.script(&ready.frame, Injected::ReadFill, &given, SCRIPT_LIMIT).await {
            Err(PageError::DocumentGone) => Ok(ReadBack::gone()),
            Err(PageError::Browser(_)) if self.is_closed() => Ok(ReadBack::gone()),
            read => read,
        }
    }

    /// Chooses options of a `<select>` by value, label or text. Fails if the page undoes the choice.
    pub async fn select(&self, target: &Target, values: &[String], limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        // A list that the page draws itself may be drawn in parts, as it is scrolled.
        let _drawing = self.draw();
        let ready = self.ready(target, &SELECT_NEEDS, "a choice", limit).await?;
        self.points_at_element(target, &ready).await;
        let kind: Custom = self.script(&ready.frame, Injected::CustomList, &[&ready.place], SCRIPT_LIMIT).await?;
        if kind.suggests {
            let reason = "its list only suggests texts: use fill".to_owned();
            return Err(PageError::Refused { what: target.to_string(), reason });
        }
        if kind.custom {
            return self.select_in_custom(target, &ready, values, limit).await;
        }
        let ended = self.act_by::<Done>(&ready.frame, Injected::Choose, &[&ready.place, &values]).await?;
        let is_left = ended.value.is_none();
        ended.value.map(|done| done.check(target)).transpose()?;
        self.settle_asked(settling, ended.settled).await;
        if is_left || self.is_closed() {
            return Ok(());
        }
        match self.script::<Done>(&ready.frame, Injected::ReadChoice, &[&ready.place, &values], SCRIPT_LIMIT).await {
            Ok(read) => read.check(target).map(|_| ()),
            Err(PageError::DocumentGone) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
