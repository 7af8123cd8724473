//! The activity log: every command run in the browser, from any source.
//!
//! Owns the path of a command into the ring: its entry is added when the command begins and replaced when the command
//! ends, however it ends. Holds no secrets: `command::redaction` has redacted every word.

mod file;
mod ring;

pub use ring::RING;

use crate::ports::{PortId, Ports};
use gstack_base::clock::now_millis;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_command::{Call, Category, Spec, redaction, registry};
use gstack_protocol::activity::{
    ActivityElement, ActivityEntry, ActivityId, ActivityOutcome, ActivityPage, ActivitySource,
};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{PanelId, TabId, TurnId};
use ring::Activity;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::broadcast;

/// Limits of one argument and of one result, in characters.
const LONGEST_WORD: usize = 500;
const LONGEST_RESULT: usize = 200;
/// The limit of an element's name.
const LONGEST_NAME: usize = 200;

/// A handle to the activity log. Cheap to clone.
#[derive(Clone)]
pub struct ActivityLog(Arc<Shared>);

struct Shared {
    ring: Mutex<Activity>,
    /// Sends to the panels that subscribe.
    ports: Ports,
}

/// Where a command came from, and the driver that asked for it.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) kind: ActivitySource,
    /// The name of a registered driver.
    pub(super) driver: Option<String>,
    /// The turn of a conversation's agent.
    pub(super) turn: Option<TurnId>,
}

impl From<ActivitySource> for Source {
    fn from(kind: ActivitySource) -> Self {
        Self { kind, driver: None, turn: None }
    }
}

/// What an entry says of its command, redacted.
struct About {
    command: String,
    shown: Vec<String>,
    elements: Vec<ActivityElement>,
}

/// The first page of a stream and the receiver of what follows.
pub struct Followed {
    pub page: ActivityPage,
    pub events: broadcast::Receiver<ActivityEntry>,
}

/// A command that has begun. Dropping it before `end` records the command as cut off.
pub(super) struct Begun {
    activity: ActivityLog,
    id: ActivityId,
    /// `None` if the command line could not be parsed.
    call: Option<Call>,
    words: Vec<String>,
    since: Instant,
    ended: bool,
}

impl Begun {
    /// Records the end. `Ok` holds what the command printed.
    pub(super) fn end(mut self, outcome: Result<&str, &Fault>) {
        let spec = self.call.as_ref().map(|call| call.spec);
        let (outcome, words) = match outcome {
            Ok(output) => (ActivityOutcome::Ok, if spec.is_some_and(speaks_itself) { output } else { "" }),
            Err(fault) if fault.code == FaultCode::OutcomeUnknown => (ActivityOutcome::Unknown, fault.message.as_str()),
            Err(fault) => (ActivityOutcome::Failed, fault.message.as_str()),
        };
        self.tell(outcome, words);
    }

    fn tell(&mut self, outcome: ActivityOutcome, words: &str) {
        self.ended = true;
        let took = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let result = first_line(self.call.as_ref(), &self.words, words);
        lock(&self.activity.0.ring).end(self.id, outcome, took, result);
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let writes = self.call.as_ref().is_some_and(|call| call.spec.changes());
        let outcome = if writes { ActivityOutcome::Unknown } else { ActivityOutcome::Failed };
        self.tell(outcome, "the requester disconnected");
    }
}

/// Returns one line about the result of a call, as the log has it.
pub(super) fn result_line(call: &Call, outcome: Result<&str, &Fault>) -> String {
    let words = match outcome {
        Ok(output) if speaks_itself(call.spec) => output,
        Ok(_) => "",
        Err(fault) => fault.message.as_str(),
    };
    first_line(Some(call), &[], words)
}

/// Returns the first line, redacted: further lines may quote the page.
fn first_line(call: Option<&Call>, unreadable: &[String], words: &str) -> String {
    let line = words.lines().next().unwrap_or_default();
    cut(redaction::message(call, unreadable, line), LONGEST_RESULT)
}

/// Returns true if the command prints its own words and not the page's, such as `Clicked @e3 → now at https://…`.
fn speaks_itself(spec: &Spec) -> bool {
    let own = matches!(spec.category, Category::Navigation | Category::Interaction | Category::Visual | Category::Tabs);
    own && !spec.untrusted && !spec.runs_others()
}

