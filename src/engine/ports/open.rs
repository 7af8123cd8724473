//! The open ports, by number.
//!
//! Owns the only lock on them, which is never held while other code is called.

use super::echo::Echoes;
use super::error::PortError;
use super::push::{PortId, PortSender};
use gstack_base::fingerprint::Fingerprint;
use gstack_base::mutex::lock;
use gstack_base::peer::Peer;
use gstack_protocol::fault::Fault;
use gstack_protocol::hello::{Hello, HostPreamble};
use gstack_protocol::ids::{BrowserRun, InstanceId, PanelId, WindowId};
use gstack_protocol::methods::ToPanel;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// An open port.
pub(crate) struct Port {
    /// Its `browser_run` is set once the host is shown to descend from that browser; until then it is `claimed_run`.
    pub(crate) preamble: HostPreamble,
    pub(super) claimed_run: Option<BrowserRun>,
    /// The host's process.
    pub(super) peer: Option<Peer>,
    /// The challenge that the extension signs. Taken by the first proof.
    pub(super) challenge: Option<String>,
    /// The key that the extension has proved.
    pub(super) key: Option<Fingerprint>,
    /// True if it is the person's panel, so that its requests are served.
    pub(super) confirmed: bool,
    pub(super) hello: Option<Hello>,
    pub(super) sender: PortSender,
    /// The panels that reported being open, with their window.
    pub(crate) panels: HashMap<PanelId, WindowId>,
    /// Panels that opened and have not yet shown a conversation.
    opening: HashSet<PanelId>,
    /// The panel in which the person types.
    has_keyboard: Option<PanelId>,
}

/// The missing hop on the way to a browser's panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Host,
    Hello,
    Panel,
}

#[derive(Default)]
struct Open {
    last: u64,
    ports: HashMap<PortId, Port>,
}

/// All open ports. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Ports(Arc<Shared>);

#[derive(Default)]
struct Shared {
    open: Mutex<Open>,
    /// Notified when a port says hello or a panel opens, so that waiters check again.
    changed: watch::Sender<()>,
    echoes: Echoes,
}

impl Ports {
    /// Adds a port. `challenge` is what its extension signs.
    pub(crate) fn add(
        &self,
        mut preamble: HostPreamble,
        peer: Option<Peer>,
        challenge: String,
        sender: PortSender,
    ) -> PortId {
        let mut open = lock(&self.0.open);
        open.last += 1;
        let id = PortId(open.last);
        let port = Port {
            claimed_run: preamble.browser_run.take(),
            preamble,
            peer,
            challenge: Some(challenge),
            key: None,
            confirmed: false,
            hello: None,
            sender,
            panels: HashMap::new(),
            opening: HashSet::new(),
            has_keyboard: None,
        };
        open.ports.insert(id, port);
        id
    }

    pub(crate) fn remove(&self, id: PortId) -> Option<Port> {
        lock(&self.0.open).ports.remove(&id)
    }

    /// Returns the other ports of this extension, whose end has not been noticed yet.
    pub(crate) fn earlier_of(&self, instance: &InstanceId, id: PortId) -> Vec<PortId> {
        let is_of = |port: &Port| port.hello.as_ref().is_some_and(|hello| hello.instance_id == *instance);
        self.select(|of, port| (of != id && is_of(port)).then_some(of))
    }

    pub(crate) fn panel_opened(&self, id: PortId, panel: &PanelId, window: WindowId) {
        self.with(id, |port| {
            port.opening.insert(panel.clone());
            port.panels.insert(panel.clone(), window);
        });
    }

    pub(crate) fn panel_closed(&self, id: PortId, panel: &PanelId) {
        self.with(id, |port| {
            port.opening.remove(panel);
            port.panels.remove(panel);
        });
    }

    /// Returns true if the panel is open; without one, if the port is.
    pub(crate) fn is_open(&self, id: PortId, panel: Option<&PanelId>) -> bool {
        self.with(id, |port| panel.is_none_or(|panel| port.panels.contains_key(panel))).unwrap_or_default()
    }

    /// Returns true if a panel shows a conversation for the first time since it opened.
    pub(crate) fn looks_first(&self, id: PortId, panel: &PanelId) -> bool {
        self.with(id, |port| port.opening.remove(panel)).unwrap_or_default()
    }

    /// Records the panel in which the person types; `None` if it is none of the port.
    pub(crate) fn set_keyboard(&self, id: PortId, panel: Option<PanelId>) {
        self.with(id, |port| port.has_keyboard = panel);
    }

    /// Takes the keyboard from a panel, or from any panel of the port if `None`. Returns false if the panel did not
    /// have it.
    pub(crate) fn take_keyboard(&self, id: PortId, panel: Option<&PanelId>) -> bool {
        let take = |port: &mut Port| port.has_keyboard.take_if(|holder| panel.is_none_or(|panel| panel == holder));
        self.with(id, take).flatten().is_some()
    }

