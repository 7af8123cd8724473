//! `connect --attach`: a browser that somebody else started with a DevTools port.
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

impl Engine {
    /// Attaches to the browser behind a DevTools address. False: it was attached to already.
    pub(super) async fn attach_browser(&self, address: &str, tell: &mut Tell<'_>) -> Result<bool, Fault> {
        let _turn = self.inner.browsers.change.lock().await;
        let step = Step::begin();
        let endpoint = endpoint::find(address).await?;
        if let Some(open) = self.attached_to() {
            if open == Some(endpoint.address.clone()) {
                step.done(tell, "browser found", endpoint.address);
                return Ok(false);
            }
            return Err(Fault::new(FaultCode::Conflict, "gstack drives another browser already")
                .hint("Leave that one first: gstack disconnect")
                .command("gstack disconnect")
                .at(Hop::Browser));
        }
        let browser = self.use_foreign_browser(&endpoint).await?;
        let version = browser.version().await?;
        step.done(tell, "browser attached", format!("{version}, {}, {}", tabs(browser.tabs().len()), endpoint.address));
        tell(ConnectLine::Notice(NO_PANEL.to_owned()));
        tell(ConnectLine::Notice(OPEN_PORT.to_owned()));
        Ok(true)
    }
}
