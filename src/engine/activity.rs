//! What was done in the browser, by anyone: a ring of entries, and who is told of each.
//!
//! Owns the numbers, the ring and the receivers; `activity_file` keeps it for the next daemon. An entry comes into it when its command begins, under a number of its own,
//! and is replaced when the command ends, however it ends. Holds no secret: `command::redaction` has been over every word.

use super::Engine;
use super::activity_file::ActivityFile;
use super::ports::{PortId, PortSender, notification};
use crate::base::clock::now_millis;
use crate::base::mutex::lock;
use crate::command::{Call, Category, Spec, redaction, registry};
use crate::protocol::activity::{ActivityEntry, ActivityId, ActivityOutcome, ActivityPage, ActivitySource};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{PanelId, TabId};
use crate::protocol::methods::ToPanel;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::Instant;
use tokio::sync::broadcast;

/// How many entries are kept.
pub const RING: usize = 1000;
/// How far a receiver may be behind before entries are lost to it.
const BACKLOG: usize = 256;
/// In bytes; half of what one message to Chrome may hold, for quotes and escapes.
const LARGEST_PAGE: usize = 400 * 1024;
/// Of an argument and of a result, in characters.
const LONGEST_WORD: usize = 500;
const LONGEST_RESULT: usize = 200;

/// The ring and who is told of its changes.
pub(super) struct Activity {
    entries: VecDeque<ActivityEntry>,
    last: ActivityId,
    told: broadcast::Sender<ActivityEntry>,
    panels: HashMap<(PortId, Option<PanelId>), PortSender>,
    file: ActivityFile,
}

impl Default for Activity {
    fn default() -> Self {
        let (told, _) = broadcast::channel(BACKLOG);
        Self { entries: VecDeque::new(), last: 0, told, panels: HashMap::new(), file: ActivityFile::default() }
    }
}

impl Activity {
    /// Goes on with what earlier daemons have noted: their newest entries, and the numbers after theirs.
    pub(super) fn open(path: PathBuf) -> Self {
        let (file, mut entries) = ActivityFile::open(path);
        entries.drain(..entries.len().saturating_sub(RING));
        let last = entries.last().map_or(0, |entry| entry.id);
        Self { entries: entries.into(), last, file, ..Self::default() }
    }

    /// Gives the entry its number.
    fn begin(&mut self, mut entry: ActivityEntry) -> ActivityId {
        self.last += 1;
        entry.id = self.last;
        if self.entries.len() == RING {
            self.entries.pop_front();
        }
        self.tell(&entry);
        self.entries.push_back(entry);
        self.last
    }

    fn end(&mut self, id: ActivityId, outcome: ActivityOutcome, duration_ms: u64, result: String) {
        // One that began longer ago than the ring reaches has left it.
        let Some(entry) = self.entries.iter_mut().rev().find(|entry| entry.id == id) else { return };
        entry.outcome = outcome;
        entry.duration_ms = Some(duration_ms);
        entry.result = result;
        let entry = entry.clone();
        self.file.add(&entry, self.entries.iter().filter(|entry| entry.outcome != ActivityOutcome::Running));
        self.tell(&entry);
    }

    fn tell(&self, entry: &ActivityEntry) {
        // Nobody listens: nothing is lost, the ring has it.
        self.told.send(entry.clone()).ok();
        for ((_, client), port) in &self.panels {
            port.send(&notification(client.clone(), &ToPanel::ActivityEntry(entry.clone())));
        }
    }

    /// The entries after that number, at most `limit`: the oldest of them, so that a reader can go on from the last.
    fn page(&self, after: ActivityId, limit: usize) -> ActivityPage {
        // A number that was not given yet is another daemon's: all of its entries are gone, and all of ours are new.
        let (after, foreign) = if after > self.last { (0, true) } else { (after, false) };
        let oldest = self.entries.front().map_or(self.last + 1, |entry| entry.id);
        let entries = self.entries.iter().filter(|entry| entry.id > after).take(limit).cloned().collect();
        ActivityPage { entries, gap: foreign || after + 1 < oldest }
    }

    /// The newest of them that fit into one message to a panel.
    fn page_of_panel(&self, after: ActivityId) -> ActivityPage {
        let mut page = self.page(after, RING);
        let mut size = 0;
        let fits = |entry: &&ActivityEntry| {
            let words: usize = entry.args.iter().map(|word| word.len() + 4).sum();
            size += 300 + words + entry.result.len();
            size <= LARGEST_PAGE
        };
        let kept = page.entries.iter().rev().take_while(fits).count();
        page.gap |= kept < page.entries.len();
        page.entries.drain(..page.entries.len() - kept);
        page
    }

    /// Everything up to this number has ended: a reader who comes back after it misses no end.
    fn settled(&self) -> ActivityId {
        let open = self.entries.iter().find(|entry| entry.outcome == ActivityOutcome::Running);
        open.map_or(self.last, |entry| entry.id - 1)
    }
}

/// What a stream begins with and goes on with.
pub struct Followed {
    pub page: ActivityPage,
    pub events: broadcast::Receiver<ActivityEntry>,
}

/// A command that was begun and is told of when it ends. Dropped before that, it was cut off.
pub(super) struct Begun {
    engine: Engine,
    id: ActivityId,
    /// None if its words could not be read.
    call: Option<Call>,
    words: Vec<String>,
    since: Instant,
    ended: bool,
}

