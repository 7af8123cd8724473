//! A command as an MCP tool: the JSON Schema of its arguments, and the conversion of JSON arguments to command-line
//! words.
//!
//! Owns the naming (`--viewport` is `viewport`, `-i` is `interactive`, `sel` is `selector`). Never runs anything.

use crate::spec::{Class, Flag, Kind, LOOK, Parameter, Spec, ValueType};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Map, Value, json};

/// Returns the tool description for agents.
pub fn description(spec: &Spec) -> String {
    if spec.details.is_empty() { format!("{}.", spec.summary) } else { format!("{}. {}", spec.summary, spec.details) }
}

/// Returns what each argument holds, by its name in the schema.
pub fn holdings(spec: &Spec) -> impl Iterator<Item = (&'static str, ValueType)> {
    let places = spec.parameters.iter().map(|parameter| (parameter_name(parameter), parameter.holds));
    places.chain(spec.flags.iter().map(|flag| (flag_name(flag), flag.holds)))
}

/// Returns the arguments that the core omits: paths, and switches that delete.
fn withheld_names(spec: &Spec) -> Vec<(&'static str, ValueType)> {
    holdings(spec).filter(|(_, holds)| holds.is_withheld()).collect()
}

/// Returns the core's schema, without arguments that hold paths and without those that delete.
pub fn core_schema(spec: &Spec) -> Map<String, Value> {
    let withheld = withheld_names(spec);
    let mut schema = input_schema(spec);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !withheld.iter().any(|(known, _)| known == name));
    }
    schema
}

/// Returns the fault for a call that gives an argument its client is not offered, or `None` if it gives none.
pub fn given_withheld(spec: &Spec, arguments: &Value) -> Option<Fault> {
    let (name, holds) = withheld_names(spec).into_iter().find(|(name, _)| arguments.get(name).is_some())?;
    Some(withheld(spec, name, holds))
}

/// Returns the fault for an argument that an agent gave but is not offered.
pub fn withheld(spec: &Spec, name: &str, holds: ValueType) -> Fault {
    let message = format!("{}: `{name}` is not offered to agents", spec.name);
    match holds.is_path() {
        true => Fault::new(FaultCode::PathRefused, message).hint("Leave it out: the result is part of the answer."),
        false => Fault::new(FaultCode::Denied, message).hint("Leave it out: the newest entries come last."),
    }
}

/// Returns the arguments that shorten the command's output: `selector, depth`.
pub fn narrowing(spec: &Spec) -> Vec<&'static str> {
    holdings(spec).filter(|(_, holds)| holds.narrows()).map(|(name, _)| name).collect()
}

/// The argument of every reading tool with which a model reads the rest of a result that was cut.
pub const CURSOR: &str = "cursor";

/// Returns true if the rest of its results can be read with [`CURSOR`].
pub fn reads_on(spec: &Spec) -> bool {
    spec.untrusted && spec.class == Class::Read
}

/// Adds [`CURSOR`] to a tool's schema.
pub fn with_cursor(spec: &Spec, mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(properties)) = schema.get_mut("properties").filter(|_| reads_on(spec)) {
        // A result that was cut says what it is for.
        let cursor = json!({ "type": "string" });
        properties.insert(CURSOR.to_owned(), cursor);
    }
    schema
}

/// Returns the cursor of a call that reads on.
pub fn cursor_of(spec: &Spec, arguments: &Value) -> Option<String> {
    arguments.get(CURSOR).filter(|_| reads_on(spec))?.as_str().map(str::to_owned)
}

/// Returns the advice for a result that is too long.
pub fn how_to_narrow(spec: &Spec) -> String {
    match narrowing(spec).split_last() {
        None => "look at a part of the page instead".to_owned(),
        Some((only, [])) => format!("narrow with {only}"),
        Some((last, before)) => format!("narrow with {} or {last}", before.join(", ")),
    }
}

/// Returns the fault for a cursor whose rest is not kept any more.
pub fn no_such_rest(spec: &Spec) -> Fault {
    Fault::new(FaultCode::NotFound, format!("{}: there is nothing more at this cursor", spec.name))
        .hint("Call the tool again without it.")
}

