//! Faults of refused searches.

use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::told;

#[derive(Debug)]
pub(super) enum ListingError {
    SearchTooLong,
}

impl From<ListingError> for Fault {
    fn from(error: ListingError) -> Self {
        match error {
            ListingError::SearchTooLong => {
                Self::new(FaultCode::TooLarge, told::SEARCH_TOO_LONG).hint(told::SEARCH_TOO_LONG_NEXT)
            }
        }
    }
}
