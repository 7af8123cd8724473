//! Which pictures a recording of a model may have: those of the site that it was allowed on.
//!
//! Owns the decision. Pictures come late, and a browser goes on showing the page before for a moment: after a visit to another
//! site nothing is taken for a while. Never asks a browser.

use crate::base::site::Place;
use std::time::Duration;
use tokio::time::Instant;

/// Longer than a browser shows the former page while the next one draws for the first time.
const SETTLES: Duration = Duration::from_secs(1);

/// Open to every picture, or to those of one place.
#[derive(Debug)]
pub(super) struct Gate {
    only_on: Option<Place>,
    state: GateState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GateState {
    Open,
    /// The tab shows another site.
    Closed,
    /// It is back, and opens then.
    Opening(Instant),
}

impl Gate {
    pub(super) fn new(only_on: Option<Place>) -> Self {
        Self { only_on, state: GateState::Open }
    }

    /// The tab shows what is at this address, or did a moment ago.
    pub(super) fn sees(&mut self, url: &str, now: Instant) {
        let Some(wanted) = &self.only_on else { return };
        if Place::of(url) != *wanted {
            self.state = GateState::Closed;
        } else if self.state == GateState::Closed {
            self.state = GateState::Opening(now + SETTLES);
        }
    }

    /// Not all of what the tab showed is known.
    pub(super) fn lost_track(&mut self, now: Instant) {
        if self.only_on.is_some() {
            self.state = GateState::Opening(now + SETTLES);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state == GateState::Open
    }

    /// When it is to be opened; none: it is open, or the tab shows another site.
    pub(super) fn opens_at(&self) -> Option<Instant> {
        if let GateState::Opening(at) = self.state { Some(at) } else { None }
    }

    pub(super) fn open(&mut self) {
        self.state = GateState::Open;
    }
}

#[cfg(test)]
mod tests {
    use super::{Gate, SETTLES};
    use crate::base::site::Place;
    use tokio::time::Instant;

    #[test]
    fn another_site_closes_it_and_it_opens_a_while_after_the_return() {
        let mut gate = Gate::new(Some(Place::of("http://a.example/1")));
        let now = Instant::now();
        gate.sees("http://a.example/2", now);
        assert!(gate.is_open());
        gate.sees("http://bank.example/", now);
        assert!(!gate.is_open() && gate.opens_at().is_none());
        gate.sees("http://a.example/3", now);
        assert_eq!((gate.is_open(), gate.opens_at()), (false, Some(now + SETTLES)));
        // The next page of the same site does not put it off.
        gate.sees("http://a.example/4", now + SETTLES);
        assert_eq!(gate.opens_at(), Some(now + SETTLES));
        gate.open();
        assert!(gate.is_open());
        gate.lost_track(now);
        assert!(!gate.is_open());
    }

    #[test]
    fn one_without_a_place_never_closes() {
        let mut gate = Gate::new(None);
        gate.sees("http://bank.example/", Instant::now());
        gate.lost_track(Instant::now());
        assert!(gate.is_open());
    }
}
