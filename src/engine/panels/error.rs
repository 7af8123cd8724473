//! Faults of panels: not served, elements that cannot be picked, and hops that do not answer.
//!
//! Owns the code, the message and the next step of each.

use crate::base::own_page::OwnPage;
use crate::protocol::catalogue;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::{PROTOCOL, PROTOCOL_OLDEST};

#[derive(Debug)]
pub(super) enum PanelError {
    /// The extension speaks this protocol, which the daemon does not support.
    ProtocolsDiffer(u32),
    NotARef(String),
    NothingPicked,
    /// Extensions can't access this page.
    PickForbidden(OwnPage),
}

impl From<PanelError> for Fault {
    fn from(error: PanelError) -> Self {
        match error {
            PanelError::ProtocolsDiffer(theirs) => {
                let (next, command) = if theirs > PROTOCOL {
                    (catalogue::EXTENSION_NEWER, "gstack stop")
                } else {
                    (catalogue::EXTENSION_OLDER, "gstack connect")
                };
                let numbers = [theirs, PROTOCOL_OLDEST, PROTOCOL].map(|number| number.to_string());
                let message = catalogue::PROTOCOLS_DIFFER.with(numbers.each_ref().map(String::as_str));
                Self::new(FaultCode::ProtocolMismatch, message).hint(next).command(command).at(Hop::Daemon)
            }
            PanelError::NotARef(text) => {
                Self::new(FaultCode::BadRequest, catalogue::NOT_A_REF.with([&text])).hint(catalogue::NOT_A_REF_NEXT)
            }
            PanelError::NothingPicked => {
                Self::new(FaultCode::Cancelled, catalogue::NOTHING_PICKED).hint(catalogue::NOTHING_PICKED_NEXT)
            }
            PanelError::PickForbidden(page) => {
                let message = match page {
                    OwnPage::Store => catalogue::PICK_FORBIDDEN_STORE,
                    OwnPage::Browser => catalogue::PICK_FORBIDDEN,
                };
                Self::new(FaultCode::Forbidden, message).hint(catalogue::PICK_FORBIDDEN_NEXT).at(Hop::Browser)
            }
        }
    }
}

/// A hop that is missing or does not answer.
#[derive(Debug)]
pub(super) enum HopError {
    NoExtension,
    NoPanel,
    ExtensionSilent,
    PanelSilent,
    BrowserSilent,
    NoAgent,
}

impl From<HopError> for Fault {
    fn from(error: HopError) -> Self {
        let (code, message, hint, command) = match error {
            HopError::NoExtension => {
                (FaultCode::NotFound, catalogue::NO_EXTENSION, catalogue::NO_EXTENSION_NEXT, Some("gstack connect"))
            }
            HopError::NoPanel => {
                (FaultCode::NotFound, catalogue::NO_PANEL, catalogue::NO_PANEL_NEXT, Some("gstack connect"))
            }
            HopError::ExtensionSilent => {
                (FaultCode::Timeout, catalogue::EXTENSION_SILENT, catalogue::RELOAD_EXTENSION, None)
            }
            HopError::PanelSilent => (FaultCode::Timeout, catalogue::PANEL_SILENT, catalogue::RELOAD_EXTENSION, None),
            HopError::BrowserSilent => {
                (FaultCode::Timeout, catalogue::BROWSER_SILENT, catalogue::BROWSER_SILENT_NEXT, Some("gstack restart"))
            }
            HopError::NoAgent => (
                FaultCode::AgentMissing,
                catalogue::NO_AGENT_FOUND,
                catalogue::NO_AGENT_FOUND_NEXT,
                Some("gstack agents"),
            ),
        };
        let fault = Self::new(code, message).hint(hint);
        match command {
            Some(command) => fault.command(command),
            None => fault,
        }
    }
}
