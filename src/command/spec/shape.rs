//! The shape of a command's data, as its spec and docs/COMMANDS.md write it.
//!
//! Owns the notation, the check and the JSON Schema of a shape. Every debug build checks the data of every command, so that
//! the documentation of `--json` cannot become wrong unnoticed.
//!
//! The notation is TypeScript's: `string`, `number`, `boolean`, `null`, `unknown`; `string[]` or `[string]` for a list;
//! `{path: string, total?: number}` for an object, which has no other fields unless it ends with `…`;
//! `{[name]: string}` for an object with any names; `A | B` for alternatives.

use serde_json::{Map, Value, json};
use std::iter::Peekable;
use std::str::Chars;

/// The required form of a value.
#[derive(Debug, PartialEq, Eq)]
enum Shape {
    Unknown,
    Null,
    Boolean,
    Number,
    Text,
    List(Box<Shape>),
    /// An object with values of one shape, by any name.
    Map(Box<Shape>),
    Object {
        fields: Vec<Field>,
        /// There may be other fields.
        is_open: bool,
    },
    OneOf(Vec<Shape>),
}

#[derive(Debug, PartialEq, Eq)]
struct Field {
    name: String,
    is_optional: bool,
    shape: Shape,
}

/// Returns whether data have the shape that is written as `notation`. An empty notation says that there are none.
/// Fails with the reason if the notation cannot be read.
pub(crate) fn fits(notation: &str, data: Option<&Value>) -> Result<bool, String> {
    match (notation, data) {
        ("", data) => Ok(data.is_none()),
        // Some answers of a command that has data have none: "(nothing found)".
        (_, None) => read(notation).map(|_| true),
        (_, Some(value)) => Ok(read(notation)?.holds(value)),
    }
}

/// Returns the JSON Schema of a shape. It is short: other fields are not forbidden, and there are no descriptions. Fails with
/// the reason if the notation cannot be read.
pub(crate) fn json_schema(notation: &str) -> Result<Value, String> {
    Ok(read(notation)?.json_schema())
}

impl Shape {
    fn json_schema(&self) -> Value {
        match self {
            Self::Unknown => json!({}),
            Self::List(inner) => json!({ "type": "array", "items": inner.json_schema() }),
            Self::Map(inner) => json!({ "type": "object", "additionalProperties": inner.json_schema() }),
            Self::Object { fields, .. } => {
                let properties: Map<String, Value> =
                    fields.iter().map(|field| (field.name.clone(), field.shape.json_schema())).collect();
                let required: Vec<&String> =
                    fields.iter().filter(|field| !field.is_optional).map(|field| &field.name).collect();
                json!({ "type": "object", "properties": properties, "required": required })
            }
            Self::OneOf(shapes) => {
                let names: Option<Vec<&str>> = shapes.iter().map(Self::type_name).collect();
                match names {
                    Some(names) => json!({ "type": names }),
                    None => json!({ "anyOf": shapes.iter().map(Self::json_schema).collect::<Vec<_>>() }),
                }
            }
            Self::Null | Self::Boolean | Self::Number | Self::Text => json!({ "type": self.type_name() }),
        }
    }

    /// The name of a type without parts.
    fn type_name(&self) -> Option<&'static str> {
        match self {
            Self::Null => Some("null"),
            Self::Boolean => Some("boolean"),
            Self::Number => Some("number"),
            Self::Text => Some("string"),
            Self::Unknown | Self::List(_) | Self::Map(_) | Self::Object { .. } | Self::OneOf(_) => None,
        }
    }

    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Unknown, _)
            | (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_)) => true,
            (Self::List(inner), Value::Array(items)) => items.iter().all(|item| inner.holds(item)),
            (Self::Map(inner), Value::Object(fields)) => fields.values().all(|value| inner.holds(value)),
            (Self::Object { fields, is_open }, Value::Object(given)) => {
                let known = fields.iter().all(|field| match given.get(&field.name) {
                    Some(value) => field.shape.holds(value),
                    None => field.is_optional,
                });
                known && (*is_open || given.keys().all(|name| fields.iter().any(|field| field.name == *name)))
            }
            (Self::OneOf(shapes), value) => shapes.iter().any(|shape| shape.holds(value)),
            _ => false,
        }
    }
}

fn read(notation: &str) -> Result<Shape, String> {
    let mut reader = Reader(notation.chars().peekable());
    let shape = reader.alternatives()?;
    match reader.next_letter() {
        None => Ok(shape),
        Some(letter) => Err(format!("{letter:?} is not expected")),
    }
}

struct Reader<'a>(Peekable<Chars<'a>>);

