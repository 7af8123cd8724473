//! A started agent and its resources, until its process has ended.
//!
//! Owns the ways to end agents: the current one, one that is not needed, all of them. A slot is released only when the
//! process is gone. Never starts an agent.

use super::ahead::SPARE_IDLE;
use super::task::Task;
use crate::agents::Slot;
use crate::tools::ConversationTools;
use gstack_agent::adapter::AgentSession;
use gstack_base::descendants::{self, ProcessId};
use gstack_protocol::chat::ConversationState;
use gstack_protocol::ids::{AgentName, TurnId};
use std::sync::Arc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A started agent.
pub(super) struct RunningAgent {
    pub(super) agent: AgentName,
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) folder: String,
    pub(super) generation: u64,
    pub(super) session: Box<dyn AgentSession>,
    /// True if it knows the earlier messages, because it was given them or remembers them itself.
    pub(super) is_informed: bool,
    /// True if it got a message. Until then it is a spare, or is about to get its first message.
    pub(super) had_a_message: bool,
    /// The agent's own id of the session, stored with the first message.
    pub(super) unsaved_session_id: Option<String>,
    /// Its processes right before its first message; `None` until then.
    pub(super) own_processes: Option<Vec<ProcessId>>,
    pub(super) tools: Arc<ConversationTools>,
    /// `None` for an agent without a process.
    pub(super) slot: Option<Slot>,
}

impl RunningAgent {
    /// Returns its processes that run now, without the one that gstack started.
    pub(super) fn processes(&self) -> impl Future<Output = Vec<ProcessId>> + Send + use<> {
        let pid = self.session.pid().and_then(|pid| i32::try_from(pid).ok());
        async move {
            let Some(pid) = pid else { return Vec::new() };
            tokio::task::spawn_blocking(move || descendants::of(pid)).await.unwrap_or_default()
        }
    }
}

pub(super) struct Starting {
    pub(super) agent: AgentName,
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) folder: String,
    /// The turn that waits for it; `None` while it is started in advance.
    pub(super) turn_id: Option<TurnId>,
    pub(super) tools: Arc<ConversationTools>,
    pub(super) cancel: CancellationToken,
    pub(super) slot: Option<Slot>,
}

impl Task {
    /// Lets the conversation's own agent idle until the next turn: at most as long as the settings allow, and only
    /// while no other conversation needs its slot.
    pub(super) fn rest(&mut self) {
        if let Some(own) = self.resting.take() {
            self.end_session();
            self.session = Some(own);
        }
        if self.session.is_none() || self.conversation.state() != ConversationState::Idle {
            return;
        }
        let had_a_message = self.session.as_ref().is_some_and(|session| session.had_a_message);
        let slots = self.services.agents.slots();
        slots.set_idle(self.conversation.id(), true);
        if self.session.as_ref().is_some_and(|session| session.slot.is_some()) && slots.are_wanted() {
            return self.end_session();
        }
        let after = self.services.config.get().agents.sleep_after();
        let after = if had_a_message { after } else { Some(after.map_or(SPARE_IDLE, |after| after.min(SPARE_IDLE))) };
        self.sleep_at = after.and_then(|after| Instant::now().checked_add(after));
    }

    /// Ends the idle agent of a conversation without a tab, because nothing would end it later.
    pub(super) fn end_if_tabless(&mut self) {
        if self.conversation.state() == ConversationState::Idle && self.conversation.info().tab_id.is_none() {
            self.end_all();
        }
    }

    /// Ends all agents of the conversation, or their start.
    pub(super) fn end_all(&mut self) {
        self.end_current();
        if let Some(resting) = self.resting.take() {
            self.close(resting);
        }
    }

    /// Ends the agent of the current turn, or its start.
    pub(super) fn end_current(&mut self) {
        if let Some(starting) = self.starting.take() {
            starting.cancel.cancel();
            self.services.tools.revoke(&starting.tools);
            self.services.agents.unmark_spare(self.conversation.id());
        }
        self.end_session();
    }

    pub(super) fn end_session(&mut self) {
        self.sleep_at = None;
        if let Some(session) = self.session.take() {
            self.close(session);
        }
    }

    /// Ends the agent that another one replaces in this conversation. Returns its slot.
    pub(super) fn take_slot_for_next(&mut self) -> Option<Slot> {
        if let Some(starting) = self.starting.take() {
            starting.cancel.cancel();
            self.services.tools.revoke(&starting.tools);
            if starting.slot.is_some() {
                return starting.slot;
            }
        }
        let mut session = self.session.take()?;
        let slot = session.slot.take();
        self.close(session);
        slot
    }

    pub(super) fn close(&self, session: RunningAgent) {
        let RunningAgent { session, tools, slot, .. } = session;
        self.conversation.entered_mode(None);
        self.services.tools.revoke(&tools);
        self.services.agents.ended(self.conversation.id());
        self.services.agents.unmark_spare(self.conversation.id());
        let settled = self.settles_control_files();
        self.services.tasks.spawn(async move {
            session.close().await;
            drop(slot);
            settled.await;
        });
    }

    /// Ends all agents and returns when their processes are gone.
    pub(super) async fn end_all_and_wait(&mut self) {
        self.sleep_at = None;
        for session in self.session.take().into_iter().chain(self.resting.take()) {
            self.services.tools.revoke(&session.tools);
            self.services.agents.ended(self.conversation.id());
            session.session.close().await;
        }
        self.settles_control_files().await;
    }
}
