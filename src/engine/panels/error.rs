//! Faults of panels that are not served.
//!
//! Owns the code, the message and the next step of each.

use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::{PROTOCOL, PROTOCOL_OLDEST};

#[derive(Debug)]
pub(super) enum PanelError {
    /// The extension speaks this protocol, which the daemon does not support.
    ProtocolsDiffer(u32),
}

impl From<PanelError> for Fault {
    fn from(error: PanelError) -> Self {
        match error {
            PanelError::ProtocolsDiffer(theirs) => {
                let (next, command) = if theirs > PROTOCOL {
                    (catalogue::EXTENSION_NEWER, "gstack stop")
                } else {
                    (catalogue::EXTENSION_OLDER, "gstack connect")
                };
                let numbers = [theirs, PROTOCOL_OLDEST, PROTOCOL].map(|number| number.to_string());
                let message = catalogue::PROTOCOLS_DIFFER.with(numbers.each_ref().map(String::as_str));
                Self::new(FaultCode::ProtocolMismatch, message).hint(next).command(command).at(Hop::Daemon)
            }
        }
    }
}