/// Returns the JSON Schema of the command's arguments.
pub fn input_schema(spec: &Spec) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in spec.parameters {
        let kind = match parameter.kind {
            Kind::Number => json!({ "type": "integer", "description": parameter.help }),
            Kind::List => json!({ "type": "array", "items": { "type": "string" }, "description": parameter.help }),
            Kind::Text | Kind::Selector | Kind::Rest => {
                json!({ "type": "string", "description": parameter.help })
            }
        };
        properties.insert(parameter_name(parameter).to_owned(), kind);
        if parameter.required {
            required.push(Value::from(parameter_name(parameter)));
        }
    }
    for flag in offered_flags(spec) {
        let kind = match flag.value {
            None => json!({ "type": "boolean", "description": flag.help }),
            Some("MS" | "N") => json!({ "type": "integer", "description": flag.help }),
            Some(form) => json!({ "type": "string", "description": format!("{} ({form})", flag.help) }),
        };
        properties.insert(flag_name(flag).to_owned(), kind);
    }
    if spec.takes_look() {
        // The guide says what it does.
        properties.insert(flag_name(&LOOK).to_owned(), json!({ "type": "boolean" }));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), Value::from("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), Value::Array(required));
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}

/// As a tool, a command that only reads takes no script: `js` runs scripts, and needs approval.
fn offered_flags(spec: &Spec) -> impl Iterator<Item = &'static Flag> {
    spec.flags.iter().filter(|flag| flag.holds != ValueType::Script)
}

fn parameter_name(parameter: &Parameter) -> &'static str {
    match parameter.name {
        "sel" => "selector",
        "expr" => "expression",
        "prop" => "property",
        "WxH" => "size",
        "name=value" => "cookie",
        "name:value" => "header",
        name => name,
    }
}

/// Returns the long name: `-d` becomes `depth`.
fn flag_name(flag: &Flag) -> &'static str {
    let long = if flag.alias.starts_with("--") { flag.alias } else { flag.name };
    long.trim_start_matches('-')
}

/// Converts JSON arguments to the words that `Arguments::parse` takes.
pub fn arguments_of(spec: &Spec, arguments: &Value) -> Result<Vec<String>, Fault> {
    let empty = Map::new();
    let given = match arguments {
        Value::Null => &empty,
        Value::Object(given) => given,
        _ => return Err(bad(spec, "the arguments are not an object")),
    };
    for name in given.keys() {
        let known = spec.parameters.iter().any(|parameter| parameter_name(parameter) == name)
            || offered_flags(spec).any(|flag| flag_name(flag) == name)
            || (spec.takes_look() && name == flag_name(&LOOK));
        if !known {
            return Err(bad(spec, &format!("{name} is not an argument of this tool")));
        }
    }
    let mut words = Vec::new();
    for flag in spec.all_flags() {
        match given.get(flag_name(flag)) {
            None | Some(Value::Null) => {}
            Some(value) if flag.value.is_some() => {
                words.push(flag.name.to_owned());
                let is_number = matches!(flag.value, Some("MS" | "N"));
                if flag.value == Some("MS") && whole_number(value).is_none() {
                    return Err(bad(spec, &format!("{} must be an integer", flag_name(flag))));
                }
                words.push(word_of(spec, flag_name(flag), value, is_number)?);
            }
            Some(value) => match truth_of(value) {
                Some(true) => words.push(flag.name.to_owned()),
                Some(false) => {}
                None => return Err(bad(spec, &format!("{} must be true or false", flag_name(flag)))),
            },
        }
    }
    // After this, no word is parsed as a flag.
    let mut values = Vec::new();
    for parameter in spec.parameters {
        let name = parameter_name(parameter);
        match given.get(name) {
            None | Some(Value::Null) if parameter.required => return Err(bad(spec, &format!("{name} is missing"))),
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) if parameter.kind == Kind::List => {
                for value in list {
                    values.push(word_of(spec, name, value, false)?);
                }
            }
            Some(value) => values.push(word_of(spec, name, value, parameter.kind == Kind::Number)?),
        }
    }
    if !values.is_empty() {
        words.push("--".to_owned());
        words.extend(values);
    }
    Ok(words)
}

