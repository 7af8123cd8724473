//! The handle to the conversations, and the state behind it.

use super::connected_from::ConnectedFrom;
use super::gate::{ConversationGate, Start};
use super::gates::ConversationGates;
use super::subscriptions::Subscriptions;
use crate::ports::Ports;
use crate::tasks::off_thread;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_chat::{Conversation, Event, Store};
use gstack_protocol::chat::ConversationState;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use std::sync::{Arc, Mutex};

/// A handle to the conversations. Cheap to clone.
#[derive(Clone)]
pub struct Conversations(pub(super) Arc<Shared>);

pub(super) struct Shared {
    home: Home,
    store: Arc<Store>,
    /// Sends to the panels that subscribe.
    pub(super) ports: Ports,
    /// Starts a conversation's task.
    start: Start,
    gates: Mutex<ConversationGates>,
    pub(super) subscriptions: Mutex<Subscriptions>,
    /// The folder from which `connect` was run.
    connected_from: Mutex<ConnectedFrom>,
}

impl Conversations {
    pub(crate) fn new(home: Home, store: Arc<Store>, ports: Ports, start: Start) -> Self {
        let connected_from = Mutex::new(ConnectedFrom::open(&home));
        let (gates, subscriptions) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { home, store, ports, start, gates, subscriptions, connected_from }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// Fails if the conversation does not exist or cannot be opened.
    pub(crate) fn get(&self, id: &ConversationId) -> Result<Arc<Conversation>, Fault> {
        self.0.store.get(id).map_err(|error| error.fault())
    }

    /// Returns the handle to the conversation's task.
    pub(crate) fn gate(&self, conversation: &Arc<Conversation>) -> ConversationGate {
        lock(&self.0.gates).of(&self.0.start, conversation)
    }

    /// Returns the handle if it exists. A conversation whose task runs has one.
    pub(crate) fn known_gate(&self, id: &ConversationId) -> Option<ConversationGate> {
        lock(&self.0.gates).get(id)
    }

    /// Handles an event of a conversation's turn. Fails if the conversation cannot be opened, or the event could not be
    /// written.
    pub(crate) fn handle(&self, id: &ConversationId, event: Event) -> Result<(), Fault> {
        let conversation = self.get(id)?;
        self.gate(&conversation).handle(event).map_or(Ok(()), Err)
    }

    /// Stops the running turn of one tab, or of all tabs. Returns how many were stopped.
    pub fn stop_turns(&self, tab: Option<TabId>) -> usize {
        let opened = self.store().opened();
        let running = opened.iter().filter(|conversation| {
            conversation.state() != ConversationState::Idle
                && tab.is_none_or(|tab| conversation.info().tab_id == Some(tab))
        });
        let mut stopped = 0;
        for conversation in running {
            match self.handle(conversation.id(), Event::Stop) {
                Ok(()) => stopped += 1,
                Err(fault) => tracing::warn!(%fault, "a turn could not be stopped"),
            }
        }
        stopped
    }

    /// Returns the folder of conversations that name none: the one from which a person last connected, else the
    /// workspace.
    pub(crate) fn folder(&self) -> String {
        let connected = lock(&self.0.connected_from).folder();
        connected.unwrap_or_else(|| self.0.home.workspace().to_string_lossy().into_owned())
    }

    /// Records the folder from which a person connected.
    pub(crate) fn connected_from(&self, folder: &str) {
        lock(&self.0.connected_from).set(folder);
    }
}

/// Writes the conversation's record to the disk, off the runtime's own threads.
pub(crate) async fn persist(conversation: Arc<Conversation>) -> Result<(), Fault> {
    off_thread(move || conversation.persist().map_err(|error| error.fault())).await
}
