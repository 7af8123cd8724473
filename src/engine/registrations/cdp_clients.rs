//! CDP clients: their endpoints, and what a connected client may have of the engine.
//!
//! Owns creating and revoking endpoints, the registration of a client for as long as it is connected, and their lines in
//! the audit. Never listens and never reads a DevTools message: `cdp` does.

use super::{Registered, Registrations};
use crate::browsers::BrowsersError;
use crate::drivers::{DriversError, Endpoint, NewDriver, driver_entry, endpoint_entry};
use crate::tabs::JoinedBy;
use gstack_base::mutex::lock;
use gstack_base::process::Process;
use gstack_base::site_limits::SiteLimits;
use gstack_browser::browser::Browser;
use gstack_browser::tab::Tab;
use gstack_browser::tabs::TabInfo;
use gstack_protocol::audit::AuditBy;
use gstack_protocol::catalogue;
use gstack_protocol::cdp_endpoint::{CdpEndpoint, CdpEndpoints, CdpGrant, CdpOpen, CdpRevoke};
use gstack_protocol::driver::DriverKind;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

impl Registrations {
    /// Creates an endpoint at a port. Fails if the browser is not open, a tab is not in it or is leased, or the audit
    /// can't be written.
    pub fn create_endpoint(&self, open: CdpOpen, port: u16) -> Result<Arc<Endpoint>, Fault> {
        self.cdp_browser(&open.tabs, open.everyday, open.browser.as_deref())?;
        if let Some(grant) = open.allow.iter().find(|grant| open.everyday && **grant != CdpGrant::Files) {
            return Err(DriversError::NotInEveryday { grant: grant.name() }.into());
        }
        open.tabs.iter().try_for_each(|tab| self.drivers.check_free_for_person(*tab, None))?;
        let endpoint = self.drivers.endpoints().add(open, port)?;
        let allow: Vec<&str> = endpoint.allow.iter().map(|grant| grant.name()).collect();
        let with = if allow.is_empty() { String::new() } else { format!(" --allow {}", allow.join(",")) };
        let everyday = if endpoint.everyday { " --everyday" } else { "" };
        if let Err(fault) =
            self.record_of_endpoint(&endpoint, &format!("create{everyday}{with}"), true, AuditBy::Terminal)
        {
            // Nothing may happen that the audit does not have.
            endpoint.revoked.cancel();
            return Err(fault);
        }
        Ok(endpoint)
    }

    /// Returns the endpoints.
    pub fn cdp_endpoints(&self) -> Vec<CdpEndpoint> {
        self.drivers.endpoints().all()
    }

    /// Ends an endpoint and its connection, or all of them.
    pub fn revoke_endpoint(&self, revoke: &CdpRevoke) -> Result<CdpEndpoints, Fault> {
        let ended = self.drivers.endpoints().revoke(revoke.id.as_deref());
        if let (true, Some(id)) = (ended.is_empty(), &revoke.id) {
            return Err(DriversError::NoSuchEndpoint { id: id.clone() }.into());
        }
        for endpoint in ended {
            self.record_of_endpoint(&endpoint, "revoke", true, AuditBy::Terminal)?;
        }
        Ok(CdpEndpoints { endpoints: self.cdp_endpoints() })
    }

    /// Records what happened at an endpoint without a registered client.
    pub fn record_of_endpoint(&self, endpoint: &Endpoint, what: &str, allowed: bool, by: AuditBy) -> Result<(), Fault> {
        self.policy.record(&endpoint_entry(endpoint, what, allowed, by))
    }

    /// Registers the client that connected to an endpoint, and leases it its tabs: those of the endpoint, or a new one.
    pub async fn begin_cdp_client(
        &self,
        endpoint: &Endpoint,
        client: &str,
        process: Process,
    ) -> Result<CdpClient, Fault> {
        let browser = self.cdp_browser(&endpoint.tabs, endpoint.everyday, endpoint.browser.as_deref())?;
        let label = endpoint.name.as_deref();
        let of = self.browsers.with_run(browser.run()).unwrap_or_else(|| self.browsers.clone()).name().clone();
        let new = NewDriver {
            kind: DriverKind::Cdp,
            client,
            label,
            trusted: false,
            tunnel: None,
            browser: Some(browser.run().clone()),
            opens_in: of,
            process,
        };
        let folder = endpoint.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned());
        let registered = self.register(new, folder)?;
        let client = CdpClient { registered, browser, made: Mutex::default() };
        client.record(&format!("cdp {} connect", endpoint.id), true)?;
        for tab in &endpoint.tabs {
            self.drivers.lease_to(&client.registered.driver, *tab, JoinedBy::Person)?;
        }
        if endpoint.tabs.is_empty() {
            client.new_tab(None).await?;
        }
        Ok(client)
    }

    /// Returns the browser that an endpoint is for. Fails for an everyday browser if the person did not choose that, and for any
    /// other one if they did.
    fn cdp_browser(&self, tabs: &[TabId], everyday: bool, name: Option<&str>) -> Result<Browser, Fault> {
        let browsers = self.browsers.of_request(tabs.first().copied(), name)?;
        let browser = match tabs.first() {
            Some(tab) => browsers.pages_with(Some(*tab)).ok_or(BrowsersError::NotConnected)?.0,
            None => {
                let none = || BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with(["cdp"]));
                match browsers.current() {
                    None if !browsers.name().is_main() => return Err(browsers.not_open()),
                    browser => browser.ok_or_else(none)?,
                }
            }
        };
        self.browsers.check_limit(&browser)?;
        match (browser.is_relayed(), everyday) {
            (true, false) => return Err(DriversError::EverydayNotChosen.into()),
            (false, true) => return Err(DriversError::NoEveryday.into()),
            _ => {}
        }
        for tab in tabs {
            check_page(&browser.tab(*tab)?.info()?)?;
        }
        Ok(browser)
    }
}

