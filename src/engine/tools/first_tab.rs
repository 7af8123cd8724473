//! The tab that a judged driver works in before it has chosen one.
//!
//! Owns opening it: a tab of its own, in the background. Also opens the browser if none is open, as a terminal's first
//! command does.

use super::AgentTools;
use crate::browsers::BrowsersError;
use crate::drivers::Driver;
use gstack_protocol::catalogue;
use gstack_protocol::command::CommandRequest;
use gstack_protocol::fault::Fault;

impl AgentTools {
    /// Makes sure that the driver has a tab that is open. Fails if no browser can be opened.
    pub(super) async fn give_first_tab(&self, driver: &Driver, request: &CommandRequest) -> Result<(), Fault> {
        let _guard = driver.opening.lock().await;
        self.browsers.everyday_back(driver.conversation.info().tab_id).await;
        if self.drivers.settle_own(driver) {
            return Ok(());
        }
        let browsers = self.browsers.named(driver.opens_in.as_str())?;
        if browsers.current().is_none() {
            // Only the person chooses whose logins a browser opens with.
            let request = CommandRequest { profile: None, ..request.clone() };
            self.connection.in_browser(browsers.clone()).open_for(&request).await?;
        }
        let none = || BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with([request.command.as_str()]));
        let browser = browsers.current().ok_or_else(none)?;
        let tab = browser.new_tab().await?.id();
        self.drivers.begin_with(driver, tab)
    }
}
