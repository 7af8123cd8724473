//! What keeps a tab of an everyday browser attached to: an agent's turn, a terminal's commands.

use super::service::Browsers;
use crate::base::mutex::lock;
use crate::browser::linger::Stay;
use crate::chat::Conversation;
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ConversationId, TabId};
use std::collections::BTreeMap;
use std::time::Duration;

/// A person who types commands thinks in between, and the refs of a snapshot last as long as gstack is attached.
const TERMINAL_LINGER: Duration = Duration::from_secs(300);

impl Browsers {
    /// The agent's turn works in this tab: gstack stays attached to it until the turn is over.
    pub(in crate::engine) fn stay_for_turn(&self, conversation: &Conversation, tab: TabId) -> Result<(), Fault> {
        let Some((browser, _)) = self.pages_with(Some(tab)) else { return Ok(()) };
        // A closed tab needs no hold: `tabs` and `newtab` work without it, and other commands say that it is gone.
        let Ok(stay) = browser.tab(tab).and_then(|tab| tab.stay()) else { return Ok(()) };
        // A turn that ended meanwhile needs none.
        if conversation.turn().is_some() {
            let mut relays = lock(&self.0.relays);
            let stays = relays.stays.entry(conversation.id().clone()).or_default();
            stays.entry(tab).or_insert(stay);
        }
        Ok(())
    }

    /// The turn is over: its tabs may be detached from.
    pub(in crate::engine) fn leave_after_turn(&self, conversation: &ConversationId) {
        let stays = lock(&self.0.relays).stays.remove(conversation);
        // Dropped without the lock, because that begins to detach.
        drop(stays);
    }

    /// The person has ended our attachment to the tab. Returns the conversations whose turns worked there.
    pub(in crate::engine) fn end_stays_in(&self, tab: TabId) -> Vec<ConversationId> {
        let mut relays = lock(&self.0.relays);
        let in_it = |stays: &mut BTreeMap<TabId, Stay>| stays.remove(&tab).is_some();
        relays.stays.iter_mut().filter_map(|(id, stays)| in_it(stays).then(|| id.clone())).collect()
    }

    /// The person acts in this tab themselves: if they had sent us out of it, gstack may attach again.
    pub(in crate::engine) fn let_in(&self, tab: TabId) {
        if let Some(tab) = self.everyday_with(tab).and_then(|everyday| everyday.browser().tab(tab).ok()) {
            tab.let_in();
        }
    }

    /// Stays attached to the tab between the commands of a terminal, which come one by one.
    pub(in crate::engine) fn linger_for_terminal(&self, tab: Option<TabId>) {
        let tab = tab.or_else(|| self.current_tab());
        let found = tab.and_then(|id| self.everyday_with(id)?.browser().tab(id).ok());
        if let Some(tab) = found {
            // Fails if the tab has just been closed: then there is nothing to stay for.
            tab.linger_for(TERMINAL_LINGER).unwrap_or_default();
        }
    }
}
