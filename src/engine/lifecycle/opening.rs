//! Opening and closing the engine: constructs and wires its services, and shuts them down.

use super::leftovers;
use crate::base::home::Home;
use crate::browser::page::video::Recordings;
use crate::browser::tabs::TabNumbers;
use crate::chat::{Conversation, Event, Store};
use crate::engine::activity::ActivityLog;
use crate::engine::agents::{AgentPool, Tokens};
use crate::engine::approvals::Approvals;
use crate::engine::browser_connection::BrowserConnection;
use crate::engine::browser_events::BrowserEvents;
use crate::engine::browsers::{BrowserChange, Browsers, Needs};
use crate::engine::command_runner::CommandRunner;
use crate::engine::commands::Commands;
use crate::engine::config::{Config, ConfigFile};
use crate::engine::conversation_requests::ConversationRequests;
use crate::engine::conversation_task::Task;
use crate::engine::conversations::{Conversations, Start};
use crate::engine::drivers::{DriverServices, Drivers};
use crate::engine::elements::Elements;
use crate::engine::evidence::EvidenceReports;
use crate::engine::hops::HopChecks;
use crate::engine::panel_keys::PanelKeys;
use crate::engine::panels::Panels;
use crate::engine::pauses::Pauses;
use crate::engine::policy::PolicyService;
use crate::engine::ports::Ports;
use crate::engine::provision::Provision;
use crate::engine::settings::SettingsService;
use crate::engine::spare::Spare;
use crate::engine::state::{Inner, welcome_url};
use crate::engine::status::StatusReport;
use crate::engine::tabs::Tabs;
use crate::engine::tasks::Tasks;
use crate::engine::upgrade::{self, Upgrade};
use crate::engine::usage::Usage;
use crate::engine::worktrees::Worktrees;
use crate::engine::{Engine, folders};
use crate::protocol::fault::Fault;
use crate::protocol::remote::SecretVariables;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long running agents may take to end when the daemon ends.
const CLOSE_LIMIT: Duration = Duration::from_secs(6);

