//! Tabs that Chrome reports, or that close: the effects on turns and browsers.
//!
//! Owns no state: `tabs` holds it.

use super::BrowserEvents;
use crate::ports::PortId;
use gstack_chat::Event;
use gstack_protocol::chat::ConversationState;
use gstack_protocol::ids::TabId;
use gstack_protocol::tabs::TabsChanged;

impl BrowserEvents {
    /// Handles Chrome's tab events from one port.
    pub fn tabs_changed(&self, port: PortId, changed: TabsChanged) {
        let browser = self.browsers.piped(port);
        let gone = self.tabs.book().report(port, &changed);
        if let Some(browser) = &browser {
            for tab in &changed.tabs {
                browser.bind(tab);
            }
        }
        if let Some(everyday) = self.browsers.everyday(port) {
            self.browsers.report_tabs(&everyday, &changed);
        }
        for tab in changed.tabs.iter().filter(|tab| tab.restored) {
            self.tabs.restored(port, tab);
        }
        for id in gone {
            let closed = self.tabs.book().take_number(port, id);
            if let Some(tab_id) = closed {
                self.tab_closed(tab_id);
            }
        }
        self.tabs.tell();
        self.drivers.changed();
    }

    /// Handles a closed tab: moves its conversation to history and stops what runs for it.
    pub(super) fn tab_closed(&self, tab_id: TabId) {
        self.tabs.sets().leave(tab_id);
        self.pauses.tab_gone(tab_id);
        self.tabs.remember_closed(tab_id);
        let gate = self.conversations.store().of_tab(tab_id).and_then(|id| self.conversations.known_gate(&id));
        if let Some(gate) = &gate
            && gate.conversation().state() != ConversationState::Idle
            && let Some(fault) = gate.handle(Event::Stop)
        {
            self.ports.tell_fault(&fault);
        }
        self.conversations.store().tab_closed(tab_id);
        if let Some(gate) = gate {
            gate.let_go();
        }
        self.tabs.tell();
        self.drivers.changed();
    }
}
