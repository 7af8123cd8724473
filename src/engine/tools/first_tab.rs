//! The tab that a judged driver works in before it has chosen one.
//!
//! Owns opening it: a tab of its own, in the background. Also opens the browser if none is open, as a terminal's first
//! command does.

use super::AgentTools;
use crate::engine::browsers::BrowsersError;
use crate::engine::drivers::Driver;
use crate::engine::tabs::JoinedBy;
use crate::protocol::catalogue;
use crate::protocol::command::CommandRequest;
use crate::protocol::fault::Fault;

impl AgentTools {
    /// Makes sure that the driver has a tab that is open. Fails if no browser can be opened.
    pub(super) async fn give_first_tab(&self, driver: &Driver, request: &CommandRequest) -> Result<(), Fault> {
        let _guard = driver.opening.lock().await;
        let conversation = &driver.conversation;
        let sets = self.tabs.sets();
        self.browsers.everyday_back(conversation.info().tab_id).await;
        let is_open = |tab| self.browsers.pages_with(Some(tab)).is_some_and(|(browser, _)| browser.tab(tab).is_ok());
        if conversation.info().tab_id.is_some_and(is_open) {
            return Ok(());
        }
        let left = sets.of(conversation).into_iter().find(|tab| is_open(*tab));
        if let Some(tab) = left {
            conversation.own_tab(Some(tab));
            return Ok(());
        }
        if self.browsers.current().is_none() {
            if self.browsers.everyday_is_chosen() {
                return Err(BrowsersError::EverydayAway.into());
            }
            // Only the person chooses whose logins a browser opens with.
            let request = CommandRequest { profile: None, ..request.clone() };
            self.connection.start_headless(&request).await?;
        }
        let none = || BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with([request.command.as_str()]));
        let (browser, _) = self.browsers.pages_with(None).ok_or_else(none)?;
        let tab = browser.new_tab().await?.id();
        sets.forget(conversation.id());
        // Closing a tab that it opened takes nothing from the person.
        sets.add(conversation, tab, JoinedBy::Agent)?;
        conversation.own_tab(Some(tab));
        Ok(())
    }
}
