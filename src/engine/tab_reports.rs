//! Tabs as panels report them, joined to the browser's own: the one place where ids are translated.
//!
//! A tab of a browser that gstack drives is named by its DevTools target, one of an everyday browser by its Chrome id
//! within that run of its port. What is known of tabs is kept in `tabs`.

use super::Engine;
use super::browsers::{no_browser, tab_key};
use super::chats::TabPlace;
use super::ports::PortId;
use super::shown::page;
use super::tabs::Working;
use super::tasks::off_thread;
use crate::base::mutex::lock;
use crate::browser::browser::Browser;
use crate::browser::tabs::TabInfo;
use crate::chat::session::TabKey;
use crate::chat::{Conversation, Event};
use crate::protocol::chat::ConversationState;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{BrowserRun, ChromeTabId, TabId, TargetId};
use crate::protocol::methods::{TabsConversations, TabsWorking, ToPanel, WorkingTab};
use crate::protocol::tabs::{ChromeTab, TabWithConversation, TabsChanged};
use crate::protocol::told;
use std::sync::Arc;

impl Engine {
    /// Chrome's tab events from one port.
    pub fn tabs_changed(&self, port: PortId, changed: TabsChanged) {
        let browser = self.browsers().piped(port);
        let gone = self.tab_book().report(port, &changed);
        if let Some(browser) = &browser {
            for tab in &changed.tabs {
                browser.bind(tab);
            }
        }
        if let Some(everyday) = self.browsers().everyday(port) {
            self.browsers().report_tabs(&everyday, &changed);
        }
        for tab in changed.tabs.iter().filter(|tab| tab.restored) {
            self.tab_restored(port, tab);
        }
        for id in gone {
            let closed = self.tab_book().take_number(port, id);
            if let Some(tab_id) = closed {
                self.tab_closed(tab_id);
            }
        }
        self.tell_tabs();
    }

    /// A port is gone, and with it what it reported. Its tabs may still be there: their conversations are found again
    /// when it comes back.
    pub(super) fn forget_tabs(&self, port: PortId) {
        for tab_id in self.tab_book().forget_port(port) {
            self.store().tab_away(tab_id);
        }
    }

    /// Where a Chrome tab's conversation belongs.
    pub(super) fn place_of(&self, port: PortId, chrome_id: ChromeTabId) -> Result<TabPlace, Fault> {
        let reported = self.tab_book().reported(port, chrome_id);
        if let Some(browser) = self.browsers().of_port(port) {
            let by_page =
                reported.as_ref().and_then(|tab| tab.target_id.as_ref()).and_then(|page| browser.by_page(page));
            if let Some(info) = by_page.or_else(|| browser.by_chrome_id(chrome_id)) {
                return Ok(driven_place(&browser, &info));
            }
        }
        let Some(tab) = reported else {
            return Err(Fault::new(FaultCode::NotFound, told::TAB_NOT_REPORTED.with([&chrome_id.to_string()]))
                .hint(told::TAB_NOT_REPORTED_NEXT)
                .at(Hop::Background));
        };
        Ok(self.foreign_place(port, &tab))
    }

    fn foreign_place(&self, port: PortId, tab: &ChromeTab) -> TabPlace {
        let instance = self.ports().instance_of(port);
        let tab_id = self.tab_book().number(port, tab.chrome_tab_id);
        let key = TabKey {
            browser_run: BrowserRun::new(instance),
            target_id: TargetId::new(format!("chrome-tab-{}", tab.chrome_tab_id)),
        };
        TabPlace { tab_id, key, page: page(&tab.url, &tab.title) }
    }

    /// Where a message from the terminal belongs: the named tab, else the current one, else none.
    pub(super) async fn place_for_terminal(&self, tab: Option<TabId>) -> Result<Option<TabPlace>, Fault> {
        let Some((browser, _)) = self.browsers().pages_with(tab) else {
            return match tab {
                None => Ok(None),
                Some(tab) => Err(no_browser(&format!("tab {tab} can't be reached"))),
            };
        };
        let tab = match tab {
            Some(id) => browser.tab(id)?,
            None => match browser.current().await {
                Ok(tab) => tab,
                Err(_) => return Ok(None),
            },
        };
        Ok(Some(driven_place(&browser, &tab.info()?)))
    }

    /// A tab's conversation goes to history; what ran for it is stopped.
    pub(super) fn tab_closed(&self, tab_id: TabId) {
        self.tab_sets().leave(tab_id);
        self.remember_closed(tab_id);
        let runner = self.store().of_tab(tab_id).and_then(|id| self.runners().get(&id));
        if let Some(runner) = &runner
            && runner.conversation().state() != ConversationState::Idle
            && let Some(fault) = runner.handle(Event::Stop)
        {
            self.ports().tell_fault(&fault);
        }
        self.store().tab_closed(tab_id);
        if let Some(runner) = runner {
            runner.let_go();
        }
        self.tell_tabs();
    }

