//! The end of a conversation's tree: removed if nothing is lost, else kept and reported.

use super::service::{Worktrees, save};
use super::tree::{self, Stand, TreeError};
use crate::tasks::off_thread;
use gstack_chat::Conversation;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::chat::{ChatBody, ConversationState, Worktree};
use gstack_protocol::ids::TurnId;
use std::sync::Arc;

/// The number of journal entries in which to look for the start of the last turn.
const LOOKED_BACK: u32 = 200;

impl Worktrees {
    /// Removes the tree if nothing is lost; otherwise the conversation says where it is. Called after the conversation
    /// has left its tree or its tab and no process works there.
    pub(crate) async fn tidy(&self, conversation: &Arc<Conversation>, worktree: &Worktree) {
        if let Err(error) = self.try_to_tidy(conversation, worktree).await {
            tracing::warn!(conversation = %conversation.id(), %error, "a work tree stays");
        }
    }

    async fn try_to_tidy(&self, conversation: &Arc<Conversation>, worktree: &Worktree) -> Result<(), TreeError> {
        let _one_at_a_time = self.0.change.lock().await;
        let info = conversation.info();
        let works_there = info.worktree.is_some();
        // The conversation is in use again.
        if info.state != ConversationState::Idle || (works_there && info.tab_id.is_some()) {
            return Ok(());
        }
        let root = self.root_of(conversation.id());
        if tree::stand(&root).await != Stand::Whole {
            return Ok(());
        }
        let git = self.git().await?;
        let loss = tree::loss(&git, &root, Some(&worktree.commit)).await?;
        if !loss.is_nothing() {
            tracing::info!(conversation = %conversation.id(), tree = %root.display(), "a work tree is kept: {}", loss.words());
            let (changes, commits, place) =
                (loss.changes.to_string(), loss.commits.to_string(), root.display().to_string());
            self.note(conversation, catalogue::TREE_KEPT.with([&changes, &commits, &place])).await;
            return Ok(());
        }
        tree::remove(&git, &root).await?;
        conversation.leave_worktree();
        if let Err(fault) = save(conversation).await {
            self.0.ports.tell_fault(&fault);
        }
        Ok(())
    }

    /// Writes a line after the conversation's last turn.
    async fn note(&self, conversation: &Arc<Conversation>, sentence: Sentence) {
        let of = conversation.clone();
        let written = off_thread(move || {
            let page = of.history(u64::MAX, LOOKED_BACK).map_err(|error| error.fault())?;
            let last = page.events.iter().rev().find_map(|event| match &event.body {
                ChatBody::TurnStarted { turn_id, .. } => Some(turn_id.clone()),
                _ => None,
            });
            let turn_id: TurnId = last.unwrap_or_else(TurnId::random);
            of.append(ChatBody::notice(turn_id, sentence)).and_then(|_| of.persist()).map_err(|error| error.fault())
        });
        if let Err(fault) = written.await {
            self.0.ports.tell_fault(&fault);
        }
    }
}
