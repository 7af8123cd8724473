//! The holder of a tab: what others may know about it, and moving the tab when the person allows that.
//!
//! Owns the check before the move: a tab is taken only from the holder that the person was told about. A program on another
//! machine learns that a tab is leased, but not by whom.

use super::driver::Driver;
use super::error::DriversError;
use super::service::Drivers;
use gstack_chat::Conversation;
use gstack_command::leased;
use gstack_protocol::catalogue;
use gstack_protocol::chat::ConversationState;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ConversationId, TabId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Replaces the holder's name for a program on another machine: a name may be that of a host or a project.
pub(super) const UNNAMED: &str = "another driver";

/// The driver or agent that leases a tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    id: ConversationId,
    pub(crate) name: String,
}

impl Drivers {
    /// Returns who leases an open tab, unless it is `me`: a driver, or else an agent whose turn runs.
    pub(crate) fn holder_of(&self, tab: TabId, me: &ConversationId) -> Option<Holder> {
        self.open_tab(tab).ok()?;
        if let Some(driver) = self.driver_with(tab, me) {
            return Some(driver);
        }
        let opened = self.0.uses.store.opened();
        let is_it = |one: &&Arc<Conversation>| {
            one.id() != me && one.state() != ConversationState::Idle && self.0.uses.tabs.sets().of(one).contains(&tab)
        };
        let agent = opened.iter().find(is_it)?;
        Some(Holder { id: agent.id().clone(), name: self.name_of_agent(agent.id()) })
    }

    /// Returns the registered driver other than `me` that has a tab in its set.
    pub(super) fn driver_with(&self, tab: TabId, me: &ConversationId) -> Option<Holder> {
        let sets = self.0.uses.tabs.sets();
        let has = |one: &&Arc<Driver>| one.conversation.id() != me && sets.of(&one.conversation).contains(&tab);
        let all = self.all();
        let driver = all.iter().find(has)?;
        Some(Holder { id: driver.conversation.id().clone(), name: driver.name.clone() })
    }

    /// Fails if anyone else leases a tab that a driver wants.
    pub(crate) fn check_free(&self, tab: TabId, me: &ConversationId) -> Result<(), Fault> {
        match self.holder_of(tab, me) {
            Some(holder) => Err(self.leased_for(me, tab, &holder)),
            None => Ok(()),
        }
    }

    /// Fails if anyone but `me` leases a tab that the person named, and says how they get it.
    pub(crate) fn check_free_for_person(&self, tab: TabId, me: Option<&ConversationId>) -> Result<(), Fault> {
        let holders = self.leased_with_names(me);
        let Some(name) = holders.get(&tab) else { return Ok(()) };
        let is_driver =
            self.all().iter().any(|one| Some(one.conversation.id()) != me && self.leased_by(one).contains(&tab));
        let next = match is_driver {
            true => format!("Take it back first: gstack release {tab}"),
            false => "Stop the agent in the panel first, or name another tab.".to_owned(),
        };
        Err(leased(tab, name).hint(next))
    }

    /// Moves a tab to a driver as the person allowed: from `from`, who had it when they were asked. Fails if it is someone
    /// else's by now, or the driver has ended.
    pub(crate) fn take_for(&self, to: &Driver, tab: TabId, from: Option<&Holder>) -> Result<(), Fault> {
        self.open_tab(tab)?;
        let _guard = self.0.uses.tabs.leasing();
        if !self.all().iter().any(|driver| driver.id == to.id) {
            return Err(DriversError::NotRegistered.into());
        }
        let me = to.conversation.id();
        match self.holder_of(tab, me) {
            Some(now) if from != Some(&now) => Err(self.leased_for(me, tab, &now)),
            _ => self.move_to(to, tab),
        }
    }

    /// Returns the fault for a tab that someone else leases, as `me` may learn of it: a tunnel gets no name, and an agent of
    /// the panel has no `lease` to ask with.
    pub(super) fn leased_for(&self, me: &ConversationId, tab: TabId, holder: &Holder) -> Fault {
        let all = self.all();
        let driver = all.iter().find(|driver| driver.conversation.id() == me);
        match driver {
            Some(_) if self.is_tunnel(me) => leased(tab, UNNAMED),
            Some(_) => leased(tab, &holder.name),
            None => leased(tab, &holder.name).hint(catalogue::TAB_LEASED_AGENT_NEXT),
        }
    }

    /// Whether this is the conversation of a tunnel, whose agent is on another machine.
    pub(super) fn is_tunnel(&self, me: &ConversationId) -> bool {
        self.all().iter().any(|driver| driver.conversation.id() == me && driver.tunnel.is_some())
    }

    /// Returns true if a call in a tab was cancelled because the person took the tab from its worker or works in it.
    pub(crate) fn is_withdrawn_for_person(&self, worker: &ConversationId, tab: TabId) -> bool {
        let pause = self.0.uses.pauses.of(worker);
        self.0.running.is_taken_back(worker, tab) || pause.is_some_and(|pause| pause.tab == tab)
    }

    /// Runs a call of a driver or an agent until the person takes its tab at the latest. `needs_tab`: it may run only while
    /// the tab is the worker's.
    pub(crate) async fn until_taken_back<T>(
        &self,
        worker: &Conversation,
        (tab, needs_tab): (TabId, bool),
        cancel: &CancellationToken,
        call: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let running = self.0.running.begin(worker.id(), tab);
        let taken_back = || self.taken_back(worker.id(), tab);
        // If the tab is taken from now on, this call is found and cancelled. It may have been taken just before.
        if needs_tab {
            if !self.0.uses.tabs.sets().of(worker).contains(&tab) {
                return Err(taken_back());
            }
            self.check_lease(tab, worker.id())?;
        }
        let mut call = std::pin::pin!(call);
        let outcome = tokio::select! {
            outcome = &mut call => outcome,
            () = running.taken_back() => {
                cancel.cancel();
                call.await
            }
        };
        match outcome {
            // A command that was cut off halfway keeps its own fault, which says so.
            Err(fault) if running.is_taken_back() && matches!(fault.code, FaultCode::Cancelled | FaultCode::Denied) => {
                Err(taken_back())
            }
            outcome => outcome,
        }
    }

    fn taken_back(&self, worker: &ConversationId, tab: TabId) -> Fault {
        let can_ask = self.all().iter().any(|driver| driver.conversation.id() == worker);
        DriversError::TakenBack { tab: tab.to_string(), can_ask }.into()
    }
}
