//! Deadlines that follow progress: time in which the machine had no processor to spare does not count.
//!
//! Owns the clock. Linux reports how long tasks waited for a processor (PSI); elsewhere the wall clock counts.

use std::time::{Duration, Instant};

/// The factor by which a wait may exceed its limit on a machine that is busy all the time.
const MOST_PATIENT: u32 = 10;

/// A deadline.
pub struct Patience {
    limit: Duration,
    began: Instant,
    starved: Duration,
}

impl Patience {
    pub fn of(limit: Duration) -> Self {
        Self { limit, began: Instant::now(), starved: starved() }
    }

    /// Returns the rest of the limit; `None` once it is exceeded.
    pub fn left(&self) -> Option<Duration> {
        let passed = self.began.elapsed();
        let counted = passed.saturating_sub(starved().saturating_sub(self.starved)).max(passed / MOST_PATIENT);
        self.limit.checked_sub(counted).filter(|left| !left.is_zero())
    }
}

/// Returns how long some task has waited for a processor since the machine started.
fn starved() -> Duration {
    let text = std::fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = text.lines().next().and_then(|some| some.rsplit_once("total=")?.1.trim().parse().ok());
    Duration::from_micros(total.unwrap_or(0))
}
