//! Conversations that a person deleted: kept for some days, so that they can be restored.

use super::conversations::{Known, Store, is_id};
use super::session_file::Record;
use crate::error::ChatError;
use gstack_protocol::chat::ConversationState;
use gstack_protocol::ids::ConversationId;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The prefix of a deleted conversation's folder.
const DELETED: &str = ".deleted-";
/// How long a conversation can be restored. The first daemon that starts after that removes it permanently.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl Store {
    /// Deletes a conversation; [`Self::restore`] can restore it for some days. Blocks on disk I/O. If a panel still
    /// shows the conversation, it is closed when that panel releases it.
    ///
    /// # Errors
    ///
    /// Fails with `ChatError::Busy` while a turn runs, and if there is no such conversation, it cannot be opened, or
    /// its folder cannot be moved.
    pub fn delete(&self, id: &ConversationId) -> Result<(), ChatError> {
        let mut inner = self.lock();
        let has_messages = match self.get_in(&mut inner, id) {
            Ok(conversation) if conversation.state() != ConversationState::Idle => {
                return Err(ChatError::Busy(id.clone()));
            }
            Ok(conversation) => {
                conversation.persist()?;
                conversation.head() > 0
            }
            // A conversation that cannot be opened can still be deleted.
            Err(ChatError::Lost { .. }) => true,
            Err(error) => return Err(error),
        };
        if has_messages {
            note_time(&self.place(id), SystemTime::now())?;
            rename(&self.place(id), &self.deleted_place(id))?;
        }
        inner.detach_conversation(id);
        inner.known.remove(id);
        Ok(())
    }

    /// Undoes [`Self::delete`] for the conversation whose id has this prefix, and returns its id.
    ///
    /// # Errors
    ///
    /// Fails if no deleted conversation has the prefix, several have it, or the folder cannot be moved back.
    pub fn restore(&self, beginning: &ConversationId) -> Result<ConversationId, ChatError> {
        let mut inner = self.lock();
        let id = &self.deleted_named(beginning)?;
        rename(&self.deleted_place(id), &self.place(id))?;
        let record = Record::read(&self.place(id))?.map(Box::new);
        inner.known.insert(id.clone(), Known::Stored(record));
        Ok(id.clone())
    }

    /// Returns the one deleted conversation whose id has this prefix. Fails if the prefix is ambiguous.
    fn deleted_named(&self, beginning: &ConversationId) -> Result<ConversationId, ChatError> {
        let listed = fs::read_dir(&self.root).map_err(|error| ChatError::storage("read", &self.root, error))?;
        let deleted = listed.flatten().filter_map(|entry| {
            let id = entry.file_name().to_str()?.strip_prefix(DELETED)?.to_owned();
            let named = !beginning.as_str().is_empty() && id.starts_with(beginning.as_str());
            (is_id(&id) && named).then(|| ConversationId::new(id))
        });
        let mut named: Vec<ConversationId> = deleted.collect();
        match (named.len(), named.pop()) {
            (1, Some(found)) => Ok(found),
            (0, _) => Err(ChatError::NoConversation(beginning.clone())),
            (count, _) => Err(ChatError::Ambiguous(beginning.clone(), count)),
        }
    }

    pub(super) fn deleted_place(&self, id: &ConversationId) -> PathBuf {
        self.root.join(format!("{DELETED}{id}"))
    }
}

/// Returns true for a folder that [`Store::delete`] renamed.
pub(super) fn is_deleted(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(DELETED))
}

/// Removes a deleted conversation permanently once its time is over. If that fails, it stays hidden and the error is
/// logged.
pub(super) fn remove_old(folder: &Path, now: SystemTime) {
    let deleted = fs::metadata(folder).and_then(|found| found.modified());
    let is_old = deleted.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT));
    if !is_old {
        return;
    }
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(folder = %folder.display(), %error, "a deleted conversation can't be removed");
    }
}

/// Stores the time of deletion as the folder's modification time.
fn note_time(folder: &Path, now: SystemTime) -> Result<(), ChatError> {
    File::open(folder)
        .and_then(|opened| opened.set_modified(now))
        .map_err(|source| ChatError::storage("change", folder, source))
}

pub(super) fn rename(from: &Path, to: &Path) -> Result<(), ChatError> {
    fs::rename(from, to).map_err(|source| ChatError::storage("move", from, source))
}