/// Returns the truth that a model means: some write `"true"`.
fn truth_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Returns the whole number that a model means: some write `5000.0` or `"5000.0"`.
fn whole_number(value: &Value) -> Option<String> {
    let number: f64 = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Every whole number up to this one has a float of its own.
    const MOST: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= MOST).then(|| format!("{number:.0}"))
}

/// Returns a value as a word. A wrong type is an error here, before the person is asked about the call. A number as a text
/// and a text as a number are taken, because models write both.
fn word_of(spec: &Spec, name: &str, value: &Value, is_number: bool) -> Result<String, Fault> {
    if is_number {
        let any = || match value {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) => Some(text.trim()).filter(|text| text.parse::<f64>().is_ok()).map(str::to_owned),
            _ => None,
        };
        return whole_number(value).or_else(any).ok_or_else(|| bad(spec, &format!("{name} must be a number")));
    }
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        _ => Err(bad(spec, &format!("{name} is not text"))),
    }
}

fn bad(spec: &Spec, message: &str) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("{}: {message}", spec.name)).hint(spec.usage_line())
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use super::{arguments_of, input_schema};
    use crate::registry;
    use serde_json::json;

    #[test]
    fn json_arguments_become_words_that_parse() {
        let fill = registry::find("fill").unwrap();
        let words = arguments_of(fill, &json!({ "selector": "@e1", "value": "--x y", "timeout": 100 })).unwrap();
        let parsed = Arguments::parse(fill, &words).unwrap();
        assert_eq!(parsed.text("value").as_deref(), Some("--x y"));
        assert_eq!(parsed.value("--timeout"), Some("100"));
        let snapshot = registry::find("snapshot").unwrap();
        let words = arguments_of(snapshot, &json!({ "interactive": true, "compact": false, "depth": 2 })).unwrap();
        assert_eq!(words, ["-i", "-d", "2"]);
        assert_eq!(arguments_of(registry::find("url").unwrap(), &json!(null)).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_models_write_for_numbers_and_truths_is_understood_and_nothing_else() {
        let words = |name: &str, arguments| arguments_of(registry::find(name).unwrap(), &arguments);
        for depth in [json!(2), json!(2.0), json!("2"), json!("2.0")] {
            assert_eq!(words("snapshot", json!({ "depth": depth })).unwrap(), ["-d", "2"], "{depth}");
        }
        assert_eq!(words("snapshot", json!({ "depth": 2.5 })).unwrap(), ["-d", "2.5"]);
        for (given, expected) in [(json!("true"), 1), (json!(true), 1), (json!("false"), 0), (json!(null), 0)] {
            assert_eq!(words("snapshot", json!({ "interactive": given })).unwrap().len(), expected);
        }
        for wrong in [json!("yes"), json!(1), json!({})] {
            assert!(words("snapshot", json!({ "interactive": wrong })).is_err(), "{wrong}");
        }
        assert!(words("fill", json!({ "selector": "@e1", "value": "5.0" })).unwrap().contains(&"5.0".to_owned()));
    }

    #[test]
    fn wrong_arguments_are_named() {
        let click = registry::find("click").unwrap();
        for wrong in [
            json!({}),
            json!({ "selector": {} }),
            json!({ "selector": ["a"] }),
            json!({ "selector": "a", "force": true }),
            json!({ "selector": "a", "timeout": "soon" }),
            json!({ "selector": "a", "timeout": 1.5 }),
            json!({ "selector": "a", "timeout": true }),
            json!({ "selector": "a", "timeout": [1] }),
            json!([]),
        ] {
            assert!(arguments_of(click, &wrong).is_err(), "{wrong}");
        }
        for right in [json!(100), json!("100"), json!(100.0)] {
            let words = arguments_of(click, &json!({ "selector": "a", "timeout": right })).unwrap();
            assert_eq!(words, ["--timeout", "100", "--", "a"], "{right}");
        }
    }

    #[test]
    fn every_command_has_a_schema_without_name_clashes() {
        for spec in registry::all() {
            let schema = input_schema(spec);
            let properties = schema["properties"].as_object().unwrap();
            let given = spec.parameters.len() + super::offered_flags(spec).count() + usize::from(spec.takes_look());
            assert_eq!(properties.len(), given, "{}", spec.name);
        }
    }
}
