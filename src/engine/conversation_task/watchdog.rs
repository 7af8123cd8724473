//! Detects a turn without progress: it was silent for too long, worked for too long, or produced too much output.
//!
//! Owns the timekeeping. Time spent waiting for a person or for another agent's end never counts. Pure: the caller
//! passes the time.

use super::error::TurnError;
use crate::config::Config;
use gstack_agent::adapter::AgentEvent;
use gstack_protocol::fault::Fault;
use std::time::Duration;
use tokio::time::Instant;

/// The limit for an agent's output in one turn, in bytes. More is a flood and would fill the disk.
const MOST_SAID: u64 = 64 * 1024 * 1024;
/// The size that each event adds to that of its text, in bytes.
const EVENT: u64 = 200;

pub(super) struct Watchdog {
    silence: Option<Duration>,
    total: Option<Duration>,
    heard: Instant,
    began: Instant,
    paused: Option<Instant>,
    said: u64,
}

impl Watchdog {
    pub(super) fn new(config: &Config, now: Instant) -> Self {
        let (silence, total) = (config.watchdog.silence(), config.watchdog.total());
        Self { silence, total, heard: now, began: now, paused: None, said: 0 }
    }

    /// Returns when to check again; `None` while paused or without a limit.
    pub(super) fn deadline(&self) -> Option<Instant> {
        if self.paused.is_some() {
            return None;
        }
        [self.silence_ends(), self.total_ends()].into_iter().flatten().min()
    }

    /// Stops the clock, or starts it again.
    pub(super) fn pause(&mut self, pause: bool, now: Instant) {
        match (pause, self.paused) {
            (true, None) => self.paused = Some(now),
            (false, Some(since)) => {
                self.paused = None;
                self.heard += now - since;
                self.began += now - since;
            }
            _ => {}
        }
    }

    /// Counts an event of the agent. Returns a fault if the output is too much.
    pub(super) fn note_event(&mut self, event: &AgentEvent, now: Instant) -> Option<Fault> {
        self.heard = now;
        let text = match event {
            AgentEvent::TextDelta(text) | AgentEvent::ThinkingDelta(text) => text.len(),
            AgentEvent::Notice(text) => text.len(),
            _ => 0,
        };
        let before = self.said;
        self.said += text as u64 + EVENT;
        // Reported once: the agent may still produce output while it ends.
        let is_flood = before <= MOST_SAID && self.said > MOST_SAID;
        is_flood.then(|| TurnError::SaidTooMuch { limit: MOST_SAID / 1024 / 1024 }.into())
    }

    /// Returns why the turn is ended if its time is over. Reported once: after that the deadline of the stop applies.
    pub(super) fn verdict(&mut self, now: Instant) -> Option<Fault> {
        let over = self.judge(now)?;
        (self.silence, self.total) = (None, None);
        Some(over.into())
    }

    fn judge(&self, now: Instant) -> Option<TurnError> {
        if self.paused.is_some() {
            return None;
        }
        if let (Some(limit), Some(ends)) = (self.silence, self.silence_ends())
            && now >= ends
        {
            return Some(TurnError::Silent(limit));
        }
        if let (Some(limit), Some(ends)) = (self.total, self.total_ends())
            && now >= ends
        {
            return Some(TurnError::TooLong(limit));
        }
        None
    }

    fn silence_ends(&self) -> Option<Instant> {
        self.heard.checked_add(self.silence?)
    }

    fn total_ends(&self) -> Option<Instant> {
        self.began.checked_add(self.total?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::fault::FaultCode;

    const MINUTE: Duration = Duration::from_secs(60);

    fn watchdog(silence_minutes: f64, total_minutes: f64, now: Instant) -> Watchdog {
        let mut config = Config::default();
        config.watchdog.silence_minutes = silence_minutes;
        config.watchdog.total_minutes = total_minutes;
        Watchdog::new(&config, now)
    }

    #[tokio::test]
    async fn silence_counts_from_the_last_word_and_a_persons_time_never_does() {
        let start = Instant::now();
        let mut dog = watchdog(5.0, 0.0, start);
        assert_eq!(dog.deadline(), Some(start + 5 * MINUTE));
        assert!(dog.note_event(&AgentEvent::TextStarted, start + 4 * MINUTE).is_none());
        assert!(dog.verdict(start + 8 * MINUTE).is_none());
        dog.pause(true, start + 8 * MINUTE);
        assert!(dog.deadline().is_none() && dog.verdict(start + 100 * MINUTE).is_none());
        dog.pause(false, start + 108 * MINUTE);
        assert_eq!(dog.deadline(), Some(start + 109 * MINUTE));
        assert_eq!(dog.verdict(start + 109 * MINUTE).unwrap().code, FaultCode::Timeout);
        assert_eq!((dog.deadline(), dog.verdict(start + 200 * MINUTE)), (None, None), "told once");
    }

    #[tokio::test]
    async fn a_turn_that_talks_on_for_ever_ends_too() {
        let start = Instant::now();
        let mut dog = watchdog(5.0, 10.0, start);
        assert!(dog.note_event(&AgentEvent::TextStarted, start + 9 * MINUTE).is_none());
        assert_eq!(dog.deadline(), Some(start + 10 * MINUTE));
        assert!(dog.verdict(start + 10 * MINUTE).unwrap().message.contains("10 minutes"));
        assert_eq!(watchdog(0.0, 0.0, start).deadline(), None, "0 is not a limit");
    }

    #[tokio::test]
    async fn a_flood_is_noticed_once() {
        let start = Instant::now();
        let mut dog = watchdog(5.0, 10.0, start);
        let megabyte = AgentEvent::TextDelta("x".repeat(1024 * 1024));
        let faults: Vec<Fault> = (0..70).filter_map(|_| dog.note_event(&megabyte, start)).collect();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].code, FaultCode::TooLarge);
    }
}
