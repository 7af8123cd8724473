//! Which of the open ports are a confirmed browser's, and what shows it.
//!
//! Owns what is kept of that with a port. Never checks a proof.

use super::open::{Port, Ports};
use super::push::{PortId, PortSender};
use crate::base::fingerprint::Fingerprint;
use crate::base::peer::Peer;
use crate::protocol::hello::Hello;
use crate::protocol::ids::BrowserRun;

/// How far a port has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It has not been welcomed.
    Unknown,
    /// It was welcomed, and nothing shows that it is a panel of the person's.
    Unconfirmed,
    Confirmed,
}

/// A port that proves its key: it has this one try.
pub(in crate::engine) struct Proving {
    pub(in crate::engine) challenge: String,
    pub(in crate::engine) hello: Option<Hello>,
    /// gstack has started its browser.
    pub(in crate::engine) is_started: bool,
}

impl Port {
    fn is_unconfirmed(&self) -> bool {
        self.hello.is_some() && !self.confirmed
    }
}

impl Ports {
    pub(in crate::engine) fn standing(&self, id: PortId) -> Standing {
        let standing = self.with(id, |port| match port {
            Port { hello: None, .. } => Standing::Unknown,
            Port { confirmed: true, .. } => Standing::Confirmed,
            _ => Standing::Unconfirmed,
        });
        standing.unwrap_or(Standing::Unknown)
    }

    /// A port's extension has said who it is: the challenge that it signs, and whether it is confirmed already. One that says
    /// hello again stays confirmed, and takes its new name.
    pub(in crate::engine) fn greeted(&self, id: PortId, hello: Hello) -> (Option<String>, bool) {
        let greeted = self.with(id, |port| {
            port.hello = Some(hello);
            let confirmed = std::mem::take(&mut port.confirmed) || port.preamble.browser_run.is_some();
            (port.challenge.clone(), confirmed)
        });
        greeted.unwrap_or_default()
    }

    /// The number of the protocol that a port's extension speaks.
    pub(in crate::engine) fn protocol_of(&self, id: PortId) -> Option<u32> {
        self.with(id, |port| port.hello.as_ref().map(|hello| hello.protocol)).flatten()
    }

    /// The process of a port's host, and the browser that it says to be of.
    pub(in crate::engine) fn claim_of(&self, id: PortId) -> Option<(Peer, BrowserRun)> {
        self.with(id, |port| port.peer.clone().zip(port.claimed_run.clone())).flatten()
    }

    /// The host is of the browser that it names: until now that was only claimed.
    pub(in crate::engine) fn set_started(&self, id: PortId) {
        self.with(id, |port| port.preamble.browser_run = port.claimed_run.clone());
    }

    /// A port is confirmed from now on. `None` if it was, or has not said hello.
    pub(in crate::engine) fn confirm(&self, id: PortId) -> Option<Hello> {
        let confirm = |port: &mut Port| {
            let hello = port.hello.clone().filter(|_| port.is_unconfirmed());
            port.confirmed |= hello.is_some();
            hello
        };
        self.with(id, confirm).flatten()
    }

    /// Takes the challenge of a port: it is good for one proof.
    pub(in crate::engine) fn take_challenge(&self, id: PortId) -> Option<Proving> {
        let take = |port: &mut Port| {
            let is_started = port.preamble.browser_run.is_some();
            port.challenge.take().map(|challenge| Proving { challenge, hello: port.hello.clone(), is_started })
        };
        self.with(id, take).flatten()
    }

    pub(in crate::engine) fn set_key(&self, id: PortId, key: &Fingerprint) {
        self.with(id, |port| port.key = Some(key.clone()));
    }

    /// Ports that were welcomed and wait.
    pub(in crate::engine) fn unconfirmed(&self) -> Vec<PortId> {
        self.select(|id, port| port.is_unconfirmed().then_some(id))
    }

    /// The keys of the ports that wait, with the way back to each.
    pub(in crate::engine) fn waiting(&self) -> Vec<(Fingerprint, PortSender)> {
        self.select(|_, port| port.key.clone().filter(|_| port.is_unconfirmed()).map(|key| (key, port.sender.clone())))
    }

    /// The keys that were proved on open ports.
    pub(in crate::engine) fn keys(&self) -> Vec<Fingerprint> {
        self.select(|_, port| port.key.clone())
    }

    pub(in crate::engine) fn with_key(&self, key: &Fingerprint) -> Vec<PortId> {
        self.select(|id, port| (port.key.as_ref() == Some(key)).then_some(id))
    }

    /// Closes the ports of a key, but for those of a browser that gstack has started.
    pub(in crate::engine) fn end_of_key(&self, key: &Fingerprint) {
        let stands_on_it = |port: &Port| port.key.as_ref() == Some(key) && port.preamble.browser_run.is_none();
        for sender in self.select(|_, port| stands_on_it(port).then(|| port.sender.clone())) {
            sender.end();
        }
    }
}
