//! Leases: which driver holds which tab. A tab is leased while it is in the tab set of a registered driver, or of a
//! conversation whose turn runs.
//!
//! Owns the answer to "who holds this tab", and the `lease` and `release` commands. The sets are in `tabs`. The person is
//! never refused: they give a tab to a driver and take it from any.

use super::driver::Driver;
use super::error::DriversError;
use super::holders::UNNAMED;
use super::service::Drivers;
use crate::browsers::{Browsers, BrowsersError};
use crate::tabs::JoinedBy;
use gstack_base::visible::visible;
use gstack_command::spec::TabUse;
use gstack_command::{Call, leased, tab_number};
use gstack_protocol::chat::ConversationState;
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tabs and the names of those who lease them.
pub(crate) type Leases = BTreeMap<TabId, String>;

impl Drivers {
    /// Returns the tabs that others than `me` lease. `me` is the conversation of a driver or an agent, `None` for the
    /// person.
    pub(crate) fn leased_by_others(&self, me: Option<&ConversationId>) -> Leases {
        let mut leases = self.leased_with_names(me);
        if me.is_some_and(|me| self.is_tunnel(me)) {
            leases.values_mut().for_each(|name| UNNAMED.clone_into(name));
        }
        leases
    }

    /// The same, for the person who starts `me`: a tunnel's other end learns no names.
    pub(super) fn leased_with_names(&self, me: Option<&ConversationId>) -> Leases {
        let mut leases = Leases::new();
        let running = self.0.uses.store.opened().into_iter().filter(|one| one.state() != ConversationState::Idle);
        for conversation in running.filter(|one| Some(one.id()) != me) {
            let name = self.name_of_agent(conversation.id());
            leases.extend(self.0.uses.tabs.sets().of(&conversation).into_iter().map(|tab| (tab, name.clone())));
        }
        // A driver that the person gave the tab to comes before an agent.
        for driver in self.all() {
            if Some(driver.conversation.id()) != me {
                leases.extend(self.leased_by(&driver).into_iter().map(|tab| (tab, driver.name.clone())));
            }
        }
        leases
    }

    /// Returns what an agent of the panel is called, to others.
    pub(super) fn name_of_agent(&self, conversation: &ConversationId) -> String {
        let agent = self.0.uses.tabs.sets().agent_of(conversation);
        agent.map_or_else(
            || "an agent of the panel".to_owned(),
            |agent| format!("the panel's agent {}", visible(&agent)),
        )
    }

    /// Returns the tabs that a driver leases and that are open.
    pub(crate) fn leased_by(&self, driver: &Driver) -> Vec<TabId> {
        let mut tabs = self.0.uses.tabs.sets().of(&driver.conversation);
        tabs.retain(|tab| self.open_tab(*tab).is_ok());
        tabs
    }

    /// Fails if a registered driver other than `me` leases the tab.
    pub(crate) fn check_lease(&self, tab: TabId, me: &ConversationId) -> Result<(), Fault> {
        match self.driver_with(tab, me) {
            Some(holder) => Err(self.leased_for(me, tab, &holder)),
            None => Ok(()),
        }
    }

    /// Fails if no browser has this tab.
    pub(crate) fn open_tab(&self, tab: TabId) -> Result<(), Fault> {
        let (browser, _) = self.0.uses.browsers.pages_with(Some(tab)).ok_or(BrowsersError::NotConnected)?;
        browser.tab(tab)?;
        Ok(())
    }

