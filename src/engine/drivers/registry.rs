//! The registered drivers.
//!
//! Owns the table. One process has one registration, and no two drivers have the same name.

use super::approvals::DriverApprovals;
use super::error::DriversError;
use crate::base::mutex::lock;
use crate::base::process::Process;
use crate::base::shorten::shorten;
use crate::base::visible::visible;
use crate::chat::Conversation;
use crate::protocol::driver::DriverName;
use crate::protocol::ids::{DriverId, TabId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

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
    /// The two parts of the name, for surfaces that say which one is proved by nothing.
    client: String,
    label: Option<String>,
    pub(in crate::engine) trusted: bool,
    /// The registration ends with it.
    pub(in crate::engine) process: Process,
    /// Has the driver's tab set. Detached: the store does not know it.
    pub(in crate::engine) conversation: Arc<Conversation>,
    /// Held while the driver gets its first tab, so that two calls at once do not open two.
    pub(in crate::engine) opening: tokio::sync::Mutex<()>,
    /// The calls that run, with their tabs.
    running: Mutex<Vec<(TabId, CancellationToken)>>,
}

impl Driver {
    /// Returns true if it acts with the person's authority.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Returns what panels call it.
    pub(in crate::engine) fn shown_name(&self) -> DriverName {
        DriverName { name: self.name.clone(), client: self.client.clone(), label: self.label.clone() }
    }

    /// Records that a call runs in a tab. `taken` is cancelled if the person takes the tab back before the returned
    /// value is dropped.
    pub(in crate::engine) fn runs_in(self: &Arc<Self>, tab: TabId, taken: CancellationToken) -> RunningCall {
        lock(&self.running).push((tab, taken.clone()));
        RunningCall { driver: self.clone(), taken }
    }

    /// Cancels the calls that run in a tab.
    pub(in crate::engine) fn cancel_in(&self, tab: TabId) {
        lock(&self.running).iter().filter(|(of, _)| *of == tab).for_each(|(_, taken)| taken.cancel());
    }
}

/// A call that runs in a tab. Dropping it ends the record.
pub(in crate::engine) struct RunningCall {
    driver: Arc<Driver>,
    taken: CancellationToken,
}

impl RunningCall {
    /// Returns true if the person took the tab back.
    pub(in crate::engine) fn is_taken_back(&self) -> bool {
        self.taken.is_cancelled()
    }

    /// Resolves when the person takes the tab back.
    pub(in crate::engine) async fn taken_back(&self) {
        self.taken.cancelled().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        // Each call has a token of its own, so this removes this call only.
        self.taken.cancel();
        lock(&self.driver.running).retain(|(_, taken)| !taken.is_cancelled());
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
        let (client, label) = (client_name(new.client), label_of(new.label));
        let name = free_name(&name_of(&client, label.as_deref()), |name| known.values().any(|one| one.name == name));
        let driver = Arc::new(Driver {
            id: DriverId::random(),
            conversation: conversation(&name),
            name,
            client,
            label,
            trusted: new.trusted,
            process: new.process,
            opening: tokio::sync::Mutex::default(),
            running: Mutex::default(),
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

/// Returns a name as people see it. What is cut off is replaced by an ellipsis.
fn shown(text: &str) -> String {
    // A name may be megabytes long, so only what can be shown is made visible.
    let start: String = text.trim().chars().take(LONGEST_NAME + 1).collect();
    shorten(&visible(&start).replace('\n', " "), LONGEST_NAME)
}

/// Returns what a program calls itself. Only the person's name for it stands in round brackets.
/// Letters that look like the round brackets around the person's name for a client.
const OPENING: [char; 6] = ['(', '（', '﹙', '⁽', '₍', '❨'];
const CLOSING: [char; 6] = [')', '）', '﹚', '⁾', '₎', '❩'];

fn client_name(text: &str) -> String {
    let name = shown(text).replace(OPENING, "[").replace(CLOSING, "]");
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

fn label_of(text: Option<&str>) -> Option<String> {
    text.map(shown).filter(|label| !label.is_empty())
}

fn name_of(client: &str, label: Option<&str>) -> String {
    label.map_or_else(|| client.to_owned(), |label| format!("{client} ({label})"))
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
    use super::{client_name, free_name, label_of, name_of};

    #[test]
    fn a_name_is_short_visible_and_not_taken_twice() {
        let name = |client, label| name_of(&client_name(client), label_of(label).as_deref());
        assert_eq!(name("cursor", None), "cursor");
        assert_eq!(name(" cursor ", Some("work")), "cursor (work)");
        assert_eq!(name("", Some(" ")), "mcp");
        let taken = ["cursor", "cursor 2"];
        assert_eq!(free_name("cursor", |name| taken.contains(&name)), "cursor 3");
        assert_eq!(free_name("zed", |name| taken.contains(&name)), "zed");
    }

    #[test]
    fn a_hostile_name_hides_nothing_and_is_not_mistaken_for_the_persons() {
        assert_eq!(client_name("a\u{202e}b"), "a⟨U+202E⟩b");
        assert_eq!(client_name("a\u{1b}[2Jb\nc\u{0}"), "a⟨U+001B⟩[2Jb c⟨U+0000⟩");
        for work in ["(work)", "（work）", "⁽work⁾"] {
            assert_eq!(client_name(&format!("cursor {work}")), "cursor [work]", "as if the person had named it");
        }
        assert_eq!(client_name(&"x".repeat(10_000)).chars().count(), 40);
        assert!(client_name(&"\u{202e}".repeat(10_000)).chars().count() <= 40);
        assert!(client_name(&"x".repeat(41)).ends_with('…'));
        assert_eq!(
            client_name("<img src=x onerror=alert[1]>"),
            "<img src=x onerror=alert[1]>",
            "panels draw it as text"
        );
    }
}
