//! The conversations as a list: finding, naming, moving, deleting, exporting.
//!
//! Owns the way of these requests to the disk, beside the runtime's own threads. What is at work is stopped before its
//! conversation goes away. Never drives a turn.

use super::chats::persist;
use super::ports::PortId;
use super::tabs::TabPlace;
use super::tasks::off_thread;
use super::{Engine, folders};
use crate::base::inbox;
use crate::chat::{ChatError, Conversation, Place, export};
use crate::protocol::chat::{Attachment, ConversationInfo, ConversationState};
use crate::protocol::control::ConversationText;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::frame::COMFORTABLE;
use crate::protocol::history::{
    CompactConversations, CompactedConversations, ConversationAttach, ConversationExport, ConversationFolder,
    ConversationRename, Conversations, ConversationsList, ExportFormat, InboxLeave, InboxLeft,
};
use crate::protocol::ids::ConversationId;
use crate::protocol::told;
use jiff::Timestamp;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A search that takes longer answers with what it has.
const SEARCH_LIMIT: Duration = Duration::from_secs(3);
/// Conversations of one answer, as JSON.
const LARGEST_PAGE: usize = COMFORTABLE / 2;
/// The longest words that are searched for, in bytes.
const LONGEST_SEARCH: usize = 1000;

impl Engine {
    /// Conversations, newest first; with `search`, those that hold the text, with the words around it.
    pub async fn conversations(&self, list: ConversationsList) -> Result<Conversations, Fault> {
        let search = list.search.filter(|text| !text.trim().is_empty());
        if search.as_ref().is_some_and(|text| text.len() > LONGEST_SEARCH) {
            return Err(Fault::new(FaultCode::TooLarge, told::SEARCH_TOO_LONG).hint(told::SEARCH_TOO_LONG_NEXT));
        }
        let engine = self.clone();
        off_thread(move || {
            let before = list.before.as_ref();
            Ok(match search {
                Some(text) => page(engine.store().search(&text, before, SEARCH_LIMIT)),
                None => {
                    let behind = |info: &ConversationInfo| before.is_none_or(|place| place.is_before(info));
                    page(engine.store().list().into_iter().filter(behind).map(|info| (info, None)))
                }
            })
        })
        .await
    }

