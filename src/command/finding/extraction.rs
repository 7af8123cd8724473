//! Fills a schema with facts from a page.
//!
//! Owns matching names with labels, and number parsing. Never queries a page or a model.

use gstack_browser::page::{Facts, Table};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The supported subset of JSON Schema.
#[derive(Debug, Deserialize)]
pub(super) struct Schema {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    properties: BTreeMap<String, Schema>,
    #[serde(default)]
    items: Option<Box<Schema>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
}

impl Schema {
    /// Parses a schema. The error names the unsupported part.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let schema: Self = serde_json::from_str(text).map_err(|error| format!("it is not a schema: {error}"))?;
        if schema.kind != Kind::Object || schema.properties.is_empty() {
            return Err("the schema must be an object with properties".to_owned());
        }
        schema.check()?;
        Ok(schema)
    }

    fn check(&self) -> Result<(), String> {
        for (name, property) in &self.properties {
            match (property.kind, &property.items) {
                (Kind::Array, Some(items)) if items.kind == Kind::Object && !items.properties.is_empty() => {
                    items.check()?;
                }
                (Kind::Array, _) => {
                    return Err(format!("{name}: an array needs items that are objects with properties"));
                }
                (Kind::Object, _) => return Err(format!("{name}: objects within objects are not understood")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the names to look up for a property, normalized for comparison.
    fn names(&self, name: &str) -> Vec<String> {
        self.title.iter().map(String::as_str).chain([name]).map(folded).collect()
    }
}

/// Returns the value, and the names of properties that were not found.
pub(super) fn extract(schema: &Schema, facts: &Facts) -> (Value, Vec<String>) {
    let mut missing = Vec::new();
    let mut object = Map::new();
    for (name, property) in &schema.properties {
        let value = match &property.items {
            Some(items) => list(items, facts),
            None => scalar(property, &property.names(name), facts),
        };
        if value.is_none() {
            missing.push(name.clone());
        }
        object.insert(name.clone(), value.unwrap_or(Value::Null));
    }
    (Value::Object(object), missing)
}

/// Looks in microdata first, then next to labels. Returns the first value of the right type.
fn scalar(property: &Schema, names: &[String], facts: &Facts) -> Option<Value> {
    let items = facts.items.iter().flatten();
    let pairs = facts.pairs.iter().map(|(name, value)| (name, value));
    let mut named = items.chain(pairs).filter(|(name, _)| names.contains(&folded(name)));
    named.find_map(|(_, value)| read(property.kind, value))
}

/// Uses the table with the most matching columns, or else the microdata items; either must match at least half of the
/// properties.
fn list(items: &Schema, facts: &Facts) -> Option<Value> {
    let wanted: Vec<(&String, &Schema, Vec<String>)> =
        items.properties.iter().map(|(name, property)| (name, property, property.names(name))).collect();
    let columns = |table: &Table| -> Vec<Option<usize>> {
        let heads: Vec<String> = table.head.iter().map(|head| folded(head)).collect();
        wanted.iter().map(|(_, _, names)| heads.iter().position(|head| names.contains(head))).collect()
    };
    let known = |columns: &[Option<usize>]| columns.iter().flatten().count();
    let best = facts.tables.iter().map(|table| (table, columns(table))).max_by_key(|(_, columns)| known(columns));
    if let Some((table, columns)) = best.filter(|(_, columns)| known(columns) * 2 >= wanted.len() && known(columns) > 0)
    {
        let row = |cells: &Vec<String>| {
            let cell = |at: &Option<usize>, kind: Kind| at.and_then(|at| read(kind, cells.get(at)?));
            let pairs = wanted
                .iter()
                .zip(&columns)
                .map(|((name, property, _), at)| ((*name).clone(), cell(at, property.kind).unwrap_or(Value::Null)));
            Value::Object(pairs.collect())
        };
        return Some(Value::Array(table.rows.iter().map(row).collect()));
    }
    let of_item = |item: &BTreeMap<String, String>| {
        let value = |names: &[String], kind: Kind| {
            item.iter().find(|(name, _)| names.contains(&folded(name))).and_then(|(_, value)| read(kind, value))
        };
        let values: Vec<Option<Value>> =
            wanted.iter().map(|(_, property, names)| value(names, property.kind)).collect();
        let found = values.iter().flatten().count();
        let pairs =
            wanted.iter().zip(values).map(|((name, ..), value)| ((*name).clone(), value.unwrap_or(Value::Null)));
        (found * 2 >= wanted.len() && found > 0).then(|| Value::Object(pairs.collect()))
    };
    let found: Vec<Value> = facts.items.iter().filter_map(of_item).collect();
    (!found.is_empty()).then_some(Value::Array(found))
}

/// Normalizes a name: `unitPrice`, `unit_price` and `Unit price:` become the same.
fn folded(name: &str) -> String {
    let mut folded = String::new();
    let mut before_is_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            before_is_lower = false;
            continue;
        }
        before_is_lower = letter.is_lowercase() || (before_is_lower && letter.is_numeric());
        folded.extend(letter.to_lowercase());
    }
    folded
}

fn read(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::String => Some(json!(text)),
        Kind::Number => number(text).map(|number| json!(number)),
        Kind::Integer => number(text).filter(|number| number.fract() == 0.0).map(|number| json!(number.trunc() as i64)),
        Kind::Boolean => match text.trim().to_lowercase().as_str() {
            "true" | "yes" | "on" | "1" | "✓" => Some(json!(true)),
            "false" | "no" | "off" | "0" | "✗" => Some(json!(false)),
            _ => None,
        },
        Kind::Object | Kind::Array => None,
    }
}

