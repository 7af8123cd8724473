//! The pushes that panels get of a conversation. Each panel has its own window, so a slow one does not affect the
//! others.
//!
//! A panel may hold at most [`WINDOW`] unacknowledged bytes. If it is slow, growing text is delayed and sent later in
//! one piece; if even an event does not fit, the panel gets one `chat.gap`, then nothing until it subscribes again.
//! Keeps only numbers for each panel. Never reads the journal.

use gstack_protocol::chat::{ChatDelta, ChatEvent, ChatEventPush, ChatGap, ConversationInfo, Seq};
use gstack_protocol::ids::ConversationId;
use gstack_protocol::methods::ToPanel;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;

/// The limit of unacknowledged bytes per panel.
pub const WINDOW: usize = 256 * 1024;
/// The part of the window that growing text may use. The rest is reserved for events.
const TEXT_WINDOW: usize = WINDOW / 4 * 3;
/// The size of a push besides its text: envelope, ids, numbers.
const ENVELOPE: usize = 200;
/// The limit of unacknowledged pushes, because even small ones take room in a channel.
const MOST_IN_FLIGHT: usize = 4096;

/// One push, shared by all panels that receive it.
pub type Push = Arc<ToPanel>;

/// The destination of a subscriber's pushes. Must not block or call back: it runs under the conversation's lock. The
/// window bounds what it holds.
pub trait Sink: Send + Sync {
    /// Returns false if the receiver is gone.
    fn push(&self, push: Push) -> bool;
}

impl Sink for mpsc::UnboundedSender<Push> {
    fn push(&self, push: Push) -> bool {
        self.send(push).is_ok()
    }
}

/// Identifies a subscriber within its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SubscriberId(u64);

/// The current text of the growing block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growing<'a> {
    pub(super) seq: Seq,
    pub(super) text: &'a str,
    /// The length of `text` in UTF-16 units.
    pub(super) length: u64,
}

/// The subscribers of one conversation.
pub(super) struct Feed {
    conversation_id: ConversationId,
    next: u64,
    subscribers: BTreeMap<SubscriberId, Subscriber>,
}

struct Subscriber {
    sink: Arc<dyn Sink>,
    in_flight: VecDeque<InFlight>,
    bytes: usize,
    /// The offset of the first unsent UTF-16 unit of the growing text.
    text_from: u64,
    /// A `chat.info` was skipped and must be sent.
    info_owed: bool,
    gapped: bool,
}

/// An unacknowledged push.
struct InFlight {
    seq: Seq,
    /// The end of the text in UTF-16 units, or 0 for an event.
    offset: u64,
    bytes: usize,
}

