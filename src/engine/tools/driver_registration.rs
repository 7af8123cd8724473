//! Registering a driver, and ending its registration with its connection or its process.
//!
//! Owns the order of both. `drivers` owns the table.

use crate::base::clock::now_millis;
use crate::base::process::Process;
use crate::engine::Engine;
use crate::engine::drivers::{Driver, DriversError, NewDriver};
use crate::engine::tabs::How;
use crate::engine::tools::ConversationTools;
use crate::protocol::audit::{AuditBy, AuditEntry};
use crate::protocol::driver::{DriverBegin, DriverKind, DriverLine};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{AgentName, TabId};
use std::sync::Arc;
use tokio::sync::mpsc;

/// The scope in the audit of what a driver is allowed as such.
const SCOPE: &str = "driver";

impl Engine {
    /// Registers a process as a driver and tells it so. It stays registered until nobody reads the lines or the process
    /// ends. Fails if the process is not known, is registered already, or the tab that it starts with is not open or
    /// leased.
    pub(crate) fn begin_driver(
        &self,
        begin: DriverBegin,
        process: Option<&Process>,
        lines: mpsc::Sender<DriverLine>,
    ) -> Result<(), Fault> {
        let process = process.ok_or(DriversError::NoProcess)?.clone();
        let first = self.first_of(&begin)?;
        let folder = begin.cwd.clone().unwrap_or_else(|| self.conversations().folder());
        let kind = DriverKind::Mcp;
        let new =
            NewDriver { kind, client: &begin.client, label: begin.name.as_deref(), trusted: begin.trusted, process };
        let driver = self.drivers().begin(new, |name| self.store().detached(folder, agent_name(kind, name)))?;
        let tools = (!driver.trusted).then(|| {
            let gate = self.conversations().gate(&driver.conversation);
            ConversationTools::for_driver(self.clone(), gate, driver.clone())
        });
        // From here on every way out ends the registration.
        let registered = Registered { engine: self.clone(), driver, tools };
        let driver = &registered.driver;
        if let Some(tools) = &registered.tools {
            self.admit(tools);
        }
        if let Some(tab) = first {
            self.drivers().lease_to(driver, tab, How::Person)?;
            if !driver.trusted {
                driver.conversation.own_tab(Some(tab));
            }
        }
        if driver.trusted {
            self.policy().record(&driver_entry(driver, "mcp --trusted".to_owned(), true, AuditBy::Terminal))?;
        }
        let begun = DriverLine::Begun(self.drivers().info(driver));
        let shutdown = self.shutdown();
        self.spawn(async move {
            let registered = registered;
            if lines.send(begun).await.is_err() {
                return;
            }
            tokio::select! {
                () = lines.closed() => {}
                () = registered.driver.process.ended() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(())
    }

    /// Returns the registered driver behind a connection.
    pub(crate) fn driver_of(&self, process: Option<&Process>) -> Option<Arc<Driver>> {
        self.drivers().of_process(process?)
    }

    /// Returns the fault for a command under a registration that has ended.
    pub(crate) fn not_registered() -> Fault {
        DriversError::NotRegistered.into()
    }

    /// Returns the tab that a driver starts with, if the person chose one.
    fn first_of(&self, begin: &DriverBegin) -> Result<Option<TabId>, Fault> {
        let named = begin.tab_id.or_else(|| begin.current_tab.then(|| self.browsers().current_tab()).flatten());
        let Some(tab) = named else { return Ok(None) };
        self.drivers().open_tab(tab)?;
        Ok(Some(tab))
    }
}

/// Returns the name in the audit, where the names of agents stand too.
pub(super) fn agent_name(kind: DriverKind, name: &str) -> AgentName {
    AgentName::new(format!("{}: {name}", kind.word()))
}

/// A registration. Dropping it ends the leases, the approvals and the tools of the driver.
pub(super) struct Registered {
    pub(super) engine: Engine,
    pub(super) driver: Arc<Driver>,
    pub(super) tools: Option<Arc<ConversationTools>>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        if let Some(tools) = &self.tools {
            self.engine.revoke(tools);
        }
        self.engine.drivers().end(&self.driver);
        self.engine.pauses().end(self.driver.conversation.id());
        self.engine.tabs().sets().forget(self.driver.conversation.id());
        self.engine.approvals().changed();
        tracing::info!(driver = self.driver.name, "a driver's registration has ended");
    }
}

/// Returns the audit's line about a driver itself: that it is trusted, that it was given a tab.
pub(in crate::engine) fn driver_entry(driver: &Driver, action: String, allowed: bool, by: AuditBy) -> AuditEntry {
    AuditEntry {
        at: now_millis(),
        conversation_id: Some(driver.conversation.id().clone()),
        agent: driver.conversation.info().agent,
        action,
        record: None,
        scope: SCOPE.to_owned(),
        site: None,
        allowed,
        by,
        answer: None,
        rule: None,
    }
}
