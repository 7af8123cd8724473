//! The lines of the audit about drivers themselves: that one is trusted, that it was given a tab.
//!
//! Owns their form. `policy` writes them, and those about what a driver does.

use super::{Driver, Endpoint};
use gstack_base::clock::now_millis;
use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::driver::DriverKind;
use gstack_protocol::ids::AgentName;

/// The scope in the audit of what a driver is allowed as such, and of what concerns an endpoint.
const DRIVER_SCOPE: &str = "driver";

/// Returns the name in the audit, where the names of agents stand too.
pub(crate) fn agent_name(kind: DriverKind, name: &str) -> AgentName {
    AgentName::new(format!("{}: {name}", kind.word()))
}

/// Returns the audit's line about a driver itself: that it is trusted, that it was given a tab.
pub(crate) fn driver_entry(driver: &Driver, action: String, allowed: bool, by: AuditBy) -> AuditEntry {
    let conversation_id = Some(driver.conversation.id().clone());
    AuditEntry { conversation_id, ..entry(driver.conversation.info().agent, action, allowed, by) }
}

/// Returns the audit's line about an endpoint without a registered client.
pub(crate) fn endpoint_entry(endpoint: &Endpoint, what: &str, allowed: bool, by: AuditBy) -> AuditEntry {
    let agent = agent_name(DriverKind::Cdp, endpoint.name.as_deref().unwrap_or(&endpoint.id));
    entry(Some(agent), format!("cdp {} {what}", endpoint.id), allowed, by)
}

fn entry(agent: Option<AgentName>, action: String, allowed: bool, by: AuditBy) -> AuditEntry {
    AuditEntry {
        at: now_millis(),
        conversation_id: None,
        agent,
        action,
        record: None,
        scope: DRIVER_SCOPE.to_owned(),
        site: None,
        allowed,
        by,
        answer: None,
        rule: None,
    }
}
