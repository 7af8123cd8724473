//! The questions of an ACP agent: the forms of `elicitation/create`, and the questions that Qwen Code adds to a permission
//! request.
//!
//! Pure. Converts both to the parts of a question, and a person's answers to what the agent reads. A form that asks for a secret
//! is none: a conversation keeps its answers.

use super::wire::ToolCall;
use crate::adapter::QuestionAnswer;
use gstack_protocol::chat::{QuestionOption, QuestionPart};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The answers to a field that is true or false.
const FLAGS: [(&str, bool); 2] = [("Yes", true), ("No", false)];

/// `elicitation/create`, as far as it is a form. Source: agentclientprotocol.com, schema v1.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FormRequest {
    message: String,
    requested_schema: Schema,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Schema {
    properties: Map<String, Value>,
}

/// How an agent reads the answers to its question.
#[derive(Debug, PartialEq)]
pub(super) enum Form {
    /// As the content of a form, one value for each field.
    Fields(Vec<Field>),
    /// As texts beside the answer to the permission request, each under the number of its question.
    Numbered,
}

#[derive(Debug, PartialEq)]
pub(super) struct Field {
    key: String,
    kind: Kind,
    /// The field for an answer in the person's own words, if there is one.
    own_words: Option<String>,
}

/// Values and their labels, in the agent's order.
type Choices = Vec<(String, String)>;

#[derive(Debug, PartialEq)]
enum Kind {
    Text,
    Number,
    Flag,
    One(Choices),
    Many(Choices),
}

impl Form {
    /// Reads a form. `None` if it has no field, or asks for a secret.
    pub(super) fn of_request(request: FormRequest) -> Option<(Self, Vec<QuestionPart>)> {
        let FormRequest { message, requested_schema: Schema { properties } } = request;
        if properties.is_empty() || properties.values().any(is_secret) {
            return None;
        }
        let (mut fields, mut parts) = (Vec::<Field>::new(), Vec::<QuestionPart>::new());
        for (key, property) in &properties {
            let (kind, options) = kind_of(property);
            let before = fields.last_mut().filter(|before| matches!(before.kind, Kind::One(_) | Kind::Many(_)));
            // Claude and Codex add such a field to each question with options. The panel always takes own words.
            if let Some(before) =
                before.filter(|before| kind == Kind::Text && key.starts_with(&format!("{}_", before.key)))
            {
                before.own_words = Some(key.clone());
                continue;
            }
            let told = |name: &str| property[name].as_str().unwrap_or_default().to_owned();
            let (title, description) = (told("title"), told("description"));
            // Some agents have the question in the title and a word for it in the description, some the other way round.
            let (text, header) =
                if title.len() > description.len() { (title, description) } else { (description, title) };
            parts.push(QuestionPart {
                text,
                header,
                options,
                multiple: matches!(kind, Kind::Many(_)),
                closed: false,
                words: None,
            });
            fields.push(Field { key: key.clone(), kind, own_words: None });
        }
        let only = parts.len() == 1;
        if let Some(first) = parts.first_mut() {
            // The message is the question, and the field has a word for it.
            if only && first.header.is_empty() && first.text.len() < message.len() {
                first.header = std::mem::take(&mut first.text);
            }
            first.text = [message, std::mem::take(&mut first.text)].join("\n").trim().to_owned();
        }
        Some((Self::Fields(fields), parts))
    }

    /// Reads the questions of a permission request of Qwen Code (seen with 0.24.4).
    pub(super) fn of_permission(call: &ToolCall) -> Option<(Self, Vec<QuestionPart>)> {
        let questions = call.meta.as_ref()?.get("qwenQuestions")?.as_array()?;
        let told = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
        let option = |of: &Value| QuestionOption::plain(told(of, "label"), told(of, "description"));
        let parts = questions.iter().map(|question| QuestionPart {
            text: told(question, "question"),
            header: told(question, "header"),
            options: question["options"].as_array().into_iter().flatten().map(option).collect(),
            multiple: question["multiSelect"].as_bool().unwrap_or_default(),
            closed: false,
            words: None,
        });
        (!questions.is_empty()).then(|| (Self::Numbered, parts.collect()))
    }

