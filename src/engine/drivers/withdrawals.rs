//! How often drivers withdrew approvals a short time ago.
//!
//! Owns the limits: a client that asks and withdraws in a loop shows the person cards that blink, and may hope that one
//! is answered by mistake. Never closes an approval.

use super::error::DriversError;
use gstack_protocol::ids::ConversationId;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long a withdrawal counts.
const COUNTS_FOR: Duration = Duration::from_secs(60);
/// The most withdrawals of one driver in that time.
const MOST_OF_ONE: usize = 6;
/// The same of all drivers, because a client can register again under another name.
const MOST: usize = 24;

/// The recent withdrawals, oldest first: the client and the time.
#[derive(Default)]
pub(super) struct Withdrawals(VecDeque<(ConversationId, Instant)>);

impl Withdrawals {
    pub(super) fn add(&mut self, by: ConversationId, now: Instant) {
        self.0.push_back((by, now));
    }

    /// Fails if the driver, or all of them together, withdrew too many.
    pub(super) fn check(&mut self, by: &ConversationId, now: Instant) -> Result<(), DriversError> {
        let left = |at: Instant| COUNTS_FOR.saturating_sub(now.saturating_duration_since(at));
        self.0.retain(|(_, at)| !left(*at).is_zero());
        let own: Vec<Instant> = self.0.iter().filter(|(who, _)| who == by).map(|(_, at)| *at).collect();
        let all: Vec<Instant> = self.0.iter().map(|(_, at)| *at).collect();
        for (times, most) in [(own, MOST_OF_ONE), (all, MOST)] {
            // When this one no longer counts, few enough are left.
            if let Some(at) = times.len().checked_sub(most).and_then(|extra| times.get(extra)) {
                return Err(DriversError::WithdrawsTooOften { most, seconds: left(*at).as_secs() + 1 });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_ends_soon_leaves_others_alone_and_may_go_on_later() {
        let (mut withdrawals, now) = (Withdrawals::default(), Instant::now());
        let id = |name: &str| ConversationId::new(name);
        for n in 0..MOST_OF_ONE {
            withdrawals.check(&id("loop"), now).unwrap();
            withdrawals.add(id("loop"), now + Duration::from_secs(n as u64));
        }
        let late = now + Duration::from_secs(10);
        let Err(DriversError::WithdrawsTooOften { most: MOST_OF_ONE, seconds }) = withdrawals.check(&id("loop"), late)
        else {
            panic!("it is refused")
        };
        assert_eq!(seconds, 51, "until the first one no longer counts");
        withdrawals.check(&id("other"), late).unwrap();
        withdrawals.check(&id("loop"), now + COUNTS_FOR).unwrap();
        // Under ever new names it ends as well, for all.
        let mut names = 0;
        while withdrawals.check(&id(&format!("name {names}")), late).is_ok() {
            withdrawals.add(id(&format!("name {names}")), late);
            names += 1;
        }
        assert!(names <= MOST, "{names}");
        assert!(withdrawals.check(&id("another"), late).is_err());
        withdrawals.check(&id("another"), late + COUNTS_FOR).unwrap();
        assert!(withdrawals.0.is_empty());
    }
}
