//! Named terminals: the shells and scripts of the person whose commands carry a name (`--driver`).
//!
//! Owns finding the terminal of a calling process. The kernel names the process; its ancestors decide, never the name alone.

use super::driver::Driver;
use super::error::DriversError;
use super::names::check_terminal_name;
use super::service::Drivers;
use gstack_base::lineage;
use gstack_base::mutex::lock;
use gstack_base::process::Process;
use gstack_protocol::driver::DriverKind;
use std::sync::{Arc, MutexGuard};

impl Drivers {
    /// Returns a guard to hold while a terminal is looked up and registered.
    pub(crate) fn naming(&self) -> MutexGuard<'_, ()> {
        lock(&self.0.naming)
    }

    /// Returns the terminal of this name that a process belongs to, or `None` if nobody has the name. Fails if it is not a
    /// name, or a running shell or script that did not start the process has it.
    pub(crate) fn terminal_of(&self, name: &str, caller: &Process) -> Result<Option<Arc<Driver>>, DriversError> {
        check_terminal_name(name)?;
        let has_name = |driver: &Arc<Driver>| driver.kind == DriverKind::Terminal && driver.label() == Some(name);
        let Some(found) = self.all().into_iter().find(has_name) else { return Ok(None) };
        if lineage::descends_from_process(caller, &found.process) {
            return Ok(Some(found));
        }
        if found.process.is_alive() {
            return Err(DriversError::NameTaken { name: name.to_owned(), pid: found.process.pid });
        }
        // Its registration ends at this moment.
        self.end(&found);
        Ok(None)
    }
}
