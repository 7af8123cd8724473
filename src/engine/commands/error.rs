//! Faults of commands that are refused or cut off.
//!
//! Owns the code, the message and the next step of each. Never decides what to refuse.

use crate::browser::relay::refusals;
use crate::command::Spec;
use crate::protocol::catalogue::{self, MessageTemplate};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::relay::Refusal;

pub(super) const GONE: &str = "the browser went away";

/// The client that may not run a command.
#[derive(Debug)]
pub(super) enum NotOffered {
    /// A script. The port's token is in a file that other programs of the user can read, so it gives no access to
    /// accounts.
    Script { command: &'static str },
    /// A model outside any conversation. No approval is possible for it, so it gets only tabs that the person has
    /// handed over.
    Model,
}

impl From<NotOffered> for Fault {
    fn from(error: NotOffered) -> Self {
        match error {
            NotOffered::Script { command } => {
                Self::new(FaultCode::Forbidden, format!("`{command}` is not offered on the port"))
                    .hint("Use the gstack command line, or set `script-secrets = true` under [daemon] in config.toml.")
            }
            NotOffered::Model => Self::new(
                FaultCode::Forbidden,
                "this is a tab of the person's everyday browser, which they have not handed over",
            )
            .hint("The person can: gstack connect --everyday")
            .command("gstack connect --everyday")
            .at(Hop::Browser),
        }
    }
}

/// A command that ended before its work did.
pub(super) struct CutOff<'a> {
    pub(super) spec: &'a Spec,
    pub(super) by: Cut<'a>,
}

/// The reason why a command was cut off.
#[derive(Debug)]
pub(super) enum Cut<'a> {
    /// `why` completes "was cut off (…)".
    Ended { code: FaultCode, why: &'a str },
    /// gstack was detached from the tab.
    Detached(Refusal),
}

impl From<CutOff<'_>> for Fault {
    /// Says that the outcome is unknown if the command changes something.
    fn from(CutOff { spec, by }: CutOff<'_>) -> Self {
        let unknown = |why: &str| format!("`{}` was cut off ({why}): it is unknown whether it took effect", spec.name);
        match by {
            Cut::Ended { code, why } => {
                if spec.changes() {
                    return Self::new(FaultCode::OutcomeUnknown, unknown(why)).hint(before_again(code));
                }
                Self::new(code, format!("`{}` did not finish: {why}", spec.name)).hint(then_again(code))
            }
            Cut::Detached(refusal) => {
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
