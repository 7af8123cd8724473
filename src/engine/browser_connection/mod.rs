//! The browsers that people connect, attach to, hand off and disconnect.
//!
//! Owns the order of those steps and what the terminal is told. The browser itself is in `browsers`.

mod attach;
mod connect;
mod disconnect;
mod error;
mod handoff;
mod remote;

use crate::base::home::Home;
use crate::engine::agents::AgentPool;
use crate::engine::browsers::Browsers;
use crate::engine::command_runner::CommandRunner;
use crate::engine::config::ConfigFile;
use crate::engine::conversations::Conversations;
use crate::engine::panel_keys::PanelKeys;
use crate::engine::ports::Ports;
use crate::engine::provision::Provision;
use crate::engine::settings::SettingsService;
use crate::engine::tabs::Tabs;
use crate::engine::tasks::Tasks;

/// A handle to the browser that people connect and disconnect. Cheap to clone.
#[derive(Clone)]
pub(crate) struct BrowserConnection {
    pub(in crate::engine) home: Home,
    pub(in crate::engine) provision: Provision,
    pub(in crate::engine) agents: AgentPool,
    pub(in crate::engine) browsers: Browsers,
    pub(in crate::engine) config: ConfigFile,
    pub(in crate::engine) conversations: Conversations,
    pub(in crate::engine) panel_keys: PanelKeys,
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) runner: CommandRunner,
    pub(in crate::engine) settings: SettingsService,
    pub(in crate::engine) tabs: Tabs,
    pub(in crate::engine) tasks: Tasks,
    pub(in crate::engine) welcome_url: String,
}

impl BrowserConnection {
    /// Returns the same handle for another browser.
    pub(in crate::engine) fn in_browser(&self, browsers: Browsers) -> Self {
        Self { runner: self.runner.in_browser(browsers.clone()), browsers, ..self.clone() }
    }
}
