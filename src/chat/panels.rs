//! A conversation as panels see it: subscribing, acknowledging, older pages.
//!
//! Reads the journal under the conversation's lock, so that no event is missed between reading and pushing.

use super::conversation::Conversation;
use super::error::ChatError;
use super::feed::{Growing, Sink, SubscriberId};
use super::state::Inner;
use crate::journal::{Limits, Page, line};
use gstack_protocol::chat::{ChatEvent, HistoryPage, Seq, Subscribed};
use gstack_protocol::frame::COMFORTABLE;
use std::sync::Arc;

/// Space for an answer's envelope besides its events.
const ENVELOPE: usize = 16 * 1024;
/// The limit of the events in one answer, as JSON.
pub const MAX_PAGE: usize = COMFORTABLE - ENVELOPE;
/// The number of newest events that a new panel gets. It requests older ones when a person scrolls up.
const FRESH: usize = 200;
/// The limit of events in one history page.
const MOST_EVENTS: usize = 500;
/// The limit of messages between a growing block and the newest event.
const MESSAGES_IN_BETWEEN: usize = 64;

/// One panel's subscription to a conversation. Dropping it stops the pushes.
#[derive(Debug)]
pub struct Subscription {
    conversation: Arc<Conversation>,
    id: SubscriberId,
}

impl Subscription {
    pub fn conversation(&self) -> &Arc<Conversation> {
        &self.conversation
    }

    /// Records that the panel has applied everything up to `seq`, and the first `offset` UTF-16 units of the text of
    /// `seq`.
    pub fn acknowledge(&self, seq: Seq, offset: u64) {
        let mut inner = self.conversation.lock();
        let info = inner.info();
        let Inner { feed, block, .. } = &mut *inner;
        feed.acknowledge(self.id, seq, offset, block.as_ref().map(|block| block.growing()), &info);
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.conversation.lock().feed.unsubscribe(self.id);
    }
}

impl Conversation {
    /// Returns the newest events after `after`, and pushes all later ones into `sink`. Send the answer before the first
    /// push. After a `chat.gap`, drop the subscription and subscribe again.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn subscribe(
        self: &Arc<Self>,
        after: Seq,
        sink: Arc<dyn Sink>,
    ) -> Result<(Subscribed, Subscription), ChatError> {
        let mut inner = self.lock();
        let info = inner.info();
        let events = if after == 0 { FRESH } else { MOST_EVENTS };
        let bytes = MAX_PAGE.saturating_sub(line::encode(&info).len());
        let page = inner.journal.page(after, Seq::MAX, Limits { events, bytes })?;
        let partial = if after == 0 { None } else { inner.partial_block(after)? };
        let Inner { feed, block, .. } = &mut *inner;
        let held = block.as_ref().map_or(0, |block| block.length);
        let partial = partial.as_ref().map(|(seq, text)| Growing { seq: *seq, text, length: line::utf16_length(text) });
        let id = feed.subscribe(sink, held, partial);
        let subscribed =
            Subscribed { epoch: self.epoch.clone(), head: info.head, info, events: page.events, older: page.older };
        Ok((subscribed, Subscription { conversation: self.clone(), id }))
    }

    /// Returns events before `before`, oldest first: at most `limit`, and as many as fit into one frame.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn history(&self, before: Seq, limit: u32) -> Result<HistoryPage, ChatError> {
        let events = (limit as usize).clamp(1, MOST_EVENTS);
        let Page { events, older } = self.lock().journal.page(0, before, Limits { events, bytes: MAX_PAGE })?;
        Ok(HistoryPage { events, older })
    }

    /// Returns events after `after`: the newest that fit into `max_bytes` of JSON.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read.
    pub fn replay(&self, after: Seq, max_bytes: usize) -> Result<Page, ChatError> {
        self.lock().journal.page(after, Seq::MAX, Limits { events: usize::MAX, bytes: max_bytes })
    }

    /// Returns the number of subscribed panels.
    pub fn subscribers(&self) -> usize {
        self.lock().feed.len()
    }
}

impl Inner {
    /// Returns the block that a panel with the events up to `seq` may have only in part, with its complete text: the
    /// newest event up to `seq` that is not a person's message, if it is a block.
    fn partial_block(&self, seq: Seq) -> Result<Option<(Seq, String)>, ChatError> {
        let limits = Limits { events: MESSAGES_IN_BETWEEN, bytes: MAX_PAGE };
        let page = self.journal.page(0, seq.saturating_add(1), limits)?;
        let newest = page.events.into_iter().rev().find(|event| !line::leaves_block_open(&event.body));
        Ok(newest.and_then(|ChatEvent { seq, mut body, .. }| {
            let text = std::mem::take(line::block_text(&mut body)?);
            (!text.is_empty()).then_some((seq, text))
        }))
    }
}