    /// Returns the answers as the agent reads them: the content of the form, or the texts by number.
    pub(super) fn content(&self, answers: &QuestionAnswer) -> Value {
        let given = answers.iter().enumerate().filter(|(_, answer)| !answer.is_empty());
        let content: Map<String, Value> = match self {
            Self::Numbered => given.map(|(at, answer)| (at.to_string(), answer.join(", ").into())).collect(),
            Self::Fields(fields) => {
                given.filter_map(|(at, answer)| Some(fields.get(at)?.values(answer))).flatten().collect()
            }
        };
        Value::Object(content)
    }
}

impl Field {
    /// Returns the values of an answer by their fields.
    fn values(&self, answer: &[String]) -> Vec<(String, Value)> {
        let named = |value: Value| vec![(self.key.clone(), value)];
        let text = answer.join(", ");
        match &self.kind {
            Kind::Text => named(text.into()),
            Kind::Number => match text.trim().parse::<i64>() {
                Ok(whole) => named(whole.into()),
                Err(_) => text.trim().parse::<f64>().map(|number| named(json!(number))).unwrap_or_default(),
            },
            Kind::Flag => {
                let flag = FLAGS.iter().find(|(label, _)| *label == text);
                flag.map(|(_, value)| named((*value).into())).unwrap_or_default()
            }
            Kind::One(choices) => match (value_of(choices, &text), &self.own_words) {
                (Some(value), _) => named(value.into()),
                (None, Some(own)) => vec![(own.clone(), text.into())],
                (None, None) => named(text.into()),
            },
            Kind::Many(choices) => {
                let (chosen, own): (Vec<&String>, Vec<&String>) =
                    answer.iter().partition(|one| value_of(choices, one).is_some());
                let mut chosen: Vec<&str> = chosen.into_iter().filter_map(|one| value_of(choices, one)).collect();
                let own: Vec<&str> = own.into_iter().map(String::as_str).collect();
                let mut values = Vec::new();
                match &self.own_words {
                    Some(key) if !own.is_empty() => values.push((key.clone(), own.join(", ").into())),
                    _ => chosen.extend(own),
                }
                values.push((self.key.clone(), json!(chosen)));
                values
            }
        }
    }
}

fn value_of<'a>(choices: &'a [(String, String)], label: &str) -> Option<&'a str> {
    choices.iter().find(|(_, named)| named == label).map(|(value, _)| value.as_str())
}

/// Returns whether a field's answer must not be kept.
fn is_secret(property: &Value) -> bool {
    property["format"] == "password" || property.pointer("/_meta/codex/isSecret").is_some_and(|secret| secret == true)
}

fn kind_of(property: &Value) -> (Kind, Vec<QuestionOption>) {
    let (choices, options) = choices_of(property).unwrap_or_default();
    match property["type"].as_str() {
        Some("array") => {
            let (choices, options) = choices_of(&property["items"]).unwrap_or_default();
            (Kind::Many(choices), options)
        }
        Some("boolean") => (Kind::Flag, FLAGS.map(|(label, _)| plain(label)).into()),
        Some("number" | "integer") => (Kind::Number, Vec::new()),
        _ if choices.is_empty() => (Kind::Text, Vec::new()),
        _ => (Kind::One(choices), options),
    }
}

fn plain(label: &str) -> QuestionOption {
    QuestionOption::plain(label, "")
}

/// Returns the choices of a field, also as options of a question.
fn choices_of(of: &Value) -> Option<(Choices, Vec<QuestionOption>)> {
    if let Some(values) = of["enum"].as_array() {
        let values = values.iter().filter_map(Value::as_str);
        return Some(values.map(|value| ((value.to_owned(), value.to_owned()), plain(value))).unzip());
    }
    let titled = of["oneOf"].as_array().or_else(|| of["anyOf"].as_array())?;
    let choices = titled.iter().filter_map(|one| {
        let value = one["const"].as_str()?;
        let label = one["title"].as_str().filter(|title| !title.is_empty()).unwrap_or(value);
        let description = one["description"].as_str().unwrap_or_default().to_owned();
        Some(((value.to_owned(), label.to_owned()), QuestionOption::plain(label, description)))
    });
    Some(choices.unzip())
}

