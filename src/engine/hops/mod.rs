//! Every hop from a panel to an agent, checked at the moment of the request.
//!
//! Owns the checks and their time limit. Never repairs anything.

mod error;

use crate::agents::AgentPool;
use crate::browsers::{Browsers, BrowsersError};
use crate::config::Config;
use crate::panel_keys::PanelKeys;
use crate::policy::PolicyService;
use crate::ports::{PortId, Ports};
use crate::tasks::off_thread;
use crate::worktrees::Worktrees;
use error::HopError;
use gstack_agent::agent_list::Look;
use gstack_base::browser_names::BrowserName;
use gstack_base::home::Home;
use gstack_base::process;
use gstack_base::site_list::SiteList;
use gstack_browser::browser::Browser;
use gstack_protocol::VERSION;
use gstack_protocol::basics::Echo;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::control::Doctor;
use gstack_protocol::fault::{Fault, FaultWords, Hop};
use gstack_protocol::hello::HostPreamble;
use gstack_protocol::hops::HopState;
use std::time::{Duration, Instant};

/// A hop that does not answer within this time counts as down.
const LIMIT: Duration = Duration::from_secs(5);

/// In bytes. One long conversation with images can use up this much.
const LITTLE_SPACE: u64 = 50_000_000;

/// The services that the hops are made of. Cheap to clone.
#[derive(Clone)]
pub struct HopChecks {
    pub(crate) home: Home,
    pub(crate) agents: AgentPool,
    pub(crate) browsers: Browsers,
    pub(crate) panel_keys: PanelKeys,
    pub(crate) policy: PolicyService,
    pub(crate) ports: Ports,
    pub(crate) worktrees: Worktrees,
}

impl HopChecks {
    /// Returns the hops behind the host for a panel's Connection view. The request itself proves the hops before it.
    pub async fn behind(&self, port: PortId) -> Vec<HopState> {
        vec![self.host_hop(port), self.daemon_hop(), self.browser_hop(Some(port)).await, self.agent_hop().await]
    }

    /// Checks all hops, for `gstack doctor`.
    pub async fn doctor(&self) -> Doctor {
        let mut hops = vec![self.daemon_hop(), self.browser_hop(None).await];
        hops.extend(self.way_to_panels().await);
        hops.push(self.agent_hop().await);
        let mut notes = self.file_notes().await;
        notes.extend(self.limit_notes());
        if self.is_windowless() {
            notes.push(
                "the open browser has no window; for one with the side panel: gstack disconnect, then gstack connect"
                    .to_owned(),
            );
        }
        notes.extend(self.worktrees.notes().await);
        Doctor { hops, notes }
    }

    /// Reports files of the home that will break the next start or an agent's next step.
    async fn file_notes(&self) -> Vec<String> {
        let home = self.home.clone();
        let looked = off_thread(move || {
            let mut notes = Vec::new();
            if let Err(fault) = Config::load(&home) {
                notes.push(words(&fault));
            }
            let disk = rustix::fs::statvfs(home.root()).ok();
            let free = disk.map_or(u64::MAX, |disk| disk.f_bavail * disk.f_frsize);
            if free < LITTLE_SPACE {
                let place = home.root().display();
                notes.push(format!("the disk that holds {place} has {} MB left: free some space", free / 1_000_000));
            }
            Ok(notes)
        });
        let mut notes = looked.await.unwrap_or_default();
        notes.extend(self.panel_keys.notes());
        notes.extend(self.policy.fault().as_ref().map(words));
        notes
    }

    /// Reports the open browsers that reach other sites than the configuration says.
    fn limit_notes(&self) -> Vec<String> {
        let named = |sites: &SiteList| if sites.is_empty() { "every site".to_owned() } else { format!("only {sites}") };
        let configured = named(&self.browsers.configured_sites());
        let note = |(name, browser): (BrowserName, Browser)| {
            let open = named(&browser.only_sites());
            let browser_option = if name.is_main() { String::new() } else { format!(" --browser {name}") };
            match browser.has_resolver_rules() {
                true => format!(
                    "the open browser {name} reaches {open}, but the configuration says {configured}: close it with \
                     gstack disconnect{browser_option}, then run gstack connect"
                ),
                false => format!(
                    "the configuration says {configured}, to which the browser {name} cannot be held, so nothing acts in it: \
                     run gstack disconnect{browser_option}, or gstack policy only --off"
                ),
            }
        };
        self.browsers.otherwise_limited().into_iter().map(note).collect()
    }

    /// Returns the daemon's hop. It is up if the person's rules could be read.
    fn daemon_hop(&self) -> HopState {
        if let Some(fault) = self.policy.fault() {
            return bad(Hop::Daemon, fault);
        }
        let (pid, home) = (std::process::id().to_string(), self.home.root().display().to_string());
        good(Hop::Daemon, catalogue::HOP_DAEMON.with([VERSION, &pid, &home]), None)
    }

    fn host_hop(&self, of: PortId) -> HopState {
        match self.ports.preamble(of) {
            Some(preamble) => good(Hop::Host, host_words(&preamble), None),
            None => no_host(),
        }
    }

