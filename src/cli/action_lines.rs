//! The record of an action in a terminal: everything that a person decides on, one item per line.
//!
//! Owns the lines. The record's texts are already made visible (`base::visible`); nothing is truncated here.

use super::terminal::clean;
use gstack_protocol::action::{ActionElement, ActionRecord};

/// Returns the details to show besides the question itself.
pub(super) fn lines_of(action: &ActionRecord) -> Vec<String> {
    let mut lines: Vec<String> = clean(&action.command).lines().map(str::to_owned).collect();
    let words =
        |element: &ActionElement| format!("{} “{}” {}", element.role, clean(&element.name), clean(&element.target));
    lines.extend(action.element.as_ref().map(|element| format!("element: {}", words(element))));
    lines.extend(action.other_elements.iter().map(|element| format!("and: {}", words(element))));
    lines.extend(action.destination.as_ref().map(|to| format!("leads to: {}", clean(to))));
    if action.submits {
        lines.push("it sends a form, or does something that can't be undone".to_owned());
    }
    lines.extend(clean(&action.content).lines().map(str::to_owned));
    lines.extend(action.agent_reason.as_ref().map(|why| format!("the agent says: {}", clean(why))));
    lines
}

#[cfg(test)]
mod tests {
    use super::{ActionElement, ActionRecord, lines_of};

    #[test]
    fn all_of_a_record_is_shown_and_the_agents_words_are_marked() {
        let element = ActionElement { role: "button".into(), name: "Pay 500 EUR".into(), ..ActionElement::default() };
        let lines = lines_of(&ActionRecord {
            command: format!("js {}", "x".repeat(2000)),
            element: Some(element),
            other_elements: vec![ActionElement {
                role: "list".into(),
                name: "Paid".into(),
                target: "#paid".into(),
                ..ActionElement::default()
            }],
            destination: Some("https://evil.example/".into()),
            content: "one\ntwo".into(),
            agent_reason: Some("only a test".into()),
            ..ActionRecord::default()
        });
        assert_eq!(lines[0].len(), 2003);
        for line in [
            "element: button “Pay 500 EUR” ",
            "and: list “Paid” #paid",
            "leads to: https://evil.example/",
            "two",
            "the agent says: only a test",
        ] {
            assert!(lines.iter().any(|shown| shown == line), "{line}: {lines:?}");
        }
    }
}
