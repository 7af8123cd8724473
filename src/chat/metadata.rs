//! The metadata of a conversation: title, agent, folder, tabs, page.
//!
//! Owns their changes. Each change is pushed to the panels; [`Conversation::persist`] writes it to disk.

use super::conversation::Conversation;
use super::error::ChatError;
use crate::store::{FolderUse, Record, TabKey, session_file};
use gstack_protocol::agents::ModeInfo;
use gstack_protocol::chat::{AllowedTab, EarlierConversation, PageContext, Worktree};
use gstack_protocol::ids::{AgentName, TabId};

/// The folder in which a conversation's agent works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkFolder {
    pub folder: String,
    /// The work tree that contains the folder.
    pub worktree: Option<Worktree>,
    pub used: FolderUse,
}

impl Conversation {
    /// Returns the title shown to people; empty before the first message.
    pub fn title_of(&self) -> String {
        self.lock().record.title.clone()
    }

    /// Renames the conversation for a person. An empty name restores the title from its first message. Blocks on disk
    /// I/O.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read or the record cannot be written. Then nothing is changed.
    pub fn rename(&self, title: &str) -> Result<(), ChatError> {
        let title = session_file::clean_title(title);
        let mut inner = self.lock();
        let before = (inner.record.title.clone(), inner.record.named);
        let is_named = !title.is_empty();
        let title = if is_named { title } else { session_file::first_title(&inner.journal)? };
        (inner.record.title, inner.record.named) = (title, is_named);
        inner.tell();
        drop(inner);
        let saved = self.persist();
        if saved.is_err() {
            self.change(|record| (record.title, record.named) = before);
        }
        saved
    }

    /// Chooses the agent; `None` chooses the default one. A `mode` is one of that agent's; `None` is the one that asks.
    pub fn choose_agent(&self, agent: Option<AgentName>, model: Option<String>, mode: Option<String>) {
        self.change(|record| {
            if record.agent != agent {
                record.current_mode = None;
            }
            record.agent = agent;
            record.model = model;
            record.mode = mode;
        });
    }

    /// Returns the agent's mode that the person chose; `None` for the one in which it asks.
    pub fn mode(&self) -> Option<String> {
        self.lock().record.mode.clone()
    }

    /// Records the mode that the running agent is in; `None` if no agent runs or it has none.
    pub fn entered_mode(&self, mode: Option<ModeInfo>) {
        if self.lock().record.current_mode != mode {
            self.change(|record| record.current_mode = mode);
        }
    }

    /// Returns the model chosen for the conversation; `None` if each message chooses.
    pub fn model(&self) -> Option<String> {
        self.lock().record.model.clone()
    }

    /// Sets the tabs that the agent may use, its own first.
    pub fn set_tabs(&self, tabs: Vec<AllowedTab>) {
        self.change(|record| record.tabs = tabs);
    }

    /// Sets the conversation that the panel offers to continue while this one is empty.
    pub fn set_earlier(&self, earlier: Option<EarlierConversation>) {
        self.change(|record| record.earlier = earlier);
    }

    /// Sets the page that the conversation is about.
    pub fn set_page(&self, page: PageContext) {
        self.change(|record| record.page = Some(page));
    }

    /// Returns whether an agent has a session id from earlier turns of this conversation.
    pub fn has_resume(&self) -> bool {
        !self.lock().record.resume.is_empty()
    }

    /// Returns the agent's own session id from an earlier turn, for resuming it.
    pub fn resume(&self, agent: &AgentName) -> Option<String> {
        self.lock().record.resume.get(agent).cloned()
    }

    /// Stores the agent's session id. `None` removes it, if the agent no longer knows it.
    pub fn set_resume(&self, agent: AgentName, session: Option<String>) {
        let mut inner = self.lock();
        match session {
            Some(session) => inner.record.resume.insert(agent, session),
            None => inner.record.resume.remove(&agent),
        };
    }

    pub(super) fn set_tab(&self, tab_id: Option<TabId>, tab: Option<TabKey>) {
        self.change(|record| {
            record.tab_id = tab_id;
            record.tab = tab;
        });
    }

    /// Sets the own tab of a detached conversation, which the store does not know.
    pub fn own_tab(&self, tab_id: Option<TabId>) {
        self.change(|record| record.tab_id = tab_id);
    }

    /// Removes the tab's number if the tab is not reported. The key stays, to find the conversation again.
    pub(super) fn leave_tab(&self) {
        self.change(|record| record.tab_id = None);
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        let mut inner = self.lock();
        change(&mut inner.record);
        inner.tell();
    }

    /// Returns the folder in which the agent works.
    pub fn folder(&self) -> String {
        self.lock().record.folder.clone()
    }

    /// Sets a folder that a person chose: exactly this one, not a work tree of it.
    pub fn choose_folder(&self, folder: String) {
        self.change(|record| {
            record.folder = folder;
            record.worktree = None;
            record.folder_use = Some(FolderUse::Chosen);
        });
    }

    /// Records that an agent works in the folder.
    pub fn note_folder_used(&self) {
        self.change(|record| {
            if record.folder_use != Some(FolderUse::Chosen) {
                record.folder_use = Some(FolderUse::Worked);
            }
        });
    }

    /// Returns the folder in which the agent works, with its work tree and use.
    pub fn place(&self) -> WorkFolder {
        let inner = self.lock();
        let record = &inner.record;
        WorkFolder {
            folder: record.folder.clone(),
            worktree: record.worktree.clone(),
            used: record.folder_use.unwrap_or(match record.resume.is_empty() {
                true => FolderUse::Open,
                // The record is older than this field.
                false => FolderUse::Worked,
            }),
        }
    }

    /// Sets the work tree in which the agent works from now on.
    pub fn enter_worktree(&self, folder: String, worktree: Worktree) {
        self.change(|record| {
            record.folder = folder;
            record.worktree = Some(worktree);
        });
    }

    /// Returns from a removed work tree to its original folder, until another one is created.
    pub fn leave_worktree(&self) {
        self.change(|record| {
            if let Some(worktree) = record.worktree.take() {
                record.folder = worktree.of;
                record.folder_use = Some(FolderUse::Open);
            }
        });
    }

    /// Copies the folder and agent of the previous conversation.
    pub(super) fn continue_from(&self, before: &Record) {
        self.change(|record| record.continue_from(before));
    }
}
