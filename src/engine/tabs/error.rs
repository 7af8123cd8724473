//! Faults of tabs and tab sets.

use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::ChromeTabId;

#[derive(Debug)]
pub(crate) enum TabsError {
    /// The extension has not reported this tab.
    NotReported(ChromeTabId),
    /// DevTools has not named the page of this tab in time.
    PageUnknown(ChromeTabId),
    /// A conversation's own tab is always in its set.
    OwnTab,
    /// `most` is the number of tabs that a set can hold.
    SetFull { most: usize },
}

impl From<TabsError> for Fault {
    fn from(error: TabsError) -> Self {
        match error {
            TabsError::NotReported(id) => {
                Self::new(FaultCode::NotFound, catalogue::TAB_NOT_REPORTED.with([&id.to_string()]))
                    .hint(catalogue::TAB_NOT_REPORTED_NEXT)
                    .at(Hop::Background)
            }
            TabsError::PageUnknown(id) => {
                Self::new(FaultCode::Timeout, catalogue::TAB_PAGE_UNKNOWN.with([&id.to_string()]))
                    .hint(catalogue::TAB_PAGE_UNKNOWN_NEXT)
                    .at(Hop::Browser)
            }
            TabsError::OwnTab => Self::new(FaultCode::Conflict, catalogue::OWN_TAB).hint(catalogue::OWN_TAB_NEXT),
            TabsError::SetFull { most } => {
                Self::new(FaultCode::TooLarge, catalogue::TAB_SET_FULL.with([&most.to_string()]))
                    .hint(catalogue::TAB_SET_FULL_NEXT)
            }
        }
    }
}
