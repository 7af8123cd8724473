//! Faults of hops that are missing or do not answer.

use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode};

/// A hop that is missing or does not answer.
#[derive(Debug)]
pub(super) enum HopError {
    NoExtension,
    NoPanel,
    /// With its pid.
    HostStopped(u32),
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
            HopError::HostStopped(pid) => {
                let pid = pid.to_string();
                let (message, hint) = (catalogue::HOST_STOPPED.with([&pid]), catalogue::HOST_STOPPED_NEXT.with([&pid]));
                return Self::new(FaultCode::Timeout, message).hint(hint);
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
