//! The browsers that people connect, attach to, hand off and disconnect.
//!
//! Owns the order of those steps and what the terminal is told. The browser itself is in `browsers`.

mod attach;
mod connect;
mod disconnect;
mod error;
mod handoff;
mod remote;

use crate::agents::AgentPool;
use crate::browsers::Browsers;
use crate::command_runner::CommandRunner;
use crate::config::ConfigFile;
use crate::conversations::Conversations;
use crate::panel_keys::PanelKeys;
use crate::ports::Ports;
use crate::provision::Provision;
use crate::settings::SettingsService;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use gstack_base::home::Home;

/// A handle to the browser that people connect and disconnect. Cheap to clone.
#[derive(Clone)]
pub struct BrowserConnection {
    pub(crate) home: Home,
    pub(crate) provision: Provision,
    pub(crate) agents: AgentPool,
    pub(crate) browsers: Browsers,
    pub(crate) config: ConfigFile,
    pub(crate) conversations: Conversations,
    pub(crate) panel_keys: PanelKeys,
    pub(crate) ports: Ports,
    pub(crate) runner: CommandRunner,
    pub(crate) settings: SettingsService,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    pub(crate) welcome_url: String,
}

impl BrowserConnection {
    /// Returns the same handle for another browser.
    pub(crate) fn in_browser(&self, browsers: Browsers) -> Self {
        Self { runner: self.runner.in_browser(browsers.clone()), browsers, ..self.clone() }
    }
}
