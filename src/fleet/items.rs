//! The items of a run: a JSON array, or one item a line.
//!
//! Owns their form and their limits.

use serde_json::Value;

/// An item is passed in one environment variable, which Linux limits to 128 KiB.
const LARGEST_ITEM: usize = 64 * 1024;
/// More would make one report that no browser shows.
const MOST_ITEMS: usize = 1_000_000;

/// Parses the items: an array if the text starts with `[`, else a line each. A line that starts with `{` is JSON. The
/// error is a message.
pub(crate) fn parse(text: &str) -> Result<Vec<Value>, String> {
    let items: Vec<Value> = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text).map_err(|error| format!("they are not a JSON array: {error}"))?,
        false => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| parse_line(line).map_err(|why| format!("line {}: {why}", number + 1)))
            .collect::<Result<_, _>>()?,
    };
    if items.is_empty() {
        return Err("there are none".to_owned());
    }
    if items.len() > MOST_ITEMS {
        return Err(format!("there are more than {MOST_ITEMS}"));
    }
    match items.iter().position(|item| as_text(item).len() > LARGEST_ITEM || as_text(item).contains('\0')) {
        Some(index) => Err(format!("item {} has more than {LARGEST_ITEM} bytes, or a NUL character", index + 1)),
        None => Ok(items),
    }
}

fn parse_line(line: &str) -> Result<Value, String> {
    match line.trim_start().starts_with('{') {
        true => serde_json::from_str(line).map_err(|error| format!("not valid JSON: {error}")),
        false => Ok(Value::String(line.trim().to_owned())),
    }
}

/// Returns an item as `GSTACK_ITEM` has it: text as it is, everything else as JSON.
pub(crate) fn as_text(item: &Value) -> String {
    match item {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_are_an_array_or_lines() {
        assert_eq!(parse(" [1, \"a\", {\"b\": 2}]").unwrap(), [json!(1), json!("a"), json!({ "b": 2 })]);
        assert_eq!(parse("one\n\n {\"b\": 2}\n$(x) \r\n").unwrap(), [json!("one"), json!({ "b": 2 }), json!("$(x)")]);
        assert!(parse("one\n{\"b\"").unwrap_err().starts_with("line 2"));
        assert!(parse(" \n").is_err() && parse("[]").is_err() && parse("[1").is_err());
        assert!(parse("a\0b").is_err() && parse(&"x".repeat(LARGEST_ITEM + 1)).is_err());
    }
}
