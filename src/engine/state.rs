//! The handle to the engine, and its services.
//!
//! Owns the list of services and their accessors, and nothing that they do.

use super::activity::ActivityLog;
use super::agents::AgentPool;
use super::approvals::Approvals;
use super::browser_connection::BrowserConnection;
use super::browser_events::BrowserEvents;
use super::browsers::Browsers;
use super::commands::Commands;
use super::config::{Config, ConfigFile};
use super::conversation_requests::ConversationRequests;
use super::conversation_task::TaskServices;
use super::conversations::Conversations;
use super::drivers::Drivers;
use super::elements::Elements;
use super::evidence::EvidenceReports;
use super::hops::HopChecks;
use super::panel_keys::PanelKeys;
use super::panels::Panels;
use super::policy::PolicyService;
use super::ports::{PortId, Ports};
use super::registrations::Registrations;
use super::settings::SettingsService;
use super::sign_ins::SignIns;
use super::spare::Spare;
use super::status::StatusReport;
use super::tasks::Tasks;
use super::tools::AgentTools;
use super::upgrade::Upgrade;
use super::usage::Usage;
use super::views::Views;
use super::worktrees::Worktrees;
use gstack_base::home::Home;
use gstack_base::site_limits::SiteLimits;
use gstack_protocol::audit::AuditBy;
use gstack_protocol::fault::Fault;
use gstack_protocol::policy::{Policy, PolicyAdd, PolicyExplain, PolicyExplained};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The path on the port where agents reach their tools.
pub const MCP_PATH: &str = "/mcp";

/// A handle to the engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) home: Home,
    pub(super) config: ConfigFile,
    pub(super) agents: AgentPool,
    pub(super) browsers: Browsers,
    pub(super) ports: Ports,
    pub(super) panel_keys: PanelKeys,
    pub(super) conversations: Conversations,
    pub(super) conversation_requests: ConversationRequests,
    /// The registered drivers: MCP and CDP clients.
    pub(super) drivers: Drivers,
    pub(super) tools: AgentTools,
    pub(super) registrations: Registrations,
    /// The services for the tasks of conversations.
    pub(super) task_services: TaskServices,
    pub(super) policy: PolicyService,
    pub(super) approvals: Approvals,
    pub(super) elements: Elements,
    pub(super) evidence: EvidenceReports,
    pub(super) hops: HopChecks,
    pub(super) panels: Panels,
    pub(super) activity: ActivityLog,
    pub(super) connection: BrowserConnection,
    pub(super) commands: Commands,
    pub(super) browser_events: BrowserEvents,
    pub(super) worktrees: Worktrees,
    pub(super) spare: Spare,
    pub(super) settings: SettingsService,
    pub(super) status: StatusReport,
    pub(super) upgrade: Upgrade,
    pub(super) usage: Usage,
    pub(super) views: Views,
    pub(super) sign_ins: SignIns,
    pub(super) tasks: Tasks,
}