impl Begun {
    /// `Ok`: what it printed.
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
        // Further lines may quote the page.
        let line = words.lines().next().unwrap_or_default();
        let result = cut(redaction::message(self.call.as_ref(), &self.words, line), LONGEST_RESULT);
        lock(&self.engine.inner.activity).end(self.id, outcome, took, result);
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

/// What the command prints is its own words, not the page's: `Clicked @e3 → now at https://…`.
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

impl Engine {
    /// A command begins. Its arguments are redacted here.
    pub(super) fn begin_activity(&self, source: ActivitySource, tab_id: Option<TabId>, call: &Call) -> Begun {
        let shown = redaction::arguments(call);
        self.begin(source, tab_id, call.spec.name.to_owned(), shown, Some(call.clone()), &[])
    }

    /// A command line that can't be read: it will not run, and any word of it may be a secret.
    pub(super) fn begin_unreadable(
        &self,
        source: ActivitySource,
        tab_id: Option<TabId>,
        command: &str,
        words: &[String],
    ) -> Begun {
        let name = registry::find(command).map_or_else(|| cut(redaction::text(command), 40), |s| s.name.to_owned());
        self.begin(source, tab_id, name, redaction::unreadable(words), None, words)
    }

    fn begin(
        &self,
        source: ActivitySource,
        tab_id: Option<TabId>,
        command: String,
        shown: Vec<String>,
        call: Option<Call>,
        words: &[String],
    ) -> Begun {
        let current = || self.browser().and_then(|browser| browser.current_known());
        let entry = ActivityEntry {
            id: 0,
            at: now_millis(),
            source,
            tab_id: tab_id.or_else(current),
            command,
            args: shown.into_iter().map(|word| cut(word, LONGEST_WORD)).collect(),
            outcome: ActivityOutcome::Running,
            duration_ms: None,
            result: String::new(),
        };
        let id = lock(&self.inner.activity).begin(entry);
        Begun { engine: self.clone(), id, call, words: words.to_vec(), since: Instant::now(), ended: false }
    }

    /// Entries after that number that are still kept, oldest first.
    pub fn activity(&self, after: ActivityId, limit: usize) -> ActivityPage {
        lock(&self.inner.activity).page(after, limit)
    }

    /// The same, and from then on each change: no entry between the two is missed.
    pub fn follow_activity(&self, after: ActivityId) -> Followed {
        let activity = lock(&self.inner.activity);
        Followed { page: activity.page(after, RING), events: activity.told.subscribe() }
    }

    /// A number after which a reader may come back without having missed an end.
    pub fn activity_settled(&self) -> ActivityId {
        lock(&self.inner.activity).settled()
    }

    /// A panel wants to be told; its answer is queued before the first push.
    pub fn activity_subscribe(
        &self,
        port: PortId,
        client: Option<PanelId>,
        after: ActivityId,
        answer: impl FnOnce(ActivityPage),
    ) -> Result<(), Fault> {
        let sender = self.ports().sender(port)?;
        let mut activity = lock(&self.inner.activity);
        answer(activity.page_of_panel(after));
        activity.panels.insert((port, client), sender);
        Ok(())
    }

    pub fn activity_unsubscribe(&self, port: PortId, client: Option<&PanelId>) {
        lock(&self.inner.activity).panels.retain(|(of, panel), _| *of != port || panel.as_ref() != client);
    }

    /// None of a port's panels is told any more.
    pub(super) fn forget_activity_panels(&self, port: PortId) {
        lock(&self.inner.activity).panels.retain(|(of, _), _| *of != port);
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, RING};
    use crate::protocol::activity::{ActivityEntry, ActivityOutcome, ActivitySource};

    fn entry() -> ActivityEntry {
        ActivityEntry {
            id: 0,
            at: 1,
            source: ActivitySource::Terminal,
            tab_id: None,
            command: "click".to_owned(),
            args: vec!["@e3".to_owned()],
            outcome: ActivityOutcome::Running,
            duration_ms: None,
            result: String::new(),
        }
    }

    #[test]
    fn the_ring_keeps_the_newest_and_says_what_is_gone() {
        let mut activity = Activity::default();
        assert!(!activity.page(0, 10).gap);
        for _ in 0..RING + 5 {
            activity.begin(entry());
        }
        let page = activity.page(0, 10);
        assert!(page.gap);
        assert_eq!(page.entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), (6..=15).collect::<Vec<_>>());
        assert!(!activity.page(5, 10).gap && activity.page(4, 10).gap);
        assert_eq!(activity.page(1004, 10).entries.len(), 1);
        assert!(activity.page(1005, 10).entries.is_empty());
        let foreign = activity.page(9999, 10);
        assert_eq!((foreign.gap, foreign.entries[0].id), (true, 6));
    }

    #[test]
    fn an_end_replaces_the_beginning_and_both_are_told() {
        let mut activity = Activity::default();
        let mut told = activity.told.subscribe();
        let (first, second) = (activity.begin(entry()), activity.begin(entry()));
        activity.end(second, ActivityOutcome::Ok, 12, "done".to_owned());
        assert_eq!(activity.settled(), 0, "the first still runs");
        activity.end(first, ActivityOutcome::Unknown, 13, String::new());
        assert_eq!(activity.settled(), 2);
        let seen: Vec<_> = std::iter::from_fn(|| told.try_recv().ok()).map(|e| (e.id, e.outcome)).collect();
        let (running, ok, unknown) = (ActivityOutcome::Running, ActivityOutcome::Ok, ActivityOutcome::Unknown);
        assert_eq!(seen, [(1, running), (2, running), (2, ok), (1, unknown)]);
        assert_eq!(activity.page(0, 10).entries[1].result, "done");
    }
}
