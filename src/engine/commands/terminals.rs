//! Commands of named terminals (`--driver`): as the person, but only in tabs of the terminal's own set.
//!
//! Owns the tab of such a command, the first tab of a terminal, and what a command changes in its set.

use super::Commands;
use crate::command::spec::TabUse;
use crate::command::{Call, TabSwitch, tab_number};
use crate::engine::browsers::BrowsersError;
use crate::engine::drivers::Driver;
use crate::engine::tabs::JoinedBy;
use crate::protocol::command::CommandRequest;
use crate::protocol::fault::Fault;
use crate::protocol::ids::TabId;
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
    /// Returns the request with the tab that a terminal works in, if it names none and works in one.
    pub(super) async fn in_own_tab(&self, driver: &Driver, request: CommandRequest) -> CommandRequest {
        if request.tab_id.is_some() {
            return request;
        }
        self.browsers.everyday_back(driver.conversation.info().tab_id).await;
        let working = self.tabs.sets().working(&driver.conversation);
        CommandRequest { tab_id: working.filter(|_| self.drivers.settle_own(driver)), ..request }
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
            None if call.spec.tab != TabUse::Opens => Some(self.first_tab(driver).await?),
            named => named,
        };
        let before = tab.map(|tab| self.tabs.now(tab)).unwrap_or_default();
        let closes = typed.or(tab).filter(|_| call.spec.tab == TabUse::Closes);
        Ok(OwnTabs { tab, set: Some(set()), before, closes })
    }

    /// Returns how `tab` and `newtab` move a terminal: its own tab only, never the person's current one.
    pub(super) fn own_tab_switch(&self, driver: &Driver) -> TabSwitch {
        let (drivers, tabs, conversation) = (self.drivers.clone(), self.tabs.clone(), driver.conversation.clone());
        TabSwitch::Callback(Arc::new(move |tab| {
            tabs.sets().add(&conversation, tab, JoinedBy::Agent)?;
            tabs.work_in(&conversation, tab);
            drivers.changed();
            Ok(())
        }))
    }

    /// Notes in a terminal's set what its command opened and closed.
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

    /// Opens the tab that a terminal works in before it has chosen one, in the background.
    async fn first_tab(&self, driver: &Driver) -> Result<TabId, Fault> {
        let _guard = driver.opening.lock().await;
        if self.drivers.settle_own(driver)
            && let Some(tab) = self.tabs.sets().working(&driver.conversation)
        {
            return Ok(tab);
        }
        let (browser, _) = self.browsers.pages_with(None).ok_or(BrowsersError::NotConnected)?;
        let tab = browser.new_tab().await?.id();
        self.drivers.begin_with(driver, tab)?;
        Ok(tab)
    }
}
