//! The arguments of a tool call as a conversation may keep them.
//!
//! Owns the reading of what an agent gave, by the command's spec. What is hidden is `redaction`'s to say.

use super::redaction;
use crate::command::core::{Call, tool_schema};
use crate::command::registry;
use crate::command::spec::Holds;
use serde_json::Value;

/// The arguments of a tool of ours as they may be kept, as JSON. `arguments`: as an agent gave them, which may be cut off.
/// Other tools' arguments are left as they are.
pub fn redacted(tool: &str, arguments: &str) -> String {
    let Some(spec) = registry::find(tool) else { return arguments.to_owned() };
    if arguments.is_empty() {
        return String::new();
    }
    let Ok(mut given) = serde_json::from_str::<Value>(arguments) else {
        return Value::from(redaction::counted(&[arguments.to_owned()])).to_string();
    };
    match &mut given {
        Value::Object(given) => {
            for (name, value) in given.iter_mut() {
                // What it does not take may be anything.
                let known = tool_schema::holdings(spec).find(|(known, _)| known == name);
                hide(known.map_or(Holds::Secret, |(_, holds)| holds), value);
            }
        }
        Value::Array(words) => {
            let words: Vec<String> = words.iter().map(text_of).collect();
            let call = Call::of(spec, words.clone());
            return Value::from(
                call.map_or_else(|_| redaction::unreadable(&words), |call| redaction::arguments(&call)),
            )
            .to_string();
        }
        _ => {}
    }
    given.to_string()
}

fn hide(holds: Holds, value: &mut Value) {
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
            ("Bash", r#"{"command":"ls"}"#, r#"{"command":"ls"}"#),
        ] {
            assert_eq!(redacted(tool, given), kept, "{tool} {given}");
        }
    }
}
