//! Connections: ports and their panels connect, say hello and disconnect.
//!
//! Starts and ends what depends on them. Never reads their requests.

use super::Panels;
use super::error::PanelError;
use crate::panel_keys::PanelKeys;
use crate::ports::{PortId, PortSender};
use gstack_base::peer::Peer;
use gstack_protocol::basics::Pong;
use gstack_protocol::fault::Fault;
use gstack_protocol::hello::{Hello, HostPreamble, Welcome};
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::panels::PanelOpened;
use gstack_protocol::{PROTOCOL, PROTOCOL_OLDEST, VERSION};

impl Panels {
    /// Adds a port. `peer` is the host's process.
    pub fn port_opened(&self, preamble: HostPreamble, peer: Option<Peer>, sender: PortSender) -> PortId {
        let id = self.ports.add(preamble, peer, PanelKeys::new_challenge(), sender);
        self.usage.update();
        id
    }

    pub fn port_closed(&self, id: PortId) {
        self.conversations.forget_port(id);
        self.spare.end_unshown();
        self.tabs.forget_port(id);
        self.keyboard_lost(id, None);
        self.browsers.close_relay(id);
        self.elements.end_pointing(id, None);
        self.activity.forget_port(id);
        let port = self.ports.remove(id);
        self.drivers.changed();
        self.ports.tell_changed();
        self.usage.update();
        if let Some(port) = port {
            self.browsers.port_lost(port);
        }
    }

    /// Compares protocols and welcomes the extension. Fails if the daemon does not support its protocol.
    pub fn hello(&self, port: PortId, hello: Hello) -> Result<Welcome, Fault> {
        if !(PROTOCOL_OLDEST..=PROTOCOL).contains(&hello.protocol) {
            return Err(PanelError::ProtocolsDiffer(hello.protocol).into());
        }
        if self.panel_keys.is_of_started_browser(port) {
            self.ports.set_started(port);
        }
        let (challenge, confirmed) = self.ports.greeted(port, hello.clone());
        if confirmed {
            self.panel_keys.admit_port(port);
        }
        Ok(Welcome {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            epoch: self.conversations.store().epoch().clone(),
            pid: std::process::id(),
            driven: self.browsers.piped(port).is_some() || hello.relay,
            challenge,
            home_id: Some(self.panel_keys.home_id()),
            confirmed,
            welcome_url: Some(self.welcome_url.clone()),
            extension_version: Some(VERSION.to_owned()),
        })
    }

    pub fn pong(&self) -> Pong {
        Pong { epoch: self.conversations.store().epoch().clone() }
    }

    pub fn panel_opened(&self, port: PortId, client: Option<PanelId>, opened: PanelOpened) {
        if let Some(client) = &client {
            self.ports.panel_opened(port, client, opened.window_id);
        }
        // Sent to each panel, because the fault persists until the file is fixed.
        if let (Some(fault), Ok(sender)) = (self.policy.fault(), self.ports.sender(port)) {
            sender.send(&ToPanel::Fault(fault).envelope(client));
        }
        self.drivers.tell_again(port);
        self.ports.tell_changed();
        self.usage.update();
    }

    pub fn panel_closed(&self, port: PortId, client: Option<PanelId>) {
        if let Some(client) = &client {
            self.ports.panel_closed(port, client);
            self.keyboard_lost(port, Some(client));
        }
        self.elements.end_pointing(port, Some(&client));
        self.activity.unsubscribe(port, client.as_ref());
        self.conversations.forget_panel(port, client.as_ref());
        self.spare.end_unshown();
        // Another panel shows the approvals that this one showed.
        self.drivers.changed();
        self.usage.update();
    }
}