impl Engine {
    /// Opens the home's conversations, closes what an earlier daemon left unfinished, and takes over its browser.
    pub(crate) async fn open(
        home: Home,
        config: Config,
        port: u16,
        provision: Provision,
        shutdown: CancellationToken,
    ) -> Result<Self, Fault> {
        for folder in [home.workspace(), home.run_files()] {
            folders::private(folder)?;
        }
        let handed_over = upgrade::was_handed_over(&home);
        leftovers::sweep(&home, std::time::SystemTime::now());
        let store = Arc::new(Store::open(&home).map_err(|e| e.fault())?);
        let recovered = store.recover();
        for (id, error) in &recovered.failed {
            tracing::warn!(conversation = %id, %error, "a conversation can't be opened");
        }
        let (ports, tasks) = (Ports::default(), Tasks::new(shutdown));
        let activity = ActivityLog::open(&home, ports.clone());
        let policy = PolicyService::open(&home, ports.clone(), store.clone(), tasks.clone());
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
            let conversations =
                Conversations::new(home.clone(), store.clone(), ports.clone(), starter(Weak::clone(inner)));
            let tabs = Tabs::new(numbers, browsers.clone(), ports.clone(), store.clone());
            let pauses = Pauses::default();
            let drivers = Drivers::new(DriverServices {
                pauses: pauses.clone(),
                activity: activity.clone(),
                browsers: browsers.clone(),
                ports: ports.clone(),
                store,
                tabs: tabs.clone(),
                tasks: tasks.clone(),
            });
            let approvals = Approvals::new(conversations.clone(), drivers.clone(), tasks.clone());
            let upgrade = Upgrade::new(home.clone(), ports.clone(), tabs.clone(), tasks.clone());
            let usage = Usage::new(browsers.clone(), ports.clone(), tabs.clone());
            let spare = Spare::new(agents.clone(), conversations.clone());
            let settings = SettingsService {
                home: home.clone(),
                config: config.clone(),
                agents: agents.clone(),
                spare: spare.clone(),
            };
            let status = StatusReport {
                port,
                agents: agents.clone(),
                browsers: browsers.clone(),
                drivers: drivers.clone(),
                policy: policy.clone(),
                ports: ports.clone(),
                tabs: tabs.clone(),
            };
            let elements = Elements::new(browsers.clone(), ports.clone(), tabs.clone(), tasks.clone());
            let panel_keys = PanelKeys::open(
                home.panels_file(),
                browsers.clone(),
                drivers.clone(),
                policy.clone(),
                ports.clone(),
                tabs.clone(),
            );
            let panels = Panels {
                activity: activity.clone(),
                browsers: browsers.clone(),
                conversations: conversations.clone(),
                drivers: drivers.clone(),
                elements: elements.clone(),
                panel_keys: panel_keys.clone(),
                policy: policy.clone(),
                ports: ports.clone(),
                spare: spare.clone(),
                tabs: tabs.clone(),
                tasks: tasks.clone(),
                usage: usage.clone(),
                welcome_url: welcome_url(port),
            };
            let hops = HopChecks {
                home: home.clone(),
                agents: agents.clone(),
                browsers: browsers.clone(),
                panel_keys: panel_keys.clone(),
                policy: policy.clone(),
                ports: ports.clone(),
                worktrees: worktrees.clone(),
            };
            let evidence =
                EvidenceReports { conversations: conversations.clone(), policy: policy.clone(), tabs: tabs.clone() };
            let runner = CommandRunner {
                home: home.clone(),
                browsers: browsers.clone(),
                config: config.clone(),
                drivers: drivers.clone(),
                recordings: Recordings::default(),
                tasks: tasks.clone(),
            };
            let connection = BrowserConnection {
                home: home.clone(),
                provision,
                agents: agents.clone(),
                browsers: browsers.clone(),
                config: config.clone(),
                conversations: conversations.clone(),
                panel_keys: panel_keys.clone(),
                ports: ports.clone(),
                runner: runner.clone(),
                settings: settings.clone(),
                status: status.clone(),
                tabs: tabs.clone(),
                tasks: tasks.clone(),
                welcome_url: welcome_url(port),
            };
            let commands = Commands {
                home: home.clone(),
                activity: activity.clone(),
                browsers: browsers.clone(),
                config: config.clone(),
                connection: connection.clone(),
                drivers: drivers.clone(),
                runner: runner.clone(),
                status: status.clone(),
                tabs: tabs.clone(),
                tasks: tasks.clone(),
            };
            let browser_events = BrowserEvents {
                browsers: browsers.clone(),
                config: config.clone(),
                conversations: conversations.clone(),
                drivers: drivers.clone(),
                elements: elements.clone(),
                panel_keys: panel_keys.clone(),
                pauses: pauses.clone(),
                ports: ports.clone(),
                tabs: tabs.clone(),
                usage: usage.clone(),
            };
            let conversation_requests = ConversationRequests {
                home: home.clone(),
                agents: agents.clone(),
                browsers: browsers.clone(),
                conversations: conversations.clone(),
                ports: ports.clone(),
                spare: spare.clone(),
                tabs: tabs.clone(),
                tasks: tasks.clone(),
                upgrade: upgrade.clone(),
                worktrees: worktrees.clone(),
            };
            Inner {
                home,
                config,
                port,
                agents,
                browsers,
                ports,
                panel_keys,
                conversations,
                conversation_requests,
                tabs,
                drivers,
                pauses,
                tokens: Tokens::default(),
                policy,
                approvals,
                elements,
                evidence,
                hops,
                panels,
                activity,
                runner,
                connection,
                commands,
                browser_events,
                worktrees,
                spare,
                settings,
                status,
                upgrade,
                usage,
                tasks,
            }
        });
        let engine = Self { inner };
        engine.spawn(engine.drivers().clone().follow());
        engine.browsers().reconnect().await;
        let browsers = engine.browsers().clone();
        engine.spawn(async move { browsers.release_left(&SecretVariables::default()).await });
        engine.agents().end_orphans();
        engine.agents().look();
        engine.worktrees().sweep_left();
        if handed_over || engine.config().turns.continue_after_restart {
            engine.go_on(&recovered.conversations);
        }
        Ok(engine)
    }

    /// Runs the messages that were waiting when the previous daemon ended.
    fn go_on(&self, recovered: &[Arc<Conversation>]) {
        for conversation in recovered {
            if let Some(fault) = self.conversations().gate(conversation).handle(Event::Continue) {
                self.ports().tell_fault(&fault);
            }
        }
    }

    /// Ends everything that runs. Open state is on the disk when this returns.
    pub(crate) async fn close(&self) {
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
}

/// Passes the browsers' changes to the engine while it exists.
fn teller(inner: Weak<Inner>) -> Box<dyn Fn(BrowserChange) + Send + Sync> {
    Box::new(move |change| {
        if let Some(inner) = inner.upgrade() {
            inner.browser_events.browser_changed(change);
        }
    })
}

/// Starts the task of a conversation while the engine exists.
fn starter(inner: Weak<Inner>) -> Start {
    Arc::new(move |gate, inputs| {
        if let Some(inner) = inner.upgrade() {
            let engine = Engine { inner };
            engine.spawn(Task::new(engine.clone(), gate).run(inputs));
        }
    })
}
