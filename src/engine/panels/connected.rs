//! Connections: ports and their panels connect, say hello and disconnect.
//!
//! Owns what begins and ends with them. Never reads their requests.

use super::error::PanelError;
use crate::base::peer::Peer;
use crate::engine::Engine;
use crate::engine::ports::{PortId, PortSender};
use crate::protocol::basics::Pong;
use crate::protocol::fault::Fault;
use crate::protocol::hello::{Hello, HostPreamble, Welcome};
use crate::protocol::ids::{InstanceId, PanelId};
use crate::protocol::methods::ToPanel;
use crate::protocol::panel_key::PanelConfirmation;
use crate::protocol::panels::PanelOpened;
use crate::protocol::{PROTOCOL, PROTOCOL_OLDEST, VERSION};

impl Engine {
    /// Adds a port. `peer` is the host's process.
    pub(crate) fn port_opened(&self, preamble: HostPreamble, peer: Option<Peer>, sender: PortSender) -> PortId {
        let id = self.ports().add(preamble, peer, Self::new_challenge(), sender);
        self.usage().update();
        id
    }

    pub(crate) fn port_closed(&self, id: PortId) {
        self.conversations().forget_port(id);
        self.spare().end_unshown();
        self.tabs().forget_port(id);
        self.keyboard_lost(id, None);
        self.browsers().close_relay(id);
        self.end_pointing(id, None);
        self.activity().forget_port(id);
        let port = self.ports().remove(id);
        self.drivers().changed();
        self.ports().tell_changed();
        self.usage().update();
        if let Some(port) = port {
            self.browsers().port_lost(port);
        }
    }

    /// Compares protocols and welcomes the extension. Fails if the daemon does not support its protocol.
    pub(crate) fn hello(&self, port: PortId, hello: Hello) -> Result<Welcome, Fault> {
        if !(PROTOCOL_OLDEST..=PROTOCOL).contains(&hello.protocol) {
            return Err(PanelError::ProtocolsDiffer(hello.protocol).into());
        }
        if self.is_of_started_browser(port) {
            self.ports().set_started(port);
        }
        let (challenge, confirmed) = self.ports().greeted(port, hello.clone());
        if confirmed {
            self.admit_port(port);
        }
        Ok(Welcome {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            epoch: self.store().epoch().clone(),
            pid: std::process::id(),
            driven: self.browsers().piped(port).is_some() || hello.relay,
            challenge,
            home_id: Some(self.home_id()),
            confirmed,
            welcome_url: Some(self.welcome_url()),
            extension_version: Some(VERSION.to_owned()),
        })
    }

    /// Admits the port of a confirmed browser: counts its tabs and serves its requests. Only the first call after a
    /// hello has an effect.
    pub(in crate::engine) fn admit_port(&self, port: PortId) {
        let Some(hello) = self.ports().confirm(port) else { return };
        self.replace_ports_of(&hello.instance_id, port);
        self.browsers().open_relay(port, &hello);
        self.drivers().changed();
        self.ports().tell_changed();
    }

    /// Admits a waiting port in the same way and informs its extension.
    pub(in crate::engine) fn admit_waiting_port(&self, port: PortId) {
        self.admit_port(port);
        if let Ok(sender) = self.ports().sender(port) {
            let told = PanelConfirmation { confirmed: true, code: None };
            sender.send(&ToPanel::PanelConfirmation(told).envelope(None));
        }
    }

    /// Closes the earlier ports of this extension, whose end has not been noticed yet. An extension has only one port,
    /// and its tabs belong to this one: otherwise they would count as unknown tabs with new conversations.
    fn replace_ports_of(&self, instance: &InstanceId, port: PortId) {
        for id in self.ports().earlier_of(instance, port) {
            self.tabs().forget_port(id);
            // Its relay would keep the browser's name, so this port's tabs would appear to be another browser's.
            self.browsers().close_relay(id);
        }
    }

    pub(crate) fn pong(&self) -> Pong {
        Pong { epoch: self.store().epoch().clone() }
    }

    pub(crate) fn panel_opened(&self, port: PortId, client: Option<PanelId>, opened: PanelOpened) {
        if let Some(client) = &client {
            self.ports().panel_opened(port, client, opened.window_id);
        }
        // Sent to each panel, because the fault persists until the file is fixed.
        if let (Some(fault), Ok(sender)) = (self.policy().fault(), self.ports().sender(port)) {
            sender.send(&ToPanel::Fault(fault).envelope(client));
        }
        self.drivers().tell_again(port);
        self.ports().tell_changed();
        self.usage().update();
    }

    pub(crate) fn panel_closed(&self, port: PortId, client: Option<PanelId>) {
        if let Some(client) = &client {
            self.ports().panel_closed(port, client);
            self.keyboard_lost(port, Some(client));
        }
        self.end_pointing(port, Some(&client));
        self.activity().unsubscribe(port, client.as_ref());
        self.conversations().forget_panel(port, client.as_ref());
        self.spare().end_unshown();
        // Another panel shows the approvals that this one showed.
        self.drivers().changed();
        self.usage().update();
    }
}
