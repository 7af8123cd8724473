//! Faults of a side panel's browser that is not confirmed.
//!
//! Owns the code, the message and the next step of each. The person's requests come from a terminal, so their faults
//! are in English.

use gstack_base::visible;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub(super) enum PanelKeyError {
    /// Nothing is served until the browser is confirmed. `is_older` is true if its extension cannot prove a key.
    Unconfirmed {
        is_older: bool,
    },
    /// The proof is wrong. Holds the reason.
    ProofWrong(String),
    /// A connection proves its key only once.
    ProvedAlready,
    TooManyWait,
    NotWritten {
        path: PathBuf,
        source: io::Error,
    },
    /// No browser waits with the typed code.
    CodeWrong,
    /// The named browser is neither confirmed nor waiting.
    NoBrowser(String),
}

impl From<PanelKeyError> for Fault {
    fn from(error: PanelKeyError) -> Self {
        match error {
            PanelKeyError::Unconfirmed { is_older } => {
                let hint = if is_older { catalogue::EXTENSION_OLDER } else { catalogue::PANEL_UNCONFIRMED_NEXT };
                Self::new(FaultCode::PanelUnconfirmed, catalogue::PANEL_UNCONFIRMED).hint(hint).at(Hop::Daemon)
            }
            PanelKeyError::ProofWrong(why) => {
                Self::new(FaultCode::Forbidden, Sentence::from(catalogue::PROOF_WRONG).said(&why))
                    .hint(catalogue::PROVE_AGAIN)
                    .at(Hop::Background)
            }
            PanelKeyError::ProvedAlready => Self::new(FaultCode::Conflict, catalogue::PROVED_ALREADY)
                .hint(catalogue::PROVE_AGAIN)
                .at(Hop::Background),
            PanelKeyError::TooManyWait => {
                Self::new(FaultCode::TooLarge, catalogue::TOO_MANY_WAIT).hint(catalogue::TOO_MANY_WAIT_NEXT)
            }
            PanelKeyError::NotWritten { path, source } => {
                let message = catalogue::FILE_NOT_WRITTEN.with([&path.display().to_string(), &source.to_string()]);
                Self::new(FaultCode::Storage, message).hint(catalogue::HOME_NOT_WRITTEN_NEXT)
            }
            PanelKeyError::CodeWrong => Self::new(FaultCode::NotFound, "no browser is waiting with this code")
                .hint("Type the code that the side panel shows now: it changes after a few wrong attempts."),
            PanelKeyError::NoBrowser(id) => {
                Self::new(FaultCode::NotFound, format!("there is no browser {}", visible::visible(&id)))
                    .hint("`gstack panels` lists the browsers and their IDs.")
            }
        }
    }
}
