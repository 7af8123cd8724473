//! Faults of commands that are cut off.
//!
//! Owns the code, the message and the next step of each. Never decides what to cut off.

use gstack_browser::relay::refusals;
use gstack_command::Spec;
use gstack_protocol::catalogue::{self, MessageTemplate};
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
