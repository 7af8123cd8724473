//! Panel subscriptions to conversations.
//!
//! Owns the subscriptions. Dropping one ends its pushes, which happens without the lock.

use super::service::Conversations;
use crate::ports::{PanelSink, PortId};
use gstack_base::mutex::lock;
use gstack_chat::Subscription;
use gstack_protocol::chat::{HistoryPage, Subscribed};
use gstack_protocol::chat_requests::{ChatAck, ChatHistory, ChatSubscribe};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, PanelId};
use std::collections::HashMap;

/// A panel, identified by its port and id, and a conversation that it shows.
type Shown = (PortId, Option<PanelId>, ConversationId);

pub(super) type Subscriptions = HashMap<Shown, Subscription>;

impl Conversations {
    /// Returns what happened after a sequence number and pushes everything later. The answer is queued before the first
    /// push.
    pub fn subscribe(
        &self,
        port: PortId,
        client: Option<PanelId>,
        subscribe: &ChatSubscribe,
        answer: impl FnOnce(Subscribed),
    ) -> Result<(), Fault> {
        let conversation = self.get(&subscribe.conversation_id)?;
        let sender = self.0.ports.sender(port)?;
        let sink = PanelSink::held(sender, client.clone());
        let key = (port, client, subscribe.conversation_id.clone());
        // The earlier subscription ends first: a panel subscribes again if it has missed something.
        drop(lock(&self.0.subscriptions).remove(&key));
        let (subscribed, subscription) =
            conversation.subscribe(subscribe.after, sink.clone()).map_err(|e| e.fault())?;
        answer(subscribed);
        sink.release();
        let first_look = key.1.as_ref().is_some_and(|panel| self.0.ports.looks_first(port, panel));
        lock(&self.0.subscriptions).insert(key, subscription);
        // A person who opens the panel on a conversation is about to write, so its agent starts in advance.
        if first_look {
            self.gate(&conversation).warm();
        }
        Ok(())
    }

    /// Ends a panel's subscription to the conversation.
    pub fn unsubscribe(&self, port: PortId, client: Option<PanelId>, id: &ConversationId) {
        let ended = lock(&self.0.subscriptions).remove(&(port, client, id.clone()));
        drop(ended);
    }

    /// Records that the panel has processed the pushes up to this number.
    pub fn acknowledge(&self, port: PortId, client: Option<PanelId>, ack: &ChatAck) {
        let subscriptions = lock(&self.0.subscriptions);
        if let Some(subscription) = subscriptions.get(&(port, client, ack.conversation_id.clone())) {
            subscription.acknowledge(ack.seq, ack.offset);
        }
    }

    /// Returns a page of what happened before a sequence number.
    pub fn history(&self, page: &ChatHistory) -> Result<HistoryPage, Fault> {
        self.get(&page.conversation_id)?.history(page.before, page.limit).map_err(|e| e.fault())
    }

    /// Returns true if this panel shows the conversation.
    pub(crate) fn shows(&self, port: PortId, client: Option<PanelId>, id: &ConversationId) -> bool {
        lock(&self.0.subscriptions).contains_key(&(port, client, id.clone()))
    }

    /// Returns true if any panel shows the conversation.
    pub(crate) fn is_shown(&self, id: &ConversationId) -> bool {
        lock(&self.0.subscriptions).keys().any(|(_, _, shown)| shown == id)
    }

    /// Ends the subscriptions of all panels of a closed port.
    pub(crate) fn forget_port(&self, port: PortId) {
        self.end_subscriptions(|(of, _, _)| *of == port);
    }

    /// Ends the subscriptions of a closed panel.
    pub(crate) fn forget_panel(&self, port: PortId, client: Option<&PanelId>) {
        self.end_subscriptions(|(of, panel, _)| *of == port && panel.as_ref() == client);
    }

    /// Ends all subscriptions to a conversation.
    pub(crate) fn end_pushes_of(&self, id: &ConversationId) {
        self.end_subscriptions(|(_, _, of)| of == id);
    }

    fn end_subscriptions(&self, which: impl Fn(&Shown) -> bool) {
        let ended: Vec<_> = lock(&self.0.subscriptions).extract_if(|shown, _| which(shown)).collect();
        drop(ended);
    }
}
