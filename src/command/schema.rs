//! A command as a tool: its arguments as JSON Schema, and JSON arguments as strings again.

use super::arguments::UsageError;
use super::spec::{Flag, Kind, Spec};
use serde_json::{Map, Value, json};

/// The JSON Schema of a command's arguments: an object with a property an argument and flag.
pub fn input_schema(spec: &Spec) -> Map<String, Value> {
    let mut properties = Map::new();
    for argument in spec.arguments {
        properties.insert(argument.name.to_owned(), property(argument.kind, argument.summary));
    }
    for flag in spec.flags {
        let value = match flag.value {
            Some(_) => property(flag.kind, flag.summary),
            None => json!({ "type": "boolean", "description": flag.summary }),
        };
        properties.insert(flag_name(flag), value);
    }
    let required: Vec<&str> = spec.arguments.iter().filter(|a| a.required).map(|a| a.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(kind: Kind, summary: &str) -> Value {
    let kind = if kind == Kind::Number { "number" } else { "string" };
    json!({ "type": kind, "description": summary })
}

/// A flag's property: `--timeout` is `timeout`; a single letter keeps its own.
fn flag_name(flag: &Flag) -> String {
    flag.name.trim_start_matches('-').replace('-', "_")
}

/// The arguments of a tool call as the strings of a command line.
pub fn arguments_of(spec: &'static Spec, given: &Value) -> Result<Vec<String>, UsageError> {
    let empty = Map::new();
    let given = given.as_object().unwrap_or(&empty);
    let mut flags = Vec::new();
    for flag in spec.flags {
        match (given.get(&flag_name(flag)), flag.value) {
            (None | Some(Value::Null | Value::Bool(false)), _) => {}
            (Some(_), None) => flags.push(flag.name.to_owned()),
            (Some(value), Some(_)) => flags.extend([flag.name.to_owned(), plain(value)]),
        }
    }
    let mut positional = Vec::new();
    for argument in spec.arguments {
        match given.get(argument.name) {
            None | Some(Value::Null) if argument.required => {
                return Err(UsageError::Missing { command: spec.name, argument: argument.name });
            }
            // What comes after a missing optional argument would take its place.
            None | Some(Value::Null) => break,
            Some(Value::Array(values)) if argument.rest => positional.extend(values.iter().map(plain)),
            Some(value) => positional.push(plain(value)),
        }
    }
    let known = |name: &String| {
        spec.arguments.iter().any(|a| a.name == name) || spec.flags.iter().any(|flag| flag_name(flag) == *name)
    };
    if let Some(extra) = given.keys().find(|name| !known(name)) {
        return Err(UsageError::UnknownFlag { command: spec.name, flag: extra.clone() });
    }
    // Values may begin with a hyphen.
    if !positional.is_empty() {
        flags.push("--".to_owned());
    }
    flags.extend(positional);
    Ok(flags)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
