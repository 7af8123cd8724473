//! What panels are told of drivers: who leases which tab, which approvals wait, and which tabs agents have opened.
//!
//! Reports once for each change, and again when a panel opens. Changes that arrive together are reported
//! together. Never answers an approval.

use super::driver::Driver;
use super::service::Drivers;
use crate::ports::PortId;
use crate::tabs::Working;
use gstack_base::mutex::lock;
use gstack_base::visible::visible;
use gstack_protocol::control::WaitingApproval;
use gstack_protocol::driver::{AgentTab, DriverApproval, DriverName, DriverTab, DriversShown, LeasedTab};
use gstack_protocol::ids::TabId;
use gstack_protocol::methods::ToPanel;
use std::collections::BTreeMap;
use std::sync::Arc;

/// With the longest names they still fit into one of Chrome's frames, beside the approvals.
const MOST_LEASES: usize = 200;

/// The last report to each port.
pub(super) type ToldDrivers = BTreeMap<PortId, DriversShown>;

impl Drivers {
    /// Signals that a lease or an approval of a driver changed, or what panels need to show it.
    pub(crate) fn changed(&self) {
        self.0.changed.send_replace(());
    }

    /// Reports to the panels of a port again, because one of them has just opened.
    pub(crate) fn tell_again(&self, port: PortId) {
        lock(&self.0.told).remove(&port);
        self.changed();
    }

    /// Reports each change to panels until the daemon ends.
    pub(crate) async fn follow(self) {
        let mut changed = self.0.changed.subscribe();
        let mut sets_changed = self.0.uses.tabs.sets().changes();
        let shutdown = self.0.uses.tasks.shutdown();
        let mut waiting = Vec::new();
        loop {
            self.tell(&mut waiting);
            tokio::select! {
                still = changed.changed() => if still.is_err() { return },
                still = sets_changed.changed() => if still.is_err() { return },
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// Tells each port what it has not been told, and the pages of the tabs whose approvals wait. `waiting` is what the
    /// pages were told last.
    fn tell(&self, waiting: &mut Vec<Working>) {
        let drivers = self.all();
        let approvals = self.approvals().in_panels();
        let now: Vec<Working> = approvals.iter().filter_map(|(asked, from)| working(asked, from)).collect();
        let paused = self.0.uses.pauses.all().into_iter().map(|(worker, _)| worker).collect();
        let pauses_changed = self.0.uses.tabs.book().set_paused(paused);
        if *waiting != now || pauses_changed {
            waiting.clone_from(&now);
            self.0.uses.tabs.book().set_waiting_drivers(now);
            self.0.uses.tabs.tell_work();
        }
        let senders = self.0.uses.ports.senders();
        let mut told = lock(&self.0.told);
        told.retain(|port, _| senders.iter().any(|(open, _)| open == port));
        for (port, sender) in senders {
            let shown = self.shown_on(port, &drivers, &approvals);
            if told.get(&port) != Some(&shown) {
                sender.send(&ToPanel::DriversChanged(shown.clone()).envelope(None));
                told.insert(port, shown);
            }
        }
    }

    fn shown_on(
        &self,
        port: PortId,
        drivers: &[Arc<Driver>],
        approvals: &[(WaitingApproval, DriverName)],
    ) -> DriversShown {
        let leases = drivers.iter().flat_map(|driver| {
            let tabs = self.0.uses.tabs.sets().of(&driver.conversation).into_iter();
            tabs.filter_map(|tab_id| {
                let chrome_tab_id = self.0.uses.tabs.chrome_tab(port, tab_id)?.chrome_tab_id;
                Some(LeasedTab { tab_id, chrome_tab_id, driver: driver.shown_name() })
            })
        });
        let approvals = approvals.iter().map(|(asked, from)| {
            let tab = asked.tab_id.and_then(|tab| self.0.uses.tabs.chrome_tab(port, tab));
            DriverApproval {
                approval: asked.clone(),
                from: from.clone(),
                tab: tab.map(|tab| DriverTab {
                    chrome_tab_id: tab.chrome_tab_id,
                    window_id: tab.window_id,
                    title: tab.title,
                }),
                in_view: asked.tab_id.is_some_and(|tab| self.is_in_view(tab)),
            }
        });
        DriversShown {
            leases: leases.take(MOST_LEASES).collect(),
            approvals: approvals.collect(),
            paused: self.paused_tabs(port),
            connected: self.connected_to(port),
            agent_tabs: self.agent_tabs(port),
        }
    }

    /// Returns the tabs of a port's browser that agents of the panel have opened.
    fn agent_tabs(&self, port: PortId) -> Vec<AgentTab> {
        let made = self.0.uses.tabs.sets().made_by_agents().into_iter().filter_map(|made| {
            let chrome_tab_id = self.0.uses.tabs.chrome_tab(port, made.tab)?.chrome_tab_id;
            Some(AgentTab { chrome_tab_id, conversation_id: made.conversation, agent: visible(&made.agent) })
        });
        let mut tabs: Vec<AgentTab> = made.take(MOST_LEASES).collect();
        tabs.sort_by_key(|tab| tab.chrome_tab_id);
        tabs
    }

    /// Returns true if a panel is open beside this tab.
    fn is_in_view(&self, tab: TabId) -> bool {
        self.0.uses.ports.windows_with_panel().into_iter().any(|(port, window)| {
            self.0.uses.tabs.chrome_tab(port, tab).is_some_and(|tab| tab.active && tab.window_id == window)
        })
    }
}

/// Returns the mark in the page of a tab whose approval waits.
fn working(asked: &WaitingApproval, from: &DriverName) -> Option<Working> {
    Some(Working {
        agent_label: from.name.clone(),
        tab: Some(asked.tab_id?),
        doing: asked.ask.clone(),
        phrase: asked.phrase.clone(),
        waiting: true,
    })
}
