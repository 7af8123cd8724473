//! What `gstack status` shows.
//!
//! Owns no state: it asks the services.

use crate::agents::AgentPool;
use crate::browsers::Browsers;
use crate::drivers::Drivers;
use crate::policy::PolicyService;
use crate::ports::Ports;
use crate::tabs::Tabs;
use gstack_base::filled_secrets;
use gstack_protocol::VERSION;
use gstack_protocol::status::{Status, TabOverrides};

/// The services that the status is about. Cheap to clone.
#[derive(Clone)]
pub struct StatusReport {
    /// The daemon's port on 127.0.0.1.
    pub(crate) port: u16,
    /// The name of the instance.
    pub(crate) session: String,
    /// When the daemon started, in milliseconds since 1970.
    pub(crate) since: u64,
    pub(crate) agents: AgentPool,
    pub(crate) browsers: Browsers,
    pub(crate) drivers: Drivers,
    pub(crate) policy: PolicyService,
    pub(crate) ports: Ports,
    pub(crate) tabs: Tabs,
}

impl StatusReport {
    /// Returns what `gstack status` shows.
    pub fn now(&self) -> Status {
        let browser = self.browsers.status();
        // A page's address and title may have what gstack filled in.
        filled_secrets::cleaned(Status {
            healthy: browser.is_some(),
            mode: self.browsers.mode().to_owned(),
            url: browser.as_ref().and_then(|b| b.url.clone()),
            tabs: browser.as_ref().map_or(0, |b| b.tabs),
            pid: std::process::id(),
            browser_pid: browser.and_then(|b| b.pid),
            session: self.session.clone(),
            chosen_by: None,
            since: self.since,
            profile: self.browsers.profile().map(|profile| profile.to_string()),
            version: VERSION.to_owned(),
            port: self.port,
            panels: self.ports.panels(),
            agents_running: self.agents.running(),
            turns_running: self.tabs.turns_running(),
            overrides: self
                .browsers
                .current()
                .map(|browser| browser.overrides())
                .unwrap_or_default()
                .into_iter()
                .map(|(tab, set)| TabOverrides { tab, set })
                .collect(),
            drivers: self.drivers.infos(),
            remote: self.browsers.remote_status(),
            unreleased: self.browsers.unreleased(),
            browsers: self.browsers.infos(),
            only_sites: self
                .browsers
                .current()
                .map(|browser| browser.only_sites().to_string())
                .filter(|sites| !sites.is_empty()),
            configured_sites: self
                .browsers
                .current()
                .map(|browser| (browser, self.browsers.configured_sites()))
                .filter(|(browser, configured)| browser.only_sites() != *configured)
                .map(|(_, configured)| configured.to_string()),
            policy_fault: self.policy.fault().map(|fault| fault.message),
            sandbox: self.agents.sandbox_status(),
        })
    }
}
