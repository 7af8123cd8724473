//! Faults of sending to a panel.

use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};

#[derive(Debug)]
pub(super) enum PortError {
    /// The port has closed.
    Closed,
    /// An answer exceeds the frame size. `bytes` is its length.
    AnswerDoesNotFit { bytes: usize },
}

impl From<PortError> for Fault {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Closed => Self::new(FaultCode::Conflict, "the port is closed").at(Hop::Host),
            PortError::AnswerDoesNotFit { bytes } => {
                Self::new(FaultCode::TooLarge, catalogue::ANSWER_DOES_NOT_FIT.with([&bytes.to_string()]))
                    .hint(catalogue::ASK_FOR_LESS)
            }
        }
    }
}
