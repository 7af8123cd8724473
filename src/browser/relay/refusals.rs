//! Why a tab of an everyday browser is not acted on: as a DevTools error's code, and in words with the next step.
//!
//! Owns the codes, which are ours alone, and the words. Never decides whether something is refused.

use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::relay::Refusal;

/// DevTools itself uses codes down to −32999.
const FIRST: i64 = -33001;

const ALL: [Refusal; 9] = [
    Refusal::Cancelled,
    Refusal::OwnPage,
    Refusal::Occupied,
    Refusal::Incognito,
    Refusal::Closed,
    Refusal::TooLarge,
    Refusal::TooOld,
    Refusal::NotHere,
    Refusal::NotAttached,
];

/// The code of an error that stands for this refusal.
pub(super) fn code(refusal: Refusal) -> i64 {
    let at = ALL.iter().position(|known| *known == refusal).unwrap_or_default();
    FIRST - i64::try_from(at).unwrap_or_default()
}

/// The refusal that an error's code stands for; none: it is DevTools' own.
pub fn of_code(code: i64) -> Option<Refusal> {
    usize::try_from(FIRST - code).ok().and_then(|at| ALL.get(at)).copied()
}

/// What happened.
pub fn words(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Cancelled => "gstack was sent out of this browser's tabs: Cancel was pressed in the bar above them",
        Refusal::OwnPage => {
            "this is a page of the browser's own, of its store or of an extension: the browser lets no extension into it"
        }
        Refusal::Occupied => {
            "the browser does not let gstack into this tab: another extension debugs it, or an administrator forbids it"
        }
        Refusal::Incognito => "this is a private window: gstack never acts there",
        Refusal::Closed => "the tab was closed",
        Refusal::TooLarge => "the answer is larger than the extension can send",
        Refusal::TooOld => "the extension in this browser is older than gstack: it can chat here, and not act",
        Refusal::NotHere => "this can't be done in an everyday browser, where gstack acts through its extension",
        Refusal::NotAttached => "the extension is not attached to the tab any more",
    }
}

/// As it is told, with the next step.
pub fn fault(refusal: Refusal) -> Fault {
    let (code, hint) = match refusal {
        Refusal::Cancelled => (
            FaultCode::Cancelled,
            "To let it in again, write a message in the tab's side panel, use a button there, or: gstack connect --everyday",
        ),
        Refusal::OwnPage => (FaultCode::Forbidden, "Open another page: `goto` works from here too."),
        Refusal::Occupied => {
            (FaultCode::Conflict, "End the other tool's work in this tab, or use the browser of `gstack connect`.")
        }
        Refusal::Incognito => {
            (FaultCode::Forbidden, "Open the page in a usual window, or in the browser of `gstack connect`.")
        }
        Refusal::Closed => (FaultCode::TabGone, "See the open ones: gstack tabs"),
        Refusal::TooLarge => (FaultCode::TooLarge, "Ask for a smaller part: one element, or `--viewport`."),
        Refusal::TooOld => (FaultCode::ProtocolMismatch, "Reload it: chrome://extensions, gstack, the round arrow."),
        Refusal::NotHere => (FaultCode::Forbidden, "Use the browser of `gstack connect` for it."),
        Refusal::NotAttached => (FaultCode::TabGone, "Look at the page again (snapshot), then repeat the command."),
    };
    Fault::new(code, words(refusal)).hint(hint).at(Hop::Browser)
}

#[cfg(test)]
mod tests {
    use super::{ALL, code, of_code};

    #[test]
    fn each_refusal_has_a_code_that_leads_back_to_it_and_devtools_codes_lead_to_none() {
        for refusal in ALL {
            assert_eq!(of_code(code(refusal)), Some(refusal));
        }
        for known in [-32001, -32000, -32601, 0, 1, i64::MIN] {
            assert_eq!(of_code(known), None, "{known}");
        }
    }
}
