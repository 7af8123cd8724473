//! Holds that keep gstack attached to a tab of an everyday browser: an agent's turn, a terminal's commands.

use super::service::Browsers;
use crate::base::mutex::lock;
use crate::browser::linger::Stay;
use crate::chat::Conversation;
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ConversationId, TabId};
use std::collections::BTreeMap;
use std::time::Duration;

/// A person pauses between commands, and the refs of a snapshot are valid only while gstack is attached.
const TERMINAL_LINGER: Duration = Duration::from_secs(300);

impl Browsers {
    /// Keeps gstack attached to the tab until the agent's turn ends.
    pub(in crate::engine) fn stay_for_turn(&self, conversation: &Conversation, tab: TabId) -> Result<(), Fault> {
        let Some((browser, _)) = self.pages_with(Some(tab)) else { return Ok(()) };
        // A closed tab needs no hold: `tabs` and `newtab` work without it, and other commands report that it is gone.
        let Ok(stay) = browser.tab(tab).and_then(|tab| tab.stay()) else { return Ok(()) };
        // A turn that has ended needs no hold.
        if conversation.turn().is_some() {
            let mut relays = lock(&self.0.relays);
            let stays = relays.stays.entry(conversation.id().clone()).or_default();
            stays.entry(tab).or_insert(stay);
        }
        Ok(())
    }

    /// Releases the holds of a turn that ended, so that gstack may detach from its tabs.
    pub(in crate::engine) fn leave_after_turn(&self, conversation: &ConversationId) {
        let stays = lock(&self.0.relays).stays.remove(conversation);
        // Dropped without the lock, because the drop starts to detach.
        drop(stays);
    }

    /// Ends the holds on a tab that the person detached. Returns the conversations whose turns used it.
    pub(in crate::engine) fn end_stays_in(&self, tab: TabId) -> Vec<ConversationId> {
        let mut relays = lock(&self.0.relays);
        let in_it = |stays: &mut BTreeMap<TabId, Stay>| stays.remove(&tab).is_some();
        relays.stays.iter_mut().filter_map(|(id, stays)| in_it(stays).then(|| id.clone())).collect()
    }

    /// Allows gstack to attach again to a tab that the person had detached, because the person now acts in it.
    pub(in crate::engine) fn let_in(&self, tab: TabId) {
        if let Some(tab) = self.everyday_with(tab).and_then(|everyday| everyday.browser().tab(tab).ok()) {
            tab.let_in();
        }
    }

    /// Stays attached to the tab between the separate commands of a terminal.
    pub(in crate::engine) fn linger_for_terminal(&self, tab: Option<TabId>) {
        let tab = tab.or_else(|| self.current_tab());
        let found = tab.and_then(|id| self.everyday_with(id)?.browser().tab(id).ok());
        if let Some(tab) = found {
            // Fails if the tab has just been closed, and then no hold is needed.
            tab.linger_for(TERMINAL_LINGER).unwrap_or_default();
        }
    }
}