impl Engine {
    pub fn request_shutdown(&self) {
        self.inner.tasks.request_shutdown();
    }
    pub fn config(&self) -> Arc<Config> {
        self.inner.config.get()
    }
    /// Returns a receiver that is notified when a setting changed.
    pub fn watch_config(&self) -> watch::Receiver<()> {
        self.inner.config.watch()
    }
    /// Returns the policy: what agents may do, the rules that people made, and the audit.
    pub fn policy(&self) -> &PolicyService {
        &self.inner.policy
    }
    /// Explains how the policy would decide about an action now.
    pub fn explain(&self, asked: &PolicyExplain) -> Result<PolicyExplained, Fault> {
        let tab = match &asked.conversation_id {
            Some(id) if asked.browser.is_none() && asked.tab_id.is_none() => {
                self.inner.conversations.get(id)?.info().tab_id
            }
            _ => asked.tab_id,
        };
        let browsers = self.inner.browsers.of_request(tab, asked.browser.as_deref())?;
        if let Some(tab) = asked.tab_id {
            browsers.current().ok_or_else(|| browsers.not_open())?.tab(tab)?;
        }
        let open = browsers.current().map(|open| open.limits().open).unwrap_or_default();
        let limits = SiteLimits { open, configured: browsers.configured_sites() };
        self.inner.policy.explain(asked, &limits, (browsers.name(), browsers.kind_of(tab)))
    }
    /// Adds a person's rule: for the kind of browser that it names, of its conversation's tab, of the panel at `port`, or
    /// else that is in use.
    pub fn add_rule(&self, add: PolicyAdd, by: AuditBy, port: Option<PortId>) -> Result<Policy, Fault> {
        let browsers = &self.inner.browsers;
        let conversation = add.conversation_id.as_ref().map(|id| self.inner.conversations.get(id)).transpose()?;
        let of = match (conversation.and_then(|conversation| conversation.info().tab_id), port) {
            (Some(tab), _) => browsers.kind_of(Some(tab)),
            (None, Some(port)) => browsers.kind_at(port),
            (None, None) => browsers.kind_of(None),
        };
        self.inner.policy.add(add, by, of)
    }
    /// Returns the agents: which exist, and which answers.
    pub fn agents(&self) -> &AgentPool {
        &self.inner.agents
    }
    /// Returns the browsers: the one in use, and the connected everyday ones.
    pub fn browsers(&self) -> &Browsers {
        &self.inner.browsers
    }
    /// Returns the conversations: their list, their files and their subscriptions.
    pub fn conversations(&self) -> &Conversations {
        &self.inner.conversations
    }
    /// Returns the activity log.
    pub fn activity(&self) -> &ActivityLog {
        &self.inner.activity
    }
    pub fn home(&self) -> &Home {
        &self.inner.home
    }
    /// Returns a token that is cancelled when the daemon ends.
    pub fn ended(&self) -> CancellationToken {
        self.inner.tasks.shutdown()
    }
    /// Returns whether anything uses the daemon, and which browser is in use.
    pub fn usage(&self) -> &Usage {
        &self.inner.usage
    }
    /// Returns the upgrade to a newer gstack.
    pub fn upgrade(&self) -> &Upgrade {
        &self.inner.upgrade
    }
    /// Returns what `gstack status` shows.
    pub fn status(&self) -> &StatusReport {
        &self.inner.status
    }
    /// Returns the settings that a person sees and changes.
    pub fn settings(&self) -> &SettingsService {
        &self.inner.settings
    }
    /// Returns the approvals and questions that wait for the person.
    pub fn approvals(&self) -> &Approvals {
        &self.inner.approvals
    }
    /// Returns the spare agent.
    pub fn spare(&self) -> &Spare {
        &self.inner.spare
    }
    /// Returns the saved sign-ins.
    pub fn sign_ins(&self) -> &SignIns {
        &self.inner.sign_ins
    }
    /// Returns the registered drivers: MCP and CDP clients.
    pub fn drivers(&self) -> &Drivers {
        &self.inner.drivers
    }

    /// Returns the commands that people, scripts and trusted drivers run.
    pub fn commands(&self) -> &Commands {
        &self.inner.commands
    }
    /// Returns the browser that people connect, hand off and disconnect.
    pub fn connection(&self) -> &BrowserConnection {
        &self.inner.connection
    }
    /// Returns the handler of what a browser and its extension report.
    pub fn browser_events(&self) -> &BrowserEvents {
        &self.inner.browser_events
    }
    /// Returns what panels and terminals ask of a conversation.
    pub fn conversation_requests(&self) -> &ConversationRequests {
        &self.inner.conversation_requests
    }
    /// Returns the tools of agents and drivers: what each token gives access to.
    pub fn tools(&self) -> &AgentTools {
        &self.inner.tools
    }
    /// Returns the registrations of MCP and CDP clients.
    pub fn registrations(&self) -> &Registrations {
        &self.inner.registrations
    }
    /// Returns the keys of panels: which connections are served.
    pub fn panel_keys(&self) -> &PanelKeys {
        &self.inner.panel_keys
    }
    /// Returns the panels: their connections, and the keyboard.
    pub fn panels(&self) -> &Panels {
        &self.inner.panels
    }
    /// Returns the elements that panels show and pick.
    pub fn elements(&self) -> &Elements {
        &self.inner.elements
    }
    /// Returns the checks of each hop from a panel to an agent.
    pub fn hops(&self) -> &HopChecks {
        &self.inner.hops
    }
    /// Returns the reports of finished turns.
    pub fn evidence(&self) -> &EvidenceReports {
        &self.inner.evidence
    }

    /// Returns the pages of `gstack view`.
    pub fn views(&self) -> &Views {
        &self.inner.views
    }

    /// Runs a task of an interface until the daemon ends.
    pub fn spawn_task(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.inner.tasks.spawn(task);
    }
}

/// Returns the address of the page that a new browser opens.
pub(super) fn welcome_url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/welcome")
}

/// Returns the address of the agents' endpoint.
pub(super) fn mcp_url(port: u16) -> String {
    format!("http://127.0.0.1:{port}{MCP_PATH}")
}
