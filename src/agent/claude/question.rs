//! Claude Code's questions to the person: converts its tool's input to parts of a question, and the answers to the
//! format it expects.
//!
//! Pure. The answers are returned in the input that the tool continues with.

use crate::adapter::QuestionAnswer;
use gstack_protocol::chat::{QuestionOption, QuestionPart};
use serde::Deserialize;
use serde_json::{Map, Value};

pub(super) const TOOL: &str = "AskUserQuestion";
/// The text for the model.
pub(super) const NOT_ANSWERED: &str = "The person did not answer. Go on without it, or say what you need to know.";

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    question: String,
    #[serde(default)]
    header: String,
    #[serde(default, rename = "multiSelect")]
    multi_select: bool,
    #[serde(default)]
    options: Vec<OptionTold>,
}

#[derive(Deserialize)]
struct OptionTold {
    #[serde(default)]
    label: String,
    #[serde(default)]
    description: String,
}

fn questions(input: &Value) -> Vec<Question> {
    Input::deserialize(input).map(|input| input.questions).unwrap_or_default()
}

pub(super) fn parts(input: &Value) -> Vec<QuestionPart> {
    let option = |option: OptionTold| QuestionOption::plain(option.label, option.description);
    let part = |question: Question| QuestionPart {
        text: question.question,
        header: question.header,
        options: question.options.into_iter().map(option).collect(),
        multiple: question.multi_select,
        closed: false,
        words: None,
    };
    questions(input).into_iter().map(part).collect()
}

/// Adds the answers to `input`, each under the text of its question.
pub(super) fn answered(mut input: Value, answers: &QuestionAnswer) -> Value {
    let told = questions(&input).into_iter().zip(answers);
    let told: Map<String, Value> =
        told.map(|(question, answer)| (question.question, answer.join(", ").into())).collect();
    if let Some(fields) = input.as_object_mut() {
        fields.insert("answers".to_owned(), Value::Object(told));
    }
    input
}

#[cfg(test)]
mod tests {
    use super::{answered, parts};
    use serde_json::json;

    #[test]
    fn questions_are_told_in_parts_and_answered_by_their_text() {
        let input = json!({"questions": [
            {"question": "Which?", "header": "W", "multiSelect": true, "options": [{"label": "A"}, {"label": "B", "description": "b"}]},
            {"question": "Sure?"},
        ]});
        let told = parts(&input);
        assert_eq!(
            (told[0].text.as_str(), told[0].multiple, told[0].options[1].description.as_str()),
            ("Which?", true, "b")
        );
        let answers = vec![vec!["A".to_owned(), "B".to_owned()], vec!["my own words".to_owned()]];
        let back = answered(input, &answers);
        assert_eq!(back["answers"], json!({"Which?": "A, B", "Sure?": "my own words"}));
        assert!(back["questions"].is_array() && parts(&json!({"questions": 7})).is_empty());
    }
}
