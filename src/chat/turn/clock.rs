//! The durations of a running turn and its steps, from one clock so that they are consistent.
//!
//! Never reads the wall clock. Stops while a person is asked, for the turn and for its steps.

use gstack_protocol::chat::ChatBody;
use gstack_protocol::ids::StepId;
use std::time::{Duration, Instant};

/// The times of the running turn. They exclude the time that a person takes to answer.
#[derive(Default)]
pub(crate) struct TurnClock {
    began: Option<Instant>,
    waiting_since: Option<Instant>,
    waited: Duration,
    steps: Vec<OpenStep>,
}

struct OpenStep {
    id: StepId,
    began: Instant,
    /// How long the person had already been asked when the step began.
    waited_before: Duration,
}

impl TurnClock {
    /// Starts the clock of a turn.
    pub(crate) fn begin() -> Self {
        Self { began: Some(Instant::now()), ..Self::default() }
    }

    /// Records the start of a step. An agent may report it again with more detail; the first time counts.
    pub(crate) fn step_began(&mut self, step_id: StepId) {
        self.step_began_at(step_id, Instant::now());
    }

    fn step_began_at(&mut self, id: StepId, now: Instant) {
        if self.steps.iter().all(|step| step.id != id) {
            let waited_before = self.waited_at(now);
            self.steps.push(OpenStep { id, began: now, waited_before });
        }
    }

    pub(crate) fn step_ended(&mut self, step_id: &StepId) {
        self.steps.retain(|step| step.id != *step_id);
    }

    /// Returns the unfinished steps with their durations in milliseconds.
    pub(crate) fn open_steps(&self) -> impl Iterator<Item = (&StepId, u64)> {
        self.open_steps_at(Instant::now())
    }

    fn open_steps_at(&self, now: Instant) -> impl Iterator<Item = (&StepId, u64)> {
        let waited = self.waited_at(now);
        self.steps.iter().map(move |step| {
            let waited = waited.saturating_sub(step.waited_before);
            (&step.id, millis(now.saturating_duration_since(step.began).saturating_sub(waited)))
        })
    }

    /// Adds the duration to the end of a step.
    pub(crate) fn timed(&self, mut body: ChatBody) -> ChatBody {
        if let ChatBody::StepDone { step_id, duration_ms, .. } = &mut body
            && let Some((_, took)) = self.open_steps().find(|(open, _)| *open == step_id)
        {
            *duration_ms = took;
        }
        body
    }

    pub(crate) fn note_waiting(&mut self, waiting: bool) {
        self.note_waiting_at(waiting, Instant::now());
    }

    fn note_waiting_at(&mut self, waiting: bool, now: Instant) {
        match waiting {
            true => {
                self.waiting_since.get_or_insert(now);
            }
            false => {
                self.waited = self.waited_at(now);
                self.waiting_since = None;
            }
        }
    }

    fn waited_at(&self, now: Instant) -> Duration {
        self.waited + self.waiting_since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// Returns the agent's working time in milliseconds.
    pub(crate) fn worked(&self) -> u64 {
        let now = Instant::now();
        let worked = |began| now.saturating_duration_since(began).saturating_sub(self.waited_at(now));
        self.began.map_or(0, |began| millis(worked(began)))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::TurnClock;
    use gstack_protocol::ids::StepId;
    use std::time::{Duration, Instant};

    #[test]
    fn a_step_does_not_count_the_time_in_which_a_person_is_asked() {
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let mut clock = TurnClock { began: Some(began), ..TurnClock::default() };
        let took =
            |clock: &TurnClock, seconds| clock.open_steps_at(at(seconds)).map(|(_, took)| took).collect::<Vec<_>>();
        clock.step_began_at(StepId::new("first"), at(1));
        clock.note_waiting_at(true, at(2));
        clock.note_waiting_at(true, at(3));
        assert_eq!(took(&clock, 30), [1000]);
        clock.step_began_at(StepId::new("second"), at(30));
        clock.note_waiting_at(false, at(50));
        clock.note_waiting_at(false, at(51));
        // Reported again with more detail.
        clock.step_began_at(StepId::new("first"), at(52));
        assert_eq!(took(&clock, 53), [4000, 3000]);
        clock.step_ended(&StepId::new("first"));
        assert_eq!(took(&clock, 54), [4000]);
        assert_eq!(clock.waited_at(at(54)), Duration::from_secs(48));
    }
}
