//! The tabs that a driver works in when it names none, and those that it may name.
//!
//! Owns the choice of its own tab, the first one, and what replaces one that closed. The sets are in `tabs`.

use super::driver::Driver;
use super::error::DriversError;
use super::service::Drivers;
use crate::tabs::JoinedBy;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;

impl Drivers {
    /// Makes an open tab of its set the driver's own one if that has closed. Returns false if it has no open tab.
    pub(crate) fn settle_own(&self, driver: &Driver) -> bool {
        let conversation = &driver.conversation;
        if conversation.info().tab_id.is_some_and(|own| self.open_tab(own).is_ok()) {
            return true;
        }
        let left = self.leased_by(driver).first().copied();
        if left.is_some() {
            conversation.own_tab(left);
        }
        left.is_some()
    }

    /// Makes a tab that was opened for a driver without tabs its own one.
    pub(crate) fn begin_with(&self, driver: &Driver, tab: TabId) -> Result<(), Fault> {
        let (sets, conversation) = (self.0.uses.tabs.sets(), &driver.conversation);
        sets.forget(conversation.id());
        // Closing a tab that it opened takes nothing from the person.
        sets.add(conversation, tab, JoinedBy::Agent)?;
        conversation.own_tab(Some(tab));
        self.changed();
        Ok(())
    }

    /// Chooses another own tab if the one that closed was the driver's.
    pub(crate) fn leave_own(&self, driver: &Driver, closed: TabId) {
        let conversation = &driver.conversation;
        if conversation.info().tab_id == Some(closed) {
            conversation.own_tab(None);
            let next = self.0.uses.tabs.sets().of(conversation).first().copied();
            conversation.own_tab(next);
        }
    }

    /// Fails if a terminal may not act in a tab: another driver leases it, it is closed, or it is not in the terminal's set.
    pub(crate) fn check_own(&self, driver: &Driver, tab: TabId) -> Result<(), Fault> {
        let (sets, conversation) = (self.0.uses.tabs.sets(), &driver.conversation);
        if sets.of(conversation).contains(&tab) {
            return self.open_tab(tab);
        }
        self.check_free(tab, conversation.id())?;
        self.open_tab(tab)?;
        let name = driver.label().unwrap_or(&driver.name).to_owned();
        Err(DriversError::NotOwnTab { tab: tab.to_string(), name }.into())
    }
}
