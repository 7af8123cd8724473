//! What a run asks the person: missing values, and how to go on after a step that is not done or a run that was cut off.
//!
//! Owns the words of the cards and what each answer means. An answer that is none of them stops the run.

use gstack_flows::{Flow, Next, Outcome, StepReport, Values};
use gstack_protocol::chat::{QuestionOption, QuestionPart};

const SKIP: &str = "Skip it";
const WITHOUT: &str = "Go on without it";
const HAPPENED: &str = "It took effect: go on";
const BY_HAND: &str = "Do it myself and go on";
const STOP: &str = "Stop here";

/// Returns the parameters that the message gave no value and that have no default, as questions.
pub(super) fn missing(flow: &Flow, set: &Values) -> Vec<(String, QuestionPart)> {
    let missing = flow.parameters.iter().filter(|(name, value)| value.default.is_none() && !set.contains_key(*name));
    let part = |(name, parameter): (&String, &gstack_flows::Parameter)| {
        let text = if parameter.about.is_empty() { name.clone() } else { parameter.about.clone() };
        let header = if parameter.about.is_empty() { String::new() } else { name.clone() };
        (name.clone(), QuestionPart { text, header, options: Vec::new(), multiple: false, closed: false })
    };
    missing.map(part).collect()
}

/// Asks how to go on after a step that is not done.
pub(super) fn after(report: &StepReport, of: usize) -> QuestionPart {
    let StepReport { step, told, outcome, candidates, .. } = report;
    let why = report.message.as_deref().unwrap_or_default();
    let at = format!("Step {step} of {of}");
    let (text, on, means) = match outcome {
        Outcome::Unmet => {
            (format!("{at} is done, but what it waits for is not there: {why}."), WITHOUT, "The next step begins now.")
        }
        Outcome::Unknown => {
            (format!("{at} may have taken effect: {told}. Look at the page."), HAPPENED, "It is not done again.")
        }
        Outcome::Done | Outcome::Failed => {
            let best: Vec<String> = candidates.iter().map(|one| format!("“{}”", one.name)).collect();
            let like = if best.is_empty() { String::new() } else { format!(" The page has {}.", best.join(", ")) };
            (format!("{at} is not done: {why}.{like}"), SKIP, "The next step begins now.")
        }
    };
    let by_hand = "Do it in the page first, then choose this. The run checks what the step waits for.";
    let options =
        vec![option(on, means), option(BY_HAND, by_hand), option(STOP, "You can go on from this step later.")];
    QuestionPart { text, header: String::new(), options, multiple: false, closed: true }
}

/// Returns what an answer to [`after`] means.
pub(super) fn next(answer: &str) -> Next {
    match answer {
        SKIP | WITHOUT | HAPPENED => Next::Skip,
        BY_HAND => Next::ByHand,
        _ => Next::Stop,
    }
}

/// Asks where to go on after a run that was cut off, with the step of each answer. `of`: how many steps the flow has.
pub(super) fn cut_off(
    message: &str,
    step: usize,
    took_effect: Option<bool>,
    of: usize,
) -> (QuestionPart, Vec<(String, usize)>) {
    let at = |step: usize| (format!("Go on with step {step}"), step);
    let again = (format!("Do step {step} again"), step);
    let begin = ("Begin with step 1".to_owned(), 1);
    let ways = match took_effect {
        None => vec![at(step + 1), again, begin],
        Some(true) => vec![at(step + 1), begin],
        Some(false) => vec![again, begin],
    };
    let ways: Vec<(String, usize)> = ways.into_iter().filter(|(_, step)| *step <= of).collect();
    let look = if took_effect.is_none() { " Look at the page before you choose." } else { "" };
    let options = ways.iter().map(|(label, _)| option(label, "")).chain([option(STOP, "Nothing is done.")]).collect();
    (
        QuestionPart {
            text: format!("{message}.{look}"),
            header: String::new(),
            options,
            multiple: false,
            closed: true,
        },
        ways,
    )
}

fn option(label: &str, description: &str) -> QuestionOption {
    QuestionOption { label: label.to_owned(), description: description.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(part: &QuestionPart) -> Vec<&str> {
        part.options.iter().map(|option| option.label.as_str()).collect()
    }

    #[test]
    fn an_unknown_outcome_never_offers_to_go_on_without_a_word_about_it() {
        let (asked, ways) = cut_off("it was cut off in step 2", 2, None, 3);
        assert_eq!(labels(&asked), ["Go on with step 3", "Do step 2 again", "Begin with step 1", STOP]);
        assert_eq!(ways.iter().map(|(_, step)| *step).collect::<Vec<_>>(), [3, 2, 1]);
        assert!(asked.text.contains("Look at the page"), "{}", asked.text);
        // There is no step after the last one.
        assert_eq!(labels(&cut_off("", 3, Some(true), 3).0), ["Begin with step 1", STOP]);
    }

    #[test]
    fn an_answer_that_is_not_offered_stops() {
        assert_eq!(
            ["Skip it", "Do it myself and go on", "Stop here", "", "yes"].map(next),
            [Next::Skip, Next::ByHand, Next::Stop, Next::Stop, Next::Stop]
        );
    }

    #[test]
    fn only_what_has_no_value_is_asked_for() {
        let text = "flow = 1\nparameters.a = \"x\"\nparameters.b = { about = \"Which size?\" }\nparameters.c = {}\nsteps = []\n";
        let flow = Flow::read(text).unwrap();
        let asked = missing(&flow, &Values::from([("c".to_owned(), String::new())]));
        assert_eq!(
            asked.iter().map(|(name, part)| (name.as_str(), part.text.as_str())).collect::<Vec<_>>(),
            [("b", "Which size?")]
        );
    }
}
