//! Effects of browser changes on conversations, panels and turns.
//!
//! Owns that mapping, and none of the browsers' state.

use super::BrowserEvents;
use crate::browsers::BrowserChange;
use gstack_browser::relay::refusals;
use gstack_chat::Event;
use gstack_protocol::ids::TabId;
use gstack_protocol::relay::Refusal;

impl BrowserEvents {
    /// Handles one change. Called in the order of the changes.
    pub(crate) fn browser_changed(&self, change: BrowserChange) {
        match change {
            BrowserChange::InUse => self.usage.update(),
            BrowserChange::Started => self.panel_keys.confirm_started_ports(),
            BrowserChange::TabBack { tab, key } => {
                if let Err(error) = self.conversations.store().tab_back(tab, &key) {
                    tracing::warn!(%error, "a tab did not get its conversation back");
                }
            }
            BrowserChange::TabAway(tab) => self.conversations.store().tab_away(tab),
            BrowserChange::TabClosed(tab) => self.tab_closed(tab),
            BrowserChange::TabOpenedBy { opener, tab } => {
                self.tabs.opened_by(opener, tab);
                self.drivers.tab_opened(opener, tab);
            }
            BrowserChange::TabsChanged => {
                self.tabs.reattach_restored();
                self.tabs.tell();
                self.drivers.changed();
            }
            BrowserChange::PersonActed(tab) => {
                if self.config.get().agents.pause_on_input && self.pauses.person_acted(tab) {
                    tracing::info!(%tab, "the person took over");
                    self.drivers.changed();
                }
            }
            BrowserChange::SentOut(tab, refusal) => self.sent_out(tab, refusal),
        }
    }

    /// Handles an attachment that gstack did not end. If the person ended it, the turns in that tab end.
    fn sent_out(&self, tab: TabId, refusal: Refusal) {
        tracing::info!(%tab, ?refusal, "sent out of a tab");
        self.elements.end_picks_of(tab);
        if refusal != Refusal::Cancelled {
            return;
        }
        for id in self.browsers.release_tab(tab) {
            let Some(gate) = self.conversations.known_gate(&id) else { continue };
            let Some(turn_id) = gate.conversation().turn() else { continue };
            if let Some(fault) = gate.handle(Event::GiveUp { turn_id, fault: refusals::fault(refusal) }) {
                self.ports.tell_fault(&fault);
            }
        }
    }
}
