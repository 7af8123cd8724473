//! The registered drivers.
//!
//! Owns the table. One process has one registration, and no two drivers have the same name.

use super::approvals::DriverApprovals;
use super::error::DriversError;
use crate::base::mutex::lock;
use crate::base::process::Process;
use crate::base::visible::visible;
use crate::chat::Conversation;
use crate::protocol::ids::DriverId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A person could not review more in `status`.
const MOST_DRIVERS: usize = 64;
/// In characters, for the program's name and for the person's.
const LONGEST_NAME: usize = 40;
/// The name of a client that gives none.
const NAMELESS: &str = "mcp";

/// A registered driver.
pub(crate) struct Driver {
    pub(in crate::engine) id: DriverId,
    /// `cursor (work)`. What people see, and what `--to` takes.
    pub(in crate::engine) name: String,
    pub(in crate::engine) trusted: bool,
    /// The registration ends with it.
    pub(in crate::engine) process: Process,
    /// Has the driver's tab set. Detached: the store does not know it.
    pub(in crate::engine) conversation: Arc<Conversation>,
    /// Held while the driver gets its first tab, so that two calls at once do not open two.
    pub(in crate::engine) opening: tokio::sync::Mutex<()>,
}

impl Driver {
    /// Returns true if it acts with the person's authority.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trusted
    }
}

/// What a registration consists of.
pub(in crate::engine) struct NewDriver<'a> {
    pub(in crate::engine) client: &'a str,
    /// The person's name for it.
    pub(in crate::engine) label: Option<&'a str>,
    pub(in crate::engine) trusted: bool,
    pub(in crate::engine) process: Process,
}

/// A handle to the drivers. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::engine) struct Drivers(Arc<Shared>);

#[derive(Default)]
struct Shared {
    known: Mutex<BTreeMap<DriverId, Arc<Driver>>>,
    approvals: DriverApprovals,
}

impl Drivers {
    /// Registers a driver. `conversation` creates its detached conversation from its name. Fails if its process is
    /// registered already, or too many are.
    pub(in crate::engine) fn begin(
        &self,
        new: NewDriver<'_>,
        conversation: impl FnOnce(&str) -> Arc<Conversation>,
    ) -> Result<Arc<Driver>, DriversError> {
        let mut known = lock(&self.0.known);
        if known.values().any(|driver| driver.process == new.process) {
            return Err(DriversError::AlreadyRegistered);
        }
        if known.len() >= MOST_DRIVERS {
            return Err(DriversError::TooMany { most: MOST_DRIVERS });
        }
        let name = free_name(&name_of(new.client, new.label), |name| known.values().any(|one| one.name == name));
        let driver = Arc::new(Driver {
            id: DriverId::random(),
            conversation: conversation(&name),
            name,
            trusted: new.trusted,
            process: new.process,
            opening: tokio::sync::Mutex::default(),
        });
        known.insert(driver.id.clone(), driver.clone());
        Ok(driver)
    }

    /// Removes a driver, and denies the approvals that it waits for.
    pub(in crate::engine) fn end(&self, driver: &Driver) {
        lock(&self.0.known).remove(&driver.id);
        self.0.approvals.withdraw_of(driver.conversation.id());
    }

    /// Returns the driver that this process is registered as.
    pub(in crate::engine) fn of_process(&self, process: &Process) -> Option<Arc<Driver>> {
        lock(&self.0.known).values().find(|driver| driver.process == *process).cloned()
    }

    /// Returns the driver of this name.
    pub(in crate::engine) fn named(&self, name: &str) -> Result<Arc<Driver>, DriversError> {
        let found = lock(&self.0.known).values().find(|driver| driver.name == name).cloned();
        found.ok_or_else(|| DriversError::NoSuchDriver { name: name.to_owned() })
    }

    pub(in crate::engine) fn all(&self) -> Vec<Arc<Driver>> {
        lock(&self.0.known).values().cloned().collect()
    }

    /// Returns the approvals that drivers wait for.
    pub(in crate::engine) fn approvals(&self) -> &DriverApprovals {
        &self.0.approvals
    }
}

fn name_of(client: &str, label: Option<&str>) -> String {
    let part = |text: &str| visible(text.trim()).chars().take(LONGEST_NAME).collect::<String>();
    let client = Some(part(client)).filter(|client| !client.is_empty()).unwrap_or_else(|| NAMELESS.to_owned());
    match label.map(part).filter(|label| !label.is_empty()) {
        Some(label) => format!("{client} ({label})"),
        None => client,
    }
}

/// Returns the name, with a number if it is taken.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    (2..).map(|number| format!("{name} {number}")).find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{free_name, name_of};

    #[test]
    fn a_name_is_short_visible_and_not_taken_twice() {
        assert_eq!(name_of("cursor", None), "cursor");
        assert_eq!(name_of(" cursor ", Some("work")), "cursor (work)");
        assert_eq!(name_of("", Some(" ")), "mcp");
        assert_eq!(name_of("a\u{202e}b", None), "a⟨U+202E⟩b");
        assert_eq!(name_of(&"x".repeat(500), None).len(), 40);
        let taken = ["cursor", "cursor 2"];
        assert_eq!(free_name("cursor", |name| taken.contains(&name)), "cursor 3");
        assert_eq!(free_name("zed", |name| taken.contains(&name)), "zed");
    }
}
