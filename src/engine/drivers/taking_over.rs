//! The commands `pause` and `resume`, and the panel's hand-back: the person takes over a tab from whoever works in it, and
//! hands it back.
//!
//! Owns the choice of the paused one and the messages about it. `pauses` has the state; `browser_events` takes over after the
//! person's own input in a page. No agent and no client ends a pause.

use super::driver::Driver;
use super::error::DriversError;
use super::leases::result;
use super::service::Drivers;
use crate::ports::PortId;
use gstack_base::visible::visible;
use gstack_command::Call;
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::chat::ConversationState;
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::driver::{DriversHandBack, PausedTab};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ConversationId, TabId};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The longest wait of a client's call for the person. MCP clients give up after 60 s without a message; gstack answers
/// before, so that the client learns why.
pub(crate) const CLIENT_WAITS: Duration = Duration::from_secs(50);
/// The longest note, in characters.
const LONGEST_NOTE: usize = 2000;

impl Drivers {
    /// Runs `pause`: takes a tab over from everyone whose tab set has it.
    pub(crate) fn pause_as_person(&self, request: &CommandRequest, call: &Call) -> Result<CommandResult, Fault> {
        let tab = self.tab_of(request, call)?;
        let workers = self.workers_in(tab);
        if workers.is_empty() {
            return Err(DriversError::NobodyWorks { tab: tab.to_string() }.into());
        }
        let (ids, names): (Vec<ConversationId>, Vec<String>) = workers.into_iter().unzip();
        self.0.uses.pauses.pause(tab, &ids);
        self.changed();
        Ok(result(
            format!("You took over tab {tab} from {}. Hand it back with: gstack resume", names.join(", ")),
            tab,
            None,
        ))
    }

    /// Hands back the named tab, or every tab that the person took over, with a note for whoever works there. Returns
    /// `None` if there is none.
    pub(crate) fn hand_back_as_person(
        &self,
        tab: Option<TabId>,
        note: Option<&str>,
    ) -> Result<Option<CommandResult>, Fault> {
        let note = note.map(str::trim).filter(|note| !note.is_empty());
        if note.is_some_and(|note| note.chars().count() > LONGEST_NOTE) {
            return Err(DriversError::NoteTooLong { most: LONGEST_NOTE }.into());
        }
        let names: Vec<String> = self
            .0
            .uses
            .pauses
            .all()
            .into_iter()
            .filter(|(_, pause)| tab.is_none_or(|tab| pause.tab == tab))
            .map(|(id, pause)| format!("tab {} to {}", pause.tab, self.worker_name(&id)))
            .collect();
        if self.0.uses.pauses.hand_back(tab, note) == 0 {
            return if note.is_some() { Err(DriversError::NobodyPaused.into()) } else { Ok(None) };
        }
        self.changed();
        let output = format!("RESUMED: handed back {}", names.join(", "));
        Ok(Some(CommandResult { output, ..CommandResult::default() }))
    }

    /// Takes a tab over from everyone whose tab set has it now. Returns their names.
    pub(crate) fn take_over(&self, tab: TabId) -> Vec<String> {
        let (ids, names): (Vec<ConversationId>, Vec<String>) = self.workers_in(tab).into_iter().unzip();
        if self.0.uses.pauses.pause(tab, &ids) {
            self.changed();
        }
        names
    }

    /// Returns whether someone is paused in a tab.
    pub(crate) fn is_paused(&self, tab: TabId) -> bool {
        self.0.uses.pauses.all().iter().any(|(_, pause)| pause.tab == tab)
    }

    /// Returns a receiver that is notified when a pause begins or ends.
    pub(crate) fn watch_pauses(&self) -> watch::Receiver<()> {
        self.0.uses.pauses.watch()
    }

    /// Returns true while the person works in any tab that they took over.
    pub(crate) fn has_pauses(&self) -> bool {
        !self.0.uses.pauses.all().is_empty()
    }

    /// Hands a tab back from the panel beside it.
    pub async fn hand_back_from_panel(&self, port: PortId, hand_back: &DriversHandBack) -> Result<(), Fault> {
        let tab = self.0.uses.tabs.place_of(port, hand_back.chrome_tab_id).await?.tab_id;
        let call = Call::parse("resume", &[])?;
        let begun = self.0.uses.activity.begin(ActivitySource::Panel, Some(tab), &call);
        let outcome = self.hand_back_as_person(Some(tab), hand_back.note.as_deref());
        let told = outcome.as_ref().map(|result| result.as_ref().map_or("", |result| result.output.as_str()));
        begun.end(told);
        match outcome {
            // It was handed back elsewhere, or its worker has ended.
            Err(fault) if fault.code == FaultCode::NotFound => Ok(()),
            outcome => outcome.map(|_| ()),
        }
    }

    /// Runs a command of a trusted driver unless the person works in its tab.
    pub(crate) async fn unless_paused<T>(
        &self,
        driver: &Driver,
        tab: TabId,
        cancel: &CancellationToken,
        run: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let (pauses, worker) = (&self.0.uses.pauses, driver.conversation.id());
        let was_paused = pauses.of(worker).is_some();
        if was_paused && tokio::time::timeout(CLIENT_WAITS, pauses.watch_end(worker)).await.is_err() {
            return Err(DriversError::PersonWorks { tab: tab.to_string() }.into());
        }
        if let Some(back) = pauses.take_note(worker) {
            return Err(DriversError::HandedBack { said: back.words() }.into());
        }
        let Some(running) = pauses.begin(worker, tab) else {
            return Err(DriversError::PersonWorks { tab: tab.to_string() }.into());
        };
        let mut run = std::pin::pin!(run);
        tokio::select! {
            biased;
            outcome = &mut run => outcome,
            () = running.paused() => {
                cancel.cancel();
                run.await
            }
        }
    }

    /// Returns the paused tabs that one port's browser has.
    pub(super) fn paused_tabs(&self, port: PortId) -> Vec<PausedTab> {
        let paused = self.0.uses.pauses.all().into_iter().filter_map(|(id, pause)| {
            let chrome_tab_id = self.0.uses.tabs.chrome_tab(port, pause.tab)?.chrome_tab_id;
            let agent = self.0.uses.tabs.sets().agent_of(&id);
            let worker = visible(&agent.unwrap_or_else(|| self.worker_name(&id)));
            Some(PausedTab { tab_id: pause.tab, chrome_tab_id, worker })
        });
        paused.collect()
    }

    /// Returns everyone who may work in a tab now, with their names.
    fn workers_in(&self, tab: TabId) -> Vec<(ConversationId, String)> {
        let sets = self.0.uses.tabs.sets();
        let running = self.0.uses.store.opened().into_iter().filter(|one| one.state() != ConversationState::Idle);
        let agents = running
            .filter(|one| sets.of(one).contains(&tab))
            .map(|one| (one.id().clone(), self.name_of_agent(one.id())));
        let drivers = self.all().into_iter().filter(|one| sets.of(&one.conversation).contains(&tab));
        agents.chain(drivers.map(|one| (one.conversation.id().clone(), one.name.clone()))).collect()
    }

    fn worker_name(&self, id: &ConversationId) -> String {
        let driver = self.all().into_iter().find(|driver| driver.conversation.id() == id);
        match driver {
            Some(driver) => driver.name.clone(),
            None => self.name_of_agent(id),
        }
    }
}
