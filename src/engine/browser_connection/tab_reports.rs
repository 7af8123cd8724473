//! Tabs that Chrome reports, that panels add to a set, or that close: the effects on turns and browsers.
//!
//! Owns no state: `tabs` holds it.

use crate::chat::{Conversation, Event};
use crate::engine::Engine;
use crate::engine::ports::PortId;
use crate::engine::tabs::{How, TabsError};
use crate::engine::tasks::off_thread;
use crate::protocol::chat::{ConversationInfo, ConversationState};
use crate::protocol::fault::Fault;
use crate::protocol::history::ConversationTab;
use crate::protocol::ids::TabId;
use crate::protocol::tabs::TabsChanged;
use std::sync::Arc;

impl Engine {
    /// Handles Chrome's tab events from one port.
    pub(crate) fn tabs_changed(&self, port: PortId, changed: TabsChanged) {
        let browser = self.browsers().piped(port);
        let gone = self.tabs().book().report(port, &changed);
        if let Some(browser) = &browser {
            for tab in &changed.tabs {
                browser.bind(tab);
            }
        }
        if let Some(everyday) = self.browsers().everyday(port) {
            self.browsers().report_tabs(&everyday, &changed);
        }
        for tab in changed.tabs.iter().filter(|tab| tab.restored) {
            self.tabs().restored(port, tab);
        }
        for id in gone {
            let closed = self.tabs().book().take_number(port, id);
            if let Some(tab_id) = closed {
                self.tab_closed(tab_id);
            }
        }
        self.tabs().tell();
        self.drivers().changed();
    }

    /// Adds a tab to the tab set of the conversation, or removes it.
    pub(crate) fn conversation_tab(&self, port: PortId, request: &ConversationTab) -> Result<ConversationInfo, Fault> {
        let conversation = self.conversation(&request.conversation_id)?;
        let place = self.tabs().place_of(port, request.chrome_tab_id)?;
        if conversation.info().tab_id == Some(place.tab_id) && !request.allowed {
            return Err(TabsError::OwnTab.into());
        }
        if request.allowed {
            self.tabs().sets().add(&conversation, place.tab_id, How::Person)?;
        } else {
            self.tabs().sets().take_out(&conversation, place.tab_id);
        }
        self.tabs().refresh(&conversation);
        Ok(conversation.info())
    }

    /// Handles a closed tab: moves its conversation to history and stops what runs for it.
    pub(in crate::engine) fn tab_closed(&self, tab_id: TabId) {
        self.tabs().sets().leave(tab_id);
        self.pauses().tab_gone(tab_id);
        self.tabs().remember_closed(tab_id);
        let gate = self.store().of_tab(tab_id).and_then(|id| self.conversations().known_gate(&id));
        if let Some(gate) = &gate
            && gate.conversation().state() != ConversationState::Idle
            && let Some(fault) = gate.handle(Event::Stop)
        {
            self.ports().tell_fault(&fault);
        }
        self.store().tab_closed(tab_id);
        if let Some(gate) = gate {
            gate.let_go();
        }
        self.tabs().tell();
        self.drivers().changed();
    }

    /// Handles the start of a turn.
    pub(in crate::engine) fn turn_began(&self, conversation: &Arc<Conversation>, agent_label: String) {
        self.tabs().turn_began(conversation, agent_label);
        self.tabs().tell_work();
        self.tabs().tell();
        self.usage().update();
    }

    /// Shows the turn as over and saves the conversation. Called after the end of the turn is in the journal.
    pub(in crate::engine) fn turn_ended(&self, conversation: &Arc<Conversation>) {
        self.tabs().turn_ended(conversation.id());
        self.pauses().end(conversation.id());
        self.drivers().changed();
        self.browsers().leave_after_turn(conversation.id());
        self.upgrade().turn_ended();
        self.tabs().tell_work();
        self.tabs().tell();
        self.usage().update();
        let engine = self.clone();
        let conversation = conversation.clone();
        self.spawn(async move {
            if let Err(fault) = crate::engine::conversations::persist(conversation.clone()).await {
                engine.ports().tell_fault(&fault);
            }
            if conversation.is_to_compact()
                && let Err(fault) = off_thread(move || conversation.compact().map_err(|e| e.fault())).await
            {
                // The end of the next turn tries again.
                tracing::debug!(%fault, "a journal stays as long as it is");
            }
        });
    }
}
