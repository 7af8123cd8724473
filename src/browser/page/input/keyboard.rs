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

/// Characters per write.
const TYPED_AT_ONCE: usize = 50;

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
        let (frame, keys_to) = match target {
            Some(target) => {
                let ready = self.ready(target, &[Need::Visible, Need::Enabled], "typing", limit).await?;
                let given: [&dyn Argument; 3] = [&ready.place, &true, &self.is_restricted()];
                let done: actions::Done =
                    self.script(&ready.frame, Injected::FocusElement, &given, SCRIPT_LIMIT).await?;
                done.check(target)?;
                self.points_at_element(target, &ready).await;
                (ready.frame.clone(), vec![ready.frame])
            }
            None => {
                self.check_site().await?;
                let keys_to = self.keyboard_frames().await?;
                self.check_expected(None).await?;
                (self.current_frame().await?, keys_to)
            }
        };
        // A focus in another frame is not read back.
        let is_read = match self.script::<bool>(&frame, Injected::BeginTyping, &[&text], SCRIPT_LIMIT).await {
            Err(PageError::DocumentGone) => false,
            begun => begun?,
        };
        let text: Vec<char> = text.replace("\r\n", "\n").chars().collect();
        // A long text is not one large block. Each part has its own time in which other documents are closed.
        for part in text.chunks(if delay.is_some() { 1 } else { TYPED_AT_ONCE }) {
            let typed = events::type_text(self.session(), part);
            let what = target.map_or_else(|| "what has the focus".to_owned(), ToString::to_string);
            self.only_into(&keys_to, &what, std::future::ready(Ok(())), typed).await?;
            if self.is_closed() {
                break;
            }
            if let Some(delay) = delay {
                tokio::time::sleep(delay).await;
            }
        }
        let what = target.map_or_else(|| "the text".to_owned(), ToString::to_string);
        if text.is_empty() {
            self.settle(settling).await;
        } else {
            self.settle_received(settling, &what).await?;
        }
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
        let keys_to = self.keyboard_frames().await?;
        let settling = Settling::begin(self);
        for time in 0..times {
            // Later ones may be for another element of this document: the first one may have moved the focus.
            let check = async { if time == 0 { self.check_expected(None).await } else { Ok(()) } };
            self.only_into(&keys_to, key, check, events::stroke(self.session(), &stroke)).await?;
            if self.is_closed() {
                break;
            }
        }
        self.settle_received(settling, "the key").await
    }

    /// Presses or releases one key. A held modifier applies to later presses and clicks.
    pub async fn hold_key(&self, key: &str, goes_down: bool) -> Result<(), PageError> {
        let stroke = keys::parse_with_held(key, self.held_modifiers()).map_err(PageError::Usage)?;
        if !stroke.modifiers.is_empty() {
            return Err(PageError::Usage(format!("{key} is several keys: hold them one at a time")));
        }
        self.check_site().await?;
        let keys_to = self.keyboard_frames().await?;
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
        let sending = events::hold(self.session(), &stroke.key, bits, goes_down);
        self.only_into(&keys_to, key, self.check_expected(None), sending).await?;
        self.settle_received(settling, "the key").await
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
