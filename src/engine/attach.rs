//! `connect --attach` and `connect --everyday`: a browser that somebody else started, with a DevTools port or with our
//! extension in it.
//!
//! Owns what is said about it. Never ends such a browser, never loads anything into it, and opens no panel in it.

use super::Engine;
use super::connect::{Step, Tell, tabs};
use crate::browser::endpoint;
use crate::protocol::control::ConnectLine;
use crate::protocol::fault::{Fault, FaultCode, Hop};

const NO_PANEL: &str = "The side panel is not opened here: an extension can be loaded only into a browser that gstack starts. \
    Commands and `gstack chat` work.";
const OPEN_PORT: &str = "Every user of this machine can drive a browser through its DevTools port. Addresses of cloud \
    metadata services are refused, also to the pages of the tabs that gstack works on; what other tabs fetch is not held back in this browser.";

const LOGINS: &str = "It holds your logins. What agents do there is asked for as everywhere; while a tab is worked on, the \
    browser shows a bar that says so.";

/// A code is not repeated here: the person reads it off the panel that they mean, so that no other program's key passes for it.
const CONFIRM: &str =
    "Open gstack's side panel in it: it shows a code. Run `gstack panels confirm CODE` with that code.";

impl Engine {
    /// Takes the everyday browser into use whose extension is connected. False: it was in use already.
    pub(super) async fn connect_everyday(&self, tell: &mut Tell<'_>) -> Result<bool, Fault> {
        let _turn = self.browsers().turn().await;
        let step = Step::begin();
        if let Some(browser) = self.browsers().current() {
            if browser.is_relayed() {
                browser.let_in();
                step.done(tell, "browser found", format!("in use already, {} tabs", browser.tabs().len()));
                return Ok(false);
            }
            return Err(other_browser());
        }
        let mut connected = self.browsers().all_everyday();
        let waiting = self.waiting_browsers();
        let everyday = match (connected.pop(), connected.len()) {
            (Some(one), 0) => one,
            (None, _) if !waiting.is_empty() => {
                return Err(Fault::new(FaultCode::PanelUnconfirmed, wait_to_be_confirmed(&waiting))
                    .hint(format!("{CONFIRM} Then run `gstack connect --everyday` again."))
                    .command("gstack panels confirm CODE")
                    .at(Hop::Browser));
            }
            (None, _) => {
                return Err(Fault::new(FaultCode::BrowserDown, "no everyday browser's extension is connected")
                    .hint("Start that browser. The first time: gstack install-host, then load the extension there.")
                    .command("gstack install-host")
                    .at(Hop::Background));
            }
            (Some(_), others) => {
                let message = format!("{} everyday browsers are connected", others + 1);
                return Err(Fault::new(FaultCode::Conflict, message)
                    .hint("Name a tab instead: gstack tabs lists them, --tab N reaches it. Or close the others.")
                    .command("gstack tabs")
                    .at(Hop::Browser));
            }
        };
        everyday.browser().let_in();
        self.browsers().use_everyday(&everyday);
        let tabs = everyday.browser().tabs().len();
        step.done(tell, "browser in use", format!("{}, {tabs} tabs, by its extension", everyday.name));
        tell(ConnectLine::Notice(LOGINS.to_owned()));
        if !waiting.is_empty() {
            let text = format!("{}. {CONFIRM} Then its side panel may act for you.", wait_to_be_confirmed(&waiting));
            tell(ConnectLine::Notice(text));
        }
        Ok(true)
    }

    /// Attaches to the browser behind a DevTools address. False: it was attached to already.
    pub(super) async fn attach_browser(&self, address: &str, tell: &mut Tell<'_>) -> Result<bool, Fault> {
        let _turn = self.browsers().turn().await;
        let step = Step::begin();
        let endpoint = endpoint::find(address).await?;
        if let Some(open) = self.browsers().attached_to() {
            if open == Some(endpoint.address.clone()) {
                step.done(tell, "browser found", endpoint.address);
                return Ok(false);
            }
            return Err(other_browser());
        }
        let browser = self.browsers().use_foreign(&endpoint).await?;
        let version = browser.version().await?;
        step.done(tell, "browser attached", format!("{version}, {}, {}", tabs(browser.tabs().len()), endpoint.address));
        tell(ConnectLine::Notice(NO_PANEL.to_owned()));
        tell(ConnectLine::Notice(OPEN_PORT.to_owned()));
        Ok(true)
    }
}

/// `Chrome 140 is connected, but waits to be confirmed`
fn wait_to_be_confirmed(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is connected, but waits to be confirmed"),
        more => format!("{} browsers are connected, but wait to be confirmed: {}", more.len(), more.join(", ")),
    }
}

fn other_browser() -> Fault {
    Fault::new(FaultCode::Conflict, "gstack drives another browser already")
        .hint("Leave that one first: gstack disconnect")
        .command("gstack disconnect")
        .at(Hop::Browser)
}
