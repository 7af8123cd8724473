//! Watches a tab while the user works in it: takes a snapshot after every change that settles.
//!
//! Owns the watching task and its record. It never acts on the page and never polls: the page's script and the
//! browser's events report changes. An out-of-process frame is read only when the page around it changes.

use super::open_watch::Watch;
use crate::browser::Browser;
use crate::events::{Event, Filter, Subscription};
use crate::page::error::PageError;
use crate::page::page::{Memory, Page, Pages, SCRIPT_LIMIT, lock};
use crate::page::read::SnapshotOptions;
use crate::page::script::{Injected, WORLD, tell};
use crate::shared::{Role, Shared};
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use serde_json::json;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The binding that the page's script calls, in our world.
const BINDING: &str = "__gstackChanged";

/// The record of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    pub lasted: Duration,
    /// The number of snapshots that differed from the previous one, including the first.
    pub snapshots: usize,
    pub last: String,
}

#[derive(Deserialize)]
struct BindingCalled {
    name: String,
}

impl Page {
    /// Starts to watch; returns false if the tab is being watched already.
    pub async fn begin_watch(&self, pages: &Pages) -> Result<bool, PageError> {
        if lock(&self.memory.watch).is_some() {
            return Ok(false);
        }
        let filter = Filter::all().methods(&[
            "Runtime.bindingCalled",
            "Page.domContentEventFired",
            "Page.navigatedWithinDocument",
        ]);
        // Subscribed before the first snapshot, so that no change is missed.
        let events = self.browser().cdp().subscribe(filter);
        let last = self.look().await?;
        let end = CancellationToken::new();
        let (keep, ends) = (self.keep_attached()?, end.clone().drop_guard());
        let watch = Watch { started: Instant::now(), snapshots: 1, last, _keep: keep, _end: ends };
        *lock(&self.memory.watch) = Some(watch);
        let task = Task {
            tab: self.id(),
            shared: Arc::downgrade(&self.browser().shared),
            memory: Arc::downgrade(&self.memory),
            pages: pages.clone(),
            end,
        };
        self.browser().cdp().tasks().spawn(task.run(events));
        Ok(true)
    }

    /// Ends the watch; returns `None` if there is none.
    pub async fn end_watch(&self) -> Result<Option<Watched>, PageError> {
        let ended = lock(&self.memory.watch).take();
        let Some(Watch { started, snapshots, last, .. }) = ended else { return Ok(None) };
        tell(self.session(), "Runtime.removeBinding", &json!({ "name": BINDING })).await?;
        // The last change may not have settled yet.
        let now = self.snapshot(&SnapshotOptions::default()).await?.text;
        let snapshots = snapshots + usize::from(now != last);
        Ok(Some(Watched { lasted: started.elapsed(), snapshots, last: now }))
    }

    /// Takes a snapshot, and makes the page report its changes from then on.
    async fn look(&self) -> Result<String, PageError> {
        let binding = json!({ "name": BINDING, "executionContextName": WORLD });
        tell(self.session(), "Runtime.addBinding", &binding).await?;
        let frame = self.main_frame().await?.id;
        let _: serde_json::Value = self.script(&frame, Injected::ObserveChanges, &[&BINDING], SCRIPT_LIMIT).await?;
        Ok(self.snapshot(&SnapshotOptions::default()).await?.text)
    }
}

struct Task {
    tab: TabId,
    shared: Weak<Shared>,
    memory: Weak<Memory>,
    pages: Pages,
    end: CancellationToken,
}

impl Task {
    async fn run(self, mut events: Subscription) {
        let gone = match self.shared.upgrade() {
            Some(shared) => shared.cdp.gone().clone(),
            None => return,
        };
        loop {
            let event = tokio::select! {
                () = self.end.cancelled() => return,
                () = gone.cancelled() => return,
                event = events.next() => event,
            };
            let Some(event) = event else { return };
            if !self.tells_of_change(&event) {
                continue;
            }
            // Several changes at once need only one snapshot.
            while events.try_next().is_some() {}
            tokio::select! {
                () = self.end.cancelled() => return,
                () = gone.cancelled() => return,
                looked = self.look_again() => match looked {
                    Ok(()) => {}
                    Err(PageError::DocumentGone) => tracing::debug!("the page was left while it was looked at"),
                    Err(error) => tracing::info!(tab = %self.tab, %error, "the watched tab could not be looked at"),
                },
            }
        }
    }

    fn tells_of_change(&self, event: &Event) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let role = event.session().and_then(|session| shared.state().sessions.get(session).cloned());
        role == Some(Role::Page(self.tab))
            && (event.method() != "Runtime.bindingCalled"
                || event.read::<BindingCalled>().is_some_and(|called| called.name == BINDING))
    }

    /// Waits for its turn on the tab like any command.
    async fn look_again(&self) -> Result<(), PageError> {
        let Some(shared) = self.shared.upgrade() else { return Ok(()) };
        let browser = Browser { shared };
        let page = self.pages.open(&browser.tab(self.tab)?).await?;
        let since = page.refusal_mark();
        let text = page.look().await?;
        page.check_addresses(since)?;
        let Some(memory) = self.memory.upgrade() else { return Ok(()) };
        if let Some(watch) = lock(&memory.watch).as_mut().filter(|watch| watch.last != text) {
            watch.snapshots += 1;
            watch.last = text;
        }
        Ok(())
    }
}

impl Watched {
    /// Returns the duration in whole seconds.
    pub fn seconds(&self) -> u64 {
        self.lasted.as_secs()
    }
}
