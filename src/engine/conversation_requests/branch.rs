//! An earlier message, edited: a new conversation goes on from there.
//!
//! Owns the order: the branch is made, what runs in the original is stopped, the tab moves, the message is sent. If the
//! message cannot be sent, the tab moves back and the branch is removed. Never changes what the original has.

use super::ConversationRequests;
use super::error::RequestError;
use crate::conversations::persist;
use crate::tasks::off_thread;
use gstack_chat::session_file;
use gstack_chat::store::NewBranch;
use gstack_protocol::chat::ConversationState;
use gstack_protocol::chat_requests::{Branched, ChatBranch};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ConversationId;

impl ConversationRequests {
    /// Starts a branch with an edited message. A repeated request finds the branch and the message that the first one
    /// made.
    pub async fn branch(&self, branch: ChatBranch) -> Result<Branched, Fault> {
        let ChatBranch { conversation_id, client_id, send } = branch;
        if uuid::Uuid::parse_str(send.conversation_id.as_str()).is_err() {
            return Err(RequestError::IdInvalid.into());
        }
        self.check(&send)?;
        let original = self.conversations.get(&conversation_id)?;
        let attached = send.attachments.first().map(|file| file.name.as_str());
        let new = NewBranch {
            of: conversation_id,
            before: client_id,
            id: send.conversation_id.clone(),
            title: session_file::title(&send.text, attached),
        };
        let conversations = self.conversations.clone();
        let made = off_thread(move || conversations.store().branch(&new).map_err(|e| e.fault())).await?;
        let conversation = made.conversation.clone();
        // Its agent would work in the tab that the branch takes.
        if original.state() != ConversationState::Idle {
            self.stop(original.id())?;
        }
        let had_tab = original.info().tab_id.is_some();
        if had_tab {
            self.conversations.store().move_tab(&original, &conversation);
        }
        let sent = match self.send(send).await {
            Ok(sent) => sent,
            Err(fault) => {
                if made.is_new {
                    if had_tab {
                        self.conversations.store().move_tab(&conversation, &original);
                    }
                    self.forget(conversation.id()).await;
                    let conversations = self.conversations.clone();
                    off_thread(move || {
                        conversations.store().unmake(&made);
                        Ok(())
                    })
                    .await?;
                }
                self.tabs.tell();
                return Err(fault);
            }
        };
        self.conversations.gate(&original).let_go();
        persist(original.clone()).await?;
        let place = original.place();
        self.tidy_worktree(original, place);
        self.tabs.refresh(&conversation);
        self.tabs.tell();
        Ok(Branched { info: conversation.info(), sent })
    }

    /// Ends what the panels and the tab sets know of a conversation that goes away.
    pub(super) async fn forget(&self, id: &ConversationId) {
        if let Some(gate) = self.conversations.known_gate(id) {
            gate.end().await;
        }
        self.conversations.end_pushes_of(id);
        self.tabs.sets().forget(id);
    }
}
