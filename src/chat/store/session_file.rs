//! `session.json`: a conversation's metadata.
//!
//! Owns its format and the title. Written atomically. If it is lost, it is rebuilt from the journal.

use crate::error::ChatError;
use crate::journal::{Journal, Limits};
use gstack_base::{atomic, filled_secrets};
use gstack_protocol::agents::ModeInfo;
use gstack_protocol::chat::{
    AllowedTab, BranchOrigin, ChatBody, ChatEvent, ConversationInfo, ConversationState, EarlierConversation, Millis,
    PageContext, Seq, Worktree,
};
use gstack_protocol::ids::{AgentName, BrowserRun, ConversationId, TabId, TargetId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The file name in the conversation's folder.
pub const SESSION_FILE: &str = "session.json";
const FORMAT: u32 = 1;
/// The longest generated title, in characters.
const TITLE_LENGTH: usize = 60;
/// The longest title given by a person, in characters.
const LONGEST_NAME: usize = 200;
/// The first message is among this many events.
const FIRST_EVENTS: Seq = 16;

/// A conversation's record, as stored on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The version of the record's format.
    pub format: u32,
    /// The conversation's id, also the name of its folder.
    pub conversation_id: ConversationId,
    /// The title shown to people; empty before the first message.
    #[serde(default)]
    pub title: String,
    /// A person gave the title, so messages no longer change it.
    #[serde(default)]
    pub named: bool,
    /// The page of the last message, or the one that the conversation was opened on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageContext>,
    /// The agent chosen for it; `None` for the default agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model chosen for it; `None` if each message chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's mode chosen for it; `None` for the one in which it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The folder in which its agent works.
    pub folder: String,
    /// The work tree that contains the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// Absent in records from before work trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_use: Option<FolderUse>,
    /// Each agent's own session id, for resuming it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resume: BTreeMap<AgentName, String>,
    /// The tab it belongs to, by a key that outlives a daemon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabKey>,
    /// The conversation that it is a branch of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_of: Option<Box<BranchOrigin>>,
    /// The cost of all turns together, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The number of its newest event; 0 without events.
    #[serde(default)]
    pub head: Seq,
    /// When it was created.
    pub created_at: Millis,
    /// When its last event was written.
    pub updated_at: Millis,
    /// The journal's length at that time. If it differs now, the daemon died before it could update this record.
    #[serde(default)]
    pub journal_bytes: u64,
    /// The journal's length after its last compaction.
    #[serde(default)]
    pub compacted: u64,
    /// At that time, no turn was running and no message was waiting.
    #[serde(default)]
    pub settled: bool,
    /// Its tab while that exists, by this daemon's number.
    #[serde(skip)]
    pub tab_id: Option<TabId>,
    /// The tabs that its agent may use, its own first. The engine keeps them up to date.
    #[serde(skip)]
    pub tabs: Vec<AllowedTab>,
    /// Shown while this conversation is empty.
    #[serde(skip)]
    pub earlier: Option<EarlierConversation>,
    /// The mode that its running agent is in.
    #[serde(skip)]
    pub current_mode: Option<ModeInfo>,
}

/// The use of a conversation's folder. A work tree may replace the folder only while it is `Open`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FolderUse {
    /// No agent has worked in the folder.
    #[default]
    Open,
    /// An agent has worked in the folder, so it is kept.
    Worked,
    /// A person chose the folder, so it is kept.
    Chosen,
}

/// A tab's key that outlives a daemon: its browser's run and its DevTools target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TabKey {
    /// The run of the browser that has the tab.
    pub browser_run: BrowserRun,
    /// The tab's DevTools target.
    pub target_id: TargetId,
}

impl Record {
    /// Creates the record of a new conversation, without a tab, an agent or events.
    pub fn new(conversation_id: ConversationId, folder: String, page: Option<PageContext>, now: Millis) -> Self {
        Self {
            format: FORMAT,
            conversation_id,
            title: String::new(),
            named: false,
            page,
            agent: None,
            model: None,
            mode: None,
            folder,
            worktree: None,
            folder_use: Some(FolderUse::Open),
            resume: BTreeMap::new(),
            tab: None,
            branch_of: None,
            cost_usd: None,
            head: 0,
            created_at: now,
            updated_at: now,
            journal_bytes: 0,
            compacted: 0,
            settled: true,
            tab_id: None,
            tabs: Vec::new(),
            earlier: None,
            current_mode: None,
        }
    }

