//! The handle to the engine, and its services.
//!
//! Owns the list of services and their accessors. The other files of this folder use them.

use super::activity::ActivityLog;
use super::agents::{AgentAccess, AgentPool, Tokens};
use super::browsers::Browsers;
use super::config::{Config, ConfigFile};
use super::conversations::Conversations;
use super::driver_sessions::ToldDrivers;
use super::drivers::Drivers;
use super::panel_keys::PanelKeys;
use super::policy::PolicyService;
use super::ports::Ports;
use super::provision::Provision;
use super::tabs::Tabs;
use super::tasks::Tasks;
use super::worktrees::Worktrees;
use crate::base::home::Home;
use crate::base::upgrade::UpgradeMark;
use crate::browser::page::video::Recordings;
use crate::chat::Store;
use crate::engine::panels::Pointing;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The path on the port where agents reach their tools.
pub(crate) const MCP_PATH: &str = "/mcp";

/// A handle to the engine. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Engine {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) home: Home,
    pub(super) config: ConfigFile,
    /// The mark for the newer gstack that asked to take over. If set, no new turn begins.
    pub(super) handing_over: Mutex<Option<UpgradeMark>>,
    /// Notified when a turn has ended.
    pub(super) turns_changed: watch::Sender<()>,
    /// The daemon's port on 127.0.0.1.
    pub(super) port: u16,
    pub(super) provision: Provision,
    pub(super) agents: AgentPool,
    pub(super) browsers: Browsers,
    pub(super) ports: Ports,
    pub(super) panel_keys: Mutex<PanelKeys>,
    pub(super) conversations: Conversations,
    pub(super) tabs: Tabs,
    /// The MCP clients that are registered.
    pub(super) drivers: Drivers,
    /// Notified when panels may have to be told of drivers.
    pub(super) drivers_changed: watch::Sender<()>,
    pub(super) told_drivers: Mutex<ToldDrivers>,
    /// The tools of running agents, by token.
    pub(super) tokens: Tokens<dyn AgentAccess>,
    pub(super) policy: PolicyService,
    /// Notified when an approval or question is added or resolved.
    pub(super) approvals_changed: watch::Sender<()>,
    pub(super) pointing: Mutex<Pointing>,
    pub(super) activity: ActivityLog,
    /// The videos that are recorded: they outlive a browser.
    pub(super) recordings: Recordings,
    pub(super) worktrees: Worktrees,
    pub(super) busy: watch::Sender<bool>,
    /// The browser mode for `browse.json`.
    pub(super) mode: watch::Sender<&'static str>,
    pub(super) tasks: Tasks,
}

impl Engine {
    pub(crate) fn request_shutdown(&self) {
        self.inner.tasks.request_shutdown();
    }
    pub(crate) fn config(&self) -> Arc<Config> {
        self.inner.config.get()
    }
    /// Returns a receiver that is notified when a setting changed.
    pub(crate) fn watch_config(&self) -> watch::Receiver<()> {
        self.inner.config.watch()
    }
    /// Returns the policy: what agents may do, the rules that people made, and the audit.
    pub(crate) fn policy(&self) -> &PolicyService {
        &self.inner.policy
    }
    /// Returns the agents: which exist, and which answers.
    pub(crate) fn agents(&self) -> &AgentPool {
        &self.inner.agents
    }
    /// Returns the browsers: the one in use, and the connected everyday ones.
    pub(crate) fn browsers(&self) -> &Browsers {
        &self.inner.browsers
    }
    /// Returns the conversations: their list, their files and their subscriptions.
    pub(crate) fn conversations(&self) -> &Conversations {
        &self.inner.conversations
    }
    /// Returns the activity log.
    pub(crate) fn activity(&self) -> &ActivityLog {
        &self.inner.activity
    }
    pub(crate) fn home(&self) -> &Home {
        &self.inner.home
    }
    /// Returns a token that is cancelled when the daemon ends.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.inner.tasks.shutdown()
    }
    /// Returns a receiver of whether a panel, a turn or a browser needs the daemon.
    pub(crate) fn watch_busy(&self) -> watch::Receiver<bool> {
        self.inner.busy.subscribe()
    }

    /// Returns a receiver of the mode that `status` shows.
    pub(crate) fn watch_mode(&self) -> watch::Receiver<&'static str> {
        self.inner.mode.subscribe()
    }

    pub(super) fn store(&self) -> &Store {
        self.inner.conversations.store()
    }
    pub(super) fn ports(&self) -> &Ports {
        &self.inner.ports
    }
    pub(super) fn worktrees(&self) -> &Worktrees {
        &self.inner.worktrees
    }
    pub(super) fn tabs(&self) -> &Tabs {
        &self.inner.tabs
    }
    pub(super) fn drivers(&self) -> &Drivers {
        &self.inner.drivers
    }
    pub(super) fn shutdown(&self) -> CancellationToken {
        self.inner.tasks.shutdown()
    }
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.inner.tasks.spawn(task);
    }
    pub(super) fn approval_limit(&self) -> Duration {
        self.inner.config.approval_limit()
    }

    pub(super) fn welcome_url(&self) -> String {
        format!("http://127.0.0.1:{}/welcome", self.inner.port)
    }
    pub(super) fn mcp_url(&self) -> String {
        format!("http://127.0.0.1:{}{MCP_PATH}", self.inner.port)
    }
}
