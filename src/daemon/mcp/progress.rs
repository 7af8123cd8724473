//! Progress notifications of slow calls, for clients that request them: otherwise clients time out while a person is
//! still deciding.
//!
//! Owns the notifications. Only the command knows its progress, so they report just the elapsed time.

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// Shorter calls send no notification; longer ones send one at this interval.
const EVERY: Duration = Duration::from_secs(2);

/// Awaits `work`, and notifies the client of `context` that the call of `tool` is still running.
pub(super) async fn told<T>(context: &RequestContext<RoleServer>, tool: &str, work: impl Future<Output = T>) -> T {
    let Some(token) = context.meta.get_progress_token() else { return work.await };
    let began = Instant::now();
    let mut ticks = interval_at(began + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            outcome = &mut work => return outcome,
            _ = ticks.tick() => {
                let seconds = began.elapsed().as_secs();
                let progress = ProgressNotificationParam::new(token.clone(), began.elapsed().as_secs_f64())
                    .with_message(format!("{tool} has run for {seconds} s"));
                if let Err(error) = context.peer.notify_progress(progress).await {
                    tracing::debug!(%error, "the MCP client was not told of progress");
                }
            }
        }
    }
}
