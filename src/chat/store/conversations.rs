//! All conversations of a home: which exist, which are loaded, and which belongs to which tab.
//!
//! A conversation belongs to a tab while that lives and to history for ever; one without any message is in memory
//! only. Opened when asked for, put away again when many are open and nobody uses them. Never drives a turn.

use super::session::{Record, TabKey};
use super::trash;
use crate::base::clock;
use crate::base::home::Home;
use crate::base::reserve::Reserve;
use crate::chat::conversation::Conversation;
use crate::chat::error::ChatError;
use crate::protocol::chat::PageContext;
use crate::protocol::ids::{ConversationId, Epoch, TabId};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// With more than this many open without a tab, those that nobody uses are put away: each holds a file open.
const MOST_IDLE: usize = 8;
const LONGEST_ID: usize = 64;

/// What a new conversation begins with.
#[derive(Clone, Debug, Default)]
pub struct NewConversation {
    /// Where its agent works.
    pub folder: String,
    pub page: Option<PageContext>,
}

/// What was found unfinished when the daemon started.
#[derive(Debug, Default)]
pub struct Recovered {
    /// A turn of theirs was interrupted, or messages wait for the person's go-ahead.
    pub conversations: Vec<Arc<Conversation>>,
    /// They can't be opened; the others can.
    pub failed: Vec<(ConversationId, ChatError)>,
}

/// The conversations of one home.
pub struct Store {
    pub(super) root: PathBuf,
    /// The folder that is assumed where a record was lost.
    default_folder: String,
    epoch: Epoch,
    /// Room for the ends of turns on a full disk.
    reserve: Arc<Reserve>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) known: HashMap<ConversationId, Known>,
    by_tab: HashMap<TabId, ConversationId>,
}

pub(super) enum Known {
    /// On disk. The record is absent where it was lost.
    Stored(Option<Box<Record>>),
    Open(Arc<Conversation>),
}

impl Store {
    /// Reads which conversations there are, not the conversations. Blocks for the disk.
    pub fn open(home: &Home) -> Result<Self, ChatError> {
        let root = home.conversations();
        crate::base::home::private_folder(&root)
            .map_err(|error| ChatError::storage("create", &root, io::Error::other(error)))?;
        let mut known = HashMap::new();
        let listed = fs::read_dir(&root).map_err(|source| ChatError::storage("read", &root, source))?;
        for entry in listed {
            let entry = entry.map_err(|source| ChatError::storage("read", &root, source))?;
            let name = entry.file_name();
            if trash::is_deleted(&name) {
                trash::remove_old(&entry.path(), SystemTime::now());
                continue;
            }
            let Some(id) = name.to_str().filter(|name| is_id(name)).map(ConversationId::new) else { continue };
            match Record::read(&entry.path()) {
                // A record that names another conversation was copied there: the folder's name counts.
                Ok(record) => {
                    let record = record.filter(|record| record.conversation_id == id).map(Box::new);
                    if record.is_some() || entry.path().join(crate::chat::journal::file::JOURNAL_FILE).exists() {
                        known.insert(id, Known::Stored(record));
                    }
                }
                Err(error) => tracing::warn!(conversation = %id, %error, "a conversation can't be listed"),
            }
        }
        let default_folder = home.workspace().to_string_lossy().into_owned();
        let inner = Mutex::new(Inner { known, by_tab: HashMap::new() });
        let reserve = Arc::new(Reserve::open(home.reserve()));
        Ok(Self { root, default_folder, epoch: Epoch::random(), reserve, inner })
    }

    /// This run of the daemon.
    pub fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Opens the conversations whose last daemon did not end in order, which closes their interrupted turns.
    /// Those that ended in order are known by their journal's length and stay closed. Blocks for the disk.
    pub fn recover(&self) -> Recovered {
        let suspects: Vec<ConversationId> = self
            .lock()
            .known
            .iter()
            .filter(|(id, known)| matches!(known, Known::Stored(record) if !self.in_order(id, record.as_deref())))
            .map(|(id, _)| id.clone())
            .collect();
        let mut recovered = Recovered::default();
        for id in suspects {
            match self.get(&id) {
                Ok(conversation) => {
                    if let Err(error) = conversation.persist() {
                        tracing::warn!(conversation = %id, %error, "a recovered conversation can't be saved");
                    }
                    recovered.conversations.push(conversation);
                }
                Err(error) => recovered.failed.push((id, error)),
            }
        }
        recovered
    }

    fn in_order(&self, id: &ConversationId, record: Option<&Record>) -> bool {
        let journal = self.place(id).join(crate::chat::journal::file::JOURNAL_FILE);
        let length = fs::metadata(journal).map_or(0, |metadata| metadata.len());
        record.is_some_and(|record| record.settled && record.journal_bytes == length)
    }

    /// The conversation of a tab; made where there is none. `key` finds the one that the tab had under an earlier daemon.
    /// One that has lost its events fails once: the tab is let go of it.
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

    /// A conversation without a tab (from a terminal).
    pub fn create(&self, new: NewConversation) -> Arc<Conversation> {
        self.create_in(&mut self.lock(), new)
    }

    /// The conversation that a tab has.
    pub fn of_tab(&self, tab_id: TabId) -> Option<ConversationId> {
        self.lock().by_tab.get(&tab_id).cloned()
    }

    /// Every tab that has a conversation.
    pub fn tabs(&self) -> Vec<(TabId, ConversationId)> {
        let mut tabs: Vec<_> = self.lock().by_tab.iter().map(|(tab, id)| (*tab, id.clone())).collect();
        tabs.sort();
        tabs
    }

