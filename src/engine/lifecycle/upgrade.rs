//! Upgrading to a newer gstack: no new turns begin, running turns finish, then the daemon ends.
//!
//! Owns the time limit and the messages, and writes a mark for the next daemon into the home. Queued messages run under
//! the next daemon; the browser stays in its keeper.

use crate::base::mutex::lock;
use crate::base::process::{Process, own_pid};
use crate::base::upgrade::UpgradeMark;
use crate::engine::Engine;
use crate::protocol::catalogue;
use crate::protocol::control::{HandOver, HandingOver};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use std::time::Duration;

/// How long running turns may take to finish. A longer one is interrupted, and the person is told.
const LIMIT: Duration = Duration::from_secs(10 * 60);

impl Engine {
    /// Starts the upgrade. Later calls only return its state.
    pub(crate) fn hand_over(&self, request: &HandOver) -> HandingOver {
        let first = {
            let mut handing_over = lock(&self.inner.handing_over);
            let first = handing_over.is_none();
            let mark = handing_over.get_or_insert_with(|| UpgradeMark::new(request.version.clone()));
            mark.ask(&request.version, request.pid.and_then(Process::find));
            first
        };
        let turns = self.tabs().turns_running();
        if first {
            tracing::info!(turns, "handing over to a newer gstack");
            self.ports().tell_fault(&updating());
            let engine = self.clone();
            self.spawn(async move { engine.finish_turns().await });
        }
        let seconds = if turns == 0 { 0 } else { LIMIT.as_secs() };
        HandingOver { turns, seconds, pid: Some(own_pid()) }
    }

    async fn finish_turns(self) {
        let shutdown = self.shutdown();
        let mut changed = self.inner.turns_changed.subscribe();
        let done = async {
            while self.tabs().turns_running() > 0 {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            within = tokio::time::timeout(LIMIT, done) => {
                if within.is_err() {
                    tracing::warn!("turns that took too long are interrupted for the newer gstack");
                }
            }
            () = shutdown.cancelled() => return,
        }
        let mark = lock(&self.inner.handing_over).clone();
        // Written before the sockets close: a client that finds no socket finds the mark.
        if let Some(Err(error)) = mark.map(|mark| mark.write(self.home())) {
            tracing::warn!(%error, "waiting messages will wait for the person's go-ahead");
        }
        self.request_shutdown();
    }

    pub(in crate::engine) fn is_handing_over(&self) -> bool {
        lock(&self.inner.handing_over).is_some()
    }

    /// Fails during an upgrade: senders keep new messages for the newer gstack.
    pub(in crate::engine) fn check_takes_turns(&self) -> Result<(), Fault> {
        if self.is_handing_over() { Err(updating()) } else { Ok(()) }
    }
}

/// Returns true if the previous daemon upgraded to this one. Must be called before the run files are removed.
pub(in crate::engine) fn was_handed_over(home: &crate::base::home::Home) -> bool {
    UpgradeMark::is_there(home)
}

fn updating() -> Fault {
    Fault::new(FaultCode::Updating, catalogue::UPDATING).hint(catalogue::SEND_IN_A_MOMENT).at(Hop::Daemon)
}