    /// Checks the path out to a browser's extension and its panels.
    async fn way_to_panels(&self) -> Vec<HopState> {
        let Some((sender, preamble, panel, panels)) = self.ports.busiest() else {
            // A browser without a window has no side panel to reach.
            return if self.is_windowless() { Vec::new() } else { vec![no_host(), no_panel()] };
        };
        let words = host_words(&preamble);
        let mut hops = match self.ports.echo(&sender, None, LIMIT).await {
            Some(took) => vec![
                good(Hop::Host, words, None),
                HopState { millis: Some(took), ..good(Hop::Background, catalogue::HOP_ANSWERS, None) },
            ],
            // Without its host, nothing is known about the extension.
            None if preamble.pid.try_into().is_ok_and(process::is_stopped) => {
                return vec![bad(Hop::Host, HopError::HostStopped(preamble.pid).into())];
            }
            None => vec![good(Hop::Host, words, None), bad(Hop::Background, HopError::ExtensionSilent.into())],
        };
        hops.push(match panel {
            None if self.is_windowless() => return hops,
            None => no_panel(),
            Some(panel) => match self.ports.echo(&sender, Some(panel), LIMIT).await {
                Some(took) => HopState {
                    millis: Some(took),
                    ..good(Hop::Panel, catalogue::HOP_ANSWERS_OPEN.with([&panels.to_string()]), None)
                },
                None => bad(Hop::Panel, HopError::PanelSilent.into()),
            },
        });
        hops
    }

    fn is_windowless(&self) -> bool {
        self.browsers.current().is_some_and(|browser| browser.is_headless())
    }

    /// Handles the answer to an echo.
    pub fn echoed(&self, echo: Echo) {
        self.ports.echoed(echo);
    }

    /// Checks the browser behind a port, else the one in use.
    async fn browser_hop(&self, of: Option<PortId>) -> HopState {
        let of_port = of.and_then(|port| self.browsers.of_port(port));
        let Some(browser) = of_port.or_else(|| self.browsers.current()) else {
            return bad(Hop::Browser, BrowsersError::NotOpen(catalogue::NO_BROWSER_TO_ACT.into()).into());
        };
        let began = Instant::now();
        match tokio::time::timeout(LIMIT, browser.version()).await {
            Ok(Ok(version)) => {
                let in_use = self.browsers.with_run(browser.run()).unwrap_or_else(|| self.browsers.clone());
                let pid = in_use.pid().filter(|_| !browser.is_relayed());
                let tabs = browser.tabs().len().to_string();
                let detail = match pid {
                    Some(pid) => catalogue::HOP_BROWSER.with([&version, &pid.to_string(), &tabs]),
                    None if browser.is_relayed() => catalogue::HOP_BROWSER_EXTENSION.with([&version, &tabs]),
                    None if in_use.is_attached() => catalogue::HOP_BROWSER_ATTACHED.with([&version, &tabs]),
                    None => catalogue::HOP_BROWSER_TABS.with([&version, &tabs]),
                };
                good(Hop::Browser, detail, Some(began))
            }
            Ok(Err(error)) => bad(Hop::Browser, error.into()),
            Err(_) => bad(Hop::Browser, HopError::BrowserSilent.into()),
        }
    }

    async fn agent_hop(&self) -> HopState {
        let began = Instant::now();
        let agents = self.agents.list(Look::Again).await.agents;
        let Some(agent) = agents.iter().find(|agent| agent.default) else {
            return bad(Hop::Agent, HopError::NoAgent.into());
        };
        let version = agent.version.as_deref().unwrap_or_default();
        let detail = match &agent.path {
            Some(path) if agent.fault.is_none() => self.agents.with_sandbox([&agent.label, version, path]),
            Some(path) => catalogue::HOP_AGENT.with([&agent.label, version, path]),
            None => format!("{} {version}", agent.label).trim_end().into(),
        };
        match &agent.fault {
            None => good(Hop::Agent, detail, Some(began)),
            Some(fault) => {
                let (detail, words) = FaultWords::of(detail);
                HopState { detail, words, ..bad(Hop::Agent, fault.clone()) }
            }
        }
    }
}

fn words(fault: &Fault) -> String {
    format!("{} {}", fault.message, fault.hint.as_deref().unwrap_or_default())
}

fn host_words(preamble: &HostPreamble) -> Sentence {
    catalogue::HOP_VERSION.with([&preamble.version, &preamble.pid.to_string()])
}

fn no_host() -> HopState {
    bad(Hop::Host, HopError::NoExtension.into())
}

fn no_panel() -> HopState {
    bad(Hop::Panel, HopError::NoPanel.into())
}

fn good(hop: Hop, detail: impl Into<Sentence>, began: Option<Instant>) -> HopState {
    let (detail, words) = FaultWords::of(detail.into());
    let millis = began.map(|began| began.elapsed().as_secs_f64() * 1000.0);
    HopState { hop, ok: true, detail, words, millis, fault: None }
}

fn bad(hop: Hop, fault: Fault) -> HopState {
    HopState { hop, ok: false, detail: fault.message.clone(), words: None, millis: None, fault: Some(fault.at(hop)) }
}
