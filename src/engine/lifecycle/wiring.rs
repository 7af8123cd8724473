//! The engine's services, constructed and wired.
//!
//! Owns their order: each is given the handles of those that it uses, so it comes after them. What a service tells the
//! engine goes through a weak reference, so that nothing keeps the engine alive. Never starts anything.

use crate::activity::ActivityLog;
use crate::agents::{AgentPool, Tokens};
use crate::approvals::Approvals;
use crate::browser_connection::BrowserConnection;
use crate::browser_events::BrowserEvents;
use crate::browsers::{BrowserChange, BrowserServices, Browsers};
use crate::command_runner::CommandRunner;
use crate::commands::Commands;
use crate::config::{Config, ConfigFile};
use crate::conversation_requests::ConversationRequests;
use crate::conversation_task::{Task, TaskServices};
use crate::conversations::{Conversations, Start};
use crate::drivers::{DriverServices, Drivers};
use crate::elements::Elements;
use crate::evidence::EvidenceReports;
use crate::hops::HopChecks;
use crate::lease_requests::LeaseRequests;
use crate::panel_keys::PanelKeys;
use crate::panels::Panels;
use crate::pauses::Pauses;
use crate::policy::PolicyService;
use crate::ports::Ports;
use crate::provision::Provision;
use crate::registrations::Registrations;
use crate::settings::SettingsService;
use crate::sign_ins::SignIns;
use crate::spare::Spare;
use crate::state::{Inner, mcp_url, welcome_url};
use crate::status::StatusReport;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use crate::tools::AgentTools;
use crate::upgrade::Upgrade;
use crate::usage::Usage;
use crate::views::Views;
use crate::worktrees::Worktrees;
use gstack_agent::direct::DirectAgent;
use gstack_base::clock::now_millis;
use gstack_base::home::Home;
use gstack_browser::page::video::Recordings;
use gstack_browser::tabs::TabNumbers;
use gstack_chat::Store;
use gstack_command::{RecordingLog, Rests};
use std::sync::{Arc, Weak};

/// The inputs of the services.
pub(super) struct Foundation {
    pub(super) home: Home,
    pub(super) config: Config,
    /// The daemon's port on 127.0.0.1.
    pub(super) port: u16,
    pub(super) provision: Provision,
    pub(super) direct: Vec<Arc<dyn DirectAgent>>,
    pub(super) store: Arc<Store>,
    pub(super) tasks: Tasks,
}

/// Constructs the services.
pub(super) fn wire(foundation: Foundation) -> Arc<Inner> {
    let Foundation { home, config, port, provision, direct, store, tasks } = foundation;
    let ports = Ports::default();
    let activity = ActivityLog::open(&home, ports.clone());
    let policy = PolicyService::open(&home, ports.clone(), store.clone(), tasks.clone());
    let numbers = TabNumbers::default();
    let config = ConfigFile::new(home.clone(), config);
    let agents = AgentPool::new(home.clone(), port, config.clone(), ports.clone(), tasks.clone(), direct);
    let worktrees =
        Worktrees::new(home.clone(), config.clone(), agents.clone(), store.clone(), ports.clone(), tasks.clone());
    let sign_ins = SignIns::new(home.sign_ins_file(), policy.clone(), tasks.clone());
    Arc::new_cyclic(|inner| {
        let browsers = Browsers::open(BrowserServices {
            home: home.clone(),
            config: config.clone(),
            ports: ports.clone(),
            tasks: tasks.clone(),
            provision,
            numbers: numbers.clone(),
            tell: teller(Weak::clone(inner)),
        });
        let conversations = Conversations::new(home.clone(), store.clone(), ports.clone(), starter(Weak::clone(inner)));
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
        let approvals = Approvals::new(
            config.clone(),
            conversations.clone(),
            drivers.clone(),
            ports.clone(),
            tabs.clone(),
            tasks.clone(),
        );
        let upgrade = Upgrade::new(home.clone(), ports.clone(), tabs.clone(), tasks.clone());
        let usage = Usage::new(browsers.clone(), ports.clone(), tabs.clone());
        let spare = Spare::new(agents.clone(), conversations.clone());
        let settings = SettingsService {
            home: home.clone(),
            config: config.clone(),
            agents: agents.clone(),
            spare: spare.clone(),
            browsers: browsers.clone(),
        };
        let status = StatusReport {
            port,
            session: home.session_or_default().to_owned(),
            since: now_millis(),
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
            recording_log: RecordingLog::open(home.recordings_file()),
            sign_ins: sign_ins.clone(),
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
            tabs: tabs.clone(),
            tasks: tasks.clone(),
            welcome_url: welcome_url(port),
        };
        let lease_requests = LeaseRequests {
            approvals: approvals.clone(),
            drivers: drivers.clone(),
            policy: policy.clone(),
            tabs: tabs.clone(),
        };
        let commands = Commands {
            home: home.clone(),
            activity: activity.clone(),
            browsers: browsers.clone(),
            config: config.clone(),
            connection: connection.clone(),
            drivers: drivers.clone(),
            lease_requests: lease_requests.clone(),
            runner: runner.clone(),
            status: status.clone(),
            tabs: tabs.clone(),
            tasks: tasks.clone(),
            rests: Rests::default(),
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
        let views =
            Views::new(approvals.clone(), browsers.clone(), drivers.clone(), policy.clone(), tasks.clone(), port);
        let tools = AgentTools {
            activity: activity.clone(),
            approvals: approvals.clone(),
            browsers: browsers.clone(),
            config: config.clone(),
            connection: connection.clone(),
            drivers: drivers.clone(),
            elements: elements.clone(),
            lease_requests,
            pauses: pauses.clone(),
            policy: policy.clone(),
            runner: runner.clone(),
            sign_ins: sign_ins.clone(),
            tabs: tabs.clone(),
            tasks: tasks.clone(),
            tokens: Tokens::default(),
            views: views.clone(),
        };
        let registrations = Registrations {
            approvals: approvals.clone(),
            browsers: browsers.clone(),
            conversations: conversations.clone(),
            drivers: drivers.clone(),
            pauses: pauses.clone(),
            policy: policy.clone(),
            tabs: tabs.clone(),
            tasks: tasks.clone(),
            tools: tools.clone(),
        };
        let task_services = TaskServices {
            home: home.clone(),
            agents: agents.clone(),
            approvals: approvals.clone(),
            browsers: browsers.clone(),
            config: config.clone(),
            conversations: conversations.clone(),
            drivers: drivers.clone(),
            mcp_url: mcp_url(port),
            pauses: pauses.clone(),
            policy: policy.clone(),
            ports: ports.clone(),
            settings: settings.clone(),
            spare: spare.clone(),
            tabs: tabs.clone(),
            tasks: tasks.clone(),
            tools: tools.clone(),
            upgrade: upgrade.clone(),
            usage: usage.clone(),
            worktrees: worktrees.clone(),
        };
        Inner {
            home,
            config,
            agents,
            browsers,
            ports,
            panel_keys,
            conversations,
            conversation_requests,
            drivers,
            tools,
            registrations,
            task_services,
            policy,
            approvals,
            elements,
            evidence,
            hops,
            panels,
            activity,
            connection,
            commands,
            browser_events,
            worktrees,
            spare,
            settings,
            status,
            upgrade,
            usage,
            views,
            sign_ins,
            tasks,
        }
    })
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
            inner.tasks.spawn(Task::new(inner.task_services.clone(), gate).run(inputs));
        }
    })
}
