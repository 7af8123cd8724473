//! Waits for an element, the page's load, or an idle network.
//!
//! Owns the conditions. Each wait is on events with a deadline; none polls.

use crate::page::error::PageError;
use crate::page::locate::{FaultReply, Target};
use crate::page::page::Page;
use crate::page::script::Injected;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// The network counts as idle after this time without requests (Playwright's value).
const IDLE_FOR: Duration = Duration::from_millis(500);
const GRACE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadState {
    DomContentLoaded,
    Load,
    NetworkIdle,
}

#[derive(Debug, Deserialize)]
struct Appeared {
    #[serde(default)]
    ok: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Waits until something visible matches, across navigations.
    pub async fn wait_for(&self, target: &Target, limit: Duration) -> Result<(), PageError> {
        let deadline = Instant::now() + limit;
        loop {
            // In any frame: afterwards the selector is found in that frame at once.
            self.locate_within(target, deadline.saturating_duration_since(Instant::now())).await?;
            let left = deadline.saturating_duration_since(Instant::now());
            let millis = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            let appeared: Appeared = match self.ask(target, Injected::Appears, &[&millis], left + GRACE).await {
                Err(PageError::DocumentGone) if Instant::now() < deadline => continue,
                other => other?,
            };
            if appeared.ok {
                return Ok(());
            }
            return Err(match appeared.fault.error(target) {
                None | Some(PageError::NotFound(_)) => {
                    PageError::NeverAppeared { what: target.to_string(), waited: limit }
                }
                Some(error) => error,
            });
        }
    }

    /// Waits until the page has reached this load state.
    pub async fn wait_until(&self, state: LoadState, limit: Duration) -> Result<(), PageError> {
        let waited = tokio::time::timeout(limit, async {
            match state {
                LoadState::NetworkIdle => self.network_idle().await,
                LoadState::Load | LoadState::DomContentLoaded => self.loaded(state, limit).await,
            }
        });
        waited.await.unwrap_or_else(|_| {
            let what = match state {
                LoadState::DomContentLoaded => "parsing the document",
                LoadState::Load => "loading the page",
                LoadState::NetworkIdle => "waiting for the network to become idle",
            };
            Err(PageError::Timeout { what: what.to_owned(), after: limit })
        })
    }

    async fn loaded(&self, state: LoadState, limit: Duration) -> Result<(), PageError> {
        let event = if state == LoadState::Load { "Page.loadEventFired" } else { "Page.domContentEventFired" };
        let mut events = self.subscribe(&[event])?;
        // Subscribed first, so that no event after the check is missed.
        let frame = self.main_frame().await?.id;
        match self.script::<Settled>(&frame, Injected::Settled, &[], limit).await {
            Ok(page) if page.ready_state == "complete" => return Ok(()),
            Ok(page) if page.ready_state == "interactive" && state == LoadState::DomContentLoaded => return Ok(()),
            Ok(_) | Err(PageError::DocumentGone) => {}
            Err(error) => return Err(error),
        }
        match events.next().await {
            Some(_) => Ok(()),
            None => Err(PageError::DocumentGone),
        }
    }

    async fn network_idle(&self) -> Result<(), PageError> {
        loop {
            let grew = self.memory.journal_grew.notified();
            tokio::pin!(grew);
            // Registered first, so that no change of the journal after the check is missed.
            grew.as_mut().enable();
            if self.memory.journal().has_open_requests() {
                grew.await;
            } else if tokio::time::timeout(IDLE_FOR, grew).await.is_err() {
                return Ok(());
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settled {
    ready_state: String,
}
