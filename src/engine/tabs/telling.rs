//! Tab messages to backgrounds: which tabs have a conversation, and where agents work.

use super::book::Working;
use super::service::Tabs;
use crate::ports::PortId;
use gstack_chat::Conversation;
use gstack_protocol::chat::ConversationState;
use gstack_protocol::ids::TabId;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::tabs::{ChromeTab, TabWithConversation};
use gstack_protocol::tabs::{TabsConversations, TabsWorking, WorkingTab};

/// The most tabs that one message lists: with the longest addresses and titles they still fit into one of Chrome's frames.
/// Running ones come first.
const MOST_TOLD: usize = 200;

impl Tabs {
    /// Changes the displayed work of an agent in a conversation's tab.
    pub(crate) fn change_work(&self, conversation: &Conversation, change: impl FnOnce(&mut Working)) {
        if self.0.book.change_work(conversation.id(), change) {
            self.tell_work();
        }
    }

    /// Sends every background the tabs that have a conversation, and updates the tab state of every conversation.
    pub(crate) fn tell(&self) {
        self.0.changed.send_replace(());
        self.refresh_all();
        for (port, sender) in self.0.ports.senders() {
            let tabs = self.tabs_with_conversation(port);
            sender.send(&ToPanel::TabsConversations(TabsConversations { tabs }).envelope(None));
        }
    }

    fn tabs_with_conversation(&self, port: PortId) -> Vec<TabWithConversation> {
        let tabs = self.0.store.tabs();
        let found = tabs.into_iter().filter_map(|(tab_id, id)| {
            let conversation = self.0.store.get(&id).ok()?;
            if conversation.head() == 0 {
                return None;
            }
            let chrome = self.chrome_tab(port, tab_id)?;
            Some(TabWithConversation {
                tab_id,
                chrome_tab_id: chrome.chrome_tab_id,
                window_id: chrome.window_id,
                title: chrome.title,
                url: chrome.url,
                conversation_id: id,
                running: conversation.state() != ConversationState::Idle,
            })
        });
        let mut found: Vec<TabWithConversation> = found.collect();
        found.sort_by_key(|tab| !tab.running);
        found.truncate(MOST_TOLD);
        found
    }

    /// Returns a tab as one port's Chrome knows it.
    pub(crate) fn chrome_tab(&self, port: PortId, tab_id: TabId) -> Option<ChromeTab> {
        let driven =
            self.0.browsers.of_port(port).and_then(|browser| browser.tab(tab_id).ok()).and_then(|tab| tab.info().ok());
        match driven {
            Some(info) => self.0.book.reported_as(port, &info),
            None => self.0.book.numbered_of(port, tab_id),
        }
    }

    /// Sends every background where agents work.
    pub(crate) fn tell_work(&self) {
        let agents = self.0.book.working().into_iter().filter_map(|(id, working)| {
            let own = || self.0.store.get(&id).ok()?.info().tab_id;
            Some((working.tab.or_else(own)?, self.0.book.is_paused(&id), working))
        });
        let drivers =
            self.0.book.waiting_drivers().into_iter().filter_map(|working| Some((working.tab?, false, working)));
        let working: Vec<(TabId, bool, Working)> = agents.chain(drivers).collect();
        for (port, sender) in self.0.ports.senders() {
            let tabs = working.iter().filter_map(|(tab_id, paused, working)| {
                let chrome_tab_id = self.chrome_tab(port, *tab_id)?.chrome_tab_id;
                let Working { agent_label, doing, phrase, waiting, .. } = working.clone();
                Some(WorkingTab {
                    tab_id: *tab_id,
                    chrome_tab_id,
                    agent_label,
                    doing,
                    phrase,
                    waiting,
                    paused: *paused,
                })
            });
            let message = ToPanel::TabsWorking(TabsWorking { tabs: tabs.take(MOST_TOLD).collect() });
            sender.send(&message.envelope(None));
        }
    }
}
