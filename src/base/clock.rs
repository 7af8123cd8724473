//! The wall clock in the protocol's unit. Never used to measure durations; use `Instant` for that.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns milliseconds since 1970-01-01 UTC, or 0 if the clock is set before that.
pub fn now_millis() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

/// Formats a time as `2026-01-31T12:00:00.000Z`.
pub fn iso(millis: u64) -> String {
    let time = i64::try_from(millis).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    time.map_or_else(|| millis.to_string(), |time| format!("{time:.3}"))
}
