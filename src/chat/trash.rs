//! Conversations that a person deleted: set aside, to be brought back, and gone with the next daemon's start.

use super::error::ChatError;
use super::session::Record;
use super::store::{Known, Store, is_id};
use crate::protocol::chat::ConversationState;
use crate::protocol::ids::ConversationId;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What the folder of a deleted conversation begins with.
const DELETED: &str = ".deleted-";

impl Store {
    /// Takes a conversation out of history. [`Self::restore`] brings it back until the next daemon starts.
    /// One at work is refused; one that somebody still looks at is closed for them when they let go of it.
    pub fn delete(&self, id: &ConversationId) -> Result<(), ChatError> {
        let mut inner = self.lock();
        let conversation = self.get_in(&mut inner, id)?;
        if conversation.state() != ConversationState::Idle {
            return Err(ChatError::Busy(id.clone()));
        }
        conversation.save()?;
        if conversation.head() > 0 {
            rename(&self.place(id), &self.deleted_place(id))?;
        }
        inner.detach_conversation(id);
        inner.known.remove(id);
        Ok(())
    }

    /// Undoes [`Self::delete`].
    pub fn restore(&self, id: &ConversationId) -> Result<(), ChatError> {
        let mut inner = self.lock();
        // The id comes from outside and makes a path.
        if !is_id(id.as_str()) || !self.deleted_place(id).is_dir() {
            return Err(ChatError::NoConversation(id.clone()));
        }
        rename(&self.deleted_place(id), &self.place(id))?;
        let record = Record::read(&self.place(id))?.map(Box::new);
        inner.known.insert(id.clone(), Known::Stored(record));
        Ok(())
    }

    fn deleted_place(&self, id: &ConversationId) -> PathBuf {
        self.root.join(format!("{DELETED}{id}"))
    }
}

/// True for a folder that [`Store::delete`] set aside.
pub(super) fn is_deleted(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(DELETED))
}

/// Removes it for good. What can't be removed stays hidden and is told to the log.
pub(super) fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(folder = %folder.display(), %error, "a deleted conversation can't be removed");
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), ChatError> {
    fs::rename(from, to).map_err(|source| ChatError::storage("move", from, source))
}