/// Parses the only number in a text: `€ 1,299.50`, `1.299,50 €`, `-3`. Returns `None` if there are two.
fn number(text: &str) -> Option<f64> {
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '\u{a0}' | '\u{202f}' | '\'');
    let mut runs =
        text.split(|letter: char| !is_part(letter)).filter(|run| run.contains(|one: char| one.is_ascii_digit()));
    let (run, None) = (runs.next()?, runs.next()) else { return None };
    let run = run.trim_end_matches(['.', ',']);
    let plain: String = run.chars().filter(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',')).collect();
    let mark = match (plain.rfind('.'), plain.rfind(',')) {
        (Some(dot), Some(comma)) => Some(dot.max(comma)),
        // A single separator before exactly three digits groups thousands: 1,299 and 1.299.
        (Some(at), None) | (None, Some(at)) if plain.matches(['.', ',']).count() == 1 && plain.len() - at != 4 => {
            Some(at)
        }
        _ => None,
    };
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
    let written = match mark {
        Some(at) => format!("{}.{}", digits(&plain[..at]), digits(&plain[at + 1..])),
        None => digits(&plain),
    };
    let is_negative = text[..text.find(run)?].trim_end().ends_with(['-', '−']);
    written.parse::<f64>().ok().map(|number| if is_negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::{Schema, extract, number};
    use gstack_browser::page::{Facts, Table};
    use serde_json::json;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("€ 1,299.50", Some(1299.5)),
            ("1.299,50 €", Some(1299.5)),
            ("1,299", Some(1299.0)),
            ("3.5 kg", Some(3.5)),
            ("-3", Some(-3.0)),
            ("1 of 2", None),
            ("none", None),
        ] {
            assert_eq!(number(text), wanted, "{text}");
        }
    }

    #[test]
    fn properties_are_found_by_name_or_title_and_lists_in_tables() {
        let schema = Schema::parse(
            r#"{"type":"object","properties":{
                "unitPrice":{"type":"number"},"sku":{"type":"string","title":"Article number"},"weight":{"type":"number"},
                "stock":{"type":"array","items":{"type":"object","properties":{"city":{"type":"string"},"left":{"type":"integer"}}}}}}"#,
        )
        .unwrap();
        let text = |text: &str| text.to_owned();
        let facts = Facts {
            pairs: vec![(text("Unit price"), text("€ 12.50")), (text("Article number"), text("A-7"))],
            tables: vec![Table {
                head: vec![text("City"), text("Left")],
                rows: vec![vec![text("Bern"), text("3")], vec![text("Basel"), text("many")]],
                more: 0,
            }],
            items: Vec::new(),
        };
        let (value, missing) = extract(&schema, &facts);
        assert_eq!(
            value,
            json!({ "unitPrice": 12.5, "sku": "A-7", "weight": null,
                "stock": [{ "city": "Bern", "left": 3 }, { "city": "Basel", "left": null }] })
        );
        assert_eq!(missing, ["weight"]);
        for wrong in ["[]", "{\"type\":\"string\"}", r#"{"type":"object","properties":{"a":{"type":"array"}}}"#] {
            assert!(Schema::parse(wrong).is_err(), "{wrong}");
        }
    }
}