    /// Reads the record in a conversation's folder. `None` if it does not exist or is damaged, which is logged.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or was written by a newer gstack.
    pub fn read(folder: &Path) -> Result<Option<Self>, ChatError> {
        let path = folder.join(SESSION_FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ChatError::storage("read", &path, source)),
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(record) if record.format > FORMAT => Err(ChatError::Newer { path, version: record.format }),
            // The record may be from before URLs were truncated.
            Ok(record) => Ok(Some(Self { page: record.page.map(PageContext::bounded), ..record })),
            Err(error) => {
                tracing::warn!(record = %path.display(), %error, "a conversation's record is damaged and is rebuilt");
                Ok(None)
            }
        }
    }

    /// Writes the record to the conversation's folder, in place of the previous one.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ChatError> {
        let path = folder.join(SESSION_FILE);
        serde_json::to_string(self)
            .map_err(io::Error::from)
            .and_then(|text| atomic::write(&path, filled_secrets::without_in_json(&text).as_bytes()))
            .map_err(|source| ChatError::storage("write", &path, source))
    }

    /// Rebuilds a record from the journal.
    pub(crate) fn from_journal(journal: &Journal, id: ConversationId, folder: String) -> Result<Self, ChatError> {
        let first = beginning(journal)?;
        let mut record = Self::new(id, folder, None, first.first().map_or(0, |event| event.at));
        for event in &first {
            if let ChatBody::Message { text, page, attachments, .. } = &event.body {
                record.title = title(text, attachments.first().map(|file| file.name.as_str()));
                record.page = page.clone().map(PageContext::bounded);
                break;
            }
        }
        journal.backwards(|event, _| {
            if let ChatBody::TurnDone { cost_usd: Some(cost), .. } = event.body {
                record.add_cost(cost);
            }
            true
        })?;
        // All of these events were counted just now.
        record.head = journal.head();
        Ok(record)
    }

    /// Copies the folder and agent of another conversation. A work tree belongs to its conversation, so this one starts
    /// from the folder that it was made of.
    pub(crate) fn continue_from(&mut self, before: &Self) {
        self.folder = before.worktree.as_ref().map_or_else(|| before.folder.clone(), |tree| tree.of.clone());
        self.folder_use = before.folder_use.filter(|used| *used == FolderUse::Chosen);
        self.agent.clone_from(&before.agent);
        self.model.clone_from(&before.model);
    }

    pub(crate) fn add_cost(&mut self, cost_usd: f64) {
        self.cost_usd = Some(self.cost_usd.unwrap_or_default() + cost_usd);
    }

    /// Returns what panels show of the conversation. `queued`: the number of messages that wait.
    pub fn info(&self, state: ConversationState, queued: u32) -> ConversationInfo {
        ConversationInfo {
            conversation_id: self.conversation_id.clone(),
            title: self.title.clone(),
            tab_id: self.tab_id,
            page: self.page.clone(),
            agent: self.agent.clone(),
            folder: self.folder.clone(),
            worktree: self.worktree.clone(),
            head: self.head,
            created_at: self.created_at,
            updated_at: self.updated_at,
            state,
            queued,
            model: self.model.clone(),
            mode: self.mode.clone(),
            current_mode: self.current_mode.clone(),
            cost_usd: self.cost_usd,
            tabs: self.tabs.clone(),
            earlier: self.earlier.clone().map(Box::new),
            branch_of: self.branch_of.clone(),
        }
    }
}

/// Returns the first events of a conversation.
fn beginning(journal: &Journal) -> Result<Vec<ChatEvent>, ChatError> {
    Ok(journal.page(0, FIRST_EVENTS + 1, Limits { events: usize::MAX, bytes: usize::MAX })?.events)
}

/// Returns the generated title of a conversation.
pub(crate) fn first_title(journal: &Journal) -> Result<String, ChatError> {
    let titles = beginning(journal)?.into_iter().find_map(|event| match event.body {
        ChatBody::Message { text, attachments, .. } => {
            Some(title(&text, attachments.first().map(|file| file.name.as_str())))
        }
        _ => None,
    });
    Ok(titles.unwrap_or_default())
}

/// Normalizes a title given by a person: one line of limited length.
pub(crate) fn clean_title(title: &str) -> String {
    let words: Vec<&str> =
        title.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ").chars().take(LONGEST_NAME).collect()
}

/// Returns the first words of a message, or the name of its attachment.
pub fn title(text: &str, attachment: Option<&str>) -> String {
    let mut title = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        if length > 0 && length + 1 + word_length > TITLE_LENGTH {
            title.push('…');
            return title;
        }
        if length > 0 {
            title.push(' ');
            length += 1;
        }
        if word_length > TITLE_LENGTH {
            title.extend(word.chars().take(TITLE_LENGTH));
            title.push('…');
            return title;
        }
        title.push_str(word);
        length += word_length;
    }
    if title.is_empty() { attachment.unwrap_or_default().to_owned() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_words() {
        assert_eq!(title("  fix\n\n the   login ", None), "fix the login");
        assert_eq!(title("", Some("a.png")), "a.png");
        let long = title(&"word ".repeat(40), None);
        assert!(long.chars().count() <= TITLE_LENGTH + 1 && long.ends_with("word…"), "{long}");
        assert_eq!(title(&"é".repeat(100), None), format!("{}…", "é".repeat(TITLE_LENGTH)));
    }

    #[test]
    fn a_damaged_record_is_none_and_a_newer_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), None);
        let record = Record::new(ConversationId::new("a"), "/w".into(), None, 7);
        record.write(folder.path()).unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), Some(record.clone()));
        fs::write(folder.path().join(SESSION_FILE), b"{\"format\":").unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), None);
        Record { format: 2, ..record }.write(folder.path()).unwrap();
        assert!(matches!(Record::read(folder.path()), Err(ChatError::Newer { version: 2, .. })));
    }
}
