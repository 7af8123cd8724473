//! Ctrl-C and its like during a run.
//!
//! Owns the effect of signals: the first stops the run, which closes its sessions; the second stops waiting for sessions
//! that another machine does not end.

use gstack_base::say::tell;
use gstack_protocol::fault::{Fault, FaultCode};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The requests of the signals that have arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// There was a signal.
    pub(crate) interrupted: CancellationToken,
    /// No more items are to be run. Something else than a signal may also ask for this.
    pub(crate) stop: CancellationToken,
    /// The run waits for nothing.
    pub(crate) leave: CancellationToken,
}

impl Signals {
    /// Watches until the returned task is aborted.
    pub(crate) fn watch(&self) -> Result<tokio::task::JoinHandle<()>, Fault> {
        let of = |kind| signal(kind).map_err(|error| Fault::new(FaultCode::Internal, error.to_string()));
        let mut all = [of(SignalKind::interrupt())?, of(SignalKind::terminate())?, of(SignalKind::hangup())?];
        let Self { interrupted, stop, leave } = self.clone();
        Ok(tokio::spawn(async move {
            next(&mut all).await;
            tell("Stopping: closing every session of the run…");
            interrupted.cancel();
            stop.cancel();
            next(&mut all).await;
            leave.cancel();
        }))
    }
}

async fn next([one, two, three]: &mut [Signal; 3]) {
    tokio::select! {
        _ = one.recv() => {}
        _ = two.recv() => {}
        _ = three.recv() => {}
    }
}