fn cut(text: String, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

impl ActivityLog {
    /// Continues the log of earlier daemons.
    pub(crate) fn open(home: &Home, ports: Ports) -> Self {
        Self(Arc::new(Shared { ring: Mutex::new(Activity::open(home.activity_file())), ports }))
    }

    /// Records that a command begins, in this tab if it has one. Redacts its arguments.
    pub(super) fn begin(&self, source: impl Into<Source>, tab_id: Option<TabId>, call: &Call) -> Begun {
        self.begin_on(source, tab_id, call, &|_| None)
    }

    /// Like `begin`, and records the elements that the call's refs name. `described` returns the role and the name of one.
    pub(super) fn begin_on(
        &self,
        source: impl Into<Source>,
        tab_id: Option<TabId>,
        call: &Call,
        described: &dyn Fn(&str) -> Option<(String, String)>,
    ) -> Begun {
        let refs = call.elements().into_iter().map(|target| target.to_string());
        let element = |reference: String| {
            let (role, name) = described(&reference)?;
            Some(ActivityElement { reference, role, name: cut(redaction::text(&name), LONGEST_NAME) })
        };
        let about = About {
            command: call.spec.name.to_owned(),
            shown: redaction::arguments(call),
            elements: refs.filter_map(element).collect(),
        };
        self.begin_entry(source.into(), tab_id, about, Some(call.clone()), &[])
    }

    /// Records a command line that cannot be parsed. It will not run, and any of its words may be a secret.
    pub(super) fn begin_unreadable(
        &self,
        source: impl Into<Source>,
        tab_id: Option<TabId>,
        command: &str,
        words: &[String],
    ) -> Begun {
        let name = registry::find(command).map_or_else(|| cut(redaction::text(command), 40), |s| s.name.to_owned());
        let about = About { command: name, shown: redaction::unreadable(words), elements: Vec::new() };
        self.begin_entry(source.into(), tab_id, about, None, words)
    }

    fn begin_entry(
        &self,
        source: Source,
        tab_id: Option<TabId>,
        About { command, shown, elements }: About,
        call: Option<Call>,
        words: &[String],
    ) -> Begun {
        let entry = ActivityEntry {
            id: 0,
            at: now_millis(),
            source: source.kind,
            driver: source.driver,
            turn: source.turn,
            tab_id,
            command,
            args: shown.into_iter().map(|word| cut(word, LONGEST_WORD)).collect(),
            elements,
            outcome: ActivityOutcome::Running,
            duration_ms: None,
            result: String::new(),
        };
        let id = lock(&self.0.ring).begin(entry);
        Begun { activity: self.clone(), id, call, words: words.to_vec(), since: Instant::now(), ended: false }
    }

    /// Returns the entries after `after` that are still kept, oldest first.
    pub fn page(&self, after: ActivityId, limit: usize) -> ActivityPage {
        lock(&self.0.ring).page(after, limit)
    }

    /// Returns the same entries and a receiver of every later change, with no gap between the two.
    pub fn follow(&self, after: ActivityId) -> Followed {
        let activity = lock(&self.0.ring);
        Followed { page: activity.page(after, RING), events: activity.told.subscribe() }
    }

    /// Returns a number from which a reader can resume without missing the end of an entry.
    pub fn settled(&self) -> ActivityId {
        lock(&self.0.ring).settled()
    }

    /// Subscribes a panel. Queues its answer before the first push.
    pub fn subscribe(
        &self,
        port: PortId,
        client: Option<PanelId>,
        after: ActivityId,
        answer: impl FnOnce(ActivityPage),
    ) -> Result<(), Fault> {
        let sender = self.0.ports.sender(port)?;
        let mut activity = lock(&self.0.ring);
        answer(activity.page_of_panel(after));
        activity.panels.insert((port, client), sender);
        Ok(())
    }

    pub fn unsubscribe(&self, port: PortId, client: Option<&PanelId>) {
        lock(&self.0.ring).panels.retain(|(of, panel), _| *of != port || panel.as_ref() != client);
    }

    /// Unsubscribes every panel of a port.
    pub(super) fn forget_port(&self, port: PortId) {
        lock(&self.0.ring).panels.retain(|(of, _), _| *of != port);
    }
}