#[cfg(test)]
mod tests {
    use super::{Form, FormRequest};
    use crate::acp::wire::ToolCall;
    use serde_json::{Value, json};

    fn form(message: &str, properties: Value) -> Option<(Form, Vec<gstack_protocol::chat::QuestionPart>)> {
        let request = json!({"mode": "form", "message": message, "requestedSchema": {"properties": properties}});
        Form::of_request(serde_json::from_value::<FormRequest>(request).unwrap())
    }

    fn answers(given: &[&[&str]]) -> Vec<Vec<String>> {
        given.iter().map(|one| one.iter().map(|word| (*word).to_owned()).collect()).collect()
    }

    #[test]
    fn a_question_of_claude_takes_an_option_or_own_words() {
        let choices =
            json!([{"const": "Red", "title": "Red", "description": "warm"}, {"const": "Blue", "title": "Blue"}]);
        let (form, parts) = form(
            "Which color?",
            json!({
                "question_0": {"type": "string", "title": "Color", "oneOf": choices},
                "question_0_custom": {"type": "string", "title": "Other"},
            }),
        )
        .unwrap();
        let [part] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!((part.text.as_str(), part.header.as_str()), ("Which color?", "Color"));
        assert_eq!((part.options[0].label.as_str(), part.options[0].description.as_str()), ("Red", "warm"));
        assert_eq!(form.content(&answers(&[&["Blue"]])), json!({"question_0": "Blue"}));
        assert_eq!(form.content(&answers(&[&["green, rather"]])), json!({"question_0_custom": "green, rather"}));
    }

    #[test]
    fn each_field_gets_a_value_of_its_type() {
        let many =
            json!({"type": "array", "description": "Which of these?", "title": "W", "items": {"enum": ["a", "b"]}});
        let (form, parts) = form(
            "Please answer.",
            json!({
                "many": many,
                "count": {"type": "integer", "title": "How many?"},
                "ratio": {"type": "number", "title": "Which part?"},
                "sure": {"type": "boolean", "title": "Sure?"},
                "name": {"type": "string", "title": "Name"},
                "one": {"type": "string", "oneOf": [{"const": "x", "title": "The first"}]},
            }),
        )
        .unwrap();
        assert_eq!((parts[0].text.as_str(), parts[0].header.as_str()), ("Please answer.\nWhich of these?", "W"));
        assert!(parts[0].multiple && !parts[1].multiple);
        let given = answers(&[&["b", "c"], &["3"], &["0.5"], &["No"], &["Ada"], &["The first"]]);
        let expected = json!({"many": ["b", "c"], "count": 3, "ratio": 0.5, "sure": false, "name": "Ada", "one": "x"});
        assert_eq!(form.content(&given), expected);
        assert_eq!(form.content(&answers(&[&[], &["three"], &[], &["perhaps"], &[], &[]])), json!({}));
    }

    #[test]
    fn a_form_for_a_secret_or_without_fields_is_none() {
        assert!(form("x", json!({"key": {"type": "string", "_meta": {"codex": {"isSecret": true}}}})).is_none());
        assert!(form("x", json!({"key": {"type": "string", "format": "password"}})).is_none());
        assert!(form("x", json!({})).is_none());
    }

    #[test]
    fn the_questions_of_a_permission_request_are_answered_by_number() {
        let question = json!({"question": "Which?", "header": "W", "options": [{"label": "A"}, {"label": "B"}]});
        let call = json!({"toolCallId": "1", "_meta": {"qwenQuestions": [question.clone(), question]}});
        let call: ToolCall = serde_json::from_value(call).unwrap();
        let (form, parts) = Form::of_permission(&call).unwrap();
        assert_eq!((parts.len(), parts[1].options[1].label.as_str()), (2, "B"));
        assert_eq!(form.content(&answers(&[&[], &["B"]])), json!({"1": "B"}));
        assert!(Form::of_permission(&ToolCall::default()).is_none());
    }
}
