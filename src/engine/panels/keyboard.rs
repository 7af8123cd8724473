//! Keyboard focus, as panels report it.
//!
//! Owns the path from a report to the browser that restores the focus. Never reads what is typed: keys that reached a
//! page are only passed on to the panel that they were meant for.

use super::Panels;
use crate::ports::PortId;
use gstack_browser::keyboard::KeySink;
use gstack_browser::launch::side_panel;
use gstack_protocol::extension_ids;
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::panels::{PanelFocus, PanelKeys};
use std::sync::Arc;

impl Panels {
    pub fn panel_focus(&self, port: PortId, client: Option<PanelId>, focus: PanelFocus) {
        self.ports.set_keyboard(port, client.clone().filter(|_| focus.focused));
        let (Some(browser), Ok(sender)) = (self.browsers.of_port(port), self.ports.sender(port)) else { return };
        if !focus.focused {
            return browser.keyboard_left_panel();
        }
        // A panel must not bring anything else of the browser to the front.
        if !extension_ids().any(|id| side_panel::is_panel(&focus.address, id)) {
            tracing::warn!("a panel names an address that is not a panel's");
            return;
        }
        let keys: KeySink = Arc::new(move |pressed| {
            let (keys, at) = pressed.into_iter().map(|pressed| (pressed.key, pressed.at)).unzip();
            sender.send(&ToPanel::PanelKeys(PanelKeys { keys, at }).envelope(client.clone()));
        });
        let known = browser.keyboard_in_panel(focus.address, keys);
        self.tasks.spawn(async move {
            if let Err(error) = known.await {
                tracing::debug!(%error, "the panel that has the keyboard can't be reached");
            }
        });
    }

    /// Releases the keyboard if a closed panel had it. `None` stands for all panels of the port.
    pub(super) fn keyboard_lost(&self, port: PortId, client: Option<&PanelId>) {
        if self.ports.take_keyboard(port, client)
            && let Some(browser) = self.browsers.of_port(port)
        {
            browser.keyboard_elsewhere();
        }
    }
}
