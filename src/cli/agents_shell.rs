//! What changes a person's machine beyond gstack's own home is for a terminal of theirs, not for an agent's shell.
//!
//! Owns which invocations those are, and how an agent's shell is known here. What the daemon serves it judges itself. An agent
//! that writes the files without gstack is the sandbox's to stop.

use super::arguments::Invocation;
use super::mcp::Mcp;
use crate::base::lineage;
use crate::protocol::command::TOKEN_VARIABLE;
use crate::protocol::fault::{Fault, FaultCode};

/// # Errors
///
/// Fails if an agent's shell asks for what is a person's to do.
pub fn check(invocation: &Invocation) -> Result<(), Fault> {
    match persons_own(invocation) {
        Some(what) if is_agents() => Err(Fault::new(FaultCode::Forbidden, format!("an agent does not {what}"))
            .hint("Ask the person to run it in a terminal.")),
        _ => Ok(()),
    }
}

/// What it would do to the machine; `None` if it only reads, prints or asks the daemon.
fn persons_own(invocation: &Invocation) -> Option<&'static str> {
    match invocation {
        Invocation::Upgrade { .. } => Some("upgrade gstack"),
        Invocation::InstallHost { dry_run: false, .. } | Invocation::UninstallHost { dry_run: false, .. } => {
            Some("change what browsers start")
        }
        Invocation::Mcp(Mcp::Install { print: false, .. } | Mcp::Uninstall { print: false, .. }) => {
            Some("change which programs have gstack")
        }
        Invocation::InstallHost { .. }
        | Invocation::UninstallHost { .. }
        | Invocation::Mcp(_)
        | Invocation::Connect { .. }
        | Invocation::Disconnect { .. }
        | Invocation::Stop
        | Invocation::Restart
        | Invocation::Status
        | Invocation::Doctor { .. }
        // Its text is gstack's own, whoever installs it.
        | Invocation::Skill(_)
        | Invocation::Chat { .. }
        | Invocation::StopTurns
        | Invocation::StopChat { .. }
        | Invocation::ContinueChat
        | Invocation::Sessions(_)
        | Invocation::Settings(_)
        | Invocation::Approvals(_)
        | Invocation::Panels(_)
        | Invocation::Policy(_)
        | Invocation::Audit(_)
        | Invocation::Agents
        | Invocation::Activity { .. }
        | Invocation::Document(_)
        | Invocation::Browser { .. } => None,
    }
}

/// An agent's token says so, and its descent where it has dropped that.
fn is_agents() -> bool {
    let has_token = std::env::var_os(TOKEN_VARIABLE).is_some_and(|token| !token.is_empty());
    has_token || lineage::agent_started_us()
}
