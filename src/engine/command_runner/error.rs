//! Faults of commands that are cut off.
//!
//! Owns the code, the message and the next step of each. Never decides what to cut off.

use gstack_browser::relay::refusals;
use gstack_command::Spec;
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::relay::Refusal;

pub(super) const GONE: &str = "the browser went away";

/// A command that ended before its work did.
pub(super) struct CutOff<'a> {
    pub(super) spec: &'a Spec,
    pub(super) by: CutCause<'a>,
}

/// The reason why a command was cut off.
#[derive(Debug)]
pub(super) enum CutCause<'a> {
    /// `why` completes "was cut off (…)".
    Ended { code: FaultCode, why: &'a str },
    /// gstack was detached from the tab.
    Detached(Refusal),
}

impl From<CutOff<'_>> for Fault {
    /// Reports an unknown outcome if the command changes something.
    fn from(CutOff { spec, by }: CutOff<'_>) -> Self {
        let unknown =
            |why: &str| format!("`{}` was interrupted ({why}): it is unknown whether it took effect", spec.name);
        match by {
            CutCause::Ended { code, why } => {
                if spec.changes() {
                    return Self::new(FaultCode::OutcomeUnknown, unknown(why)).hint(before_again(code));
                }
                Self::new(code, format!("`{}` did not finish: {why}", spec.name)).hint(then_again(code))
            }
            CutCause::Detached(refusal) => {
                let fault = refusals::fault(refusal);
                if spec.changes() {
                    let message = unknown(&fault.message);
                    return Self { code: FaultCode::OutcomeUnknown, ..fault.saying(message) };
                }
                fault
            }
        }
    }
}

/// Returns the check to make before repeating a command that may have taken effect.
pub(super) fn before_again(code: FaultCode) -> MessageTemplate {
    if code == FaultCode::BrowserDown { catalogue::OPEN_BEFORE_AGAIN } else { catalogue::LOOK_BEFORE_AGAIN }
}

fn then_again(code: FaultCode) -> MessageTemplate {
    if code == FaultCode::BrowserDown { catalogue::OPEN_THEN_AGAIN } else { catalogue::LOOK_THEN_AGAIN }
}

/// Adds that the command may take longer to the fault of a page that was too slow, if there is an option for it.
pub(super) fn with_longer_limit(spec: &Spec, mut fault: Fault) -> Fault {
    let next = Sentence::from(catalogue::PAGE_TIMEOUT_NEXT);
    let is_slow_page = fault.code == FaultCode::Timeout && fault.hint.as_deref() == Some(&*next);
    if is_slow_page && spec.flags.iter().any(|flag| flag.name == "--timeout") {
        fault.hint = Some(format!("{} Or let it take longer: gstack {} … --timeout MS.", &*next, spec.name));
    }
    fault
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_command::registry;

    #[test]
    fn a_longer_limit_is_advised_only_where_there_is_one() {
        let hint = |name: &str, code| {
            let fault = Fault::new(code, "slow").hint(catalogue::PAGE_TIMEOUT_NEXT);
            with_longer_limit(registry::get(name).unwrap(), fault).hint.unwrap()
        };
        assert!(hint("goto", FaultCode::Timeout).ends_with("gstack goto … --timeout MS."));
        assert!(!hint("snapshot", FaultCode::Timeout).contains("--timeout"));
        assert!(!hint("goto", FaultCode::Navigation).contains("--timeout"));
    }
}
