//! Branches: new conversations that begin like another one, up to one of its messages.
//!
//! Owns the copy. It is made in a folder of its own and appears as a conversation in one step, so a daemon that ends in
//! the middle leaves no half of one. The original is only read.

use super::conversations::{Inner, Known, Store};
use super::files;
use super::session_file::Record;
use super::trash::rename;
use crate::conversation::Conversation;
use crate::error::ChatError;
use crate::journal::{Journal, before::before_turn};
use gstack_base::clock;
use gstack_protocol::chat::{BranchOrigin, ChatBody, ChatEvent};
use gstack_protocol::ids::{ClientMessageId, ConversationId};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// The prefix of the folder in which a copy is made.
const UNFINISHED: &str = ".branch-";

/// A branch to make.
#[derive(Clone, Debug)]
pub struct NewBranch {
    /// The original conversation.
    pub of: ConversationId,
    /// The message before whose turn the copy ends.
    pub before: ClientMessageId,
    /// The branch's id, which must be unused.
    pub id: ConversationId,
    pub title: String,
}

/// A branch, and whether it was made by this call.
#[derive(Debug)]
pub struct Branch {
    pub conversation: Arc<Conversation>,
    pub is_new: bool,
}

impl Store {
    /// Makes a branch without a tab. Returns the existing one if it was made before. Blocks on disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if there is no such conversation, no turn of it has begun with the message, another conversation has the
    /// id, or a file cannot be read or written.
    pub fn branch(&self, new: &NewBranch) -> Result<Branch, ChatError> {
        let original = {
            let mut inner = self.lock();
            if let Some(made) = self.made_before(&mut inner, new)? {
                return Ok(made);
            }
            self.get_in(&mut inner, &new.of)?
        };
        let found = original.lock().journal.to_copy();
        let no_turn = || ChatError::NoTurn(new.before.clone());
        let (reader, end) = found.ok_or_else(no_turn)?;
        let events = before_turn(&reader, end, &new.before)?.ok_or_else(no_turn)?;
        let mut record = Record::new(new.id.clone(), String::new(), None, clock::now_millis());
        let before = original.record();
        record.continue_from(&before);
        record.mode.clone_from(&before.mode);
        record.page.clone_from(&before.page);
        record.title.clone_from(&new.title);
        record.branch_of = Some(Box::new(BranchOrigin { conversation_id: new.of.clone(), title: before.title }));
        for event in &events {
            if let ChatBody::TurnDone { cost_usd: Some(cost), .. } = event.body {
                record.add_cost(cost);
            }
        }
        let place = self.place(&new.id);
        if events.is_empty() {
            // Like any conversation without messages, it is not on the disk.
            let mut inner = self.lock();
            if let Some(made) = self.made_before(&mut inner, new)? {
                return Ok(made);
            }
            let conversation = Conversation::new(record, place, self.epoch().clone(), self.reserve.clone());
            let conversation = Arc::new(conversation);
            inner.known.insert(new.id.clone(), Known::Open(conversation.clone()));
            return Ok(Branch { conversation, is_new: true });
        }
        let unfinished = self.root.join(format!("{UNFINISHED}{}", uuid::Uuid::new_v4().simple()));
        let made = self.copy(&original, &events, record, &unfinished).and_then(|record| {
            let mut inner = self.lock();
            if let Some(made) = self.made_before(&mut inner, new)? {
                return Ok(made);
            }
            rename(&unfinished, &place)?;
            inner.known.insert(new.id.clone(), Known::Stored(Some(Box::new(record))));
            let conversation = self.get_in(&mut inner, &new.id)?;
            Ok(Branch { conversation, is_new: true })
        });
        // Nothing is left there if it became the branch.
        remove_unfinished(&unfinished);
        let made = made?;
        File::open(&self.root)
            .and_then(|root| root.sync_all())
            .map_err(|source| ChatError::storage("write", &self.root, source))?;
        Ok(made)
    }

    /// Gives the tab of one conversation to another, which it then shows.
    pub fn move_tab(&self, from: &Conversation, to: &Conversation) {
        let mut inner = self.lock();
        let record = from.record();
        inner.detach_conversation(from.id());
        if let Some(tab_id) = record.tab_id {
            inner.attach(to, tab_id, record.tab);
        }
    }

    /// Removes a branch that was just made and has no message of its own. Blocks on disk I/O.
    pub fn unmake(&self, branch: &Branch) {
        let id = branch.conversation.id();
        let mut inner = self.lock();
        inner.detach_conversation(id);
        inner.known.remove(id);
        branch.conversation.close();
        remove_unfinished(&self.place(id));
    }

    fn made_before(&self, inner: &mut Inner, new: &NewBranch) -> Result<Option<Branch>, ChatError> {
        if !inner.known.contains_key(&new.id) {
            return match self.deleted_place(&new.id).exists() {
                true => Err(ChatError::IdTaken(new.id.clone())),
                false => Ok(None),
            };
        }
        let conversation = self.get_in(inner, &new.id)?;
        match conversation.record().branch_of {
            Some(origin) if origin.conversation_id == new.of => Ok(Some(Branch { conversation, is_new: false })),
            _ => Err(ChatError::IdTaken(new.id.clone())),
        }
    }

    /// Writes the journal, its files and the record into a new folder.
    fn copy(
        &self,
        original: &Conversation,
        events: &[ChatEvent],
        mut record: Record,
        folder: &Path,
    ) -> Result<Record, ChatError> {
        if !self.reserve.is_kept() {
            return Err(Journal::new(folder, record.conversation_id).full());
        }
        let mut journal = Journal::new(folder, record.conversation_id.clone());
        for event in events {
            journal.append(event)?;
        }
        if let Some(handle) = journal.sync_handle() {
            handle.sync()?;
        }
        files::link(&original.place, folder, events)?;
        record.head = journal.head();
        record.journal_bytes = journal.length();
        record.write(folder)?;
        Ok(record)
    }
}

/// Returns whether a folder holds a copy that was not finished.
pub(super) fn is_unfinished(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(UNFINISHED))
}

/// Removes such a folder, if it exists. A failure is logged.
pub(super) fn remove_unfinished(folder: &Path) {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(folder = %folder.display(), %error, "an unfinished branch can't be removed");
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "branch_tests.rs"]
mod tests;
