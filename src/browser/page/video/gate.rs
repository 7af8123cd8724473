//! Which frames a model's recording may contain: those of the site that it was allowed on, while no person uses the tab.
//!
//! Owns the decision. Frames arrive late, and after a navigation the browser shows the previous page for a moment:
//! after a visit to another site, frames are dropped for a while. What a person types may be gone from the page when the
//! next command could read it, so their input closes the gate until then. Pure.

use gstack_base::site::SiteOrPage;
use std::time::Duration;
use tokio::time::Instant;

/// Longer than the browser shows the previous page until the next one has drawn (paint holding).
const SETTLES: Duration = Duration::from_secs(1);

/// Lets through all frames, or those of one place.
#[derive(Debug)]
pub(super) struct Gate {
    only_on: Option<SiteOrPage>,
    state: GateState,
    /// The person used the tab, when this many commands had begun there.
    person_since: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GateState {
    Open,
    /// The tab shows another site.
    Closed,
    /// The tab is back on the place; the gate opens at this time.
    Opening(Instant),
}

impl Gate {
    pub(super) fn new(only_on: Option<SiteOrPage>) -> Self {
        Self { only_on, state: GateState::Open, person_since: None }
    }

    /// Records an address that the tab shows or has just shown.
    pub(super) fn sees(&mut self, url: &str, now: Instant) {
        let Some(wanted) = &self.only_on else { return };
        if SiteOrPage::of(url) != *wanted {
            self.state = GateState::Closed;
        } else if self.state == GateState::Closed {
            self.state = GateState::Opening(now + SETTLES);
        }
    }

    /// Records that some of the tab's addresses are unknown.
    pub(super) fn lost_track(&mut self, now: Instant) {
        if self.only_on.is_some() {
            self.state = GateState::Opening(now + SETTLES);
        }
    }

    /// Records the person's input, after this many commands had begun in the tab.
    pub(super) fn person_acts(&mut self, commands: u64) {
        self.person_since = self.only_on.is_some().then_some(commands);
    }

    /// Records how many commands have begun in the tab.
    pub(super) fn commands_begun(&mut self, commands: u64, now: Instant) {
        if self.person_since.take_if(|since| *since != commands).is_some() && self.state != GateState::Closed {
            self.state = GateState::Opening(now + SETTLES);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state == GateState::Open && self.person_since.is_none()
    }

    /// When to open it; `None` if it is open or the tab shows another site.
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
    use gstack_base::site::SiteOrPage;
    use tokio::time::Instant;

    #[test]
    fn another_site_closes_it_and_it_opens_a_while_after_the_return() {
        let mut gate = Gate::new(Some(SiteOrPage::of("http://a.example/1")));
        let now = Instant::now();
        gate.sees("http://a.example/2", now);
        assert!(gate.is_open());
        gate.sees("http://bank.example/", now);
        assert!(!gate.is_open() && gate.opens_at().is_none());
        gate.sees("http://a.example/3", now);
        assert_eq!((gate.is_open(), gate.opens_at()), (false, Some(now + SETTLES)));
        // The next page of the same site does not delay it.
        gate.sees("http://a.example/4", now + SETTLES);
        assert_eq!(gate.opens_at(), Some(now + SETTLES));
        gate.open();
        assert!(gate.is_open());
        gate.lost_track(now);
        assert!(!gate.is_open());
    }

    #[test]
    fn the_person_s_input_closes_it_until_a_while_after_the_next_command_begins() {
        let mut gate = Gate::new(Some(SiteOrPage::of("http://a.example/1")));
        let now = Instant::now();
        gate.person_acts(4);
        gate.commands_begun(4, now);
        gate.sees("http://a.example/2", now);
        assert!(!gate.is_open() && gate.opens_at().is_none());
        gate.commands_begun(5, now);
        assert_eq!((gate.is_open(), gate.opens_at()), (false, Some(now + SETTLES)));
        gate.open();
        assert!(gate.is_open());
        gate.sees("http://bank.example/", now);
        gate.person_acts(5);
        gate.commands_begun(6, now);
        assert!(!gate.is_open() && gate.opens_at().is_none(), "on another site it stays closed");
    }

    #[test]
    fn one_without_a_place_never_closes() {
        let mut gate = Gate::new(None);
        gate.sees("http://bank.example/", Instant::now());
        gate.lost_track(Instant::now());
        gate.person_acts(1);
        assert!(gate.is_open());
    }
}
