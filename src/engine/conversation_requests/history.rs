//! Conversations that are renamed, moved to another tab or folder, or deleted.
//!
//! Stops a running turn before its conversation is removed or moved. Never drives a turn.

use super::ConversationRequests;
use super::error::RequestError;
use crate::conversations::persist;
use crate::folders;
use crate::ports::PortId;
use crate::tabs::TabPlace;
use crate::tasks::off_thread;
use gstack_base::inbox;
use gstack_chat::{ChatError, Conversation, WorkFolder};
use gstack_protocol::agents::Commands;
use gstack_protocol::chat::{ConversationInfo, ConversationState};
use gstack_protocol::fault::Fault;
use gstack_protocol::history::{ConversationAttach, ConversationFolder, ConversationRename, InboxLeave, InboxLeft};
use gstack_protocol::ids::ConversationId;
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl ConversationRequests {
    /// Lists the commands that a message of a conversation can begin with, whichever agent it has.
    pub async fn commands(&self, id: &ConversationId) -> Result<Commands, Fault> {
        let (agents, folder) = (self.agents.clone(), self.conversations.get(id)?.folder());
        off_thread(move || Ok(Commands { commands: agents.commands(Path::new(&folder)) })).await
    }

    pub async fn rename(&self, rename: ConversationRename) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversations.get(&rename.conversation_id)?;
        let renamed = conversation.clone();
        off_thread(move || renamed.rename(&rename.title).map_err(|e| e.fault())).await?;
        self.tabs.tell();
        Ok(conversation.info())
    }

    /// Stops what runs and removes the conversation from history. It can be restored for 7 days.
    pub async fn delete(&self, id: &ConversationId) -> Result<(), Fault> {
        match self.conversations.store().get(id) {
            // A later restore opens the conversation again, so nothing may still hold this one.
            Ok(conversation) => {
                if conversation.state() != ConversationState::Idle {
                    self.stop(id)?;
                }
                self.conversations.gate(&conversation).end().await;
            }
            // A conversation that cannot be opened runs nothing.
            Err(ChatError::Lost { .. }) => {}
            Err(error) => return Err(error.fault()),
        }
        self.conversations.end_pushes_of(id);
        self.tabs.sets().forget(id);
        let (conversations, gone) = (self.conversations.clone(), id.clone());
        off_thread(move || conversations.store().delete(&gone).map_err(|e| e.fault())).await?;
        self.tabs.tell();
        Ok(())
    }

    /// Moves the conversation to another tab. That tab's own conversation goes to history, and what runs there is
    /// stopped.
    pub async fn attach(&self, port: PortId, attach: ConversationAttach) -> Result<ConversationInfo, Fault> {
        let place = self.tabs.place_of(port, attach.chrome_tab_id).await?;
        self.attach_to(&attach.conversation_id, place).await
    }

    pub(super) async fn attach_to(&self, id: &ConversationId, place: TabPlace) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversations.get(id)?;
        if conversation.info().tab_id == Some(place.tab_id) {
            return Ok(conversation.info());
        }
        if conversation.state() != ConversationState::Idle {
            return Err(RequestError::BusyElsewhere.into());
        }
        let former = self.conversations.store().of_tab(place.tab_id).and_then(|id| self.conversations.get(&id).ok());
        if let Some(former) = &former {
            if former.state() != ConversationState::Idle {
                self.stop(former.id())?;
            }
            self.conversations.gate(former).let_go();
        }
        let page = place.page.clone();
        let attached = self.conversations.store().attach(id, place.tab_id, Some(place.key));
        let conversation = attached.map_err(|e| e.fault())?;
        conversation.set_page(page);
        self.tabs.tell();
        persist(conversation.clone()).await?;
        Ok(conversation.info())
    }

    /// Sets the folder that the agent works in from the next message.
    pub async fn choose_folder(&self, request: ConversationFolder) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversations.get(&request.conversation_id)?;
        if request.folder == conversation.folder() {
            return Ok(conversation.info());
        }
        let home = self.home.clone();
        let folder = off_thread(move || folders::check(&request.folder, &home)).await?;
        let left = conversation.place();
        conversation.choose_folder(folder.to_string_lossy().into_owned());
        self.spare.renew(conversation.id());
        self.tidy_worktree(conversation.clone(), left);
        persist(conversation.clone()).await?;
        Ok(conversation.info())
    }

    /// Removes the worktree that the conversation left, or whose tab it left, once its agent has ended and if nothing
    /// would be lost.
    pub(super) fn tidy_worktree(&self, conversation: Arc<Conversation>, place: WorkFolder) {
        let Some(worktree) = place.worktree else { return };
        let (requests, shutdown) = (self.clone(), self.tasks.shutdown());
        self.tasks.spawn(async move {
            let gate = requests.conversations.gate(&conversation);
            let tidied = async {
                gate.end().await;
                requests.worktrees.tidy(&conversation, &worktree).await;
            };
            tokio::select! {
                () = tidied => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Leaves a note in the inbox of the workspace that the conversation works in.
    pub async fn leave_in_inbox(&self, leave: InboxLeave) -> Result<InboxLeft, Fault> {
        let conversation = self.conversations.get(&leave.conversation_id)?;
        if leave.text.trim().is_empty() {
            return Err(RequestError::NoteEmpty.into());
        }
        let page = self.tabs.page_of(&conversation).or(conversation.info().page).unwrap_or_default();
        let place = conversation.place();
        // The readers work in the repository, not in the conversation's worktree of it.
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
            let path = inbox::write(root, &message)
                .map_err(|source| RequestError::NoteNotLeft { root: root.to_owned(), source })?;
            Ok(InboxLeft { path: path.to_string_lossy().into_owned() })
        })
        .await
    }
}
