//! The handle to the drivers: the table of those that are registered.
//!
//! Owns the table. One process is one MCP client at most, and no two drivers have the same name.

use super::approvals::DriverApprovals;
use super::driver::{Driver, NewDriver};
use super::endpoints::Endpoints;
use super::error::DriversError;
use super::names::{DriverNames, free_name};
use super::running_calls::RunningCalls;
use super::telling::ToldDrivers;
use crate::activity::ActivityLog;
use crate::browsers::Browsers;
use crate::pauses::Pauses;
use crate::ports::Ports;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use gstack_base::mutex::lock;
use gstack_base::process::Process;
use gstack_chat::{Conversation, Store};
use gstack_protocol::driver::{DriverInfo, DriverKind};
use gstack_protocol::ids::DriverId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// A person could not review more in `status`.
const MOST_DRIVERS: usize = 64;

/// A handle to the drivers. Cheap to clone.
#[derive(Clone)]
pub struct Drivers(pub(super) Arc<Shared>);

pub(super) struct Shared {
    known: Mutex<BTreeMap<DriverId, Arc<Driver>>>,
    /// Held while a terminal is looked up and registered, so that two commands at once do not register two.
    pub(super) naming: Mutex<()>,
    approvals: DriverApprovals,
    endpoints: Endpoints,
    /// The running calls of drivers and agents, with their tabs.
    pub(super) running: RunningCalls,
    /// Notified when panels may have to be told of drivers.
    pub(super) changed: watch::Sender<()>,
    pub(super) told: Mutex<ToldDrivers>,
    pub(super) uses: DriverServices,
}

/// The services that leases, and telling panels of drivers, need.
pub(crate) struct DriverServices {
    pub(crate) activity: ActivityLog,
    pub(crate) browsers: Browsers,
    pub(crate) pauses: Pauses,
    pub(crate) ports: Ports,
    /// Has the conversations whose turns run: they hold tabs too.
    pub(crate) store: Arc<Store>,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
}

impl Drivers {
    pub(crate) fn new(uses: DriverServices) -> Self {
        let (known, approvals, told) = (Mutex::default(), DriverApprovals::default(), Mutex::default());
        Self(Arc::new(Shared {
            known,
            naming: Mutex::default(),
            approvals,
            endpoints: Endpoints::default(),
            running: RunningCalls::default(),
            changed: watch::Sender::new(()),
            told,
            uses,
        }))
    }

    /// Registers a driver. `conversation` creates its detached conversation from its name. Fails if its process is
    /// registered already, or too many are.
    pub(crate) fn begin(
        &self,
        new: NewDriver<'_>,
        conversation: impl FnOnce(&str) -> Arc<Conversation>,
    ) -> Result<Arc<Driver>, DriversError> {
        let mut known = lock(&self.0.known);
        let is_same = |driver: &Arc<Driver>| driver.kind == DriverKind::Mcp && driver.process == new.process;
        if new.kind == DriverKind::Mcp && known.values().any(is_same) {
            return Err(DriversError::AlreadyRegistered);
        }
        if known.len() >= MOST_DRIVERS {
            return Err(DriversError::TooMany { most: MOST_DRIVERS });
        }
        let names = DriverNames::new(new.client, new.label);
        let name = free_name(&names.whole(), |name| known.values().any(|one| one.name == name));
        let conversation = conversation(&name);
        let driver = Arc::new(Driver::new(name, names, new, conversation));
        known.insert(driver.id.clone(), driver.clone());
        Ok(driver)
    }

    /// Removes a driver, cancels what it runs, and denies the approvals that it waits for.
    pub(crate) fn end(&self, driver: &Driver) {
        lock(&self.0.known).remove(&driver.id);
        // A command that waits would act in a tab that is another driver's by then.
        self.0.running.cancel_all(driver.conversation.id());
        self.0.approvals.withdraw_of(driver.conversation.id());
    }

    /// Returns the MCP client that this process is registered as.
    pub(crate) fn of_process(&self, process: &Process) -> Option<Arc<Driver>> {
        let is_it = |driver: &&Arc<Driver>| driver.kind == DriverKind::Mcp && driver.process == *process;
        lock(&self.0.known).values().find(is_it).cloned()
    }

    /// Returns the driver of this name.
    pub(crate) fn named(&self, name: &str) -> Result<Arc<Driver>, DriversError> {
        let found = lock(&self.0.known).values().find(|driver| driver.name == name).cloned();
        found.ok_or_else(|| DriversError::NoSuchDriver { name: name.to_owned() })
    }

    pub(crate) fn all(&self) -> Vec<Arc<Driver>> {
        lock(&self.0.known).values().cloned().collect()
    }

    /// Returns what `status` shows of the drivers.
    pub(crate) fn infos(&self) -> Vec<DriverInfo> {
        self.all().iter().map(|driver| self.info(driver)).collect()
    }

    pub(crate) fn info(&self, driver: &Driver) -> DriverInfo {
        DriverInfo {
            driver_id: driver.id.clone(),
            kind: driver.kind,
            name: driver.name.clone(),
            trusted: driver.trusted,
            pid: driver.process.pid,
            tabs: self.leased_by(driver),
            tunnel: driver.tunnel.is_some(),
        }
    }

    /// Returns the CDP endpoints.
    pub(crate) fn endpoints(&self) -> &Endpoints {
        &self.0.endpoints
    }

    /// Returns a receiver that is notified when leases may have changed.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Returns the approvals that drivers wait for.
    pub(crate) fn approvals(&self) -> &DriverApprovals {
        &self.0.approvals
    }
}
