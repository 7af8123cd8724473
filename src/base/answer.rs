//! The wait for a person's answer.
//!
//! Owns the end of a wait: by the answer, by its cancellation, or by its time limit. An answer that arrives just as the
//! time runs out counts, so that nobody is told that they allowed something which was then denied.

use std::time::Duration;
use tokio::sync::oneshot;

/// Waits for an answer. `time_out` closes the request and returns what that means, or `None` if it was answered or
/// withdrawn already. Returns `None` if the wait was cancelled, or the request withdrawn.
pub async fn answer_within<A>(
    answer: &mut oneshot::Receiver<A>,
    limit: Duration,
    cancelled: impl Future<Output = ()>,
    time_out: impl FnOnce() -> Option<A>,
) -> Option<A> {
    tokio::select! {
        biased;
        answered = &mut *answer => answered.ok(),
        () = cancelled => None,
        () = tokio::time::sleep(limit) => match time_out() {
            Some(closed) => Some(closed),
            None => answer.await.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    #[tokio::test]
    async fn an_answer_in_the_last_moment_counts_and_a_closed_request_is_over() {
        let (sender, mut answer) = oneshot::channel();
        let last_moment = || {
            sender.send("allow").unwrap();
            None
        };
        assert_eq!(answer_within(&mut answer, Duration::ZERO, pending(), last_moment).await, Some("allow"));
        let (_sender, mut answer) = oneshot::channel();
        assert_eq!(answer_within(&mut answer, Duration::ZERO, pending(), || Some("deny")).await, Some("deny"));
        let (_sender, mut answer) = oneshot::channel::<&str>();
        assert_eq!(answer_within(&mut answer, Duration::MAX, ready(()), || None).await, None);
        let (sender, mut answer) = oneshot::channel();
        sender.send("allow").unwrap();
        assert_eq!(answer_within(&mut answer, Duration::MAX, ready(()), || None).await, Some("allow"));
        let (sender, mut answer) = oneshot::channel::<&str>();
        drop(sender);
        assert_eq!(answer_within(&mut answer, Duration::MAX, pending(), || None).await, None);
    }
}
