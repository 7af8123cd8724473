//! What keeps gstack attached to a tab of an everyday browser: an agent's turn, a terminal's commands.

use super::service::Browsers;
use gstack_base::mutex::lock;
use gstack_browser::keep_attached::KeepAttached;
use gstack_chat::Conversation;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use std::collections::BTreeMap;
use std::time::Duration;

/// A person pauses between commands, and the refs of a snapshot are valid only while gstack is attached.
const TERMINAL_KEEPS_ATTACHED: Duration = Duration::from_secs(300);

impl Browsers {
    /// Keeps gstack attached to the tab until the agent's turn ends.
    pub(crate) fn stay_for_turn(&self, conversation: &Conversation, tab: TabId) -> Result<(), Fault> {
        let Some((browser, _)) = self.pages_with(Some(tab)) else { return Ok(()) };
        // A closed tab needs no hold: `tabs` and `newtab` work without it, and other commands report that it is gone.
        let Ok(keep) = browser.tab(tab).and_then(|tab| tab.keep_attached()) else { return Ok(()) };
        // A turn that has ended needs no hold.
        if conversation.turn().is_some() {
            let mut relays = lock(&self.shared.relays);
            let kept_attached = relays.kept_attached.entry(conversation.id().clone()).or_default();
            kept_attached.entry(tab).or_insert(keep);
        }
        Ok(())
    }

    /// Releases the holds of a turn that ended, so that gstack may detach from its tabs.
    pub(crate) fn leave_after_turn(&self, conversation: &ConversationId) {
        let kept_attached = lock(&self.shared.relays).kept_attached.remove(conversation);
        // Dropped without the lock, because the drop starts to detach.
        drop(kept_attached);
    }

    /// Ends the holds on a tab that the person detached. Returns the conversations whose turns used it.
    pub(crate) fn release_tab(&self, tab: TabId) -> Vec<ConversationId> {
        let mut relays = lock(&self.shared.relays);
        let in_it = |kept_attached: &mut BTreeMap<TabId, KeepAttached>| kept_attached.remove(&tab).is_some();
        relays
            .kept_attached
            .iter_mut()
            .filter_map(|(id, kept_attached)| in_it(kept_attached).then(|| id.clone()))
            .collect()
    }

    /// Allows gstack to attach again to a tab that the person had detached, because the person now acts in it.
    pub(crate) fn let_in(&self, tab: TabId) {
        if let Some(tab) = self.everyday_with(tab).and_then(|everyday| everyday.browser().tab(tab).ok()) {
            tab.let_in();
        }
    }

    /// Stays attached to the tab between the separate commands of a terminal.
    pub(crate) fn keep_attached_for_terminal(&self, tab: Option<TabId>) {
        let tab = tab.or_else(|| self.current_tab());
        let found = tab.and_then(|id| self.everyday_with(id)?.browser().tab(id).ok());
        if let Some(tab) = found {
            // Fails if the tab has just been closed, and then no hold is needed.
            tab.keep_attached_for(TERMINAL_KEEPS_ATTACHED).unwrap_or_default();
        }
    }
}