    /// Forgets the panels of a browser, because none of their pages exists.
    pub(crate) fn forget_panels(&self, run: &BrowserRun) {
        for port in lock(&self.0.open).ports.values_mut().filter(|port| port.is_of(run)) {
            port.panels.clear();
        }
    }

    /// Returns the number of open panels.
    pub(crate) fn panels(&self) -> usize {
        lock(&self.0.open).ports.values().map(|port| port.panels.len()).sum()
    }

    pub(crate) fn sender(&self, id: PortId) -> Result<PortSender, Fault> {
        self.with(id, |port| port.sender.clone()).ok_or_else(|| PortError::Closed.into())
    }

    /// Returns the senders of confirmed browsers.
    pub(crate) fn senders(&self) -> Vec<(PortId, PortSender)> {
        self.select(|id, port| port.confirmed.then(|| (id, port.sender.clone())))
    }

    pub(crate) fn preamble(&self, id: PortId) -> Option<HostPreamble> {
        self.with(id, |port| port.preamble.clone())
    }

    /// Returns the confirmed port with the most panels: its sender, its host, one of its panels and their number.
    pub(crate) fn busiest(&self) -> Option<(PortSender, HostPreamble, Option<PanelId>, usize)> {
        let open = lock(&self.0.open);
        let port = open.ports.values().filter(|port| port.confirmed).max_by_key(|port| port.panels.len())?;
        let panel = port.panels.keys().next().cloned();
        Some((port.sender.clone(), port.preamble.clone(), panel, port.panels.len()))
    }

    /// Returns the instance id of a port's extension.
    pub(crate) fn instance_of(&self, id: PortId) -> String {
        let hello = self.with(id, |port| port.hello.as_ref().map(|hello| hello.instance_id.to_string())).flatten();
        hello.unwrap_or_else(|| format!("port-{}", id.0))
    }

    /// Returns the run of the browser behind a port if gstack started it.
    pub(crate) fn run_of(&self, id: PortId) -> Option<BrowserRun> {
        self.with(id, |port| port.preamble.browser_run.clone()).flatten()
    }

    pub(crate) fn of_run(&self, run: &BrowserRun) -> Vec<PortId> {
        self.select(|id, port| port.is_of(run).then_some(id))
    }

    /// Returns true if the extension of this browser has said hello.
    pub(crate) fn has_greeted(&self, run: &BrowserRun) -> bool {
        !self.select(|_, port| (port.is_of(run) && port.hello.is_some()).then_some(())).is_empty()
    }

    /// Returns true if a panel of this browser is open.
    pub(crate) fn has_panel(&self, run: &BrowserRun) -> bool {
        let is_open = |port: &Port| port.is_of(run) && port.hello.is_some() && !port.panels.is_empty();
        !self.select(|_, port| is_open(port).then_some(())).is_empty()
    }

    /// Returns the windows of confirmed browsers that have an open panel.
    pub(crate) fn windows_with_panel(&self) -> Vec<(PortId, WindowId)> {
        let windows = |id, port: &Port| port.panels.values().map(|window| (id, *window)).collect::<Vec<_>>();
        self.select(|id, port| port.confirmed.then(|| windows(id, port))).into_iter().flatten().collect()
    }

    /// Returns the hop that is missing for this browser's panel.
    pub(crate) fn missing(&self, run: &BrowserRun) -> Missing {
        let greeted = self.select(|_, port| port.is_of(run).then_some(port.hello.is_some()));
        match greeted.first() {
            None => Missing::Host,
            Some(false) => Missing::Hello,
            Some(true) => Missing::Panel,
        }
    }

    /// Sends to every background of a confirmed browser.
    pub(crate) fn broadcast(&self, message: &ToPanel) {
        self.tell_where(message, |_| true);
    }

    /// Sends to the backgrounds of some of the confirmed browsers.
    pub(crate) fn tell_where(&self, message: &ToPanel, which: impl Fn(PortId) -> bool) {
        let envelope = message.envelope(None);
        for (_, sender) in self.senders().into_iter().filter(|(id, _)| which(*id)) {
            sender.send(&envelope);
        }
    }

    /// Reports a fault that concerns everyone: a full disk, a journal that cannot be written.
    pub(crate) fn tell_fault(&self, fault: &Fault) {
        tracing::warn!(code = ?fault.code, "{fault}");
        self.broadcast(&ToPanel::Fault(fault.clone()));
    }

    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    pub(crate) fn tell_changed(&self) {
        self.0.changed.send_replace(());
    }

    pub(super) fn echoes(&self) -> &Echoes {
        &self.0.echoes
    }

    pub(super) fn with<T>(&self, id: PortId, work: impl FnOnce(&mut Port) -> T) -> Option<T> {
        lock(&self.0.open).ports.get_mut(&id).map(work)
    }

    pub(super) fn select<T>(&self, which: impl Fn(PortId, &Port) -> Option<T>) -> Vec<T> {
        lock(&self.0.open).ports.iter().filter_map(|(id, port)| which(*id, port)).collect()
    }
}

impl Port {
    fn is_of(&self, run: &BrowserRun) -> bool {
        self.preamble.browser_run.as_ref() == Some(run)
    }
}
