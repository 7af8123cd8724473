//! The times of a running turn and its steps. Measures; never reads the wall clock.

use crate::protocol::ids::StepId;
use std::time::{Duration, Instant};

/// Times of the running turn. A person's time to answer is not the turn's.
#[derive(Default)]
pub(super) struct TurnClock {
    began: Option<Instant>,
    waiting_since: Option<Instant>,
    waited: Duration,
    steps: Vec<(StepId, Instant)>,
}

impl TurnClock {
    /// A turn begins now.
    pub(super) fn begin() -> Self {
        Self { began: Some(Instant::now()), ..Self::default() }
    }

    pub(super) fn step_began(&mut self, step_id: StepId) {
        self.steps.push((step_id, Instant::now()));
    }

    pub(super) fn step_ended(&mut self, step_id: &StepId) {
        self.steps.retain(|(open, _)| open != step_id);
    }

    /// Steps without an end, and the milliseconds since they began.
    pub(super) fn open_steps(&self) -> impl Iterator<Item = (&StepId, u64)> {
        self.steps.iter().map(|(step_id, began)| (step_id, millis(began.elapsed())))
    }

    pub(super) fn note_waiting(&mut self, waiting: bool) {
        match (waiting, self.waiting_since) {
            (true, None) => self.waiting_since = Some(Instant::now()),
            (false, Some(since)) => {
                self.waited += since.elapsed();
                self.waiting_since = None;
            }
            _ => {}
        }
    }

    /// Milliseconds that the agent had.
    pub(super) fn worked(&self) -> u64 {
        let waited = self.waited + self.waiting_since.map_or(Duration::ZERO, |since| since.elapsed());
        self.began.map_or(0, |began| millis(began.elapsed().saturating_sub(waited)))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
