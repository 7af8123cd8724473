//! Faults of the pages of `gstack view`. A page shows them in English, as the terminal does.

use gstack_protocol::fault::{Fault, FaultCode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewError {
    /// No link has the secret: it is wrong, was opened or has expired.
    Invalid,
    /// The page was ended, its time is over, or another tab sent the request.
    Ended,
    /// A request that was overtaken by the next one of its page, which no longer waits for it.
    OldConnection,
    /// A page does not answer an approval like that.
    NotOffered,
    /// `most` links and pages are open.
    TooMany { most: usize },
}

impl From<ViewError> for Fault {
    fn from(error: ViewError) -> Self {
        let (code, message, hint) = match error {
            ViewError::Invalid => (
                FaultCode::NotFound,
                "this link is not valid, or no longer valid".to_owned(),
                "A link opens once, within two minutes. Create another one: gstack view",
            ),
            ViewError::Ended => (
                FaultCode::NotFound,
                "this page no longer shows the browser".to_owned(),
                "Create another link: gstack view",
            ),
            ViewError::OldConnection => {
                (FaultCode::Conflict, "this page has a newer connection".to_owned(), "Reload it.")
            }
            ViewError::NotOffered => (
                FaultCode::BadRequest,
                "this page allows once or denies".to_owned(),
                "For more, answer in the panel or with `gstack approvals`.",
            ),
            ViewError::TooMany { most } => (
                FaultCode::TooLarge,
                format!("{most} views are open, and no more fit"),
                "End them all: gstack view end",
            ),
        };
        Self::new(code, message).hint(hint)
    }
}
