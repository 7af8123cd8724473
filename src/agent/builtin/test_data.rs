//! Plausible test data for the fields of a form, by their type and name.
//!
//! Pure. Never for passwords, files, searches, and fields that hold something or that nobody sees.

use serde_json::Value;

/// What to do with one field: `fill` or `select`, a selector, the value, and the field's name for people.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub command: &'static str,
    pub selector: String,
    pub value: String,
    pub name: String,
}

/// Parts of a field's name, id or placeholder, and what belongs there. The first that fits counts.
const BY_NAME: [(&str, &str); 17] = [
    ("mail", "ada@example.com"),
    ("phone", "+1 555 0100"),
    ("tel", "+1 555 0100"),
    ("first", "Ada"),
    ("given", "Ada"),
    ("last", "Lovelace"),
    ("family", "Lovelace"),
    ("surname", "Lovelace"),
    ("street", "12 Example Street"),
    ("address", "12 Example Street"),
    ("city", "London"),
    ("zip", "10115"),
    ("post", "10115"),
    ("country", "United Kingdom"),
    ("company", "Example Ltd"),
    ("user", "ada"),
    ("name", "Ada Lovelace"),
];

/// Returns what to fill into the first form with empty fields. `forms` is the data of the command `forms`.
pub(super) fn entries(forms: &Value) -> Vec<Entry> {
    let fields =
        |form: &Value| -> Vec<Entry> { form["fields"].as_array().into_iter().flatten().filter_map(entry).collect() };
    forms.as_array().into_iter().flatten().map(fields).find(|entries| !entries.is_empty()).unwrap_or_default()
}

fn entry(field: &Value) -> Option<Entry> {
    let text = |key: &str| field[key].as_str().unwrap_or_default();
    if field.get("value").is_some() && text("tag") != "select" {
        return None;
    }
    let (tag, name, id) = (text("tag"), text("name"), text("id"));
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let selector = match (id, name) {
        ("", "") => return None,
        ("", name) => format!("{tag}[name=\"{}\"]", quoted(name)),
        (id, _) => format!("{tag}[id=\"{}\"]", quoted(id)),
    };
    let shown = [text("placeholder"), name, id].into_iter().find(|word| !word.is_empty()).unwrap_or_default();
    let (command, value) = match tag {
        "select" => ("select", choice(field)?),
        "textarea" => ("fill", "This is a test.".to_owned()),
        "input" => ("fill", typed(text("type"), &[name, id, text("placeholder")].join(" ").to_lowercase())?),
        _ => return None,
    };
    Some(Entry { command, selector, value, name: shown.to_owned() })
}

/// Returns the first option that is a choice.
fn choice(field: &Value) -> Option<String> {
    let mut options = field["options"].as_array()?.iter().filter_map(|option| option["value"].as_str());
    options.find(|value| !value.is_empty()).map(str::to_owned)
}

fn typed(kind: &str, names: &str) -> Option<String> {
    let value = match kind {
        "email" => "ada@example.com",
        "tel" => "+1 555 0100",
        "url" => "https://example.com",
        "number" => "3",
        "date" => "2026-01-15",
        "time" => "09:30",
        "datetime-local" => "2026-01-15T09:30",
        "month" => "2026-01",
        "week" => "2026-W03",
        "color" => "#3366cc",
        "" | "text" => {
            let found = BY_NAME.iter().find(|(part, _)| names.contains(part));
            found.map_or("Test", |(_, value)| value)
        }
        _ => return None,
    };
    Some(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Entry, entries};
    use serde_json::json;

    #[test]
    fn empty_fields_get_what_fits_and_secrets_nothing() {
        let forms = json!([
            { "fields": [{ "tag": "input", "type": "search", "name": "q" }] },
            { "fields": [
                { "tag": "input", "type": "text", "name": "first_name", "id": "a" },
                { "tag": "input", "type": "email", "name": "x" },
                { "tag": "input", "type": "password", "name": "p" },
                { "tag": "input", "type": "hidden", "name": "token", "value": "1" },
                { "tag": "input", "type": "text", "name": "city", "value": "Rome" },
                { "tag": "select", "name": "size", "value": "", "options": [{ "value": "" }, { "value": "m" }] },
                { "tag": "textarea", "placeholder": "Your message", "name": "say \"hi\"" },
                { "tag": "button", "type": "submit", "name": "go" },
            ] },
        ]);
        let entry = |command, selector: &str, value: &str, name: &str| Entry {
            command,
            selector: selector.to_owned(),
            value: value.to_owned(),
            name: name.to_owned(),
        };
        let expected = [
            entry("fill", r#"input[id="a"]"#, "Ada", "first_name"),
            entry("fill", r#"input[name="x"]"#, "ada@example.com", "x"),
            entry("select", r#"select[name="size"]"#, "m", "size"),
            entry("fill", r#"textarea[name="say \"hi\""]"#, "This is a test.", "Your message"),
        ];
        assert_eq!(entries(&forms), expected);
        assert_eq!(entries(&json!([])), []);
    }
}
