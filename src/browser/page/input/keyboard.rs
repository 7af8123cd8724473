//! Keys to the focused element: typing, pressing, and holding a key down.
//!
//! Owns the modifiers that a client holds in a tab. Never moves the focus, except to the target of typing.

use super::events;
use super::keys::{self, KeyMeaning};
use crate::page::act::{Filled, ReadBack, actions};
use crate::page::error::PageError;
use crate::page::locate::{Need, Target};
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::{Argument, Injected};
use crate::page::wait::Settling;
use std::time::Duration;

impl Page {
    /// Sends key events for each character to the element, or to the focused one. With `delay`, pauses after each. Returns
    /// what the field holds afterwards.
    pub async fn type_text(
        &self,
        target: Option<&Target>,
        text: &str,
        delay: Option<Duration>,
        limit: Duration,
    ) -> Result<Filled, PageError> {
        let settling = Settling::begin(self);
        let frame = match target {
            Some(target) => {
                let ready = self.ready(target, &[Need::Visible, Need::Enabled], "typing", limit).await?;
                let given: [&dyn Argument; 3] = [&ready.place, &true, &self.is_restricted()];
                let done: actions::Done =
                    self.script(&ready.frame, Injected::FocusElement, &given, SCRIPT_LIMIT).await?;
                done.check(target)?;
                self.points_at_element(target, &ready).await;
                ready.frame
            }
            None => {
                self.check_site().await?;
                self.check_expected(None).await?;
                self.current_frame().await?
            }
        };
        // A focus in another frame is not read back.
        let is_read = match self.script::<bool>(&frame, Injected::BeginTyping, &[&text], SCRIPT_LIMIT).await {
            Err(PageError::DocumentGone) => false,
            begun => begun?,
        };
        match delay {
            None => self.unless_closed(events::type_text(self.session(), text).await).await?,
            Some(delay) => {
                for character in text.chars() {
                    let typed = events::type_text(self.session(), character.encode_utf8(&mut [0; 4])).await;
                    self.unless_closed(typed).await?;
                    if self.is_closed() {
                        break;
                    }
                    tokio::time::sleep(delay).await;
                }
            }
        }
        self.settle(settling).await;
        if !is_read || self.is_closed() {
            return Ok(Filled::Same);
        }
        match self.script::<ReadBack>(&frame, Injected::ReadTyped, &[], SCRIPT_LIMIT).await {
            Ok(read) => Ok(read.held()),
            // The keys led elsewhere.
            Err(PageError::DocumentGone) => Ok(Filled::Same),
            Err(PageError::Browser(_)) if self.is_closed() => Ok(Filled::Same),
            Err(error) => Err(error),
        }
    }

    /// Presses one key or combination, by Playwright's names, `times` times: `Enter`, `Shift+Enter`, `Control+A`.
    pub async fn press(&self, key: &str, times: u32) -> Result<(), PageError> {
        let stroke = keys::parse_with_held(key, self.held_modifiers()).map_err(PageError::Usage)?;
        self.check_site().await?;
        self.check_expected(None).await?;
        let settling = Settling::begin(self);
        for _ in 0..times {
            self.unless_closed(events::stroke(self.session(), &stroke).await).await?;
            if self.is_closed() {
                break;
            }
        }
        self.settle(settling).await;
        Ok(())
    }

    /// Presses or releases one key. A held modifier applies to later presses and clicks.
    pub async fn hold_key(&self, key: &str, goes_down: bool) -> Result<(), PageError> {
        let stroke = keys::parse_with_held(key, self.held_modifiers()).map_err(PageError::Usage)?;
        if !stroke.modifiers.is_empty() {
            return Err(PageError::Usage(format!("{key} is several keys: hold them one at a time")));
        }
        self.check_site().await?;
        self.check_expected(None).await?;
        let settling = Settling::begin(self);
        let bits = {
            let mut held = lock(&self.memory.held);
            match (keys::modifier_bit(&stroke.key), goes_down) {
                (Some(bit), true) => held.modifiers |= bit,
                (Some(bit), false) => held.modifiers &= !bit,
                (None, _) => {}
            }
            held.modifiers
        };
        self.unless_closed(events::hold(self.session(), &stroke.key, bits, goes_down).await).await?;
        self.settle(settling).await;
        Ok(())
    }

    /// Returns true if the key pastes the clipboard only because of a modifier that is held in this tab.
    pub fn pastes_by_held_key(&self, key: &str) -> bool {
        KeyMeaning::with_held(key, self.held_modifiers()).pastes && !KeyMeaning::of(key).pastes
    }

    /// Returns the modifiers that a client holds in this tab, as DevTools bits.
    pub(in crate::page) fn held_modifiers(&self) -> i64 {
        lock(&self.memory.held).modifiers
    }
}