/// Fails for a page of the browser itself or a local file, which no CDP client may drive.
fn check_page(tab: &TabInfo) -> Result<(), Fault> {
    if is_web_page(&tab.url) {
        return Ok(());
    }
    Err(DriversError::NoWebPage { tab: tab.id.to_string() }.into())
}

/// Returns true for the address of a page that a CDP client may drive.
pub fn is_web_page(url: &str) -> bool {
    const OPEN: [&str; 8] = [
        "http://",
        "https://",
        "about:blank",
        "about:srcdoc",
        "data:",
        "blob:http://",
        "blob:https://",
        "chrome-error:",
    ];
    url.is_empty() || OPEN.iter().any(|start| url.starts_with(start))
}

/// A connected CDP client: a registered driver with its tabs. Dropping it ends its registration and its leases.
pub struct CdpClient {
    registered: Registered,
    browser: Browser,
    /// The tabs that it opened, which it may close.
    made: Mutex<BTreeSet<TabId>>,
}

impl CdpClient {
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Returns what people see: `Playwright (work)`.
    pub fn name(&self) -> &str {
        &self.registered.driver.name
    }

    /// Returns the client's process.
    pub fn process(&self) -> Process {
        self.registered.driver.process.clone()
    }

    /// Returns a token that is cancelled when the daemon ends.
    pub fn shutdown(&self) -> CancellationToken {
        self.registered.services.tasks.shutdown()
    }

    /// Returns a receiver that is notified when the leases may have changed.
    pub fn watch_leases(&self) -> watch::Receiver<()> {
        self.registered.services.drivers.watch()
    }

    /// Returns the leased tabs that show a web page.
    pub fn tabs(&self) -> Vec<TabInfo> {
        let services = &self.registered.services;
        let mine = services.tabs.sets().of(&self.registered.driver.conversation);
        let open = mine.into_iter().filter_map(|tab| self.browser.tab(tab).ok()?.info().ok());
        open.filter(|tab| is_web_page(&tab.url)).collect()
    }

    /// Opens an empty tab in a context, or in the browser's own, and leases it.
    pub async fn new_tab(&self, context: Option<&str>) -> Result<TabId, Fault> {
        let tab = self.browser.new_tab_in(context).await?.id();
        lock(&self.made).insert(tab);
        self.registered.services.drivers.lease_to(&self.registered.driver, tab, JoinedBy::Agent)?;
        Ok(tab)
    }

    /// Returns true if the client or one of its pages opened the tab, so that closing it takes nothing from the person.
    pub fn may_close(&self, tab: TabId) -> bool {
        let sets = self.registered.services.tabs.sets();
        lock(&self.made).contains(&tab) || sets.is_made_by_agent(&self.registered.driver.conversation, tab)
    }

    /// Returns the tabs that end with the client: those that it opened and still has. The one in which the person took over
    /// stays, and so does the last tab of the browser, which would end with it.
    pub fn tabs_to_close(&self) -> Vec<Tab> {
        let Registered { services, driver, .. } = &self.registered;
        let taken_over = services.pauses.of(driver.conversation.id()).map(|pause| pause.tab);
        let ending = self.tabs().into_iter().filter(|tab| self.may_close(tab.id) && Some(tab.id) != taken_over);
        let mut ending: Vec<Tab> = ending.filter_map(|tab| self.browser.tab(tab.id).ok()).collect();
        if ending.len() >= self.browser.tabs().len() {
            ending.pop();
        }
        ending
    }

    /// Returns the only sites that the browser may reach, by the configuration of this moment.
    pub fn limits(&self) -> SiteLimits {
        self.registered.services.browsers.limit(&self.browser);
        self.browser.limits()
    }

    /// Records that the client acts, and where. Fails while the person has taken over from it, and in a browser that is not
    /// held to the list of sites.
    pub fn acts_in(&self, tab: Option<TabId>) -> Result<(), Fault> {
        let Registered { services, driver, .. } = &self.registered;
        services.browsers.check_limit(&self.browser)?;
        let (pauses, worker) = (&services.pauses, driver.conversation.id());
        // A DevTools command has no place for the note of the person.
        pauses.take_note(worker);
        if let Some(pause) = pauses.of(worker) {
            return Err(DriversError::PersonWorks { tab: pause.tab.to_string() }.into());
        }
        // A DevTools command is over at once. What counts is that this client worked in the tab a moment ago.
        if let Some(running) = tab.and_then(|tab| pauses.begin(worker, tab)) {
            drop(running);
        }
        Ok(())
    }

    /// Adds a line about this client to the audit.
    pub fn record(&self, action: &str, allowed: bool) -> Result<(), Fault> {
        let driver = &self.registered.driver;
        self.registered.services.policy.record(&driver_entry(driver, action.to_owned(), allowed, AuditBy::Default))
    }
}

#[cfg(test)]
mod tests {
    use super::is_web_page;

    #[test]
    fn pages_of_the_browser_and_files_are_no_web_pages() {
        for url in ["", "about:blank", "http://a/", "https://a/", "data:text/html,x", "chrome-error://chromewebdata/"] {
            assert!(is_web_page(url), "{url}");
        }
        for url in [
            "chrome://settings/",
            "file:///etc/passwd",
            "chrome-extension://x/y",
            "devtools://d",
            "blob:null/1",
            "view-source:http://a/",
        ] {
            assert!(!is_web_page(url), "{url}");
        }
    }
}
