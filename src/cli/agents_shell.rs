//! Refuses invocations from an agent's shell that change the machine outside gstack's own home: only a person may run
//! them, in a terminal.
//!
//! Owns the list of these invocations, and how an agent's shell is recognised here. The daemon checks its own requests.
//! If an agent writes the files without gstack, the sandbox has to stop it.

use super::arguments::Invocation;
use super::instances::Instances;
use super::mcp::Mcp;
use super::profiles::Profiles;
use super::tunnel;
use gstack_base::lineage;
use gstack_protocol::command::TOKEN_VARIABLE;
use gstack_protocol::fault::{Fault, FaultCode};

/// Checks whether an agent's shell may run this invocation.
///
/// # Errors
/// Fails if only the person may run it.
pub(super) fn check(invocation: &Invocation) -> Result<(), Fault> {
    match persons_own(invocation) {
        Some(what) if is_agents() => Err(Fault::new(FaultCode::Forbidden, format!("an agent may not {what}"))
            .hint("Ask the person to run it in a terminal.")),
        _ => Ok(()),
    }
}

/// Returns the change that the invocation would make to the machine; `None` if it only reads, prints or asks the
/// daemon.
fn persons_own(invocation: &Invocation) -> Option<&'static str> {
    match invocation {
        Invocation::Upgrade { .. } => Some("upgrade gstack"),
        Invocation::InstallHost { dry_run: false, .. } | Invocation::UninstallHost { dry_run: false, .. } => {
            Some("change what browsers start")
        }
        Invocation::Mcp(Mcp::Install { print: false, .. } | Mcp::Uninstall { print: false, .. }) => {
            Some("change which programs have gstack")
        }
        Invocation::Instances(Instances::Stop { .. }) => Some("stop an instance"),
        Invocation::Instances(Instances::Trust | Instances::Untrust) => Some("decide about a project's file"),
        Invocation::Profiles(Profiles::Delete { .. }) => Some("delete a profile"),
        Invocation::Tunnel(tunnel::Wanted::Open(_)) => Some("open a tunnel to another machine"),
        Invocation::Flow(wanted) if wanted.is_persons_own() => Some("run, save or allow a flow"),
        Invocation::Fleet(_) => Some("run a fleet of browsers"),
        Invocation::Connect { remote: Some(_), .. } => Some("connect to a browser on another machine"),
        Invocation::InstallHost { .. }
        | Invocation::UninstallHost { .. }
        | Invocation::Mcp(_)
        // The daemon refuses them to agents.
        | Invocation::Tunnel(_)
        | Invocation::Cdp(_)
        | Invocation::Connect { .. }
        | Invocation::Disconnect { .. }
        | Invocation::Stop
        | Invocation::Restart
        | Invocation::Status
        | Invocation::Doctor { .. }
        // It only installs gstack's own text, whoever runs it.
        | Invocation::Skill(_)
        | Invocation::Chat { .. }
        | Invocation::StopTurns
        | Invocation::StopChat { .. }
        | Invocation::ContinueChat
        | Invocation::Sessions(_)
        | Invocation::Evidence(_)
        | Invocation::Flow(_)
        | Invocation::Settings(_)
        | Invocation::Approvals(_)
        | Invocation::Panels(_)
        | Invocation::View(_)
        | Invocation::Instances(Instances::List)
        | Invocation::Profiles(Profiles::List)
        | Invocation::Auth(_)
        | Invocation::Policy(_)
        | Invocation::Audit(_)
        | Invocation::Agents
        | Invocation::Activity { .. }
        | Invocation::Document(_)
        | Invocation::Browser { .. } => None,
    }
}

/// Returns whether this shell belongs to an agent, by its token, or by its parent processes if the agent has unset the
/// token.
fn is_agents() -> bool {
    let has_token = std::env::var_os(TOKEN_VARIABLE).is_some_and(|token| !token.is_empty());
    has_token || lineage::agent_started_us()
}
