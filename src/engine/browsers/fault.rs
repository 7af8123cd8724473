//! Why a browser or a tab cannot be worked in, and what a person can do.

use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::told;

/// No browser is open. `what`: why one is needed, or what became of it.
pub(in crate::engine) fn no_browser(what: &str) -> Fault {
    Fault::new(FaultCode::BrowserDown, told::NO_BROWSER.with([what]))
        .hint(told::NO_BROWSER_NEXT)
        .command("gstack connect")
        .at(Hop::Browser)
}

/// The everyday browser in use is away, and gstack opens no other one in its place.
pub(in crate::engine) fn everyday_away() -> Fault {
    Fault::new(FaultCode::BrowserDown, told::EVERYDAY_AWAY)
        .hint(told::EVERYDAY_AWAY_NEXT)
        .command("gstack disconnect")
        .at(Hop::Background)
}

/// The browser of a tab is not connected now.
pub(in crate::engine) fn not_driven() -> Fault {
    Fault::new(FaultCode::BrowserDown, told::BROWSER_NOT_CONNECTED)
        .hint(told::BROWSER_NOT_CONNECTED_NEXT)
        .command("gstack connect")
        .at(Hop::Browser)
}
