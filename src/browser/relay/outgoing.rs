//! Messages to the extension: a DevTools command whole, or in parts if it is long.
//!
//! Owns the size of a part.

use super::message::{Command, Outbound};
use gstack_protocol::frame::COMFORTABLE;
use gstack_protocol::ids::ChromeTabId;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::relay::{RelayCommand, RelayPart};

/// The size of one part of split parameters: it fits into a message even after its quotes are escaped again.
const PART: usize = COMFORTABLE / 4;

/// Sends a command to the extension, in parts if it does not fit into one message.
pub(super) fn relay(command: Command, tab: ChromeTabId, session_id: Option<String>, out: &mut Vec<Outbound>) {
    let Command { id: call, method, params, .. } = command;
    let mut whole = Some(params);
    if let Some(params) = whole.take_if(|params| params.get().len() > COMFORTABLE / 2) {
        let mut rest = params.get();
        while !rest.is_empty() {
            let (text, after) = rest.split_at(rest.floor_char_boundary(PART));
            out.push(extension(ToPanel::RelayPart(RelayPart { call, text: text.to_owned() })));
            rest = after;
        }
    }
    let command = RelayCommand { call, chrome_tab_id: tab, session_id, method, params: whole };
    out.push(extension(ToPanel::RelayCommand(command)));
}

pub(super) fn extension(message: ToPanel) -> Outbound {
    Outbound::Extension(Box::new(message))
}
