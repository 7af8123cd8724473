//! Named terminals: registering the shell or script that ran a command under a name, until its process ends.
//!
//! Owns the registration and its line in the audit. `drivers` knows which terminal a process belongs to.

use super::Registrations;
use crate::drivers::{Driver, DriversError, NewDriver, driver_entry};
use gstack_base::browser_names::BrowserName;
use gstack_base::lineage;
use gstack_base::process::Process;
use gstack_protocol::audit::AuditBy;
use gstack_protocol::driver::DriverKind;
use gstack_protocol::fault::Fault;
use std::sync::Arc;

/// The part of a terminal's name before the person's own: `terminal (shop)`.
const CLIENT: &str = "terminal";

impl Registrations {
    /// Returns the terminal of this name that a process belongs to. The first command under a name registers the shell or
    /// script that ran it. Fails if the process is not known, the name is another one's, or the audit can't be written.
    pub fn terminal(&self, name: &str, caller: Option<&Process>) -> Result<Arc<Driver>, Fault> {
        let caller = caller.ok_or(DriversError::TerminalOnPort)?;
        let _guard = self.drivers.naming();
        if let Some(known) = self.drivers.terminal_of(name, caller)? {
            return Ok(known);
        }
        let process = lineage::started_by(caller).ok_or(DriversError::NoProcess)?;
        let (kind, label) = (DriverKind::Terminal, Some(name));
        let opens_in = BrowserName::default();
        let new =
            NewDriver { kind, client: CLIENT, label, trusted: true, opens_in, tunnel: None, browser: None, process };
        let registered = self.register(new, None)?;
        let driver = registered.driver.clone();
        self.policy.record(&driver_entry(&driver, "gstack --driver".to_owned(), true, AuditBy::Terminal))?;
        let shutdown = self.tasks.shutdown();
        self.tasks.spawn(async move {
            let registered = registered;
            tokio::select! {
                () = registered.driver.process.ended() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(driver)
    }
}