    pub async fn rename_conversation(&self, rename: ConversationRename) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(&rename.conversation_id)?;
        let renamed = conversation.clone();
        off_thread(move || renamed.rename(&rename.title).map_err(|e| e.fault())).await?;
        self.tabs().tell();
        Ok(conversation.info())
    }

    /// Stops what runs there, and takes the conversation out of history; it can be restored for some days.
    pub async fn delete_conversation(&self, id: &ConversationId) -> Result<(), Fault> {
        match self.store().get(id) {
            // Anyone who restores it opens it again: nothing of ours holds it then.
            Ok(conversation) => {
                if conversation.state() != ConversationState::Idle {
                    self.chat_stop(id)?;
                }
                self.runner(&conversation).end().await;
            }
            // What can't be opened any more runs nothing.
            Err(ChatError::Lost { .. }) => {}
            Err(error) => return Err(error.fault()),
        }
        let ended: Vec<_> = self.subscriptions().extract_if(|(_, _, of), _| of == id).collect();
        drop(ended);
        self.tabs().sets().forget(id);
        let (engine, gone) = (self.clone(), id.clone());
        off_thread(move || engine.store().delete(&gone).map_err(|e| e.fault())).await?;
        self.tabs().tell();
        Ok(())
    }

    pub async fn restore_conversation(&self, id: &ConversationId) -> Result<ConversationInfo, Fault> {
        let (engine, back) = (self.clone(), id.clone());
        off_thread(move || {
            let restored = engine.store().restore(&back).map_err(|e| e.fault())?;
            Ok(engine.conversation(&restored)?.info())
        })
        .await
    }

    /// Compacts one conversation's journal, or those of all that rest.
    pub async fn compact_conversations(&self, of: CompactConversations) -> Result<CompactedConversations, Fault> {
        let engine = self.clone();
        off_thread(move || {
            let mut done = CompactedConversations::default();
            let ids: Vec<ConversationId> = match &of.conversation_id {
                Some(id) => vec![id.clone()],
                None => engine.store().list().into_iter().map(|info| info.conversation_id).collect(),
            };
            for id in ids {
                match engine.store().get(&id).and_then(|conversation| conversation.compact()) {
                    Ok(compacted) => {
                        done.conversations += 1;
                        done.bytes_before += compacted.before;
                        done.bytes_after += compacted.after;
                    }
                    Err(error) if of.conversation_id.is_some() => return Err(error.fault()),
                    Err(error) => done.left.push(error.to_string()),
                }
            }
            Ok(done)
        })
        .await
    }

    /// The whole conversation as a document.
    pub async fn conversation_text(&self, request: ConversationExport) -> Result<ConversationText, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        off_thread(move || {
            let Document { text, ending, .. } = export_text(&conversation, request.format)?;
            Ok(ConversationText { name: format!("{}.{ending}", file_name(&conversation.title_of())), text })
        })
        .await
    }

    /// Writes the conversation into a file, to be read by `file.read`. The next export takes its place.
    pub async fn export_conversation(&self, request: ConversationExport) -> Result<Attachment, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        off_thread(move || {
            let document = export_text(&conversation, request.format)?;
            let name = format!("{}.{}", file_name(&conversation.title_of()), document.ending);
            conversation.write_export(&name, document.mime, document.text.as_bytes()).map_err(|e| e.fault())
        })
        .await
    }

    /// The conversation goes on in another tab. That tab's own goes into history; what runs there is stopped.
    pub async fn attach_conversation(
        &self,
        port: PortId,
        attach: ConversationAttach,
    ) -> Result<ConversationInfo, Fault> {
        let place = self.tabs().place_of(port, attach.chrome_tab_id)?;
        self.attach_to(&attach.conversation_id, place).await
    }

    pub(super) async fn attach_to(&self, id: &ConversationId, place: TabPlace) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(id)?;
        if conversation.info().tab_id == Some(place.tab_id) {
            return Ok(conversation.info());
        }
        if conversation.state() != ConversationState::Idle {
            return Err(Fault::new(FaultCode::Conflict, told::BUSY_ELSEWHERE).hint(told::BUSY_ELSEWHERE_NEXT));
        }
        let former = self.store().of_tab(place.tab_id).and_then(|id| self.conversation(&id).ok());
        if let Some(former) = &former {
            if former.state() != ConversationState::Idle {
                self.chat_stop(former.id())?;
            }
            self.runner(former).let_go();
        }
        let page = place.page.clone();
        let attached = self.store().attach(id, place.tab_id, Some(place.key));
        let conversation = attached.map_err(|e| e.fault())?;
        conversation.set_page(page);
        self.tabs().tell();
        persist(conversation.clone()).await?;
        Ok(conversation.info())
    }

    /// Where its agent works from the next message on.
    pub async fn choose_folder(&self, request: ConversationFolder) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        if request.folder == conversation.folder() {
            return Ok(conversation.info());
        }
        let home = self.home().clone();
        let folder = off_thread(move || folders::check(&request.folder, &home)).await?;
        let left = conversation.place();
        conversation.choose_folder(folder.to_string_lossy().into_owned());
        self.renew_spare(conversation.id());
        self.tidy_worktree(conversation.clone(), left);
        persist(conversation.clone()).await?;
        Ok(conversation.info())
    }

    /// The conversation has left its tree or its tab: once its agent has ended, the tree goes if nothing is lost with it.
    pub(super) fn tidy_worktree(&self, conversation: Arc<Conversation>, place: Place) {
        let Some(worktree) = place.worktree else { return };
        let (engine, shutdown) = (self.clone(), self.shutdown());
        self.spawn(async move {
            let runner = engine.runner(&conversation);
            let tidied = async {
                runner.end().await;
                engine.worktrees().tidy(&conversation, &worktree).await;
            };
            tokio::select! {
                () = tidied => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Leaves a note in the inbox of the workspace that the conversation works in.
    pub async fn leave_in_inbox(&self, leave: InboxLeave) -> Result<InboxLeft, Fault> {
        let conversation = self.conversation(&leave.conversation_id)?;
        if leave.text.trim().is_empty() {
            return Err(Fault::new(FaultCode::BadRequest, told::NOTE_EMPTY).hint(told::NOTE_EMPTY_NEXT));
        }
        let page = self.tabs().page_of(&conversation).or(conversation.info().page).unwrap_or_default();
        let place = conversation.place();
        // Anyone who reads it works in the repository, not in the conversation's tree of it.
        let folder = PathBuf::from(place.worktree.map_or(place.folder, |tree| tree.of));
        let message = inbox::Message {
            id: uuid::Uuid::new_v4().to_string(),
            at: Timestamp::now(),
            conversation: Some(conversation.id().to_string()),
            title: page.title,
            url: page.url,
            text: leave.text,
        };
        off_thread(move || {
            let root = inbox::root_of(&folder);
            let path = inbox::write(root, &message).map_err(|error| {
                Fault::new(FaultCode::Storage, format!("the note can't be left in {}: {error}", root.display()))
                    .hint("Make the folder writable for you, or choose another one for this conversation.")
            })?;
            Ok(InboxLeft { path: path.to_string_lossy().into_owned() })
        })
        .await
    }
}

/// As many as fit well into one message, one at least.
fn page(found: impl IntoIterator<Item = (ConversationInfo, Option<String>)>) -> Conversations {
    let mut page = Conversations::default();
    let mut bytes = 0;
    for (info, excerpt) in found {
        bytes += serde_json::to_vec(&(&info, &excerpt)).map_or(0, |json| json.len());
        if bytes > LARGEST_PAGE && !page.conversations.is_empty() {
            page.older = true;
            break;
        }
        page.excerpts.extend(excerpt.map(|excerpt| (info.conversation_id.clone(), excerpt)));
        page.conversations.push(info);
    }
    page
}

struct Document {
    text: String,
    ending: &'static str,
    mime: &'static str,
}

fn export_text(conversation: &Arc<Conversation>, format: ExportFormat) -> Result<Document, Fault> {
    let info = conversation.info();
    let events = conversation.replay(0, usize::MAX).map_err(|e| e.fault())?.events;
    match format {
        ExportFormat::Markdown => {
            Ok(Document { text: export::to_markdown(&info, &events), ending: "md", mime: "text/markdown" })
        }
        ExportFormat::Json => {
            let whole = json!({ "conversation": info, "events": events });
            let text = serde_json::to_string_pretty(&whole)
                .map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))?;
            Ok(Document { text, ending: "json", mime: "application/json" })
        }
    }
}

/// A title as a file's name on every system.
fn file_name(title: &str) -> String {
    let plain: String =
        title.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().take(8).collect();
    let name: String = words.join("-").trim_matches(['.', '-']).chars().take(60).collect();
    if name.is_empty() { "conversation".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exports_name_is_a_plain_word_anywhere() {
        assert_eq!(file_name("fix: the <login>/form"), "fix-the-login-form");
        assert_eq!(file_name("../.."), "conversation");
        assert_eq!(file_name(""), "conversation");
    }
}
