//! Which conversation belongs to which tab.
//!
//! A conversation belongs to a tab while the tab exists, and to the history permanently. Its record has the tab's key,
//! by which a later daemon finds it again. Opens and closes conversations only by `conversations`.

use super::conversations::{Inner, Known, NewConversation, Store};
use super::session_file::{Record, TabKey};
use crate::conversation::Conversation;
use crate::error::ChatError;
use gstack_protocol::ids::{ConversationId, TabId};
use std::sync::Arc;

impl Store {
    /// Returns the conversation of a tab, and creates one if it has none. `key` finds the one that the tab had under an
    /// earlier daemon.
    ///
    /// # Errors
    ///
    /// Fails if the tab's conversation cannot be opened. One that has lost its events is detached from the tab, so the
    /// next call succeeds.
    pub fn open_for_tab(
        &self,
        tab_id: TabId,
        key: Option<TabKey>,
        new: NewConversation,
    ) -> Result<Arc<Conversation>, ChatError> {
        let mut inner = self.lock();
        if let Some(conversation) = self.of_tab_in(&mut inner, tab_id)? {
            return Ok(conversation);
        }
        let earlier = key.as_ref().and_then(|key| inner.had_tab(key));
        let conversation = match earlier {
            Some(id) => match self.get_in(&mut inner, &id) {
                Err(error @ ChatError::Lost { .. }) => {
                    inner.detached(&id);
                    return Err(error);
                }
                found => found?,
            },
            None => self.create_in(&mut inner, new),
        };
        inner.attach(&conversation, tab_id, key);
        Ok(conversation)
    }

    /// Returns the conversation of a tab.
    pub fn of_tab(&self, tab_id: TabId) -> Option<ConversationId> {
        self.lock().by_tab.get(&tab_id).cloned()
    }

    /// Returns all tabs with a conversation.
    pub fn tabs(&self) -> Vec<(TabId, ConversationId)> {
        let mut tabs: Vec<_> = self.lock().by_tab.iter().map(|(tab, id)| (*tab, id.clone())).collect();
        tabs.sort();
        tabs
    }

    /// Reopens a conversation from the history in a tab. Detaches the tab's previous conversation, and the
    /// conversation's previous tab.
    ///
    /// # Errors
    ///
    /// Fails if there is no such conversation or it cannot be opened.
    pub fn attach(
        &self,
        id: &ConversationId,
        tab_id: TabId,
        key: Option<TabKey>,
    ) -> Result<Arc<Conversation>, ChatError> {
        let mut inner = self.lock();
        let conversation = self.get_in(&mut inner, id)?;
        inner.detach_tab(tab_id);
        inner.detach_conversation(id);
        inner.attach(&conversation, tab_id, key);
        Ok(conversation)
    }

    /// Moves a conversation to the history and opens an empty one for its tab. The caller must stop a running turn.
    ///
    /// # Errors
    ///
    /// Fails if there is no such conversation or it cannot be opened.
    pub fn clear(&self, id: &ConversationId) -> Result<Arc<Conversation>, ChatError> {
        let mut inner = self.lock();
        let old = self.get_in(&mut inner, id)?;
        let record = old.record();
        let page = record.page.clone();
        inner.detach_conversation(id);
        let fresh = self.create_in(&mut inner, NewConversation { folder: record.folder.clone(), page });
        fresh.continue_from(&record);
        if let Some(tab_id) = record.tab_id {
            inner.attach(&fresh, tab_id, record.tab);
        }
        Ok(fresh)
    }

    /// Detaches a closed tab's conversation, and removes it if it has no messages.
    pub fn tab_closed(&self, tab_id: TabId) {
        self.lock().detach_tab(tab_id);
    }

    /// Reattaches the conversation of a tab that is reported again.
    ///
    /// # Errors
    ///
    /// Fails if the conversation cannot be opened.
    pub fn tab_back(&self, tab_id: TabId, key: &TabKey) -> Result<(), ChatError> {
        let mut inner = self.lock();
        if inner.by_tab.contains_key(&tab_id) {
            return Ok(());
        }
        if let Some(id) = inner.had_tab(key) {
            let conversation = self.get_in(&mut inner, &id)?;
            inner.attach(&conversation, tab_id, Some(key.clone()));
        }
        Ok(())
    }

    /// Detaches a tab that is not reported for now. The tab's key finds its conversation again.
    pub fn tab_away(&self, tab_id: TabId) {
        let mut inner = self.lock();
        let Some(id) = inner.by_tab.remove(&tab_id) else { return };
        match inner.known.get_mut(&id) {
            Some(Known::Open(conversation)) => conversation.leave_tab(),
            Some(Known::Stored(Some(record))) => record.tab_id = None,
            Some(Known::Stored(None)) | None => {}
        }
    }

    fn of_tab_in(&self, inner: &mut Inner, tab_id: TabId) -> Result<Option<Arc<Conversation>>, ChatError> {
        match inner.by_tab.get(&tab_id).cloned() {
            Some(id) => self.get_in(inner, &id).map(Some),
            None => Ok(None),
        }
    }
}

impl Inner {
    /// Returns the conversation that a tab had under an earlier daemon.
    fn had_tab(&self, key: &TabKey) -> Option<ConversationId> {
        let has = |record: &Record| record.tab_id.is_none() && record.tab.as_ref() == Some(key);
        self.known.iter().find_map(|(id, known)| {
            let found = match known {
                Known::Stored(record) => record.as_deref().is_some_and(has),
                Known::Open(conversation) => has(&conversation.record()),
            };
            found.then(|| id.clone())
        })
    }

    pub(super) fn attach(&mut self, conversation: &Conversation, tab_id: TabId, key: Option<TabKey>) {
        self.by_tab.insert(tab_id, conversation.id().clone());
        conversation.set_tab(Some(tab_id), key);
    }

    fn detach_tab(&mut self, tab_id: TabId) {
        if let Some(id) = self.by_tab.remove(&tab_id) {
            self.detached(&id);
        }
    }

    pub(super) fn detach_conversation(&mut self, id: &ConversationId) {
        self.by_tab.retain(|_, attached| attached != id);
        self.detached(id);
    }

    fn detached(&mut self, id: &ConversationId) {
        match self.known.get_mut(id) {
            Some(Known::Open(conversation)) => {
                conversation.set_tab(None, None);
                if conversation.head() == 0 {
                    self.known.remove(id);
                }
            }
            Some(Known::Stored(Some(record))) => {
                record.tab_id = None;
                record.tab = None;
            }
            Some(Known::Stored(None)) | None => {}
        }
    }
}