    fn remember_closed(&self, tab_id: TabId) {
        let Some(conversation) = self.store().of_tab(tab_id).and_then(|id| self.conversation(&id).ok()) else { return };
        let info = conversation.info();
        let Some(page) = info.page.filter(|_| info.head > 0) else { return };
        lock(&self.inner.recently_closed).remember(info.conversation_id, page.url);
    }

    /// Chrome has brought a closed tab back: it gets its conversation again, where it has none of its own by now.
    fn tab_restored(&self, port: PortId, tab: &ChromeTab) {
        let Ok(place) = self.place_of(port, tab.chrome_tab_id) else { return };
        let own = self.store().of_tab(place.tab_id).and_then(|id| self.conversation(&id).ok());
        if own.is_some_and(|conversation| conversation.head() > 0) {
            return;
        }
        let Some(id) = lock(&self.inner.recently_closed).take(&tab.url) else { return };
        let free = self.conversation(&id).is_ok_and(|conversation| conversation.info().tab_id.is_none());
        if free && let Err(error) = self.store().attach(&id, place.tab_id, Some(place.key)) {
            tracing::warn!(%error, "a restored tab did not get its conversation back");
        }
    }

    /// Changes what is shown of an agent's work in a conversation's tab.
    pub(super) fn working(&self, conversation: &Conversation, change: impl FnOnce(&mut Working)) {
        if self.tab_book().change_work(conversation.id(), change) {
            self.tell_working();
        }
    }

    pub(super) fn turn_began(&self, conversation: &Arc<Conversation>, agent_label: String) {
        let tab = self.tab_sets().settle_working(conversation);
        self.tab_book().begin_work(conversation.id().clone(), Working { agent_label, tab, ..Working::default() });
        self.tell_working();
        self.tell_tabs();
        self.update_busy();
    }

    /// The turn is in the journal; here it is brought onto the disk and shown as over.
    pub(super) fn turn_ended(&self, conversation: &Arc<Conversation>) {
        self.tab_book().end_work(conversation.id());
        self.browsers().leave_after_turn(conversation.id());
        self.inner.turns_changed.send_replace(());
        self.tell_working();
        self.tell_tabs();
        self.update_busy();
        let engine = self.clone();
        let conversation = conversation.clone();
        self.spawn(async move {
            if let Err(fault) = super::chats::persist(conversation.clone()).await {
                engine.ports().tell_fault(&fault);
            }
            if conversation.is_to_compact()
                && let Err(fault) = off_thread(move || conversation.compact().map_err(|e| e.fault())).await
            {
                // The next turn's end is another time to try.
                tracing::debug!(%fault, "a journal stays as long as it is");
            }
        });
    }

    pub(super) fn turns_running(&self) -> usize {
        self.tab_book().turns_running()
    }

    /// Tells every background which tabs have a conversation, and every conversation how its tabs are.
    pub(super) fn tell_tabs(&self) {
        self.refresh_all();
        for (port, sender) in self.ports().senders() {
            let tabs = self.tabs_with_conversation(port);
            sender.send(&super::ports::notification(None, &ToPanel::TabsConversations(TabsConversations { tabs })));
        }
    }

    fn tabs_with_conversation(&self, port: PortId) -> Vec<TabWithConversation> {
        let tabs = self.store().tabs();
        let found = tabs.into_iter().filter_map(|(tab_id, id)| {
            let conversation = self.store().get(&id).ok()?;
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
        found.collect()
    }

    /// A tab of ours as one port's Chrome knows it.
    pub(super) fn chrome_tab(&self, port: PortId, tab_id: TabId) -> Option<ChromeTab> {
        let driven =
            self.browsers().of_port(port).and_then(|browser| browser.tab(tab_id).ok()).and_then(|tab| tab.info().ok());
        match driven {
            Some(info) => self.tab_book().reported_as(port, &info),
            None => self.tab_book().numbered_of(port, tab_id),
        }
    }

    /// Tells every background where agents work.
    fn tell_working(&self) {
        let working = self.tab_book().working();
        for (port, sender) in self.ports().senders() {
            let tabs = working.iter().filter_map(|(id, working)| {
                let tab_id = working.tab.or_else(|| self.store().get(id).ok()?.info().tab_id)?;
                let chrome_tab_id = self.chrome_tab(port, tab_id)?.chrome_tab_id;
                let Working { agent_label, doing, phrase, waiting, .. } = working.clone();
                Some(WorkingTab { tab_id, chrome_tab_id, agent_label, doing, phrase, waiting })
            });
            let message = ToPanel::TabsWorking(TabsWorking { tabs: tabs.collect() });
            sender.send(&super::ports::notification(None, &message));
        }
    }
}

pub(super) fn driven_place(browser: &Browser, info: &TabInfo) -> TabPlace {
    TabPlace { tab_id: info.id, key: tab_key(browser, info), page: page(&info.url, &info.title) }
}