    /// Opens a conversation by its id. Blocks for the disk when it is not open yet.
    pub fn get(&self, id: &ConversationId) -> Result<Arc<Conversation>, ChatError> {
        self.get_in(&mut self.lock(), id)
    }

    /// Reopens a conversation from history in a tab. The tab's former one goes to history, and so does the
    /// conversation's former tab.
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

    /// Puts a conversation into history and opens an empty one for its tab. A running turn is the caller's to stop.
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

    /// A tab is gone: its conversation is history, or nothing where it had no message.
    pub fn tab_closed(&self, tab_id: TabId) {
        self.lock().detach_tab(tab_id);
    }

    /// A tab that was away is reported again: the conversation that it had goes on in it.
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

    /// Nobody reports this tab for now: its conversation is found again by the tab's key.
    pub fn tab_away(&self, tab_id: TabId) {
        let mut inner = self.lock();
        if let Some(id) = inner.by_tab.remove(&tab_id)
            && let Some(Known::Open(conversation)) = inner.known.get(&id)
        {
            conversation.leave_tab();
        }
    }

    /// Whether a conversation of this id works in a work tree, or may, as far as is known: also one that can still be
    /// brought back. Blocks for the disk.
    pub fn keeps_worktree(&self, id: &ConversationId) -> bool {
        if is_id(id.as_str()) && self.deleted_place(id).is_dir() {
            return true;
        }
        match self.lock().known.get(id) {
            None => false,
            Some(Known::Stored(record)) => record.as_ref().is_none_or(|record| record.worktree.is_some()),
            Some(Known::Open(conversation)) => conversation.place().worktree.is_some(),
        }
    }

    /// The conversations that are open now.
    pub fn opened(&self) -> Vec<Arc<Conversation>> {
        let inner = self.lock();
        inner
            .known
            .values()
            .filter_map(|known| match known {
                Known::Open(conversation) => Some(conversation.clone()),
                Known::Stored(_) => None,
            })
            .collect()
    }

    /// Brings everything onto the disk and lets go of it, for the daemon's end: the next one must find no journal in use.
    /// Returns the first trouble. Blocks.
    pub fn close(&self) -> Result<(), ChatError> {
        let opened = self.opened();
        let saved = opened.iter().map(|conversation| conversation.persist()).fold(Ok(()), Result::and);
        opened.iter().for_each(|conversation| conversation.close());
        saved
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn place(&self, id: &ConversationId) -> PathBuf {
        self.root.join(id.as_str())
    }

    fn create_in(&self, inner: &mut Inner, new: NewConversation) -> Arc<Conversation> {
        inner.put_away();
        let id = ConversationId::random();
        let record = Record::new(id.clone(), new.folder, new.page, clock::now_millis());
        let conversation =
            Arc::new(Conversation::new(record, self.place(&id), self.epoch.clone(), self.reserve.clone()));
        inner.known.insert(id, Known::Open(conversation.clone()));
        conversation
    }

    pub(super) fn get_in(&self, inner: &mut Inner, id: &ConversationId) -> Result<Arc<Conversation>, ChatError> {
        let record = match inner.known.get(id) {
            None => return Err(ChatError::NoConversation(id.clone())),
            Some(Known::Open(conversation)) => return Ok(conversation.clone()),
            Some(Known::Stored(record)) => record.as_deref().cloned(),
        };
        inner.put_away();
        let (place, epoch) = (self.place(id), self.epoch.clone());
        let opened = Conversation::open(id.clone(), record, &self.default_folder, place, epoch, self.reserve.clone())?;
        let conversation = Arc::new(opened);
        inner.known.insert(id.clone(), Known::Open(conversation.clone()));
        Ok(conversation)
    }

    fn of_tab_in(&self, inner: &mut Inner, tab_id: TabId) -> Result<Option<Arc<Conversation>>, ChatError> {
        match inner.by_tab.get(&tab_id).cloned() {
            Some(id) => self.get_in(inner, &id).map(Some),
            None => Ok(None),
        }
    }
}

impl Inner {
    /// The conversation that a tab had under an earlier daemon.
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

    fn attach(&mut self, conversation: &Conversation, tab_id: TabId, key: Option<TabKey>) {
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

    /// Closes conversations that nobody uses, when many are open. An empty one of a tab stays: it is nowhere else.
    fn put_away(&mut self) {
        let has_tab: HashSet<&ConversationId> = self.by_tab.values().collect();
        let idle = |(id, known): (&ConversationId, &Known)| matches!(known, Known::Open(_)) && !has_tab.contains(id);
        if self.known.iter().filter(|entry| idle(*entry)).count() < MOST_IDLE {
            return;
        }
        for known in self.known.values_mut() {
            let Known::Open(conversation) = known else { continue };
            // One reference is ours, and new ones come through this lock only: nobody has it and nobody gets it now.
            if Arc::strong_count(conversation) > 1 || conversation.head() == 0 {
                continue;
            }
            let record = conversation.record();
            if !record.settled {
                continue;
            }
            match conversation.persist() {
                Ok(()) => *known = Known::Stored(Some(Box::new(record))),
                Err(error) => tracing::warn!(conversation = %record.conversation_id, %error, "can't be put away"),
            }
        }
    }
}

/// Our ids are UUIDs; a folder of another name is not ours.
pub(super) fn is_id(name: &str) -> bool {
    (1..=LONGEST_ID).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