impl Feed {
    pub(super) fn new(conversation_id: ConversationId) -> Self {
        Self { conversation_id, next: 0, subscribers: BTreeMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.subscribers.len()
    }

    /// Adds a subscriber. `held`: how much of the growing text it already has, in UTF-16 units.
    /// `block`: a block that it may have only in part; it is sent the whole text at once.
    pub(super) fn subscribe(&mut self, sink: Arc<dyn Sink>, held: u64, block: Option<Growing<'_>>) -> SubscriberId {
        let id = SubscriberId(self.next);
        self.next += 1;
        let mut subscriber =
            Subscriber { sink, in_flight: VecDeque::new(), bytes: 0, text_from: held, info_owed: false, gapped: false };
        let alive = block.is_none_or(|block| {
            let (push, bytes) = delta(&self.conversation_id, block, 0);
            subscriber.send(push, InFlight { seq: block.seq, offset: block.length, bytes })
        });
        if alive {
            self.subscribers.insert(id, subscriber);
        }
        id
    }

    pub(super) fn unsubscribe(&mut self, id: SubscriberId) {
        self.subscribers.remove(&id);
    }

    /// Pushes a written event. `bytes`: the length of its line. If the event ends a block, `block_ends` was called
    /// before.
    pub(super) fn event(&mut self, event: &ChatEvent, bytes: usize) {
        if self.subscribers.is_empty() {
            return;
        }
        let push = Arc::new(ToPanel::ChatEvent(ChatEventPush {
            conversation_id: self.conversation_id.clone(),
            event: event.clone(),
        }));
        let bytes = bytes + ENVELOPE;
        self.each(|subscriber, id| {
            if subscriber.fits(bytes) {
                subscriber.send(push.clone(), InFlight { seq: event.seq, offset: 0, bytes })
            } else {
                subscriber.gap(id, event.seq)
            }
        });
    }

    /// Starts a block: no subscriber has any of its text.
    pub(super) fn block_begins(&mut self) {
        for subscriber in self.subscribers.values_mut() {
            subscriber.text_from = 0;
        }
    }

    /// Pushes new text of the growing block.
    pub(super) fn grown(&mut self, growing: Growing<'_>) {
        // Panels at the same offset share one push.
        let mut shared: Option<(u64, Push, usize)> = None;
        self.each(|subscriber, id| {
            if !subscriber.has_room(TEXT_WINDOW) || subscriber.text_from >= growing.length {
                return true;
            }
            let (push, bytes) = match &shared {
                Some((from, push, bytes)) if *from == subscriber.text_from => (push.clone(), *bytes),
                _ => {
                    let (push, bytes) = delta(id, growing, subscriber.text_from);
                    shared = Some((subscriber.text_from, push.clone(), bytes));
                    (push, bytes)
                }
            };
            subscriber.send_text(push, growing, bytes)
        });
    }

    /// Completes the block. Sends the missing text to subscribers that lack it, or a gap if it does not fit, because
    /// the text is not kept.
    pub(super) fn block_ends(&mut self, growing: Growing<'_>, head: Seq) {
        self.each(|subscriber, id| {
            if subscriber.text_from >= growing.length {
                return true;
            }
            let (push, bytes) = delta(id, growing, subscriber.text_from);
            if subscriber.fits(bytes) { subscriber.send_text(push, growing, bytes) } else { subscriber.gap(id, head) }
        });
    }

    /// Pushes a change of the conversation's state or queue.
    pub(super) fn info(&mut self, info: &ConversationInfo) {
        if self.subscribers.is_empty() {
            return;
        }
        let push = Arc::new(ToPanel::ChatInfo(info.clone()));
        self.each(|subscriber, _| subscriber.send_info(push.clone(), info.head));
    }

    /// Records that a panel has applied everything up to `seq`, and the first `offset` UTF-16 units of the text of
    /// `seq`.
    pub(super) fn acknowledge(
        &mut self,
        id: SubscriberId,
        seq: Seq,
        offset: u64,
        growing: Option<Growing<'_>>,
        info: &ConversationInfo,
    ) {
        let Some(subscriber) = self.subscribers.get_mut(&id) else { return };
        subscriber.acknowledged(seq, offset);
        if subscriber.gapped {
            return;
        }
        let mut alive = true;
        if let Some(growing) = growing
            && subscriber.text_from < growing.length
            && subscriber.has_room(TEXT_WINDOW)
        {
            let (push, bytes) = delta(&self.conversation_id, growing, subscriber.text_from);
            alive = subscriber.send_text(push, growing, bytes);
        }
        if alive && subscriber.info_owed {
            alive = subscriber.send_info(Arc::new(ToPanel::ChatInfo(info.clone())), info.head);
        }
        if !alive {
            self.subscribers.remove(&id);
        }
    }

    /// Runs `act` for every subscriber without a gap. Removes those whose receiver is gone.
    fn each(&mut self, mut act: impl FnMut(&mut Subscriber, &ConversationId) -> bool) {
        let id = &self.conversation_id;
        self.subscribers.retain(|_, subscriber| subscriber.gapped || act(subscriber, id));
    }
}

impl Subscriber {
    /// Returns whether the window has room. An empty window takes a push of any size.
    fn has_room(&self, window: usize) -> bool {
        self.in_flight.is_empty() || (self.bytes < window && self.in_flight.len() < MOST_IN_FLIGHT)
    }

    fn fits(&self, bytes: usize) -> bool {
        self.in_flight.is_empty() || (self.bytes + bytes <= WINDOW && self.in_flight.len() < MOST_IN_FLIGHT)
    }

    fn gap(&mut self, id: &ConversationId, head: Seq) -> bool {
        self.gapped = true;
        self.in_flight = VecDeque::new();
        self.bytes = 0;
        self.sink.push(Arc::new(ToPanel::ChatGap(ChatGap { conversation_id: id.clone(), head })))
    }

    fn send_text(&mut self, push: Push, growing: Growing<'_>, bytes: usize) -> bool {
        self.text_from = growing.length;
        self.send(push, InFlight { seq: growing.seq, offset: growing.length, bytes })
    }

    fn send_info(&mut self, push: Push, head: Seq) -> bool {
        self.info_owed = !self.has_room(WINDOW);
        self.info_owed || self.send(push, InFlight { seq: head, offset: 0, bytes: ENVELOPE })
    }

    fn send(&mut self, push: Push, in_flight: InFlight) -> bool {
        self.bytes += in_flight.bytes;
        self.in_flight.push_back(in_flight);
        self.sink.push(push)
    }

    /// Frees an acknowledged push and all pushes before it, because pushes arrive in order.
    fn acknowledged(&mut self, seq: Seq, offset: u64) {
        let applied = |sent: &InFlight| sent.seq < seq || (sent.seq == seq && sent.offset <= offset);
        let count = self.in_flight.iter().rposition(applied).map_or(0, |at| at + 1);
        self.bytes -= self.in_flight.drain(..count).map(|sent| sent.bytes).sum::<usize>();
    }
}

/// Returns a push of the text from an offset on, and its size.
fn delta(conversation_id: &ConversationId, growing: Growing<'_>, from: u64) -> (Push, usize) {
    // Search from the end: the new text is short, the text before it may be long.
    let mut passed = growing.length;
    let start = growing
        .text
        .char_indices()
        .rev()
        .take_while(|(_, c)| {
            let behind = passed > from;
            passed = passed.saturating_sub(c.len_utf16() as u64);
            behind
        })
        .last()
        .map_or(growing.text.len(), |(at, _)| at);
    let text = growing.text[start..].to_owned();
    let bytes = text.len() + ENVELOPE;
    let delta = ChatDelta { conversation_id: conversation_id.clone(), seq: growing.seq, offset: from, text };
    (Arc::new(ToPanel::ChatDelta(delta)), bytes)
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
