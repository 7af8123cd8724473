//! The engine: the daemon's one state, and everything that panels, terminals and agents can ask of it.
//!
//! Owns ports, conversations' tasks, the browser in use, agents, tokens and approvals, and joins the layers
//! below, which do not know each other. Never parses a request and never formats an answer.

mod activity;
mod agents;
mod approvals;
mod attach;
mod browser_changes;
mod browsers;
mod chats;
mod choosing;
mod commands;
mod config;
mod connect;
mod connected_from;
mod earlier;
mod elements;
mod everyday_list;
mod folders;
mod handoff;
mod handover;
mod history;
mod hops;
mod keyboard;
mod leftovers;
mod panel_keys;
mod panels;
mod policy;
mod ports;
mod provision;
mod runner;
mod settings;
mod spare;
mod tab_reports;
mod tabs;
mod tasks;
mod terminal;
mod tools;
mod turn_steps;
mod worktrees;

pub use crate::agent::adapter::{Image, Tools};
pub use crate::browser::relay::Heard;
pub use activity::{ActivityLog, Followed, RING as ACTIVITY_RING};
pub use agents::AgentPool;
pub use browsers::Browsers;
pub use config::Config;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use panel_keys::{check as check_proof, confirmed_in, signed_text};
pub use policy::PolicyService;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use policy::policy_rules_of;
pub use ports::{PortId, PortSender, Standing};
pub use provision::Provision;
pub use tools::{ConversationTools, OfferedTool};

use crate::base::home::{Home, private_folder};
use crate::base::mutex::lock;
use crate::browser::tabs::TabNumbers;
use crate::chat::{Conversation, Event, Store};
use crate::protocol::VERSION;
use crate::protocol::control::Status;
use crate::protocol::fault::{Fault, FaultCode};
use agents::Tokens;
use browsers::{BrowserChange, Needs};
use chats::Subscriptions;
use config::ConfigFile;
use connected_from::ConnectedFrom;
use panel_keys::PanelKeys;
use ports::Ports;
use runner::Runners;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;
use tabs::Tabs;
use tasks::Tasks;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use worktrees::Worktrees;

/// Where agents reach their tools on the port.
pub const MCP_PATH: &str = "/mcp";
/// How long running agents may take to end when the daemon does.
const CLOSE_LIMIT: Duration = Duration::from_secs(6);

/// A handle to the one engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    home: Home,
    config: ConfigFile,
    handing_over: Mutex<bool>,
    /// Raised when a turn has ended.
    turns_changed: watch::Sender<()>,
    port: u16,
    provision: Provision,
    store: Arc<Store>,
    agents: AgentPool,
    browsers: Browsers,
    ports: Ports,
    panel_keys: Mutex<PanelKeys>,
    subscriptions: Mutex<Subscriptions>,
    runners: Mutex<Runners>,
    tabs: Tabs,
    /// The tools of the agents that run.
    tokens: Tokens<ConversationTools>,
    policy: PolicyService,
    /// Raised when an approval or an answer is asked for or is no longer waited for.
    approvals_changed: watch::Sender<()>,
    pointing: Mutex<elements::Pointing>,
    activity: ActivityLog,
    worktrees: Worktrees,
    /// The folder from which `connect` was run.
    folder: Mutex<ConnectedFrom>,
    busy: watch::Sender<bool>,
    /// What `browse.json` says of the browser.
    mode: watch::Sender<&'static str>,
    tasks: Tasks,
}

