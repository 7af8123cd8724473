//! The default agent, which answers if a conversation names none. Pure.
//!
//! Owns the choice among the agents that were found.

use gstack_protocol::agents::{AgentInfo, AgentStatus};
use gstack_protocol::ids::AgentName;

/// Marks the default: the chosen one, or else the first one with a model that is ready, or else the first one that only
/// lacks a sign-in, because it is better to say so at once than to answer without a model. `found` contains at least
/// the built-in one, which is always ready.
pub(super) fn choose_default(found: &mut [AgentInfo], chosen: Option<&AgentName>) {
    let first = |holds: &dyn Fn(&AgentInfo) -> bool| found.iter().position(holds);
    let at = chosen
        .and_then(|name| first(&|info| info.name == *name))
        .or_else(|| first(&|info| info.has_model && info.status == AgentStatus::Ready))
        .or_else(|| first(&|info| info.status == AgentStatus::SignedOut))
        .or_else(|| first(&|info| info.status == AgentStatus::Ready));
    if let Some(at) = at {
        found[at].default = true;
    }
}

/// Returns the default agent as soon as no agent that is still looked for could take its place.
pub(super) fn first_ready<'a>(order: &[AgentName], found: &'a [AgentInfo]) -> Option<&'a AgentInfo> {
    let known = order.iter().map_while(|name| found.iter().find(|info| info.name == *name));
    known.into_iter().find(|info| info.has_model && info.status == AgentStatus::Ready)
}

/// Returns whether the agents that are left cannot change the default. `chosen`: a person's choice.
pub(super) fn is_known(order: &[AgentName], chosen: Option<&AgentName>, found: &[AgentInfo]) -> bool {
    match chosen {
        Some(chosen) => found.iter().any(|info| info.name == *chosen),
        None => first_ready(order, found).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::{choose_default, first_ready, is_known};
    use gstack_protocol::agents::{AgentInfo, AgentStatus};
    use gstack_protocol::ids::AgentName;

    fn info(name: &str, status: AgentStatus) -> AgentInfo {
        AgentInfo { status, has_model: name != "builtin", ..AgentInfo::unknown(AgentName::new(name), name) }
    }

    #[test]
    fn the_default_is_the_first_that_is_there_or_the_chosen_one() {
        let table = [
            (AgentStatus::Ready, None, "claude"),
            (AgentStatus::SignedOut, None, "claude"),
            (AgentStatus::Missing, None, "builtin"),
            (AgentStatus::Broken, None, "builtin"),
            (AgentStatus::Ready, Some("builtin"), "builtin"),
            (AgentStatus::Ready, Some("gone"), "claude"),
        ];
        for (status, chosen, expected) in table {
            let mut found = [info("claude", status), info("builtin", AgentStatus::Ready)];
            choose_default(&mut found, chosen.map(AgentName::new).as_ref());
            let defaults: Vec<&str> = found.iter().filter(|info| info.default).map(|info| info.name.as_str()).collect();
            assert_eq!(defaults, [expected]);
        }
    }

    #[test]
    fn one_that_is_ready_comes_before_one_that_is_signed_out() {
        let mut found = [
            info("claude", AgentStatus::SignedOut),
            info("codex", AgentStatus::Ready),
            info("builtin", AgentStatus::Ready),
        ];
        choose_default(&mut found, None);
        assert!(found[1].default && !found[0].default);
    }

    #[test]
    fn a_message_need_not_wait_for_agents_that_come_after_the_one_that_answers() {
        let order = ["claude", "codex", "mine", "builtin"].map(AgentName::new);
        let ready = |name| info(name, AgentStatus::Ready);
        let missing = |name| info(name, AgentStatus::Missing);
        for (found, expected) in [
            (vec![], None),
            (vec![ready("claude")], Some("claude")),
            (vec![missing("claude"), ready("codex")], Some("codex")),
            (vec![missing("claude"), ready("mine")], None),
            (vec![ready("mine"), missing("claude"), missing("codex")], Some("mine")),
            (vec![missing("claude"), missing("codex"), missing("mine"), ready("builtin")], None),
        ] {
            assert_eq!(first_ready(&order, &found).map(|info| info.name.as_str()), expected, "{found:?}");
        }
    }

    #[test]
    fn a_chosen_default_is_known_once_it_is_found() {
        let order = ["claude", "mine"].map(AgentName::new);
        let found = [info("claude", AgentStatus::Ready)];
        assert!(is_known(&order, None, &found) && !is_known(&order, Some(&order[1]), &found));
        assert!(is_known(&order, Some(&order[0]), &found) && !is_known(&order, None, &[]));
    }
}
