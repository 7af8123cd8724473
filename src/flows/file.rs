//! The file of a flow: its parameters and its steps, one line each.
//!
//! Owns the format and its version. `check` says whether a flow can run, `write` prints one.

use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Not;
use toml::Spanned;

/// The version of the format that this program writes. It reads no newer one.
pub const VERSION: u32 = 1;
/// In bytes. A flow of a thousand steps has far less.
pub(crate) const MOST_BYTES: u64 = 256 * 1024;
/// The most steps of a flow.
pub(crate) const MOST_STEPS: usize = 1000;

/// A flow, as its file has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Flow {
    /// The version of the format.
    pub flow: u32,
    /// What it does, in one line.
    pub about: String,
    /// The values that a run may set, by name.
    pub parameters: BTreeMap<String, Parameter>,
    /// In order.
    pub steps: Vec<Step>,
}

/// A value that a run sets with `--set NAME=VALUE`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The value if a run sets none. Without it, each run must set one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What it is, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// One step: an act, a condition to wait for, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The browser command: `click`, `fill`, `goto` … Without it, the step only waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<String>,
    /// The role of its element, as `snapshot` prints it. For `sign-in`, leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The name of its element, as `snapshot` prints it. For `sign-in`, the name of the saved sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Words beside the element that tell it from others: those of its row, its card, or the heading above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// Which one of several with the same description, from 1, in the order of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// A selector in place of a description, as browser commands take it. It must match exactly one element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The origin of the frame with the element, if it is not that of the page: `https://pay.example`, or `null` if it has
    /// none. `own` is a frame of the page's own site, which needs no such key to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// The tab that it acts in: 1 (if it is absent) is the one that the run begins in, 2 the first one that a step opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<u32>,
    /// The element to drag to, in the same frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Element>,
    /// The address to open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What to fill in or choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What to type, key by key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The key or the keys to press.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The file to upload, under the folder where the flow runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where a finger swipes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// Whether `sign-in` submits the form.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub submit: bool,
    /// What must be true before the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Where the step is in its file, from 1; 0 if it is in none.
    #[serde(skip)]
    pub line: usize,
}

/// An element by what a person sees of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Element {
    /// As in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// As in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// As in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// As in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// As in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// Conditions that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The tab's address matches this glob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The page shows this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The page no longer shows this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
    /// A request to an address that matches this glob was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The act opened a tab, and its address matches this glob, which names the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// In seconds; 15 if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
}

/// The file as TOML has it. Steps keep their place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    flow: u32,
    #[serde(default)]
    about: String,
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    steps: Vec<Spanned<Step>>,
}

/// What is wrong with a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Problem {
    pub(crate) fn new(line: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}. {}", self.line, self.message, self.hint)
    }
}

impl Flow {
    /// Reads the text of a file, without the checks of `check`.
    ///
    /// # Errors
    ///
    /// Fails with the first thing that does not have the form of a flow.
    pub fn read(text: &str) -> Result<Self, Problem> {
        if text.len() as u64 > MOST_BYTES {
            return Err(Problem::new(1, "the file is longer than 256 KiB", "Split it into several flows."));
        }
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            Problem::new(line_at(text, at), message, "docs/FLOWS.md shows the form of a flow.")
        })?;
        if raw.flow != VERSION {
            let known = format!("This gstack reads version {VERSION}: `gstack upgrade` may bring a newer one.");
            return Err(Problem::new(1, format!("version {} of the format is not known", raw.flow), known));
        }
        let steps = raw.steps.into_iter().map(|step| {
            let line = line_at(text, step.span().start);
            Step { line, ..step.into_inner() }
        });
        Ok(Self { flow: raw.flow, about: raw.about, parameters: raw.parameters, steps: steps.collect() })
    }
}

/// Returns the line of a step, and the text with another step in its place. Everything else stays as it is. The error is a
/// message.
pub(crate) fn with_step(text: &str, at: usize, step: &Step) -> Result<(usize, String), String> {
    let raw: Raw = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let place = raw.steps.get(at).map(Spanned::span).ok_or("the flow has no such step")?;
    let (before, old, after) = (text.get(..place.start), text.get(place.clone()), text.get(place.end..));
    let (Some(before), Some(old), Some(after)) = (before, old, after) else {
        return Err("the step is not where it was read".to_owned());
    };
    // A step of several lines may have comments between its keys.
    if !old.starts_with('{') || !old.ends_with('}') || old.contains('\n') {
        return Err("write the step on one line first: { act = …, role = …, name = … }".to_owned());
    }
    Ok((line_at(text, place.start), format!("{before}{}{after}", step.to_text())))
}

fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

impl Step {
    /// Returns the description of its element; `None` if it has none.
    pub fn element(&self) -> Option<Element> {
        let Self { role, name, near, nth, selector, .. } = self.clone();
        let element = Element { role, name, near, nth, selector };
        (element != Element::default()).then_some(element)
    }
}

/// A default alone (`email = "a@b.example"`), or a table.
impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = Parameter;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a table with `default` and `about`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Parameter, E> {
                Ok(Parameter { default: Some(text.to_owned()), about: String::new() })
            }
            fn visit_map<M: de::MapAccess<'de>>(self, map: M) -> Result<Parameter, M::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Table {
                    #[serde(default)]
                    default: Option<String>,
                    #[serde(default)]
                    about: String,
                }
                let Table { default, about } = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Parameter { default, about })
            }
        }
        deserializer.deserialize_any(Either)
    }
}
