//! What a run asks the person: missing values, and how to go on after a step that is not done or a run that was cut off.
//!
//! Owns the words of the cards and what each answer means. An answer that is none of them stops the run.

use gstack_flows::{Change, Flow, Next, Outcome, StepReport, Values};
use gstack_protocol::catalogue::{
    FLOW_BEGIN, FLOW_BY_HAND, FLOW_BY_HAND_NEXT, FLOW_CUT_OFF, FLOW_CUT_OFF_KNOWN, FLOW_DO_AGAIN, FLOW_GO_ON_WITH,
    FLOW_HAPPENED, FLOW_HEAL, FLOW_HEAL_NEXT, FLOW_HEALED, FLOW_NEXT_BEGINS, FLOW_NOT_AGAIN, FLOW_NOT_DONE,
    FLOW_NOT_DONE_BUT, FLOW_NOT_LINE, FLOW_NOTHING_CHANGED, FLOW_NOTHING_DONE, FLOW_SKIP, FLOW_STOP, FLOW_STOP_NEXT,
    FLOW_UNKNOWN, FLOW_UNMET, FLOW_USE_LINE, FLOW_USE_LINE_NEXT, FLOW_WITHOUT, MessageTemplate, Sentence,
};
use gstack_protocol::chat::{QuestionOption, QuestionPart};

/// Returns the parameters that the message gave no value and that have no default, as questions.
pub(super) fn missing(flow: &Flow, set: &Values) -> Vec<(String, QuestionPart)> {
    let missing = flow.parameters.iter().filter(|(name, value)| value.default.is_none() && !set.contains_key(*name));
    let part = |(name, parameter): (&String, &gstack_flows::Parameter)| {
        let text = if parameter.about.is_empty() { name.clone() } else { parameter.about.clone() };
        let header = if parameter.about.is_empty() { String::new() } else { name.clone() };
        (name.clone(), QuestionPart { text, header, options: Vec::new(), multiple: false, closed: false, words: None })
    };
    missing.map(part).collect()
}

/// Asks how to go on after a step that is not done.
pub(super) fn after(report: &StepReport, of: usize) -> QuestionPart {
    let StepReport { step, told, outcome, candidates, .. } = report;
    let why = report.message.as_deref().unwrap_or_default();
    let (step, of) = (step.to_string(), of.to_string());
    let (text, on, means) = match outcome {
        Outcome::Unmet => (FLOW_UNMET.with([&step, &of, why]), FLOW_WITHOUT, FLOW_NEXT_BEGINS),
        Outcome::Unknown => (FLOW_UNKNOWN.with([&step, &of, told]), FLOW_HAPPENED, FLOW_NOT_AGAIN),
        Outcome::Done | Outcome::Failed => {
            let best: Vec<String> = candidates.iter().map(|one| format!("“{}”", one.name)).collect();
            let text = match best.is_empty() {
                true => FLOW_NOT_DONE.with([&step, &of, why]),
                false => FLOW_NOT_DONE_BUT.with([&step, &of, why, &best.join(", ")]),
            };
            (text, FLOW_SKIP, FLOW_NEXT_BEGINS)
        }
    };
    let mut options =
        vec![option(on, means), option(FLOW_BY_HAND, FLOW_BY_HAND_NEXT), option(FLOW_STOP, FLOW_STOP_NEXT)];
    if report.can_heal {
        options.insert(0, option(FLOW_HEAL, FLOW_HEAL_NEXT));
    }
    closed(text, options)
}

/// Returns what an answer to [`after`] means.
pub(super) fn next(answer: &str) -> Next {
    let is = |template: MessageTemplate| *Sentence::from(template) == *answer;
    if [FLOW_SKIP, FLOW_WITHOUT, FLOW_HAPPENED].into_iter().any(is) {
        return Next::Skip;
    }
    match (is(FLOW_BY_HAND), is(FLOW_HEAL)) {
        (true, _) => Next::ByHand,
        (_, true) => Next::Heal,
        _ => Next::Stop,
    }
}

/// Asks whether a healed line may replace the one in the file.
pub(super) fn healed(agent: &str, file: &str, change: &Change) -> QuestionPart {
    let Change { step, line, old, new, element, .. } = change;
    let lines = format!("{file}:{line}\n- {old}\n+ {new}");
    let text = FLOW_HEALED.with([agent, &step.to_string(), &element.name, &lines]);
    closed(text, vec![option(FLOW_USE_LINE, FLOW_USE_LINE_NEXT), option(FLOW_NOT_LINE, FLOW_NOTHING_CHANGED)])
}

/// Returns whether an answer to [`healed`] approves it.
pub(super) fn approves(answer: &str) -> bool {
    *Sentence::from(FLOW_USE_LINE) == *answer
}

/// Asks where to go on after a run that was cut off, with the step of each answer. `of`: how many steps the flow has.
pub(super) fn cut_off(
    message: &str,
    step: usize,
    took_effect: Option<bool>,
    of: usize,
) -> (QuestionPart, Vec<(String, usize)>) {
    let (next, again, begin) = ((FLOW_GO_ON_WITH, step + 1), (FLOW_DO_AGAIN, step), (FLOW_BEGIN, 1));
    let ways = match took_effect {
        None => vec![next, again, begin],
        Some(true) => vec![next, begin],
        Some(false) => vec![again, begin],
    };
    let ways: Vec<(Sentence, usize)> = ways
        .into_iter()
        .filter(|(_, step)| *step <= of)
        .map(|(label, step)| (label.with([&step.to_string()]), step))
        .collect();
    let text = if took_effect.is_none() { FLOW_CUT_OFF } else { FLOW_CUT_OFF_KNOWN }.with([message]);
    let mut options: Vec<QuestionOption> =
        ways.iter().map(|(label, _)| QuestionOption::of(label.clone(), None)).collect();
    options.push(option(FLOW_STOP, FLOW_NOTHING_DONE));
    (closed(text, options), ways.into_iter().map(|(label, step)| (label.to_string(), step)).collect())
}

fn closed(text: Sentence, options: Vec<QuestionOption>) -> QuestionPart {
    let (text, words) = text.parts();
    QuestionPart { text, header: String::new(), options, multiple: false, closed: true, words }
}

fn option(label: MessageTemplate, description: MessageTemplate) -> QuestionOption {
    QuestionOption::of(label.into(), Some(description.into()))
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
        assert_eq!(labels(&asked), ["Go on with step 3", "Do step 2 again", "Begin with step 1", "Stop here"]);
        assert_eq!(ways.iter().map(|(_, step)| *step).collect::<Vec<_>>(), [3, 2, 1]);
        assert!(asked.text.contains("Look at the page"), "{}", asked.text);
        // There is no step after the last one.
        assert_eq!(labels(&cut_off("", 3, Some(true), 3).0), ["Begin with step 1", "Stop here"]);
    }

    #[test]
    fn an_answer_that_is_not_offered_stops() {
        assert_eq!(
            ["Heal", "Skip it", "Do it myself and go on", "Stop here", "", "yes"].map(next),
            [Next::Heal, Next::Skip, Next::ByHand, Next::Stop, Next::Stop, Next::Stop]
        );
        assert!(approves("Use this line") && !approves("Not this one") && !approves("") && !approves("yes"));
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
