//! Handing over to a newer gstack: no new turns, the running ones finish, then the daemon ends.
//!
//! Owns the bound and what is told. What waits in queues runs on under the next daemon; the browser stays in its keeper.

use super::Engine;
use crate::base::mutex::lock;
use crate::base::process;
use crate::protocol::control::HandingOver;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::told;
use std::fs;
use std::time::Duration;

/// How long running turns may take to finish. One that takes longer is interrupted, and the person told.
const LIMIT: Duration = Duration::from_secs(10 * 60);
/// In the folder of run files: the daemon before this one handed over.
const MARK: &str = "handed-over";

impl Engine {
    /// Begins to hand over. Asked again it only says how it stands.
    pub fn hand_over(&self) -> HandingOver {
        let first = !std::mem::replace(&mut *lock(&self.inner.handing_over), true);
        let turns = self.tabs().turns_running();
        if first {
            tracing::info!(turns, "handing over to a newer gstack");
            self.ports().tell_fault(&updating());
            let engine = self.clone();
            self.spawn(async move { engine.finish_turns().await });
        }
        let seconds = if turns == 0 { 0 } else { LIMIT.as_secs() };
        HandingOver { turns, seconds, pid: Some(process::own_pid()) }
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
        if let Err(error) = fs::write(self.home().run_files().join(MARK), []) {
            tracing::warn!(%error, "waiting messages will wait for the person's go-ahead");
        }
        self.request_shutdown();
    }

    pub(super) fn is_handing_over(&self) -> bool {
        *lock(&self.inner.handing_over)
    }

    /// New messages wait for the newer gstack, with their senders.
    pub(super) fn check_takes_turns(&self) -> Result<(), Fault> {
        if self.is_handing_over() { Err(updating()) } else { Ok(()) }
    }
}

/// Whether the daemon before this one handed over to it. To be asked before the run files are tidied.
pub(super) fn was_handed_over(home: &crate::base::home::Home) -> bool {
    home.run_files().join(MARK).exists()
}

fn updating() -> Fault {
    Fault::new(FaultCode::Updating, told::UPDATING).hint(told::SEND_IN_A_MOMENT).at(Hop::Daemon)
}
