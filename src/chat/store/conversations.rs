//! All conversations of a home: which exist, and which are loaded.
//!
//! A conversation without messages exists only in memory. Conversations are opened on demand, and unused ones are
//! closed if many are open. `tabs` says which of them belongs to which tab. Never drives a turn.

use super::branches;
use super::session_file::Record;
use super::trash;
use crate::conversation::Conversation;
use crate::error::ChatError;
use gstack_base::clock;
use gstack_base::home::Home;
use gstack_base::reserve::Reserve;
use gstack_protocol::chat::PageContext;
use gstack_protocol::ids::{ConversationId, Epoch, TabId};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The number of open conversations without a tab at which unused ones are closed, because each holds a file open.
const MOST_IDLE: usize = 8;
const LONGEST_ID: usize = 64;

/// The initial metadata of a new conversation.
#[derive(Clone, Debug, Default)]
pub struct NewConversation {
    /// The folder in which its agent works.
    pub folder: String,
    /// The page on which it is opened.
    pub page: Option<PageContext>,
}

/// The unfinished conversations found when the daemon started.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Conversations with an interrupted turn, or with messages that wait for the person's confirmation.
    pub conversations: Vec<Arc<Conversation>>,
    /// Conversations that cannot be opened. They do not affect the others.
    pub failed: Vec<(ConversationId, ChatError)>,
}

/// The conversations of one home.
pub struct Store {
    pub(super) root: PathBuf,
    /// The folder for conversations whose record was lost.
    default_folder: String,
    epoch: Epoch,
    /// Disk space reserved for the ends of turns.
    pub(super) reserve: Arc<Reserve>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) known: HashMap<ConversationId, Known>,
    pub(super) by_tab: HashMap<TabId, ConversationId>,
}

pub(super) enum Known {
    /// On disk. The record is `None` if it was lost.
    Stored(Option<Box<Record>>),
    Open(Arc<Conversation>),
}

impl Store {
    /// Lists the conversations without opening them. Blocks on disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if the conversations' folder cannot be created or read, or another user can access it. A conversation
    /// whose record cannot be read is left out.
    pub fn open(home: &Home) -> Result<Self, ChatError> {
        let root = home.conversations();
        gstack_base::home::private_folder(&root)
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
            if branches::is_unfinished(&name) {
                branches::remove_unfinished(&entry.path());
                continue;
            }
            let Some(id) = name.to_str().filter(|name| is_id(name)).map(ConversationId::new) else { continue };
            match Record::read(&entry.path()) {
                // If the record names another conversation, it was copied: the folder's name is authoritative.
                Ok(record) => {
                    let record = record.filter(|record| record.conversation_id == id).map(Box::new);
                    if record.is_some() || entry.path().join(crate::journal::file::JOURNAL_FILE).exists() {
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

    /// Returns the id of this run of the daemon.
    pub fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Opens the conversations that their last daemon did not close properly, which ends their interrupted turns. Those
    /// with the expected journal length stay closed. Blocks on disk I/O.
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
        let journal = self.place(id).join(crate::journal::file::JOURNAL_FILE);
        let length = fs::metadata(journal).map_or(0, |metadata| metadata.len());
        record.is_some_and(|record| record.settled && record.journal_bytes == length)
    }

    /// Creates a conversation without a tab (from a terminal).
    pub fn create(&self, new: NewConversation) -> Arc<Conversation> {
        self.create_in(&mut self.lock(), new)
    }

    /// Returns a conversation by its id. Blocks on disk I/O if it is not open yet.
    ///
    /// # Errors
    ///
    /// Fails if there is no such conversation or it cannot be opened.
    pub fn get(&self, id: &ConversationId) -> Result<Arc<Conversation>, ChatError> {
        self.get_in(&mut self.lock(), id)
    }

    /// Returns whether the conversation with this id has, or may have, a work tree. Includes deleted conversations that
    /// can still be restored. Blocks on disk I/O.
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

    /// Returns the open conversations.
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

    /// Saves and closes everything when the daemon ends: the next one must not find a journal locked. Blocks.
    ///
    /// # Errors
    ///
    /// Fails with the first error, after everything was closed.
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

    pub(super) fn create_in(&self, inner: &mut Inner, new: NewConversation) -> Arc<Conversation> {
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
}

impl Inner {
    /// Closes unused conversations if many are open. Keeps empty ones, which exist only in memory.
    fn put_away(&mut self) {
        let has_tab: HashSet<&ConversationId> = self.by_tab.values().collect();
        let idle = |(id, known): (&ConversationId, &Known)| matches!(known, Known::Open(_)) && !has_tab.contains(id);
        if self.known.iter().filter(|entry| idle(*entry)).count() < MOST_IDLE {
            return;
        }
        for known in self.known.values_mut() {
            let Known::Open(conversation) = known else { continue };
            // One reference is ours, and new ones need this lock, so nobody has or gets another one now.
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

/// Returns whether a folder's name can be a conversation id. Our ids are UUIDs.
pub(super) fn is_id(name: &str) -> bool {
    (1..=LONGEST_ID).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
#[path = "store_tests.rs"]
pub(crate) mod tests;
