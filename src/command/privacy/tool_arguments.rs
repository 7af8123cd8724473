//! Tool call arguments as a conversation may record them.
//!
//! Owns parsing an agent's arguments by the command's spec. `redaction` decides what is hidden.

use super::redaction;
use crate::core::{Call, tool_schema};
use crate::registry;
use crate::spec::ValueType;
use gstack_protocol::page_tool::PAGE_TOOL_PREFIX;
use serde_json::Value;

/// Redacts the arguments of one of our tools, as JSON. `arguments`: as given by an agent, possibly cut off. Arguments
/// of other tools stay unchanged.
pub fn redacted(tool: &str, arguments: &str) -> String {
    let is_of_page = tool.starts_with(PAGE_TOOL_PREFIX);
    let spec = registry::find(tool);
    if arguments.is_empty() || !(is_of_page || spec.is_some()) {
        return arguments.to_owned();
    }
    let Ok(mut given) = serde_json::from_str::<Value>(arguments) else {
        return Value::from(redaction::counted(&[arguments.to_owned()])).to_string();
    };
    match &mut given {
        Value::Object(given) => {
            for (name, value) in given.iter_mut() {
                // An unknown argument may contain anything.
                let known = spec.and_then(|spec| tool_schema::holdings(spec).find(|(known, _)| known == name));
                hide(known.map_or(ValueType::Secret, |(_, holds)| holds), value);
            }
        }
        Value::Array(words) => {
            let words: Vec<String> = words.iter().map(text_of).collect();
            let call = spec.and_then(|spec| Call::of(spec, words.clone()).ok());
            let kept = call.map_or_else(|| redaction::unreadable(&words), |call| redaction::arguments(&call));
            return Value::from(kept).to_string();
        }
        _ => {}
    }
    given.to_string()
}

fn hide(holds: ValueType, value: &mut Value) {
    let text = text_of(value);
    if redaction::hides(holds, &text) {
        *value = Value::from(redaction::counted(&[redaction::written(holds, text)]));
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn what_an_agent_gave_a_tool_is_kept_without_what_it_types() {
        for (tool, given, kept) in [
            ("fill", r##"{"selector":"#pw","value":"hunter2"}"##, r##"{"selector":"#pw","value":"[7 characters]"}"##),
            ("press", r#"{"key":"h"}"#, r#"{"key":"[1 characters]"}"#),
            ("press", r#"{"key":"Enter"}"#, r#"{"key":"Enter"}"#),
            ("chain", r#"{"commands":["fill #pw hunter2"]}"#, r#"{"commands":"[20 characters]"}"#),
            ("fill", r##"{"selector":"#pw","value":"hunt"##, r#""[31 characters]""#),
            ("fill", r##"["#pw","hunter2"]"##, r##"["#pw","[7 characters]"]"##),
            ("fill", r#"{"password":"hunter2"}"#, r#"{"password":"[7 characters]"}"#),
            ("tabs", "", ""),
            ("page_add", r#"{"a":"hunter2"}"#, r#"{"a":"[7 characters]"}"#),
            ("page_add", "hunter", r#""[6 characters]""#),
            ("Bash", r#"{"command":"ls"}"#, r#"{"command":"ls"}"#),
        ] {
            assert_eq!(redacted(tool, given), kept, "{tool} {given}");
        }
    }
}
