//! What can go wrong on the way to a panel, as faults.

use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::told;

#[derive(Debug)]
pub(super) enum PortError {
    /// The port was closed meanwhile.
    Closed,
    /// An answer is longer than a frame may be. `bytes`: its length.
    AnswerDoesNotFit { bytes: usize },
}

impl From<PortError> for Fault {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Closed => Self::new(FaultCode::Conflict, "the port is closed").at(Hop::Host),
            PortError::AnswerDoesNotFit { bytes } => {
                Self::new(FaultCode::TooLarge, told::ANSWER_DOES_NOT_FIT.with([&bytes.to_string()]))
                    .hint(told::ASK_FOR_LESS)
            }
        }
    }
}
