//! What is known of a conversation besides its turns: title, agent, folder, tabs, page.
//!
//! Owns how these change. Each change is told to the panels that show it; [`Conversation::persist`] brings it onto the disk.

use super::conversation::Conversation;
use super::error::ChatError;
use crate::chat::store::{FolderUse, Record, TabKey, session};
use crate::protocol::chat::{AllowedTab, EarlierConversation, PageContext, Worktree};
use crate::protocol::ids::{AgentName, TabId};

/// Where a conversation's agent works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub folder: String,
    /// The folder is in this work tree.
    pub worktree: Option<Worktree>,
    pub used: FolderUse,
}

impl Conversation {
    pub fn title_of(&self) -> String {
        self.lock().record.title.clone()
    }

    /// A person names it; an empty name is the first words of its first message again. What can't be written down did
    /// not happen. Blocks for the disk.
    pub fn rename(&self, title: &str) -> Result<(), ChatError> {
        let title = session::clean_title(title);
        let mut inner = self.lock();
        let before = (inner.record.title.clone(), inner.record.named);
        inner.record.named = !title.is_empty();
        inner.record.title = if title.is_empty() { session::first_title(&inner.journal)? } else { title };
        inner.tell();
        drop(inner);
        let saved = self.persist();
        if saved.is_err() {
            self.change(|record| (record.title, record.named) = before);
        }
        saved
    }

    /// Chooses the agent; None: the default one.
    pub fn choose_agent(&self, agent: Option<AgentName>, model: Option<String>) {
        self.change(|record| {
            record.agent = agent;
            record.model = model;
        });
    }

    pub fn model(&self) -> Option<String> {
        self.lock().record.model.clone()
    }

    /// The tabs that its agent may use, its own first.
    pub fn set_tabs(&self, tabs: Vec<AllowedTab>) {
        self.change(|record| record.tabs = tabs);
    }

    /// The conversation to go on with instead, shown while nothing was said here.
    pub fn set_earlier(&self, earlier: Option<EarlierConversation>) {
        self.change(|record| record.earlier = earlier);
    }

    pub fn set_page(&self, page: PageContext) {
        self.change(|record| record.page = Some(page));
    }

    /// An agent remembers earlier turns of this conversation.
    pub fn has_resume(&self) -> bool {
        !self.lock().record.resume.is_empty()
    }

    /// The agent's own session id from an earlier turn, to go on with.
    pub fn resume(&self, agent: &AgentName) -> Option<String> {
        self.lock().record.resume.get(agent).cloned()
    }

    /// None forgets it: the agent does not know it any more.
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

    /// Its tab is out of sight; the key stays to find it by.
    pub(super) fn leave_tab(&self) {
        self.change(|record| record.tab_id = None);
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        let mut inner = self.lock();
        change(&mut inner.record);
        inner.tell();
    }

    /// Where its agent works.
    pub fn folder(&self) -> String {
        self.lock().record.folder.clone()
    }

    /// A person named the folder: it is that one, and no work tree of it.
    pub fn choose_folder(&self, folder: String) {
        self.change(|record| {
            record.folder = folder;
            record.worktree = None;
            record.folder_use = Some(FolderUse::Chosen);
        });
    }

    /// An agent works in the folder from here on.
    pub fn note_folder_used(&self) {
        self.change(|record| {
            if record.folder_use != Some(FolderUse::Chosen) {
                record.folder_use = Some(FolderUse::Worked);
            }
        });
    }

    /// Where it works, and what is known of that.
    pub fn place(&self) -> Place {
        let inner = self.lock();
        let record = &inner.record;
        Place {
            folder: record.folder.clone(),
            worktree: record.worktree.clone(),
            used: record.folder_use.unwrap_or(match record.resume.is_empty() {
                true => FolderUse::Open,
                // A record of before it was noted.
                false => FolderUse::Worked,
            }),
        }
    }

    /// It works in a work tree of its own from here on.
    pub fn enter_worktree(&self, folder: String, worktree: Worktree) {
        self.change(|record| {
            record.folder = folder;
            record.worktree = Some(worktree);
        });
    }

    /// Its work tree is gone. Until another one is made it works where it would have worked without.
    pub fn leave_worktree(&self) {
        self.change(|record| {
            if let Some(worktree) = record.worktree.take() {
                record.folder = worktree.of;
                record.folder_use = Some(FolderUse::Open);
            }
        });
    }

    /// Copies from the conversation before it where and with which agent it worked.
    pub(super) fn continue_from(&self, before: &Record) {
        self.change(|record| {
            record.folder = before.worktree.as_ref().map_or_else(|| before.folder.clone(), |tree| tree.of.clone());
            record.folder_use = before.folder_use.filter(|used| *used == FolderUse::Chosen);
            record.agent.clone_from(&before.agent);
            record.model.clone_from(&before.model);
        });
    }
}
