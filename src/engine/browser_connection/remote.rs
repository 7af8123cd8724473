//! `connect --cdp`, `--grid` and `--provider`: browsers on other machines.
//!
//! Owns the messages about them. Never loads anything into such a browser, or opens a panel in it.

use super::BrowserConnection;
use super::connect::{Step, Tell};
use super::error::ConnectError;
use crate::browsers::Browsers;
use gstack_base::counted::counted;
use gstack_protocol::control::ConnectLine;
use gstack_protocol::fault::Fault;
use gstack_protocol::remote::{RemoteBrowser, SecretVariables};

const NO_PANEL: &str = "There is no side panel there: gstack can load its extension only into a browser that it starts. \
    Commands and `gstack chat` work.";
const ELSEWHERE: &str = "Its pages, logins and network are those of the other machine, and whoever runs that machine can read them. Addresses of cloud \
    metadata services are refused, also for pages in the tabs that gstack works in.";
const READABLE: &str =
    "The connection is not encrypted: anyone on the network between can read the traffic and drive this browser.";

impl BrowserConnection {
    /// Takes a browser on another machine into use. Returns false if it was in use already.
    pub(super) async fn connect_remote(
        &self,
        wanted: &RemoteBrowser,
        keys: &SecretVariables,
        tell: &mut Tell<'_>,
    ) -> Result<bool, Fault> {
        let _guard = self.browsers.turn().await;
        let step = Step::begin();
        if let Some(status) = self.browsers.remote_status()
            && self.browsers.remote_in_use().as_ref() == Some(wanted)
            && let Some(browser) = self.browsers.current()
            && !self.browsers.lose_if_silent(&browser).await
        {
            step.done(tell, "browser found", format!("{} at {}", status.provider, status.at));
            return Ok(false);
        }
        if self.browsers.is_open() {
            return Err(ConnectError::OtherBrowser.into());
        }
        self.browsers.check_room()?;
        // The other kinds create a new browser for each connection.
        let is_same = |other: &Browsers| {
            matches!(wanted, RemoteBrowser::Cdp(_)) && other.remote_in_use().as_ref() == Some(wanted)
        };
        if let Some(other) = self.browsers.all().iter().find(|other| is_same(other)) {
            return Err(ConnectError::SameAsOther(other.name().clone()).into());
        }
        let reserved = self.browsers.use_remote(wanted, keys).await?;
        // Also after a crash of the daemon, no browser on this machine takes its place.
        self.browsers.record_tabs().await;
        let version = reserved.browser.version().await?;
        let tabs = counted(reserved.browser.tabs().len(), "tab");
        let (status, node) = (&reserved.status, reserved.status.node.as_ref());
        let node = node.map(|node| format!(", node {node}")).unwrap_or_default();
        step.done(tell, "browser attached", format!("{version}, {tabs}, {} at {}{node}", status.provider, status.at));
        if let Some(view) = &status.view {
            tell(ConnectLine::Notice(format!("Watch it by VNC: {view}")));
        }
        for text in [NO_PANEL, ELSEWHERE].into_iter().chain(reserved.is_readable_on_the_way.then_some(READABLE)) {
            tell(ConnectLine::Notice(text.to_owned()));
        }
        Ok(true)
    }
}
