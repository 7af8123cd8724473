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
use std::time::Duration;

/// A browser on a busy machine needs less.
const ANSWERS_WITHIN: Duration = Duration::from_secs(3);

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
    /// Returns what `gstack status` shows, after it has asked the browser whether it answers.
    pub async fn asked(&self) -> Status {
        let silence = match self.browsers.current() {
            Some(browser) => browser.silence(ANSWERS_WITHIN).await,
            None => None,
        };
        let silent_for = silence.map(|silence| u64::try_from(silence.as_millis()).unwrap_or(u64::MAX));
        let now = self.now();
        Status { healthy: now.healthy && silent_for.is_none(), silent_for, ..now }
    }

    /// Returns the same without asking the browser.
    pub fn now(&self) -> Status {
        let browser = self.browsers.status();
        // A page's address and title may have what gstack filled in.
        filled_secrets::cleaned(Status {
            healthy: browser.is_some(),
            silent_for: None,
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
