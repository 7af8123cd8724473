//! Console messages of a page: converts DevTools events to one line of text.
//!
//! Owns the types and the wording. Never stores anything: the journal does.

use crate::events::Event;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ConsoleCalled {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    args: Vec<ConsoleArgument>,
    #[serde(default)]
    timestamp: f64,
}

impl ConsoleCalled {
    /// `log`, `warning`, `error` …
    pub(super) fn level(&self) -> &str {
        &self.kind
    }
    /// In milliseconds since 1970.
    pub(super) fn at(&self) -> u64 {
        self.timestamp.max(0.0) as u64
    }
    pub(super) fn text(&self) -> String {
        self.args.iter().map(ConsoleArgument::text).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleArgument {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    value: Option<serde_json::Value>,
    #[serde(default)]
    unserializable_value: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    preview: Option<Preview>,
}

#[derive(Deserialize)]
struct Preview {
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    overflow: bool,
    #[serde(default)]
    properties: Vec<PreviewProperty>,
}

#[derive(Deserialize)]
struct PreviewProperty {
    name: String,
    #[serde(default)]
    value: Option<String>,
}

impl ConsoleArgument {
    fn text(&self) -> String {
        match (&self.value, &self.preview) {
            // `null` deserializes as no value.
            (None, _) if self.subtype.as_deref() == Some("null") => "null".to_owned(),
            (Some(serde_json::Value::String(text)), _) => text.clone(),
            (Some(value), _) => value.to_string(),
            (None, Some(preview)) if preview.subtype.as_deref() != Some("error") => preview.text(),
            (None, _) => self
                .unserializable_value
                .clone()
                .or_else(|| self.description.clone())
                .unwrap_or_else(|| self.kind.clone()),
        }
    }
}

impl Preview {
    fn text(&self) -> String {
        let is_array = self.subtype.as_deref() == Some("array");
        let mut parts: Vec<String> = Vec::with_capacity(self.properties.len() + 1);
        for property in &self.properties {
            let value = property.value.as_deref().unwrap_or("…");
            parts.push(if is_array { value.to_owned() } else { format!("{}: {value}", property.name) });
        }
        if self.overflow {
            parts.push("…".to_owned());
        }
        let inside = parts.join(", ");
        if is_array { format!("[{inside}]") } else { format!("{{{inside}}}") }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExceptionThrown {
    exception_details: ExceptionDetails,
}

#[derive(Deserialize)]
struct ExceptionDetails {
    text: String,
    #[serde(default)]
    exception: Option<ConsoleArgument>,
}

impl ExceptionThrown {
    pub(super) fn text(&self) -> String {
        let details = &self.exception_details;
        match &details.exception {
            Some(exception) => format!("{} {}", details.text, exception.text()),
            None => details.text.clone(),
        }
    }
}

/// Returns the text of a console event if it is an error or an uncaught exception.
pub(crate) fn error_text(event: &Event) -> Option<String> {
    if event.method() == "Runtime.exceptionThrown" {
        return Some(event.read::<ExceptionThrown>()?.text());
    }
    let called = event.read::<ConsoleCalled>()?;
    matches!(called.level(), "error" | "assert").then(|| called.text())
}

#[cfg(test)]
mod tests {
    use super::ConsoleCalled;

    #[test]
    fn values_are_written_as_a_console_writes_them() {
        let event = r#"{"type": "log", "timestamp": 1.5, "args": [
            {"type": "string", "value": "text"},
            {"type": "number", "value": 1},
            {"type": "number", "unserializableValue": "NaN", "description": "NaN"},
            {"type": "undefined"},
            {"type": "object", "subtype": "null", "value": null},
            {"type": "object", "preview": {"overflow": true, "properties": [{"name": "a", "value": "1"}]}},
            {"type": "object", "subtype": "array", "preview": {"subtype": "array", "overflow": false,
                "properties": [{"name": "0", "value": "x"}]}}
        ]}"#;
        let called: ConsoleCalled = serde_json::from_str(event).unwrap();
        assert_eq!(called.text(), "text 1 NaN undefined null {a: 1, …} [x]");
        assert_eq!(called.at(), 1);
    }
}
