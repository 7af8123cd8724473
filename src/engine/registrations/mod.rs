//! The registrations of drivers: MCP clients, CDP clients and named terminals.
//!
//! Owns the order of registering one, and of ending its registration with its connection or its process. `drivers` owns
//! the table.

mod cdp_clients;
mod terminals;
mod tunnels;

pub use cdp_clients::{CdpClient, is_web_page};

use crate::agents::{AgentAccess, PageToolOffer};
use crate::approvals::Approvals;
use crate::browsers::Browsers;
use crate::conversations::Conversations;
use crate::drivers::{Driver, Drivers, DriversError, NewDriver, agent_name, driver_entry};
use crate::pauses::Pauses;
use crate::policy::PolicyService;
use crate::tabs::{JoinedBy, Tabs};
use crate::tasks::Tasks;
use crate::tools::{AgentTools, ConversationTools};
use gstack_base::process::Process;
use gstack_protocol::audit::AuditBy;
use gstack_protocol::catalogue;
use gstack_protocol::driver::{DriverBegin, DriverKind, DriverLine};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// A handle to the registrations of drivers. Cheap to clone.
#[derive(Clone)]
pub struct Registrations {
    pub(crate) approvals: Approvals,
    pub(crate) browsers: Browsers,
    pub(crate) conversations: Conversations,
    pub(crate) drivers: Drivers,
    pub(crate) pauses: Pauses,
    pub(crate) policy: PolicyService,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    pub(crate) tools: AgentTools,
}

impl Registrations {
    /// Registers a process as a driver and confirms it. It stays registered until its connection or the process
    /// ends. Fails if the process is not known, is registered already, or the tab that it starts with is not open or
    /// leased.
    pub fn begin_driver(
        &self,
        begin: DriverBegin,
        process: Option<&Process>,
        lines: mpsc::Sender<DriverLine>,
    ) -> Result<(), Fault> {
        let process = process.ok_or(DriversError::NoProcess)?.clone();
        let first = self.first_of(&begin)?;
        let tunnel = self.tunnel_of(&begin)?;
        let (kind, label) = (DriverKind::Mcp, begin.name.as_deref());
        let opens_in = self.browsers.of_request(first, begin.browser.as_deref())?.name().clone();
        let (client, trusted) = (&begin.client, begin.trusted);
        let new = NewDriver { kind, client, label, trusted, opens_in, tunnel, browser: None, process };
        let mut registered = self.register(new, begin.cwd.clone())?;
        let driver = registered.driver.clone();
        if !driver.trusted {
            let gate = self.conversations.gate(&driver.conversation);
            registered.tools = Some(self.tools.open_for_driver(gate, driver.clone()));
        }
        if let Some(tab) = first {
            self.drivers.lease_to(&driver, tab, JoinedBy::Person).map_err(for_client)?;
            if !driver.trusted {
                driver.conversation.own_tab(Some(tab));
            }
        }
        if let Some(tunnel) = &begin.tunnel {
            self.open_tunnel(&driver, tunnel)?;
        }
        if driver.trusted {
            self.policy.record(&driver_entry(&driver, "mcp --trusted".to_owned(), true, AuditBy::Terminal))?;
        }
        let begun = DriverLine::Begun(self.drivers.info(&driver));
        let shutdown = self.tasks.shutdown();
        let page_tools = registered.tools.as_ref().filter(|_| begin.page_tools).map(|tools| tools.page_tools());
        self.tasks.spawn(async move {
            let registered = registered;
            if lines.send(begun).await.is_err() {
                return;
            }
            tokio::select! {
                () = lines.closed() => {}
                () = tunnels::ended(&registered, &lines) => {}
                () = tell_page_tools(page_tools, &lines) => {}
                () = registered.driver.process.ended() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(())
    }

    /// Registers a driver that works in a folder, or in that of conversations. From here on every way out of the caller
    /// ends the registration.
    fn register(&self, new: NewDriver<'_>, folder: Option<String>) -> Result<Registered, Fault> {
        let kind = new.kind;
        let folder = folder.unwrap_or_else(|| self.conversations.folder());
        let detached = |name: &str| self.conversations.store().detached(folder, agent_name(kind, name));
        let driver = self.drivers.begin(new, detached)?;
        Ok(Registered { services: self.clone(), driver, tools: None })
    }

    /// Returns the registered driver behind a connection.
    pub fn driver_of(&self, process: Option<&Process>) -> Option<Arc<Driver>> {
        self.drivers.of_process(process?)
    }

    /// Returns the fault for a command under a registration that has ended.
    pub fn not_registered() -> Fault {
        DriversError::NotRegistered.into()
    }

    /// Returns the fault for an agent or a client that names itself as a terminal.
    pub fn not_a_terminal() -> Fault {
        DriversError::NotATerminal.into()
    }

    /// Returns the tab that a driver starts with, if the person chose one.
    fn first_of(&self, begin: &DriverBegin) -> Result<Option<TabId>, Fault> {
        let browsers = self.browsers.of_request(begin.tab_id, begin.browser.as_deref())?;
        let named = begin.tab_id.or_else(|| begin.current_tab.then(|| browsers.current_tab()).flatten());
        let Some(tab) = named else { return Ok(None) };
        self.drivers.open_tab(tab)?;
        Ok(Some(tab))
    }
}

/// Sends a driver the tools of its tab's page whenever they change. Ends with the driver's connection.
async fn tell_page_tools(offers: Option<watch::Receiver<Arc<Vec<PageToolOffer>>>>, lines: &mpsc::Sender<DriverLine>) {
    let Some(mut offers) = offers else { return std::future::pending().await };
    while offers.changed().await.is_ok() {
        let listed = offers.borrow_and_update().iter().map(|offer| offer.listed.clone()).collect();
        if lines.send(DriverLine::PageTools(listed)).await.is_err() {
            return;
        }
    }
}

/// A client reads the fault of its own registration, and must not take the tab back itself.
fn for_client(fault: Fault) -> Fault {
    match fault.code {
        FaultCode::Leased => fault.hint(catalogue::TAB_LEASED_CLIENT_NEXT),
        _ => fault,
    }
}

/// A registration. Dropping it ends the leases, the approvals and the tools of the driver.
struct Registered {
    services: Registrations,
    driver: Arc<Driver>,
    /// The tools of an MCP client that the policy judges.
    tools: Option<Arc<ConversationTools>>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let services = &self.services;
        if let Some(tools) = &self.tools {
            services.tools.revoke(tools);
        }
        services.drivers.end(&self.driver);
        services.pauses.end(self.driver.conversation.id());
        services.tabs.sets().forget(self.driver.conversation.id());
        services.approvals.changed();
        tracing::info!(driver = self.driver.name, "a driver's registration has ended");
    }
}
