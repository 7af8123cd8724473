//! The reasons why gstack does not act on a tab of an everyday browser: the code of a DevTools error, and the message
//! with the next step.
//!
//! Owns the codes, which are private to gstack, and the messages. Never decides whether to refuse.

use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::relay::Refusal;

/// DevTools itself uses codes down to −32999.
const FIRST: i64 = -33001;

const ALL: [Refusal; 10] = [
    Refusal::Cancelled,
    Refusal::OwnPage,
    Refusal::Occupied,
    Refusal::Incognito,
    Refusal::Closed,
    Refusal::TooLarge,
    Refusal::TooOld,
    Refusal::NotHere,
    Refusal::NotAttached,
    Refusal::OtherFrame,
];

/// Returns the error code of this refusal.
pub(super) fn code(refusal: Refusal) -> i64 {
    let at = ALL.iter().position(|known| *known == refusal).unwrap_or_default();
    FIRST - i64::try_from(at).unwrap_or_default()
}

/// Returns the refusal with this error code; `None` for a code of DevTools.
pub fn of_code(code: i64) -> Option<Refusal> {
    usize::try_from(FIRST - code).ok().and_then(|at| ALL.get(at)).copied()
}

/// Returns the message.
pub fn words(refusal: Refusal) -> String {
    fault(refusal).message
}

/// Returns the fault with the message and the next step.
pub fn fault(refusal: Refusal) -> Fault {
    let (code, message, hint) = match refusal {
        Refusal::Cancelled => (FaultCode::Cancelled, catalogue::RELAY_CANCELLED, catalogue::RELAY_CANCELLED_NEXT),
        Refusal::OwnPage => (FaultCode::Forbidden, catalogue::RELAY_OWN_PAGE, catalogue::RELAY_OWN_PAGE_NEXT),
        Refusal::OtherFrame => (FaultCode::Forbidden, catalogue::RELAY_OTHER_FRAME, catalogue::RELAY_OTHER_FRAME_NEXT),
        Refusal::Occupied => (FaultCode::Conflict, catalogue::RELAY_OCCUPIED, catalogue::RELAY_OCCUPIED_NEXT),
        Refusal::Incognito => (FaultCode::Forbidden, catalogue::RELAY_INCOGNITO, catalogue::RELAY_INCOGNITO_NEXT),
        Refusal::Closed => (FaultCode::TabGone, catalogue::RELAY_CLOSED, catalogue::SEE_OPEN_TABS),
        Refusal::TooLarge => (FaultCode::TooLarge, catalogue::RELAY_TOO_LARGE, catalogue::RELAY_TOO_LARGE_NEXT),
        Refusal::TooOld => (FaultCode::ProtocolMismatch, catalogue::RELAY_TOO_OLD, catalogue::RELAY_TOO_OLD_NEXT),
        Refusal::NotHere => (FaultCode::Forbidden, catalogue::RELAY_NOT_HERE, catalogue::RELAY_NOT_HERE_NEXT),
        Refusal::NotAttached => (FaultCode::TabGone, catalogue::RELAY_NOT_ATTACHED, catalogue::LOOK_AND_REPEAT),
    };
    Fault::new(code, message).hint(hint).at(Hop::Browser)
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
