//! What `gstack status` shows.
//!
//! Owns no state: it asks the services.

use crate::engine::agents::AgentPool;
use crate::engine::browsers::Browsers;
use crate::engine::drivers::Drivers;
use crate::engine::policy::PolicyService;
use crate::engine::ports::Ports;
use crate::engine::tabs::Tabs;
use crate::protocol::VERSION;
use crate::protocol::status::{Status, TabOverrides};

/// The services that the status is about. Cheap to clone.
#[derive(Clone)]
pub(crate) struct StatusReport {
    /// The daemon's port on 127.0.0.1.
    pub(in crate::engine) port: u16,
    /// The name of the instance.
    pub(in crate::engine) session: String,
    /// When the daemon started, in milliseconds since 1970.
    pub(in crate::engine) since: u64,
    pub(in crate::engine) agents: AgentPool,
    pub(in crate::engine) browsers: Browsers,
    pub(in crate::engine) drivers: Drivers,
    pub(in crate::engine) policy: PolicyService,
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) tabs: Tabs,
}

impl StatusReport {
    /// Returns what `gstack status` shows.
    pub(crate) fn now(&self) -> Status {
        let browser = self.browsers.status();
        Status {
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
        }
    }
}
