//! The input of a page's tool, checked against the schema that the page gives for it.
//!
//! Owns the check, before anyone is asked about the call. Knows types, `enum`, `const`, `required`, `properties`,
//! `additionalProperties: false` and `items`; the page checks the rest, as with `$ref`.

use crate::core::wrong;
use gstack_browser::page::PageTool;
use gstack_protocol::fault::{Fault, FaultCode, PageWords};
use serde_json::{Value, json};

/// Reads the input of a call of the tool.
///
/// # Errors
///
/// Fails if it is not a JSON object, or not what the tool's schema asks for.
pub fn input_of(tool: &PageTool, typed: Option<&str>) -> Result<Value, Fault> {
    let input = input(typed)?;
    let Some(theirs) = mismatch(&tool.schema, &input, "input") else { return Ok(input) };
    let ours = format!("the input does not fit the schema of the page's tool {}:", tool.name);
    Err(Fault::new(FaultCode::BadRequest, format!("{ours} {theirs}"))
        .hint("`webmcp list` shows the schema.")
        .page_words(Some(PageWords { ours, theirs })))
}

fn input(typed: Option<&str>) -> Result<Value, Fault> {
    let Some(typed) = typed.filter(|typed| !typed.trim().is_empty()) else { return Ok(json!({})) };
    match serde_json::from_str::<Value>(typed) {
        Ok(input) if input.is_object() => Ok(input),
        Ok(_) => Err(wrong("the input of a page's tool is a JSON object")),
        Err(error) => Err(wrong(format!("the input of a page's tool is a JSON object: {error}"))),
    }
}

/// Returns the first place where a value does not fit a schema, and why.
fn mismatch(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| has_type(value, name)) {
        return Some(format!("{place} must be {}", types.join(" or ")));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.iter().any(|choice| is_same(choice, value))
    {
        return Some(format!("{place} must be one of {}", Value::from(choices.clone())));
    }
    if let Some(only) = schema.get("const").filter(|only| !is_same(only, value)) {
        return Some(format!("{place} must be {only}"));
    }
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            if let Some(name) = required.into_iter().find(|name| !fields.contains_key(*name)) {
                return Some(format!("{place}.{name} is missing"));
            }
            fields.iter().find_map(|(name, value)| match schema["properties"].get(name) {
                Some(schema) => mismatch(schema, value, &format!("{place}.{name}")),
                None if schema["additionalProperties"] == false && schema.get("patternProperties").is_none() => {
                    Some(format!("{place}.{name} is not in the schema"))
                }
                None => None,
            })
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(at, value)| mismatch(&schema["items"], value, &format!("{place}[{at}]"))),
        _ => None,
    }
}

/// A type that JSON Schema does not have is the page's own affair.
fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

/// In JSON Schema, 1 and 1.0 are one number.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::{input, mismatch};
    use serde_json::json;

    #[test]
    fn an_input_is_an_object() {
        assert_eq!(input(None).unwrap(), json!({}));
        assert_eq!(input(Some(" {\"a\": 1}")).unwrap(), json!({ "a": 1 }));
        for wrong in ["[1]", "1", "{", "{\"a\": 1} x"] {
            assert!(input(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_schema_forbids_is_named_by_its_place() {
        let schema = json!({
            "type": "object",
            "required": ["count"],
            "additionalProperties": false,
            "properties": {
                "count": { "type": "integer", "enum": [1, 2] },
                "names": { "type": ["array", "null"], "items": { "type": "string" } },
                "kind": { "const": "a" },
                "free": {},
            },
        });
        for (value, why) in [
            (json!({ "count": 1 }), None),
            (json!({ "count": 2.0, "names": ["a"], "kind": "a", "free": [{}] }), None),
            (json!({ "count": 1, "names": null }), None),
            (json!({}), Some("input.count is missing")),
            (json!({ "count": "1" }), Some("input.count must be integer")),
            (json!({ "count": 1.5 }), Some("input.count must be integer")),
            (json!({ "count": 3 }), Some("input.count must be one of [1,2]")),
            (json!({ "count": 1, "names": ["a", 2] }), Some("input.names[1] must be string")),
            (json!({ "count": 1, "names": {} }), Some("input.names must be array or null")),
            (json!({ "count": 1, "kind": "b" }), Some("input.kind must be \"a\"")),
            (json!({ "count": 1, "more": 1 }), Some("input.more is not in the schema")),
        ] {
            assert_eq!(mismatch(&schema, &value, "input").as_deref(), why, "{value}");
        }
    }

    #[test]
    fn a_schema_that_says_nothing_readable_forbids_nothing() {
        for schema in [json!({}), json!(null), json!(true), json!({ "type": "thing", "$ref": "#/x", "items": 7 })] {
            assert_eq!(mismatch(&schema, &json!({ "a": [1] }), "input"), None, "{schema}");
        }
    }
}
