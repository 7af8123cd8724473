//! DevTools events and their subscriptions.
//!
//! Owns the unparsed event, the filter and the bounded subscription. Never decides what an event means.

use crate::devtools::target::SessionId;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;

/// One event; each reader parses the parameters it needs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Event {
    inner: Arc<EventInner>,
}

#[derive(Debug)]
struct EventInner {
    session: Option<SessionId>,
    method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    pub(super) fn new(session: Option<Cow<'_, str>>, method: &str, params: Option<&RawValue>) -> Self {
        let session = session.map(|id| SessionId::from(id.into_owned()));
        Self {
            inner: Arc::new(EventInner { session, method: method.to_owned(), params: params.map(ToOwned::to_owned) }),
        }
    }
    /// Returns the session that sent the event; `None`: the connection itself.
    pub fn session(&self) -> Option<&SessionId> {
        self.inner.session.as_ref()
    }
    /// Returns the method: `Domain.event`.
    pub fn method(&self) -> &str {
        &self.inner.method
    }
    /// Returns the parameters as JSON text.
    pub fn params(&self) -> &str {
        self.inner.params.as_deref().map_or("{}", RawValue::get)
    }
    /// Parses the parameters. Returns `None`, and logs, if they do not have this shape.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        match serde_json::from_str(self.params()) {
            Ok(params) => Some(params),
            Err(error) => {
                tracing::debug!(method = self.method(), %error, "an event is not of the expected shape");
                None
            }
        }
    }
}

/// Selects the events of a subscriber.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    session: Option<SessionId>,
    methods: Vec<Cow<'static, str>>,
    capacity: Option<usize>,
}

impl Filter {
    /// Selects every event of every session.
    pub fn all() -> Self {
        Self::default()
    }
    /// Selects only events of this session.
    #[must_use]
    pub fn of(mut self, session: &SessionId) -> Self {
        self.session = Some(session.clone());
        self
    }
    /// Selects only these methods (`Domain.event`, or a whole domain as `Domain.`).
    #[must_use]
    pub fn methods(mut self, methods: &[&'static str]) -> Self {
        self.methods = methods.iter().map(|method| Cow::Borrowed(*method)).collect();
        self
    }
    /// Holds at most this many unread events (default 4096); events that do not fit count as missed.
    #[must_use]
    pub fn capacity(mut self, events: usize) -> Self {
        self.capacity = Some(events.max(1));
        self
    }
    fn passes(&self, event: &Event) -> bool {
        (self.session.is_none() || self.session.as_ref() == event.session())
            && (self.methods.is_empty() || self.methods.iter().any(|method| matches_method(method, event.method())))
    }
}

fn matches_method(wanted: &str, method: &str) -> bool {
    if wanted.ends_with('.') { method.starts_with(wanted) } else { method == wanted }
}

/// A reader that lags further behind misses events instead of filling the memory.
const DEFAULT_CAPACITY: usize = 4096;

/// Events for one reader, in the order in which the browser sent them. Dropping it unsubscribes.
#[derive(Debug)]
pub struct Subscription {
    events: mpsc::Receiver<Event>,
    missed: Arc<AtomicU64>,
}

impl Subscription {
    /// Returns the next event; `None` once the connection is gone and all events were read. Cancel safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }
    /// Returns the next event if one has arrived already.
    pub fn try_next(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
    /// Returns the number of events that did not fit, so far.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

/// Gets the events of the sessions that another program has on the connection. Must not block.
pub(super) trait Inlet: Send + Sync {
    fn publish(&self, event: &Event);
}

#[derive(Default)]
pub(super) struct Subscribers {
    list: Vec<Subscriber>,
    /// The programs that have sessions of their own on the connection.
    pub(super) inlets: Vec<Arc<dyn Inlet>>,
}

struct Subscriber {
    filter: Filter,
    events: mpsc::Sender<Event>,
    missed: Arc<AtomicU64>,
}

impl Subscribers {
    /// Adds a subscriber. `ended`: no event will come, so the subscription ends at once.
    pub(super) fn add(&mut self, filter: Filter, ended: bool) -> Subscription {
        let (sender, events) = mpsc::channel(filter.capacity.unwrap_or(DEFAULT_CAPACITY));
        let missed = Arc::new(AtomicU64::new(0));
        if !ended {
            self.list.push(Subscriber { filter, events: sender, missed: Arc::clone(&missed) });
        }
        Subscription { events, missed }
    }

    pub(super) fn publish(&mut self, event: &Event) {
        self.inlets.iter().for_each(|inlet| inlet.publish(event));
        self.list.retain(|subscriber| {
            if subscriber.events.is_closed() {
                return false;
            }
            if subscriber.filter.passes(event) && subscriber.events.try_send(event.clone()).is_err() {
                subscriber.missed.fetch_add(1, Ordering::Relaxed);
            }
            true
        });
    }

    pub(super) fn close(&mut self) {
        self.list.clear();
        self.inlets.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Filter, Subscribers};
    use std::borrow::Cow;

    fn event(session: &'static str, method: &str) -> Event {
        Event::new(Some(Cow::Borrowed(session)), method, None)
    }

    #[test]
    fn a_filter_takes_sessions_methods_and_whole_domains() {
        let mut subscribers = Subscribers::default();
        let filter = Filter::all().of(&"A".to_owned().into()).methods(&["Page.frameNavigated", "Network."]);
        let mut subscription = subscribers.add(filter, false);
        for (session, method) in [
            ("A", "Page.frameNavigated"),
            ("B", "Page.frameNavigated"),
            ("A", "Network.dataReceived"),
            ("A", "Page.frameDetached"),
        ] {
            subscribers.publish(&event(session, method));
        }
        assert_eq!(subscription.try_next().unwrap().method(), "Page.frameNavigated");
        assert_eq!(subscription.try_next().unwrap().method(), "Network.dataReceived");
        assert!(subscription.try_next().is_none());
    }

    #[tokio::test]
    async fn a_slow_reader_misses_the_newest_and_knows_it() {
        let mut subscribers = Subscribers::default();
        let mut subscription = subscribers.add(Filter::all().capacity(2), false);
        for _ in 0..5 {
            subscribers.publish(&event("A", "X.y"));
        }
        assert_eq!(subscription.missed(), 3);
        subscribers.close();
        assert!(subscription.next().await.is_some());
        assert!(subscription.next().await.is_some());
        assert!(subscription.next().await.is_none());
    }
}