impl Reader<'_> {
    /// Returns the next letter that is not a space, and leaves it.
    fn next_letter(&mut self) -> Option<char> {
        while self.0.next_if(|letter| letter.is_whitespace()).is_some() {}
        self.0.peek().copied()
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.next_letter() == Some(wanted);
        if is_next {
            self.0.next();
        }
        is_next
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.takes(wanted) { Ok(()) } else { Err(format!("{wanted:?} is missing")) }
    }

    fn word(&mut self) -> String {
        self.next_letter();
        let mut word = String::new();
        while let Some(letter) = self.0.next_if(|letter| letter.is_alphanumeric()) {
            word.push(letter);
        }
        word
    }

    fn alternatives(&mut self) -> Result<Shape, String> {
        let mut shapes = vec![self.one()?];
        while self.takes('|') {
            shapes.push(self.one()?);
        }
        Ok(if shapes.len() == 1 { shapes.remove(0) } else { Shape::OneOf(shapes) })
    }

    fn one(&mut self) -> Result<Shape, String> {
        let mut shape = match self.next_letter() {
            Some('{') => self.object()?,
            Some('[') => {
                self.0.next();
                let inner = self.alternatives()?;
                self.expect(']')?;
                Shape::List(Box::new(inner))
            }
            _ => match self.word().as_str() {
                "string" => Shape::Text,
                "number" => Shape::Number,
                "boolean" => Shape::Boolean,
                "null" => Shape::Null,
                "unknown" => Shape::Unknown,
                other => return Err(format!("{other:?} is no shape")),
            },
        };
        while self.takes('[') {
            self.expect(']')?;
            shape = Shape::List(Box::new(shape));
        }
        Ok(shape)
    }

    fn object(&mut self) -> Result<Shape, String> {
        self.expect('{')?;
        if self.takes('[') {
            self.word();
            self.expect(']')?;
            self.expect(':')?;
            let inner = self.alternatives()?;
            self.expect('}')?;
            return Ok(Shape::Map(Box::new(inner)));
        }
        let (mut fields, mut is_open) = (Vec::new(), false);
        loop {
            if self.takes('…') {
                is_open = true;
            } else {
                let name = self.word();
                let is_optional = self.takes('?');
                self.expect(':')?;
                fields.push(Field { name, is_optional, shape: self.alternatives()? });
            }
            if !self.takes(',') {
                break;
            }
        }
        self.expect('}')?;
        Ok(Shape::Object { fields, is_open })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn every_command_writes_a_shape_that_can_be_read() {
        for spec in registry::all() {
            assert_eq!(fits(spec.data, None), Ok(true), "{}: {}", spec.name, spec.data);
        }
    }

    #[test]
    fn a_shape_is_a_json_schema() {
        for (notation, schema) in [
            ("unknown", json!({})),
            ("number | null", json!({ "type": ["number", "null"] })),
            ("string[]", json!({ "type": "array", "items": { "type": "string" } })),
            ("{[name]: boolean}", json!({ "type": "object", "additionalProperties": { "type": "boolean" } })),
            (
                "{path: string, total?: number, …}",
                json!({
                    "type": "object",
                    "properties": { "path": { "type": "string" }, "total": { "type": "number" } },
                    "required": ["path"],
                }),
            ),
            (
                "[number] | null",
                json!({ "anyOf": [{ "type": "array", "items": { "type": "number" } }, { "type": "null" }] }),
            ),
        ] {
            assert_eq!(json_schema(notation).unwrap(), schema, "{notation}");
        }
    }

    #[test]
    fn data_fit_their_shape_and_no_other() {
        let cases = [
            ("{path: string, total?: number}", json!({ "path": "a" }), true),
            ("{path: string, total?: number}", json!({ "path": "a", "total": "2" }), false),
            ("{path: string}", json!({ "path": "a", "more": 1 }), false),
            ("{path: string, …}", json!({ "path": "a", "more": 1 }), true),
            ("{path: string}", json!({}), false),
            ("[{id: number | null}]", json!([{ "id": 1 }, { "id": null }]), true),
            ("[{id: number}]", json!([{ "id": 1 }, {}]), false),
            ("string[] | null", json!(["a"]), true),
            ("string[]", json!("a"), false),
            ("{[name]: boolean}", json!({ "a": true, "b": false }), true),
            ("{[name]: boolean}", json!({ "a": 1 }), false),
            ("unknown", json!([{ "a": 1 }]), true),
        ];
        for (notation, value, expected) in cases {
            assert_eq!(fits(notation, Some(&value)), Ok(expected), "{notation}: {value}");
        }
        assert_eq!(fits("", Some(&json!(1))), Ok(false), "data that nobody announced");
        for wrong in ["{path string}", "[string", "text", "{a: string} b"] {
            assert!(fits(wrong, None).is_err(), "{wrong}");
        }
    }
}
