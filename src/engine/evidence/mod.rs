//! `gstack evidence`: one finished turn as one HTML file.
//!
//! Owns finding the turn and reading what is known of it: the journal, the audit, and what its acts left behind.
//! `report` puts it together and `html` writes it; both are pure.

mod decisions;
mod error;
mod html;
mod report;
mod words;

use crate::conversations::Conversations;
use crate::policy::PolicyService;
use crate::tabs::Tabs;
use crate::tasks::off_thread;
use error::EvidenceError;
use gstack_chat::Conversation;
use gstack_protocol::audit::AuditEntry;
use gstack_protocol::chat::{ChatBody, ChatEvent};
use gstack_protocol::evidence::{EvidenceFile, EvidenceRequest};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId, TurnId};
use report::Report;
use std::sync::Arc;

/// The number of characters of a turn's id in the name of its file.
const SHOWN_ID: usize = 8;

/// The services that have what is known of a turn. Cheap to clone.
#[derive(Clone)]
pub struct EvidenceReports {
    pub(crate) conversations: Conversations,
    pub(crate) policy: PolicyService,
    pub(crate) tabs: Tabs,
}

impl EvidenceReports {
    /// Returns a turn as a file.
    pub async fn of_turn(&self, request: EvidenceRequest) -> Result<EvidenceFile, Fault> {
        let (conversation_id, turn) = match request.turn {
            Some(wanted) => self.turn_named(wanted).await?,
            None => (self.conversation_in(request.tab_id).await?, None),
        };
        let conversation = self.conversations.get(&conversation_id)?;
        let reports = self.clone();
        off_thread(move || reports.put_together(&conversation, turn)).await
    }

    async fn turn_named(&self, wanted: String) -> Result<(ConversationId, Option<TurnId>), Fault> {
        let no_such = || EvidenceError::NoSuchTurn { wanted: wanted.clone() };
        if wanted.is_empty() {
            return Err(no_such().into());
        }
        let (conversations, beginning) = (self.conversations.clone(), wanted.clone());
        let mut found = off_thread(move || Ok(conversations.store().turns(&beginning))).await?;
        match (found.len(), found.pop()) {
            (1, Some((conversation, turn))) => Ok((conversation, Some(turn))),
            (0, _) => Err(no_such().into()),
            (count, _) => Err(EvidenceError::Ambiguous { wanted, count }.into()),
        }
    }

    async fn conversation_in(&self, tab: Option<TabId>) -> Result<ConversationId, Fault> {
        let place = self.tabs.place_for_terminal(tab, None).await?;
        let id = place.and_then(|place| self.conversations.store().of_tab(place.tab_id));
        Ok(id.ok_or(EvidenceError::NoConversation)?)
    }

    /// Puts the file together. Blocks on disk I/O.
    fn put_together(&self, conversation: &Arc<Conversation>, turn: Option<TurnId>) -> Result<EvidenceFile, Fault> {
        let events = conversation.replay(0, usize::MAX).map_err(|e| e.fault())?.events;
        let turn_id = match turn {
            Some(turn_id) => turn_id,
            None => newest_finished(&events).ok_or(EvidenceError::NothingFinished)?,
        };
        let notes = conversation.acts_of(&turn_id).map_err(|e| e.fault())?;
        let audit: Vec<AuditEntry> = self
            .policy
            .audit_lines()?
            .into_iter()
            .filter(|entry| entry.conversation_id.as_ref() == Some(conversation.id()))
            .collect();
        let mut report = Report::of(&conversation.info(), &events, &turn_id, &notes.acts, &audit)
            .ok_or(EvidenceError::StillRunning)?;
        report.dropped_notes = notes.dropped;
        report.load_pictures(&|id, most| conversation.image(id, most));
        let id: String = turn_id.as_str().chars().take(SHOWN_ID).collect();
        Ok(EvidenceFile { name: format!("gstack-evidence-{id}.html"), html: html::page(&report), turn_id })
    }
}

fn newest_finished(events: &[ChatEvent]) -> Option<TurnId> {
    events.iter().rev().find_map(|event| match &event.body {
        ChatBody::TurnDone { turn_id, .. } => Some(turn_id.clone()),
        _ => None,
    })
}
