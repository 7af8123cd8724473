//! Faults of refused searches.

use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode};

#[derive(Debug)]
pub(super) enum ListingError {
    SearchTooLong,
}

impl From<ListingError> for Fault {
    fn from(error: ListingError) -> Self {
        match error {
            ListingError::SearchTooLong => {
                Self::new(FaultCode::TooLarge, catalogue::SEARCH_TOO_LONG).hint(catalogue::SEARCH_TOO_LONG_NEXT)
            }
        }
    }
}
