//! Admitting a port: its browser's tabs count, and its panels are served.
//!
//! Owns the effects of a confirmation. Never decides who is confirmed.

use super::PanelKeys;
use crate::ports::PortId;
use gstack_protocol::ids::InstanceId;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::panel_key::PanelConfirmation;

impl PanelKeys {
    /// Admits the port of a confirmed browser: counts its tabs and serves its requests. Only the first call after a
    /// hello has an effect.
    pub(crate) fn admit_port(&self, port: PortId) {
        self.admit(port, None);
    }

    /// Admits a waiting port in the same way and informs its extension, which expects nothing else until then.
    pub(crate) fn admit_waiting_port(&self, port: PortId) {
        let told = ToPanel::PanelConfirmation(PanelConfirmation { confirmed: true, code: None });
        self.admit(port, Some(&told));
    }

    fn admit(&self, port: PortId, told: Option<&ToPanel>) {
        let Some(hello) = self.0.ports.confirm(port, told) else { return };
        self.replace_ports_of(&hello.instance_id, port);
        self.0.browsers.open_relay(port, &hello);
        self.0.drivers.changed();
        self.0.ports.tell_changed();
    }

    /// Closes the earlier ports of this extension, whose end has not been noticed yet. An extension has only one port,
    /// and its tabs belong to this one: otherwise they would count as unknown tabs with new conversations.
    fn replace_ports_of(&self, instance: &InstanceId, port: PortId) {
        for id in self.0.ports.earlier_of(instance, port) {
            self.0.tabs.forget_port(id);
            // Its relay would keep the browser's name, so this port's tabs would appear to be another browser's.
            self.0.browsers.close_relay(id);
        }
    }
}
