//! `connect --attach` and `connect --everyday`: browsers that gstack did not start, reached through a DevTools port or
//! through our extension.
//!
//! Owns the messages about them. Never ends such a browser, loads anything into it, or opens a panel in it.

use super::BrowserConnection;
use super::connect::{Step, Tell};
use super::error::{CONFIRM, ConnectError, wait_to_be_confirmed};
use crate::browsers::Browsers;
use gstack_base::counted::counted;
use gstack_browser::endpoint;
use gstack_protocol::control::ConnectLine;
use gstack_protocol::fault::Fault;

const NO_PANEL: &str = "There is no side panel here: gstack can load its extension only into a browser that it starts. \
    Commands and `gstack chat` work.";
const OPEN_PORT: &str = "Every user of this machine can drive a browser through its DevTools port. Addresses of cloud \
    metadata services are refused, also for pages in the tabs that gstack works in; requests of other tabs are not blocked in this browser.";

const LOGINS: &str = "It holds your logins. Agents ask before they act, as they do everywhere; while gstack works in a tab, \
    the browser shows a bar that says so.";

impl BrowserConnection {
    /// Takes the everyday browser whose extension is connected into use. Returns false if it was in use already.
    pub(super) async fn connect_everyday(&self, tell: &mut Tell<'_>) -> Result<bool, Fault> {
        let _guard = self.browsers.turn().await;
        let step = Step::begin();
        if let Some(browser) = self.browsers.current() {
            if browser.is_relayed() {
                browser.let_in();
                step.done(tell, "browser found", format!("already in use, {}", counted(browser.tabs().len(), "tab")));
                return Ok(false);
            }
            return Err(ConnectError::OtherBrowser.into());
        }
        self.browsers.check_room()?;
        let mut connected = self.browsers.all_everyday();
        connected.retain(|everyday| !self.browsers.is_in_use(everyday));
        let waiting = self.panel_keys.waiting_browsers();
        let everyday = match (connected.pop(), connected.len()) {
            (Some(one), 0) => one,
            (None, _) if !waiting.is_empty() => {
                return Err(ConnectError::Unconfirmed(waiting).into());
            }
            (None, _) => return Err(ConnectError::NoEveryday.into()),
            (Some(_), others) => return Err(ConnectError::ManyEveryday(others + 1).into()),
        };
        everyday.browser().let_in();
        self.browsers.use_everyday(&everyday);
        let tabs = everyday.browser().tabs().len();
        step.done(
            tell,
            "browser in use",
            format!("{}, {}, through its extension", everyday.name, counted(tabs, "tab")),
        );
        tell(ConnectLine::Notice(LOGINS.to_owned()));
        if !waiting.is_empty() {
            let text = format!("{}. {CONFIRM} Then its side panel may act for you.", wait_to_be_confirmed(&waiting));
            tell(ConnectLine::Notice(text));
        }
        Ok(true)
    }

    /// Attaches to the browser at a DevTools address. Returns false if it was attached already.
    pub(super) async fn attach_browser(&self, address: &str, tell: &mut Tell<'_>) -> Result<bool, Fault> {
        let _guard = self.browsers.turn().await;
        let step = Step::begin();
        let endpoint = endpoint::find(address).await?;
        if let Some(open) = self.browsers.attached_to() {
            if open == Some(endpoint.address.clone()) {
                step.done(tell, "browser found", endpoint.address);
                return Ok(false);
            }
            return Err(ConnectError::OtherBrowser.into());
        }
        self.browsers.check_room()?;
        let is_same = |other: &Browsers| other.attached_to().flatten().as_ref() == Some(&endpoint.address);
        if let Some(other) = self.browsers.all().iter().find(|other| is_same(other)) {
            return Err(ConnectError::SameAsOther(other.name().clone()).into());
        }
        let browser = self.browsers.use_foreign(&endpoint).await?;
        let version = browser.version().await?;
        step.done(
            tell,
            "browser attached",
            format!("{version}, {}, {}", counted(browser.tabs().len(), "tab"), endpoint.address),
        );
        tell(ConnectLine::Notice(NO_PANEL.to_owned()));
        tell(ConnectLine::Notice(OPEN_PORT.to_owned()));
        Ok(true)
    }
}
