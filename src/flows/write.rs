//! A flow as the text of a file.
//!
//! Owns the layout: one line a step, in the order in which a person would say it.

use super::file::{Element, Flow, Step, Wait};
use std::fmt::Write;

impl Flow {
    /// Returns the text of its file. Reading it gives the same flow.
    pub fn to_text(&self) -> String {
        let mut text = format!("flow = {}\n", self.flow);
        if !self.about.is_empty() {
            line(&mut text, &format!("about = {}", quoted(&self.about)));
        }
        for (name, parameter) in &self.parameters {
            let value = match (&parameter.default, parameter.about.is_empty()) {
                (Some(default), true) => quoted(default),
                (default, _) => {
                    let default = default.as_deref().map(|default| ("default", quoted(default)));
                    let about = (!parameter.about.is_empty()).then(|| ("about", quoted(&parameter.about)));
                    table([default, about].into_iter().flatten())
                }
            };
            line(&mut text, &format!("parameters.{name} = {value}"));
        }
        line(&mut text, "steps = [");
        for step in &self.steps {
            line(&mut text, &format!("  {},", step.to_text()));
        }
        line(&mut text, "]");
        text
    }
}

impl Step {
    /// Returns the step as it is in a file.
    pub fn to_text(&self) -> String {
        let Self {
            act,
            role,
            name,
            near,
            nth,
            selector,
            frame,
            tab,
            to,
            url,
            value,
            text,
            key,
            file,
            direction,
            submit,
            wait,
            line: _,
        } = self;
        let texts = [
            ("act", act),
            ("role", role),
            ("name", name),
            ("near", near),
            ("selector", selector),
            ("frame", frame),
            ("url", url),
            ("value", value),
            ("text", text),
            ("key", key),
            ("file", file),
            ("direction", direction),
        ];
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, quoted(text.as_ref()?))));
        let rest = [
            nth.map(|nth| ("nth", nth.to_string())),
            tab.map(|tab| ("tab", tab.to_string())),
            to.as_ref().map(|to| ("to", to.to_text())),
            submit.then(|| ("submit", "true".to_owned())),
            wait.as_ref().map(|wait| ("wait", wait.to_text())),
        ];
        table(texts.chain(rest.into_iter().flatten()))
    }
}

impl Element {
    fn to_text(&self) -> String {
        let Self { role, name, near, nth, selector } = self;
        let texts = [("role", role), ("name", name), ("near", near), ("selector", selector)];
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, quoted(text.as_ref()?))));
        table(texts.chain(nth.map(|nth| ("nth", nth.to_string()))))
    }
}

impl Wait {
    fn to_text(&self) -> String {
        let Self { url, text, gone, request, tab, seconds } = self;
        let texts = [("url", url), ("text", text), ("gone", gone), ("request", request), ("tab", tab)];
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, quoted(text.as_ref()?))));
        table(texts.chain(seconds.map(|seconds| ("seconds", seconds.to_string()))))
    }
}

fn table<'a>(pairs: impl Iterator<Item = (&'a str, String)>) -> String {
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key} = {value}")).collect();
    if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
}

/// Returns a text in quotes, on one line.
fn quoted(text: &str) -> String {
    // Always a basic string: `toml` would choose a literal, or one of several lines.
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if other.is_control() => {
                // Writing to a String does not fail.
                write!(quoted, "\\u{:04X}", u32::from(other)).ok();
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::file::{Parameter, VERSION};
    use super::*;

    #[test]
    fn a_written_flow_is_read_as_the_same_with_one_line_a_step() {
        let hostile = "a\"b\\c\nd\t\u{1b}\u{202e}]} # {{x}}".to_owned();
        let flow = Flow {
            flow: VERSION,
            about: hostile.clone(),
            parameters: [
                ("plain".to_owned(), Parameter { default: Some(hostile.clone()), about: String::new() }),
                ("required".to_owned(), Parameter { default: None, about: "which".to_owned() }),
                ("bare".to_owned(), Parameter::default()),
            ]
            .into(),
            steps: vec![
                Step {
                    act: Some("click".to_owned()),
                    role: Some("button".to_owned()),
                    name: Some(hostile.clone()),
                    near: Some("Lamp".to_owned()),
                    nth: Some(2),
                    frame: Some("https://pay.example".to_owned()),
                    tab: Some(2),
                    wait: Some(Wait {
                        url: Some("**/x".to_owned()),
                        tab: Some("https://a.example/**".to_owned()),
                        seconds: Some(3),
                        ..Wait::default()
                    }),
                    ..Step::default()
                },
                Step {
                    act: Some("drag".to_owned()),
                    selector: Some("#a".to_owned()),
                    to: Some(Element { selector: Some("#b".to_owned()), nth: Some(1), ..Element::default() }),
                    submit: true,
                    ..Step::default()
                },
            ],
        };
        let text = flow.to_text();
        let read = Flow::read(&text).unwrap();
        assert_eq!(read.steps.iter().map(|step| step.line).collect::<Vec<_>>(), [7, 8]);
        let steps = read.steps.into_iter().map(|step| Step { line: 0, ..step }).collect();
        assert_eq!(Flow { steps, ..read }, flow, "{text}");
        assert_eq!(text.lines().count(), 9);
    }
}
