//! What `gstack status` shows: the browsers, their tabs, the panels, agents and drivers.
//!
//! Owns its text for people too.

use super::driver::DriverInfo;
use super::ids::TabId;
use super::remote::RemoteStatus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// `GET /status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub healthy: bool,
    /// How long nothing has come from the browser, in milliseconds, if it does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_for: Option<u64>,
    /// `headed`, `headless`, `attached`, `remote`, `everyday` or `none`.
    pub mode: String,
    pub url: Option<String>,
    pub tabs: usize,
    pub pid: u32,
    pub browser_pid: Option<u32>,
    /// The instance: `default`, or the name of its session. Empty from older releases.
    #[serde(default)]
    pub session: String,
    /// What chose the instance: `option`, `environment`, `default` or the path of a project's file. Only the command line
    /// knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// When the daemon was ready, in milliseconds since 1970. 0 from older releases.
    #[serde(default)]
    pub since: u64,
    /// The profile of a browser that gstack started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    pub version: String,
    pub port: u16,
    pub panels: usize,
    pub agents_running: usize,
    pub turns_running: usize,
    /// Settings of tabs that change what they send or show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<TabOverrides>,
    /// The registered drivers, and the tabs that each one leases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<DriverInfo>,
    /// Where the browser in use runs, if that is another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteStatus>,
    /// For each session on another machine that is not in use and not yet released: the Grid's address without path, query
    /// and user, or the hosted service's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreleased: Vec<String>,
    /// All browsers that are in use, and those that are gone without having been closed: the main one first. What is
    /// above is about the main one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub browsers: Vec<NamedBrowserInfo>,
    /// The only sites that the open browser reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_sites: Option<String>,
    /// The list in the configuration, if that of the open browser differs. Empty: every site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured_sites: Option<String>,
    /// The reason why the person's rules cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_fault: Option<String>,
    /// The sandbox that agents run in, or why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
}

/// The name of the browser that needs none.
const MAIN_BROWSER: &str = "main";

/// One of the browsers that a daemon drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NamedBrowserInfo {
    /// `main`, or the name that the person gave it.
    pub name: String,
    /// As in [`Status`].
    pub mode: String,
    /// Why it is gone, if it was in use and was not closed by gstack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// The address of its current tab.
    pub url: Option<String>,
    pub tabs: usize,
    pub browser_pid: Option<u32>,
    /// The profile of a browser that gstack started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Where it runs, if that is another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteStatus>,
    /// The sites that it was opened for, if those are not the ones in the configuration. Empty: every site. It is held to
    /// both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_sites: Option<String>,
}

impl NamedBrowserInfo {
    /// Returns its line in `status` and `instances`.
    pub fn line(&self) -> String {
        let name = &self.name;
        if let Some(why) = &self.lost {
            return format!("Browser {name}: gone, {why} (gstack connect --name {name} opens it again)");
        }
        let plural = if self.tabs == 1 { "" } else { "s" };
        let mut facts = vec![self.mode.clone(), format!("{} tab{plural}", self.tabs)];
        facts.extend(self.browser_pid.map(|pid| format!("PID {pid}")));
        facts.extend(self.profile.as_ref().map(|profile| format!("profile {profile}")));
        facts.extend(self.remote.as_ref().map(|remote| format!("{} at {}", remote.provider, remote.at)));
        facts.extend(self.only_sites.as_deref().map(|sites| match sites {
            "" => "opened for every site".to_owned(),
            sites => format!("opened for {sites} only"),
        }));
        facts.extend(self.url.clone());
        format!("Browser {name}: {}", facts.join(", "))
    }
}

/// The settings of one tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct TabOverrides {
    pub tab: TabId,
    /// `2 routes (5 requests)`, `offline`.
    pub set: Vec<String>,
}

impl Status {
    /// Returns the first line of `status`: the browser's state and how to fix it.
    fn health(&self) -> Cow<'static, str> {
        if let Some(silent_for) = self.silent_for {
            let seconds = silent_for.div_ceil(1000);
            return format!(
                "the browser has not answered for {seconds} s (gstack restart closes it and opens it again)"
            )
            .into();
        }
        let words = match self.mode.as_str() {
            _ if self.healthy => "healthy",
            "everyday" => "your everyday browser is not connected (start it, or run gstack disconnect)",
            _ => "no browser (gstack connect opens one)",
        };
        words.into()
    }

    /// Returns the status for people. `chosen`: what chose the instance, if anything did.
    pub fn text(&self, chosen: Option<String>) -> String {
        let mut lines = vec![format!("Status: {}", self.health()), format!("Mode: {}", self.mode)];
        lines.extend((!self.session.is_empty()).then(|| {
            let chosen = chosen.map(|chosen| format!(", {chosen}")).unwrap_or_default();
            format!("Session: {}{chosen}", self.session)
        }));
        if let Some(url) = &self.url {
            lines.push(format!("URL: {url}"));
        }
        lines.extend(self.remote.as_ref().map(RemoteStatus::line));
        lines.extend(self.unreleased.chunk_by(|a, b| a == b).map(|sessions| {
            let count =
                if sessions.len() == 1 { "a session".to_owned() } else { format!("{} sessions", sessions.len()) };
            format!("Not released: {count} at {} (gstack disconnect tries again)", sessions[0])
        }));
        lines.push(format!("Tabs: {}", self.tabs));
        lines.push(match self.browser_pid {
            Some(browser) => format!("PID: {} (browser {browser})", self.pid),
            None => format!("PID: {}", self.pid),
        });
        lines.extend(self.profile.as_ref().map(|profile| format!("Profile: {profile}")));
        if self.browsers.iter().any(|browser| browser.name != MAIN_BROWSER) {
            lines.extend(self.browsers.iter().map(NamedBrowserInfo::line));
        }
        lines.push(format!("Version: {}", self.version));
        lines.push(format!("Panels: {}", self.panels));
        lines.push(format!("Agents: {} running, {} turns", self.agents_running, self.turns_running));
        lines.push(format!("Address: http://127.0.0.1:{}", self.port));
        lines.extend((!self.overrides.is_empty()).then(|| {
            let words = |one: &TabOverrides| format!("tab {}: {}", one.tab, one.set.join(", "));
            format!("Set: {}", self.overrides.iter().map(words).collect::<Vec<_>>().join("; "))
        }));
        lines.extend(
            (!self.drivers.is_empty()).then(|| {
                format!("Drivers: {}", self.drivers.iter().map(DriverInfo::line).collect::<Vec<_>>().join("; "))
            }),
        );
        lines.extend(self.limit_line());
        lines.extend(self.sandbox.as_ref().map(|sandbox| format!("Sandbox: {sandbox}")));
        lines.extend(self.policy_fault.as_ref().map(|fault| format!("Policy: {fault}")));
        lines.join("\n")
    }

    /// Returns which sites the open browser reaches, and which the configuration allows if those are others.
    fn limit_line(&self) -> Option<String> {
        let named = |sites: &str| if sites.is_empty() { "every site".to_owned() } else { sites.to_owned() };
        let open = self.only_sites.as_deref();
        match self.configured_sites.as_deref() {
            None => open.map(|sites| format!("Only: {sites}")),
            Some(configured) => {
                let (open, configured) = (named(open.unwrap_or_default()), named(configured));
                Some(format!("Only: {open} in the open browser; the configuration says {configured}"))
            }
        }
    }
}
