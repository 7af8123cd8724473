//! The progress of a command that runs others, needed to report what is known if it is cut off.
//!
//! Owns the list and its text, which never contains typed text. Runs nothing.

use gstack_protocol::fault::{Fault, FaultCode};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The commands inside one `chain` or `tab-each`; empty for every other command. Cheap to clone: all clones share one
/// list.
#[derive(Clone, Default)]
pub struct Steps(Arc<Mutex<Vec<Step>>>);

struct Step {
    /// `click @e5`
    line: String,
    writes: bool,
    state: StepState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StepState {
    Waiting,
    Running,
    Done,
    Failed,
    Unknown,
}

impl Steps {
    /// Records the commands to run: each command's line, without typed text, and whether it writes.
    pub(crate) fn plan(&self, lines: impl IntoIterator<Item = (String, bool)>) {
        let step = |(line, writes)| Step { line, writes, state: StepState::Waiting };
        *self.list() = lines.into_iter().map(step).collect();
    }
    pub(crate) fn begin(&self, at: usize) {
        self.set(at, StepState::Running);
    }
    pub(crate) fn end<T>(&self, at: usize, outcome: &Result<T, Fault>) {
        self.set(
            at,
            match outcome {
                Ok(_) => StepState::Done,
                Err(fault) if fault.code == FaultCode::OutcomeUnknown => StepState::Unknown,
                Err(_) => StepState::Failed,
            },
        );
    }

    /// Returns the fault for a command that was cut off: at which step, and what was done before. `None` if it runs no
    /// others or has not started. `next`: what to do next.
    pub fn cut_off(&self, name: &str, code: FaultCode, why: &str, next: Option<&str>) -> Option<Fault> {
        let steps = self.list();
        if steps.iter().all(|step| step.state == StepState::Waiting) {
            return None;
        }
        let is_open = |step: &&Step| matches!(step.state, StepState::Running | StepState::Unknown);
        let open: Vec<&Step> = steps.iter().filter(is_open).collect();
        let unknown = open.iter().any(|step| step.writes || step.state == StepState::Unknown);
        let lines = open.iter().map(|step| format!("`{}`", step.line)).collect::<Vec<_>>().join(", ");
        let at = steps.iter().position(|step| is_open(&step)).map_or(0, |at| at + 1);
        let (ran, all) = (steps.iter().filter(|step| step.state != StepState::Waiting).count(), steps.len());
        let place = match open.len() {
            0 => format!("after {ran} of {all} steps"),
            1 => format!("at step {at} of {all}, {lines}"),
            several => format!("in {several} of {all} steps at once: {lines}"),
        };
        let message = match unknown {
            true => format!("{name} was interrupted {place}: {why}; it is unknown whether that took effect"),
            false => format!("{name} was interrupted {place}: {why}"),
        };
        let code = match (unknown, code) {
            (true, _) => FaultCode::OutcomeUnknown,
            (false, FaultCode::OutcomeUnknown) => FaultCode::BrowserDown,
            (false, code) => code,
        };
        let states = [("Done", StepState::Done), ("Failed", StepState::Failed), ("Not begun", StepState::Waiting)];
        let said = states.iter().filter_map(|(words, state)| listed(words, &steps, *state));
        let said: Vec<String> = said.chain(next.map(str::to_owned)).collect();
        let fault = Fault::new(code, message);
        Some(if said.is_empty() { fault } else { fault.hint(said.join("\n  ")) })
    }

    fn set(&self, at: usize, state: StepState) {
        if let Some(step) = self.list().get_mut(at) {
            step.state = state;
        }
    }
    fn list(&self) -> MutexGuard<'_, Vec<Step>> {
        // Each change is a single assignment, so a poisoned lock holds valid data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A longer list would hide what matters.
const MOST_LISTED: usize = 20;

fn listed(words: &str, steps: &[Step], state: StepState) -> Option<String> {
    let lines: Vec<&str> = steps.iter().filter(|step| step.state == state).map(|step| step.line.as_str()).collect();
    let more = lines.len().checked_sub(MOST_LISTED).filter(|more| *more > 0);
    // The last steps are the ones that led to the current state.
    let shown =
        if state == StepState::Waiting { &lines[..lines.len().min(MOST_LISTED)] } else { &lines[more.unwrap_or(0)..] };
    let more = more.map(|more| format!(" (and {more} more)")).unwrap_or_default();
    (!lines.is_empty()).then(|| format!("{words}: {}{more}.", shown.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::{Fault, FaultCode, Steps};
    use crate::core::Call;
    use crate::privacy::redaction;

    fn call(name: &str, args: &[&str]) -> Call {
        Call::parse(name, &args.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_step_that_was_cut_off_makes_the_whole_unknown_and_says_what_was_done() {
        let calls = [
            call("goto", &["http://a/?token=1"]),
            call("click", &["#no"]),
            call("fill", &["#pw", "hunter2"]),
            call("text", &[]),
        ];
        let steps = Steps::default();
        let cut = || steps.cut_off("chain", FaultCode::BrowserDown, "the browser went away", Some("Look."));
        steps.plan(calls.iter().map(|call| (redaction::line(call), call.spec.changes())));
        assert_eq!(cut(), None, "nothing was begun");
        steps.begin(0);
        steps.end(0, &Ok(()));
        steps.begin(1);
        steps.end::<()>(1, &Err(Fault::new(FaultCode::Element, "no")));
        let between = cut().unwrap();
        assert_eq!(between.code, FaultCode::BrowserDown);
        assert_eq!(between.message, "chain was interrupted after 2 of 4 steps: the browser went away");
        steps.begin(2);
        let fault = cut().unwrap();
        assert_eq!(fault.code, FaultCode::OutcomeUnknown);
        assert_eq!(
            fault.message,
            "chain was interrupted at step 3 of 4, `fill #pw [7 characters]`: the browser went away; it is unknown \
                whether that took effect"
        );
        assert_eq!(
            fault.hint.unwrap(),
            "Done: goto http://a/?token=[redacted].\n  Failed: click #no.\n  Not begun: text.\n  Look."
        );
        steps.end(2, &Ok(()));
        steps.begin(3);
        assert_eq!(cut().unwrap().code, FaultCode::BrowserDown, "a step that only reads");
    }
}
