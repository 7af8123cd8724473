//! Errors when a browser is needed and none is open, or when opening or closing one fails.
//!
//! Owns the code, the message and the next step of each.

use crate::protocol::catalogue::{self, Sentence};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use std::io;

#[derive(Debug)]
pub(in crate::engine) enum BrowsersError {
    /// No browser is open. Says why one is needed, or what happened to it.
    NotOpen(Sentence),
    /// The everyday browser in use is away, and gstack does not open another one in its place.
    EverydayAway,
    /// The browser of a tab is not connected.
    NotConnected,
    /// The browser in use was closed or crashed.
    Closed,
    /// `disconnect` finds nothing to close. Shown in a terminal, so it is in English.
    NothingToClose,
    /// The capture file for DevTools messages cannot be opened.
    CaptureNotWritten(io::Error),
}

impl From<BrowsersError> for Fault {
    fn from(error: BrowsersError) -> Self {
        let down = |message: Sentence, hint: Sentence, command: &str, hop| {
            Self::new(FaultCode::BrowserDown, message).hint(hint).command(command).at(hop)
        };
        let connect = |message, hint| down(message, hint, "gstack connect", Hop::Browser);
        match error {
            BrowsersError::NotOpen(what) => connect(what, catalogue::NO_BROWSER_NEXT.into()),
            BrowsersError::NotConnected => {
                connect(catalogue::BROWSER_NOT_CONNECTED.into(), catalogue::BROWSER_NOT_CONNECTED_NEXT.into())
            }
            BrowsersError::Closed => connect(catalogue::BROWSER_CLOSED.into(), catalogue::BROWSER_CLOSED_NEXT.into()),
            BrowsersError::EverydayAway => {
                let (message, hint) = (catalogue::EVERYDAY_AWAY.into(), catalogue::EVERYDAY_AWAY_NEXT.into());
                down(message, hint, "gstack disconnect", Hop::Background)
            }
            BrowsersError::NothingToClose => {
                Self::new(FaultCode::BrowserDown, "no browser was open").hint("Nothing to do.").at(Hop::Browser)
            }
            BrowsersError::CaptureNotWritten(error) => {
                let message = catalogue::CAPTURE_NOT_WRITTEN.with([&error.to_string()]);
                Self::new(FaultCode::Storage, message).hint(catalogue::CAPTURE_NOT_WRITTEN_NEXT)
            }
        }
    }
}
