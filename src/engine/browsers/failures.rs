//! Consecutive failures of terminal commands while no person sees the browser.
//!
//! Owns the count and the text of the hint: a person may have to look (a sign-in, a captcha, a dialog of the page).

use gstack_protocol::fault::{Fault, FaultCode};
use std::sync::atomic::{AtomicU32, Ordering};

/// The consecutive failure that shows the hint.
const ENOUGH: u32 = 3;
const HINT: &str = "Three commands in a row failed here. If a person needs to take a look, show them the page: \
    gstack handoff \"what to do\"";

#[derive(Default)]
pub(super) struct Failures {
    in_a_row: AtomicU32,
}

impl Failures {
    /// Records how a command ended. `unseen` is true if its browser is headless and ours.
    pub(super) fn note<T>(&self, outcome: Result<T, Fault>, unseen: bool) -> Result<T, Fault> {
        let fault = match outcome {
            Err(fault) if is_of_page(&fault) => fault,
            Ok(value) => {
                self.in_a_row.store(0, Ordering::Relaxed);
                return Ok(value);
            }
            // A usage error says nothing about the page.
            Err(fault) => return Err(fault),
        };
        let count = self.in_a_row.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if count != ENOUGH || !unseen {
            return Err(fault);
        }
        let hint = fault.hint.as_deref().map_or_else(|| HINT.to_owned(), |hint| format!("{hint}\n  {HINT}"));
        Err(fault.hint(hint))
    }
}

fn is_of_page(fault: &Fault) -> bool {
    use FaultCode::{Element, Navigation, OutcomeUnknown, Script, TabGone, Timeout};
    matches!(fault.code, Element | Timeout | Navigation | Script | TabGone | OutcomeUnknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(failures: &Failures, code: FaultCode) -> bool {
        let fault = Fault::new(code, "no").hint("Look.");
        let hint = failures.note::<()>(Err(fault), true).unwrap_err().hint.unwrap();
        assert!(hint.starts_with("Look."));
        hint.contains("gstack handoff")
    }

    #[test]
    fn the_third_failure_in_a_row_names_handoff_and_a_success_begins_anew() {
        let failures = Failures::default();
        let codes = [FaultCode::Element, FaultCode::BadRequest, FaultCode::Timeout];
        assert!(codes.iter().all(|code| !failed(&failures, *code)));
        assert!(failed(&failures, FaultCode::Element) && !failed(&failures, FaultCode::Navigation), "said once");
        assert!(failures.note(Ok(()), true).is_ok());
        assert!(!failed(&failures, FaultCode::Element));
        let seen = Failures::default();
        for _ in 0..4 {
            assert!(seen.note::<()>(Err(Fault::new(FaultCode::Element, "no")), false).unwrap_err().hint.is_none());
        }
    }
}
