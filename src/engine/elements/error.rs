//! Faults of elements that cannot be shown or picked.
//!
//! Owns the code, the message and the next step of each.

use gstack_base::own_page::OwnPage;
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};

#[derive(Debug)]
pub(super) enum ElementError {
    NotARef(String),
    NothingPicked,
    /// Extensions can't access this page.
    PickForbidden(OwnPage),
}

impl From<ElementError> for Fault {
    fn from(error: ElementError) -> Self {
        match error {
            ElementError::NotARef(text) => {
                Self::new(FaultCode::BadRequest, catalogue::NOT_A_REF.with([&text])).hint(catalogue::NOT_A_REF_NEXT)
            }
            ElementError::NothingPicked => {
                Self::new(FaultCode::Cancelled, catalogue::NOTHING_PICKED).hint(catalogue::NOTHING_PICKED_NEXT)
            }
            ElementError::PickForbidden(page) => {
                let message = match page {
                    OwnPage::Store => catalogue::PICK_FORBIDDEN_STORE,
                    OwnPage::Browser => catalogue::PICK_FORBIDDEN,
                };
                Self::new(FaultCode::Forbidden, message).hint(catalogue::PICK_FORBIDDEN_NEXT).at(Hop::Browser)
            }
        }
    }
}
