//! Upgrading to a newer gstack: no new turns begin, running turns finish, then the daemon ends.
//!
//! Owns the time limit and the messages, and writes a mark for the next daemon into the home. Queued messages run under
//! the next daemon; the browser stays in its keeper.

use crate::ports::Ports;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_base::process::{Process, own_pid};
use gstack_base::upgrade::UpgradeMark;
use gstack_protocol::catalogue;
use gstack_protocol::control::{HandOver, HandingOver};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// How long running turns may take to finish. A longer one is interrupted, and the person is told.
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// A handle to the upgrade. Cheap to clone.
#[derive(Clone)]
pub struct Upgrade(Arc<Shared>);

struct Shared {
    home: Home,
    ports: Ports,
    tabs: Tabs,
    tasks: Tasks,
    /// The mark for the newer gstack that asked to take over. If set, no new turn begins.
    mark: Mutex<Option<UpgradeMark>>,
    /// Notified when a turn has ended.
    turns: watch::Sender<()>,
}

impl Upgrade {
    pub(crate) fn new(home: Home, ports: Ports, tabs: Tabs, tasks: Tasks) -> Self {
        let (mark, turns) = (Mutex::default(), watch::Sender::new(()));
        Self(Arc::new(Shared { home, ports, tabs, tasks, mark, turns }))
    }

    /// Starts the upgrade. Later calls only return its state.
    pub fn begin(&self, request: &HandOver) -> HandingOver {
        let first = {
            let mut known = lock(&self.0.mark);
            let first = known.is_none();
            let mark = known.get_or_insert_with(|| UpgradeMark::new(request.version.clone()));
            mark.ask(&request.version, request.pid.and_then(Process::find));
            first
        };
        let turns = self.0.tabs.turns_running();
        if first {
            tracing::info!(turns, "handing over to a newer gstack");
            self.0.ports.tell_fault(&updating());
            self.0.tasks.spawn(self.clone().finish_turns());
        }
        let seconds = if turns == 0 { 0 } else { LIMIT.as_secs() };
        HandingOver { turns, seconds, pid: Some(own_pid()) }
    }

    async fn finish_turns(self) {
        let shutdown = self.0.tasks.shutdown();
        let mut changed = self.0.turns.subscribe();
        let done = async {
            while self.0.tabs.turns_running() > 0 {
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
        let mark = lock(&self.0.mark).clone();
        // Written before the sockets close: a client that finds no socket finds the mark.
        if let Some(Err(error)) = mark.map(|mark| mark.write(&self.0.home)) {
            tracing::warn!(%error, "waiting messages will wait for the person's go-ahead");
        }
        self.0.tasks.request_shutdown();
    }

    /// Records that a turn has ended.
    pub(crate) fn turn_ended(&self) {
        self.0.turns.send_replace(());
    }

    /// Returns true from the request of a newer gstack on.
    pub(crate) fn is_under_way(&self) -> bool {
        lock(&self.0.mark).is_some()
    }

    #[cfg(test)]
    pub(crate) fn set_mark(&self, mark: UpgradeMark) {
        *lock(&self.0.mark) = Some(mark);
    }

    /// Fails during an upgrade: senders keep new messages for the newer gstack.
    pub(crate) fn check_takes_turns(&self) -> Result<(), Fault> {
        if self.is_under_way() { Err(updating()) } else { Ok(()) }
    }
}

/// Returns true if the previous daemon upgraded to this one. Must be called before the run files are removed.
pub(crate) fn was_handed_over(home: &Home) -> bool {
    UpgradeMark::is_there(home)
}

fn updating() -> Fault {
    Fault::new(FaultCode::Updating, catalogue::UPDATING).hint(catalogue::SEND_IN_A_MOMENT).at(Hop::Daemon)
}