    /// Fails if a driver wants a tab of another browser than its own. Only the person gives it one.
    pub(crate) fn check_opens_in(&self, driver: &Driver, tab: TabId) -> Result<(), Fault> {
        match self.0.uses.browsers.with_tab(tab) {
            Some(other) if *other.name() != driver.opens_in => {
                let (tab, browser) = (tab.to_string(), other.name().to_string());
                Err(DriversError::NotItsBrowser { tab, browser }.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns the browser that a command is for. It was checked before.
    fn browsers_of(&self, request: &CommandRequest) -> Browsers {
        let browsers = &self.0.uses.browsers;
        browsers.of_request(request.tab_id, request.browser.as_deref()).unwrap_or_else(|_| browsers.clone())
    }

    /// Adds a tab to a driver's set. Fails if another one leases it.
    pub(crate) fn lease_to(&self, driver: &Driver, tab: TabId, by: JoinedBy) -> Result<(), Fault> {
        let _guard = self.0.uses.tabs.leasing();
        let me = driver.conversation.id();
        match by {
            JoinedBy::Person => self.check_free_for_person(tab, Some(me))?,
            JoinedBy::Agent | JoinedBy::Page => self.check_free(tab, me)?,
        }
        self.0.uses.tabs.sets().add(&driver.conversation, tab, by)?;
        self.changed();
        Ok(())
    }

    /// Runs `lease` for the person: gives a tab to a driver, and takes it from the one that had it.
    pub(crate) fn lease_as_person(&self, request: &CommandRequest, call: &Call) -> Result<CommandResult, Fault> {
        let name = call.arguments.value("--to").ok_or(DriversError::NameNeeded)?;
        let to = self.named(name)?;
        let tab = self.tab_of(request, call)?;
        self.give(&to, tab)
    }

    /// Moves a tab to a driver on the person's request.
    pub(super) fn give(&self, to: &Driver, tab: TabId) -> Result<CommandResult, Fault> {
        self.open_tab(tab)?;
        self.check_browser(to, tab)?;
        let _guard = self.0.uses.tabs.leasing();
        self.move_to(to, tab)?;
        Ok(result(format!("Leased tab {tab} to {}", to.name), tab, Some(&to.name)))
    }

    /// Runs `release`. The person takes a tab from whichever driver leases it; a driver gives up one of its own.
    pub(crate) fn release(
        &self,
        driver: Option<&Driver>,
        request: &CommandRequest,
        call: &Call,
    ) -> Result<CommandResult, Fault> {
        let tab = match driver.filter(|driver| driver.has_own_tabs() && request.tab_id.is_none()) {
            Some(driver) if call.tab().is_none() => self.0.uses.tabs.sets().working(&driver.conversation),
            _ => Some(self.tab_of(request, call)?),
        };
        let not_leased = || DriversError::NotLeased { tab: tab.map(|tab| tab.to_string()).unwrap_or_default() };
        let tab = tab.ok_or_else(not_leased)?;
        let all = self.all();
        let mut of = all.iter().map(Arc::as_ref).filter(|one| driver.is_none_or(|driver| driver.id == one.id));
        let take = |one: &&Driver| if driver.is_some() { self.take_from(one, tab) } else { self.take_back(one, tab) };
        match of.find(take) {
            Some(from) => Ok(result(format!("Released tab {tab}, which {} leased", from.name), tab, None)),
            None => Err(not_leased().into()),
        }
    }

    /// Moves a tab to a driver: every other driver loses it, and what others run there is cancelled. An agent keeps it in its
    /// set, and is refused there for as long as a driver leases it.
    pub(super) fn move_to(&self, to: &Driver, tab: TabId) -> Result<(), Fault> {
        for driver in self.all().iter().filter(|driver| driver.id != to.id) {
            self.take_back(driver, tab);
        }
        self.0.uses.tabs.sets().add(&to.conversation, tab, JoinedBy::Person)?;
        self.0.running.cancel_others(to.conversation.id(), tab);
        self.changed();
        Ok(())
    }

    /// Takes a tab out of a driver's set for the person, and cancels what the driver does there.
    fn take_back(&self, driver: &Driver, tab: TabId) -> bool {
        let taken = self.take_from(driver, tab);
        if taken {
            self.0.running.cancel(driver.conversation.id(), tab);
        }
        taken
    }

    /// Takes a tab out of a driver's set. Returns `false` if it was not in it.
    fn take_from(&self, driver: &Driver, tab: TabId) -> bool {
        let (sets, conversation) = (self.0.uses.tabs.sets(), &driver.conversation);
        if !sets.of(conversation).contains(&tab) {
            return false;
        }
        if conversation.info().tab_id == Some(tab) {
            conversation.own_tab(None);
        }
        sets.take_out(conversation, tab);
        let next = sets.of(conversation).first().copied();
        if conversation.info().tab_id.is_none() {
            conversation.own_tab(next);
        }
        sets.settle_working(conversation);
        let pauses = &self.0.uses.pauses;
        if pauses.of(conversation.id()).is_some_and(|pause| pause.tab == tab) {
            pauses.end(conversation.id());
        }
        self.changed();
        true
    }

    /// Returns the tab set of a trusted driver's command: for one that runs others in several tabs, the tabs that
    /// nobody else leases. Fails if another driver leases the tab that it acts on.
    pub(crate) fn tabs_of_trusted(
        &self,
        driver: &Driver,
        request: &CommandRequest,
        call: &Call,
    ) -> Result<Option<Vec<TabId>>, Fault> {
        let leased_by = self.leased_by_others(Some(driver.conversation.id()));
        if !matches!(call.spec.tab, TabUse::Lists | TabUse::Opens | TabUse::Every)
            && let Ok(tab) = self.tab_of(request, call)
            && let Some(name) = leased_by.get(&tab)
        {
            return Err(leased(tab, name));
        }
        let Some((browser, _)) =
            self.browsers_of(request).pages_with(request.tab_id).filter(|_| call.spec.runs_others())
        else {
            return Ok(None);
        };
        let free = browser.tabs().into_iter().map(|tab| tab.id).filter(|tab| !leased_by.contains_key(tab));
        Ok(Some(free.collect()))
    }

    /// Returns the tab that `lease` or `release` names: its argument, `--tab`, or the current tab.
    pub(crate) fn tab_of(&self, request: &CommandRequest, call: &Call) -> Result<TabId, Fault> {
        match call.tab() {
            Some(typed) => tab_number(&typed),
            None => {
                let current = || self.browsers_of(request).current_tab();
                Ok(request.tab_id.or_else(current).ok_or(BrowsersError::NotConnected)?)
            }
        }
    }

    /// Adds a tab that a page of a driver's tab opened to that driver's set.
    pub(crate) fn tab_opened(&self, opener: TabId, tab: TabId) {
        for driver in self.all() {
            if self.0.uses.tabs.sets().of(&driver.conversation).contains(&opener)
                && let Err(fault) = self.0.uses.tabs.sets().add(&driver.conversation, tab, JoinedBy::Page)
            {
                tracing::info!(%fault, "a tab that a page opened is not in the driver's set");
            }
        }
    }
}

/// Returns the output of `lease` and `release`. `holder` has the tab from now on.
pub(crate) fn result(text: String, tab: TabId, holder: Option<&str>) -> CommandResult {
    CommandResult { output: text, data: Some(json!({ "tab": tab, "leasedBy": holder })), ..CommandResult::default() }
}
