//! Opening and closing the engine.
//!
//! Owns the steps before the services exist, their initial state, and their end. `wiring` constructs them.

use super::leftovers;
use super::wiring::{self, Foundation};
use crate::config::Config;
use crate::provision::Provision;
use crate::tasks::Tasks;
use crate::upgrade;
use crate::{Engine, folders};
use gstack_agent::direct::DirectAgent;
use gstack_base::home::Home;
use gstack_chat::{Conversation, Event, Store};
use gstack_protocol::fault::Fault;
use gstack_protocol::remote::SecretVariables;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long running agents may take to end when the daemon ends.
const CLOSE_LIMIT: Duration = Duration::from_secs(6);

impl Engine {
    /// Opens the home's conversations, closes what an earlier daemon left unfinished, and takes over its browsers. `direct`:
    /// the agents that answer some messages themselves.
    pub async fn open(
        home: Home,
        config: Config,
        port: u16,
        provision: Provision,
        direct: Vec<Arc<dyn DirectAgent>>,
        shutdown: CancellationToken,
    ) -> Result<Self, Fault> {
        for folder in [home.workspace(), home.run_files()] {
            folders::private(folder)?;
        }
        let handed_over = upgrade::was_handed_over(&home);
        leftovers::sweep(&home, std::time::SystemTime::now());
        let store = Arc::new(Store::open(&home).map_err(|e| e.fault())?);
        let recovered = store.recover();
        for (id, error) in &recovered.failed {
            tracing::warn!(conversation = %id, %error, "a conversation can't be opened");
        }
        let tasks = Tasks::new(shutdown);
        let engine = Self { inner: wiring::wire(Foundation { home, config, port, provision, direct, store, tasks }) };
        engine.spawn_task(engine.drivers().clone().follow());
        engine.spawn_task(engine.approvals().clone().tell_backgrounds());
        engine.spawn_task(engine.approvals().clone().run_command(engine.inner.config.clone()));
        engine.browsers().reconnect_all().await;
        let browsers = engine.browsers().clone();
        engine.spawn_task(async move {
            browsers.release_left(&SecretVariables::default()).await;
            browsers.follow_requests().await;
        });
        engine.agents().end_orphans();
        engine.agents().look();
        engine.inner.worktrees.sweep_left();
        if handed_over || engine.config().turns.continue_after_restart {
            engine.go_on(&recovered.conversations);
        }
        Ok(engine)
    }

    /// Runs the messages that were waiting when the previous daemon ended.
    fn go_on(&self, recovered: &[Arc<Conversation>]) {
        for conversation in recovered {
            if let Some(fault) = self.conversations().gate(conversation).handle(Event::Continue) {
                self.inner.ports.tell_fault(&fault);
            }
        }
    }

    /// Ends everything that runs. Open state is on the disk when this returns.
    pub async fn close(&self) {
        if !self.inner.tasks.end(CLOSE_LIMIT).await {
            tracing::warn!("some tasks did not end in time");
        }
        self.browsers().detach_all().await;
        self.agents().kill_left_over();
        let engine = self.clone();
        let saved = tokio::task::spawn_blocking(move || {
            leftovers::remove_uploads(&engine.inner.home);
            engine.conversations().store().close()
        });
        let saved = saved.await;
        if let Ok(Err(error)) = saved {
            tracing::error!(%error, "not everything could be saved");
        }
    }
}
