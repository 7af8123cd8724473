//! Which lines of the audit are about which act of a turn.
//!
//! Owns the match: by time, then by the command line. The audit names no turn.

use gstack_protocol::audit::AuditEntry;

/// An act, as far as the match needs it.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
    /// The command line without secrets; `None` for a tool of the agent's own.
    pub(super) line: Option<String>,
}

/// Returns for each act the indexes of its lines, in order. Lines outside of every act are left out, and so
/// are lines that could be about several: a wrong decision is worse than none.
pub(super) fn assign(acts: &[Span], audit: &[AuditEntry]) -> Vec<Vec<usize>> {
    let mut assigned = vec![Vec::new(); acts.len()];
    for (index, entry) in audit.iter().enumerate() {
        let during = |act: &Span| act.from <= entry.at && entry.at <= act.to;
        let open: Vec<usize> = (0..acts.len()).filter(|at| during(&acts[*at])).collect();
        let of_line = open.iter().find(|at| acts[**at].line.as_deref() == Some(&entry.action));
        // What the person edited has another line.
        let own = || open.iter().find(|at| acts[**at].line.is_none());
        let only = || open.first().filter(|_| open.len() == 1);
        if let Some(at) = of_line.or_else(own).or_else(only) {
            assigned[*at].push(index);
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::audit::AuditBy;

    #[test]
    fn a_decision_belongs_to_the_act_of_its_time_and_line() {
        let entry = |at: u64, action: &str| AuditEntry {
            at,
            conversation_id: None,
            agent: None,
            action: action.to_owned(),
            record: None,
            scope: "act".to_owned(),
            site: None,
            allowed: true,
            by: AuditBy::Default,
            answer: None,
            rule: None,
        };
        let span = |from, to, line: Option<&str>| Span { from, to, line: line.map(str::to_owned) };
        let acts = [span(10, 20, Some("click @e1")), span(12, 30, Some("click @e2")), span(40, 50, None)];
        let audit =
            [entry(5, "x"), entry(15, "click @e2"), entry(16, "click @e1"), entry(25, "edited"), entry(45, "ls")];
        assert_eq!(assign(&acts, &audit), [vec![2], vec![1, 3], vec![4]]);
    }
}