impl Engine {
    /// Opens the home's conversations, closes what an earlier daemon left unfinished, and takes over its browser.
    pub async fn open(
        home: Home,
        config: Config,
        port: u16,
        provision: Provision,
        shutdown: CancellationToken,
    ) -> Result<Self, Fault> {
        for folder in [home.workspace(), home.run_files()] {
            private_folder(&folder).map_err(|e| Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint()))?;
        }
        let handed_over = handover::was_handed_over(&home);
        leftovers::sweep(&home, std::time::SystemTime::now());
        let store = Arc::new(Store::open(&home).map_err(|e| e.fault())?);
        let recovered = store.recover();
        for (id, error) in &recovered.failed {
            tracing::warn!(conversation = %id, %error, "a conversation can't be opened");
        }
        let (ports, tasks) = (Ports::default(), Tasks::new(shutdown));
        let activity = ActivityLog::open(&home, ports.clone());
        let policy = PolicyService::open(&home, ports.clone(), store.clone(), tasks.clone());
        let panel_keys = PanelKeys::open(home.panels_file());
        let folder = ConnectedFrom::open(&home);
        let numbers = TabNumbers::default();
        let config = ConfigFile::new(home.clone(), config);
        let agents = AgentPool::new(home.clone(), port, config.clone(), ports.clone(), tasks.clone());
        let worktrees =
            Worktrees::new(home.clone(), config.clone(), agents.clone(), store.clone(), ports.clone(), tasks.clone());
        let inner = Arc::new_cyclic(|inner| {
            let browsers = Browsers::open(Needs {
                home: home.clone(),
                config: config.clone(),
                ports: ports.clone(),
                tasks: tasks.clone(),
                provision,
                numbers: numbers.clone(),
                tell: teller(Weak::clone(inner)),
            });
            let tabs = Tabs::new(numbers, browsers.clone(), ports.clone(), store.clone());
            Inner {
                home,
                config,
                handing_over: Mutex::default(),
                turns_changed: watch::Sender::new(()),
                port,
                provision,
                store,
                agents,
                browsers: browsers,
                ports,
                panel_keys: Mutex::new(panel_keys),
                subscriptions: Mutex::default(),
                runners: Mutex::default(),
                tabs,
                tokens: Tokens::default(),
                policy,
                approvals_changed: watch::Sender::new(()),
                pointing: Mutex::default(),
                activity,
                worktrees,
                folder: Mutex::new(folder),
                busy: watch::Sender::new(false),
                mode: watch::Sender::new("none"),
                tasks,
            }
        });
        let engine = Self { inner };
        engine.browsers().take_over().await;
        engine.agents().end_orphans();
        engine.agents().look();
        engine.worktrees().sweep_left();
        if handed_over || engine.config().turns.continue_after_restart {
            engine.go_on(&recovered.conversations);
        }
        Ok(engine)
    }

    /// Lets the messages run that waited when the daemon before this one ended.
    fn go_on(&self, recovered: &[Arc<Conversation>]) {
        for conversation in recovered {
            if let Some(fault) = self.runner(conversation).handle(Event::Continue) {
                self.ports().tell_fault(&fault);
            }
        }
    }

    /// Ends everything that runs; what is open is on disk when this returns.
    pub async fn close(&self) {
        if !self.inner.tasks.end(CLOSE_LIMIT).await {
            tracing::warn!("some tasks did not end in time");
        }
        self.browsers().detach().await;
        self.agents().kill_left_over();
        let engine = self.clone();
        let saved = tokio::task::spawn_blocking(move || engine.store().close()).await;
        if let Ok(Err(error)) = saved {
            tracing::error!(%error, "not everything could be saved");
        }
    }

    pub fn request_shutdown(&self) {
        self.inner.tasks.request_shutdown();
    }
    pub fn config(&self) -> Arc<Config> {
        self.inner.config.get()
    }
    /// Raised when a setting was changed.
    pub fn watch_config(&self) -> watch::Receiver<()> {
        self.inner.config.watch()
    }
    /// What agents may do, what persons have said about that, and the record of it.
    pub fn policy(&self) -> &PolicyService {
        &self.inner.policy
    }
    /// The agents: which there are, and which answers.
    pub fn agents(&self) -> &AgentPool {
        &self.inner.agents
    }
    /// The browser in use, and the everyday ones that are connected.
    pub fn browsers(&self) -> &Browsers {
        &self.inner.browsers
    }
    /// What was done in the browser, by anyone.
    pub fn activity(&self) -> &ActivityLog {
        &self.inner.activity
    }
    pub fn home(&self) -> &Home {
        &self.inner.home
    }
    /// Ends when the daemon does.
    pub fn ended(&self) -> CancellationToken {
        self.inner.tasks.shutdown()
    }
    /// Whether anybody needs the daemon: a panel, a turn or a browser.
    pub fn watch_busy(&self) -> watch::Receiver<bool> {
        self.inner.busy.subscribe()
    }

    /// The mode of `status`, as it changes.
    pub fn watch_mode(&self) -> watch::Receiver<&'static str> {
        self.inner.mode.subscribe()
    }

    pub fn status(&self) -> Status {
        let browser = self.browsers().status();
        Status {
            healthy: browser.is_some(),
            mode: self.browsers().mode().to_owned(),
            url: browser.as_ref().and_then(|b| b.url.clone()),
            tabs: browser.as_ref().map_or(0, |b| b.tabs),
            pid: std::process::id(),
            browser_pid: browser.and_then(|b| b.pid),
            version: VERSION.to_owned(),
            port: self.inner.port,
            panels: self.ports().panels(),
            agents_running: self.agents().running(),
            turns_running: self.tabs().turns_running(),
            policy_fault: self.policy().fault().map(|fault| fault.message),
            sandbox: self.agents().sandbox_status(),
        }
    }

    fn update_busy(&self) {
        let busy = self.ports().panels() > 0 || self.tabs().turns_running() > 0 || self.browsers().is_open();
        self.inner.busy.send_if_modified(|known| std::mem::replace(known, busy) != busy);
        let mode = self.browsers().mode();
        self.inner.mode.send_if_modified(|known| std::mem::replace(known, mode) != mode);
    }

    // The parts, for the files beside this one.

    fn store(&self) -> &Store {
        &self.inner.store
    }
    fn ports(&self) -> &Ports {
        &self.inner.ports
    }
    fn subscriptions(&self) -> MutexGuard<'_, Subscriptions> {
        lock(&self.inner.subscriptions)
    }
    fn runners(&self) -> MutexGuard<'_, Runners> {
        lock(&self.inner.runners)
    }
    fn worktrees(&self) -> &Worktrees {
        &self.inner.worktrees
    }
    fn tabs(&self) -> &Tabs {
        &self.inner.tabs
    }
    fn shutdown(&self) -> CancellationToken {
        self.inner.tasks.shutdown()
    }
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.inner.tasks.spawn(task);
    }
    fn approval_limit(&self) -> Duration {
        self.inner.config.approval_limit()
    }

    /// Lives by the settings as they are now.
    async fn settings_changed(&self) {
        self.agents().configure();
        self.end_spare();
        self.inner.config.tell_changed();
        self.agents().tell(false).await;
    }

    /// The folder of conversations that name none.
    fn folder(&self) -> String {
        let connected = lock(&self.inner.folder).folder();
        connected.unwrap_or_else(|| self.home().workspace().to_string_lossy().into_owned())
    }
    fn welcome_url(&self) -> String {
        format!("http://127.0.0.1:{}/welcome", self.inner.port)
    }
    fn mcp_url(&self) -> String {
        format!("http://127.0.0.1:{}{MCP_PATH}", self.inner.port)
    }
}

/// Passes the browsers' changes to the engine, as long as there is one.
fn teller(inner: Weak<Inner>) -> Box<dyn Fn(BrowserChange) + Send + Sync> {
    Box::new(move |change| {
        if let Some(inner) = inner.upgrade() {
            Engine { inner }.browser_changed(change);
        }
    })
}
