//! Which open ports belong to a confirmed browser, and on what evidence.
//!
//! Owns the part of a port's state that concerns this. Never checks a proof.

use super::open::{Port, Ports};
use super::push::{PortId, PortSender};
use gstack_base::fingerprint::Fingerprint;
use gstack_base::peer::Peer;
use gstack_protocol::hello::Hello;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::methods::ToPanel;

/// The state of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortState {
    /// It has not been welcomed.
    Unknown,
    /// It has been welcomed, but no evidence shows that it is the person's panel.
    Unconfirmed,
    Confirmed,
}

/// A port that proves its key. It has one attempt.
pub(crate) struct Proving {
    pub(crate) challenge: String,
    pub(crate) hello: Option<Hello>,
    /// True if gstack started its browser.
    pub(crate) is_started: bool,
}

impl Port {
    fn is_unconfirmed(&self) -> bool {
        self.hello.is_some() && !self.confirmed
    }
}

impl Ports {
    pub(crate) fn port_state(&self, id: PortId) -> PortState {
        let port_state = self.with(id, |port| match port {
            Port { hello: None, .. } => PortState::Unknown,
            Port { confirmed: true, .. } => PortState::Confirmed,
            _ => PortState::Unconfirmed,
        });
        port_state.unwrap_or(PortState::Unknown)
    }

    /// Records a port's hello. Returns the challenge for its extension to sign, and whether the port is already
    /// confirmed. A repeated hello keeps the confirmation and takes the new name.
    pub(crate) fn greeted(&self, id: PortId, hello: Hello) -> (Option<String>, bool) {
        let greeted = self.with(id, |port| {
            port.hello = Some(hello);
            let confirmed = std::mem::take(&mut port.confirmed) || port.preamble.browser_run.is_some();
            (port.challenge.clone(), confirmed)
        });
        greeted.unwrap_or_default()
    }

    /// Returns the protocol version that a port's extension speaks.
    pub(crate) fn protocol_of(&self, id: PortId) -> Option<u32> {
        self.with(id, |port| port.hello.as_ref().map(|hello| hello.protocol)).flatten()
    }

    /// Returns the process of a port's host, and the browser that it claims to belong to.
    pub(crate) fn claim_of(&self, id: PortId) -> Option<(Peer, BrowserRun)> {
        self.with(id, |port| port.peer.clone().zip(port.claimed_run.clone())).flatten()
    }

    /// Marks the port's claim to its browser as verified.
    pub(crate) fn set_started(&self, id: PortId) {
        self.with(id, |port| port.preamble.browser_run = port.claimed_run.clone());
    }

    /// Confirms a port. Returns `None` if it was confirmed or has not said hello. `first` is pushed to it before anything else.
    pub(crate) fn confirm(&self, id: PortId, first: Option<&ToPanel>) -> Option<Hello> {
        let confirm = |port: &mut Port| {
            let hello = port.hello.clone().filter(|_| port.is_unconfirmed());
            if let Some(first) = first.filter(|_| hello.is_some()) {
                port.sender.send(&first.envelope(None));
            }
            port.confirmed |= hello.is_some();
            hello
        };
        self.with(id, confirm).flatten()
    }

    /// Takes the challenge of a port, which is valid for one proof.
    pub(crate) fn take_challenge(&self, id: PortId) -> Option<Proving> {
        let take = |port: &mut Port| {
            let is_started = port.preamble.browser_run.is_some();
            port.challenge.take().map(|challenge| Proving { challenge, hello: port.hello.clone(), is_started })
        };
        self.with(id, take).flatten()
    }

    pub(crate) fn set_key(&self, id: PortId, key: &Fingerprint) {
        self.with(id, |port| port.key = Some(key.clone()));
    }

    /// Returns the ports that were welcomed and wait.
    pub(crate) fn unconfirmed(&self) -> Vec<PortId> {
        self.select(|id, port| port.is_unconfirmed().then_some(id))
    }

    /// Returns the keys of the waiting ports, with their senders.
    pub(crate) fn waiting(&self) -> Vec<(Fingerprint, PortSender)> {
        self.select(|_, port| port.key.clone().filter(|_| port.is_unconfirmed()).map(|key| (key, port.sender.clone())))
    }

    /// Returns the keys that were proved on open ports.
    pub(crate) fn keys(&self) -> Vec<Fingerprint> {
        self.select(|_, port| port.key.clone())
    }

    pub(crate) fn with_key(&self, key: &Fingerprint) -> Vec<PortId> {
        self.select(|id, port| (port.key.as_ref() == Some(key)).then_some(id))
    }

    /// Closes the ports of a key, except those of a browser that gstack started.
    pub(crate) fn end_of_key(&self, key: &Fingerprint) {
        let stands_on_it = |port: &Port| port.key.as_ref() == Some(key) && port.preamble.browser_run.is_none();
        for sender in self.select(|_, port| stands_on_it(port).then(|| port.sender.clone())) {
            sender.end();
        }
    }
}
