//! Commands of named terminals (`--driver`): as the person, but only in tabs of the terminal's own set.
//!
//! Owns the tab of such a command, the first tab of a terminal, and what a command changes in its set.

use super::Commands;
use crate::browsers::BrowsersError;
use crate::drivers::Driver;
use crate::tabs::JoinedBy;
use gstack_chat::Conversation;
use gstack_command::spec::TabUse;
use gstack_command::{Call, TabSwitch, tab_number};
use gstack_protocol::command::CommandRequest;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use std::sync::Arc;

/// The tabs that a terminal's command may use.
pub(super) struct OwnTabs {
    /// The one that it runs in. `None` for a command that needs none.
    pub(super) tab: Option<TabId>,
    /// The only ones that it may know of. `None`: all.
    pub(super) set: Option<Vec<TabId>>,
    /// The tabs that were open before.
    before: Vec<TabId>,
    /// The tab that the command closes, if it is one that closes tabs.
    closes: Option<TabId>,
}

impl Commands {
    /// Returns the request with the tab that a terminal works in, in the browser that it names if it names one. A request
    /// that names a tab keeps it.
    pub(super) async fn in_own_tab(&self, driver: &Driver, request: CommandRequest) -> CommandRequest {
        if request.tab_id.is_some() {
            return request;
        }
        self.browsers.everyday_back(driver.conversation.info().tab_id).await;
        CommandRequest { tab_id: self.working_tab(driver, request.browser.as_deref()), ..request }
    }

    /// Returns the open tab that a terminal works in; in a named browser, else any of its tabs there.
    fn working_tab(&self, driver: &Driver, browser: Option<&str>) -> Option<TabId> {
        if !self.drivers.settle_own(driver) {
            return None;
        }
        let sets = self.tabs.sets();
        let working = sets.working(&driver.conversation);
        let Some(name) = browser else { return working };
        let is_there = |tab: &TabId| self.browsers.with_tab(*tab).is_some_and(|of| of.name().as_str() == name);
        working.into_iter().chain(sets.of(&driver.conversation)).find(is_there)
    }

    /// Returns the tabs of a terminal's command. Opens its first tab if it has none. Fails for a tab that another driver
    /// leases, and for any other one that is not in its set.
    pub(super) async fn own_tabs(
        &self,
        driver: &Driver,
        request: &CommandRequest,
        call: &Call,
    ) -> Result<OwnTabs, Fault> {
        let set = || self.tabs.sets().of(&driver.conversation);
        if call.spec.tab == TabUse::Lists {
            let mine = call.arguments.has("--mine").then(set);
            return Ok(OwnTabs { tab: request.tab_id, set: mine, before: Vec::new(), closes: None });
        }
        if let Some(tab) = request.tab_id {
            self.drivers.check_own(driver, tab)?;
        }
        let typed = match call.spec.tab {
            TabUse::Chooses | TabUse::Closes => call.tab().map(|typed| tab_number(&typed)).transpose()?,
            _ => None,
        };
        if let Some(tab) = typed {
            self.drivers.check_own(driver, tab)?;
        }
        let tab = match request.tab_id {
            None if call.spec.tab != TabUse::Opens => Some(self.first_tab(driver, request.browser.as_deref()).await?),
            named => named,
        };
        let before = tab.map(|tab| self.tabs.now(tab)).unwrap_or_default();
        let closes = typed.or(tab).filter(|_| call.spec.tab == TabUse::Closes);
        Ok(OwnTabs { tab, set: Some(set()), before, closes })
    }

    /// Returns how `tab` and `newtab` move a terminal: its own tab only, never the person's current one.
    pub(super) fn own_tab_switch(&self, driver: &Driver) -> TabSwitch {
        let (commands, conversation) = (self.clone(), driver.conversation.clone());
        TabSwitch::Callback(Arc::new(move |tab| commands.work_in(&conversation, tab)))
    }

    /// Updates a terminal's set with the tabs that its command opened and closed.
    pub(super) async fn settle_own_tabs(&self, driver: &Driver, own: OwnTabs) {
        let conversation = &driver.conversation;
        if let Some(tab) = own.tab {
            self.tabs.opened_since(conversation, tab, &own.before).await;
        }
        if let Some(closed) = own.closes.filter(|tab| self.drivers.open_tab(*tab).is_err()) {
            self.tabs.sets().leave(closed);
            self.drivers.leave_own(driver, closed);
            self.tabs.sets().settle_working(conversation);
        }
        self.drivers.changed();
    }

    /// Opens the first tab that a terminal works in, or its first one in a named browser, in the background.
    async fn first_tab(&self, driver: &Driver, named: Option<&str>) -> Result<TabId, Fault> {
        let _guard = driver.opening.lock().await;
        if let Some(tab) = self.working_tab(driver, named) {
            return Ok(tab);
        }
        let (browser, _) = self.browsers.pages_with(None).ok_or(BrowsersError::NotConnected)?;
        let tab = browser.new_tab().await?.id();
        if self.tabs.sets().of(&driver.conversation).is_empty() {
            self.drivers.begin_with(driver, tab)?;
        } else {
            self.work_in(&driver.conversation, tab)?;
        }
        Ok(tab)
    }

    /// Adds a tab to a terminal's set and makes it the one that the terminal works in.
    fn work_in(&self, terminal: &Conversation, tab: TabId) -> Result<(), Fault> {
        self.tabs.sets().add(terminal, tab, JoinedBy::Agent)?;
        self.tabs.work_in(terminal, tab);
        self.drivers.changed();
        Ok(())
    }
}
