//! Recordings of Chrome's DevTools Recorder: JSON, as `@puppeteer/replay` 3.1.3 reads it.
//!
//! Owns the meaning of its steps. Its element is described by its accessible name (`aria/…`), and by a selector if it has
//! none.

use crate::distil::{Made, arrives_at, is_password_name};
use crate::file::{Element, Flow, Step, VERSION};
use serde::Deserialize;

#[derive(Deserialize)]
struct Recording {
    #[serde(default)]
    title: String,
    steps: Vec<Recorded>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Recorded {
    #[serde(rename = "type")]
    kind: String,
    selectors: Vec<Selector>,
    url: String,
    value: String,
    key: String,
    button: String,
    asserted_events: Vec<Event>,
}

/// One or several parts, of which each is looked for in the one before.
#[derive(Deserialize)]
#[serde(untagged)]
enum Selector {
    One(String),
    Parts(Vec<String>),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    url: String,
}

/// Keys that do nothing alone.
const MODIFIERS: [&str; 4] = ["Shift", "Control", "Alt", "Meta"];

pub(super) fn read(text: &str) -> Result<Made, String> {
    let recording: Recording = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let flow = Flow { flow: VERSION, about: recording.title, ..Flow::default() };
    let mut made = Made { flow, left_out: Vec::new() };
    for (at, recorded) in recording.steps.iter().enumerate() {
        match step(&mut made, recorded) {
            Ok(None) => {}
            Ok(Some(step)) => {
                let arrives = recorded.asserted_events.iter().find(|event| event.kind == "navigation");
                let wait = arrives.filter(|_| step.url.is_none()).and_then(|event| arrives_at(&event.url));
                made.flow.steps.push(Step { wait, ..step });
            }
            Err(why) => made.left_out.push(format!("step {} ({}): {why}", at + 1, recorded.kind)),
        }
    }
    Ok(made)
}

/// Returns the step; `None` if it has nothing to do here.
fn step(made: &mut Made, recorded: &Recorded) -> Result<Option<Step>, String> {
    let of = |act: &str| Step { act: Some(act.to_owned()), ..Step::default() };
    let on = |act: &str| {
        let Element { role, name, selector, .. } = element(recorded)?;
        Ok::<Step, String>(Step { role, name, selector, ..of(act) })
    };
    Ok(Some(match recorded.kind.as_str() {
        "navigate" => Step { url: Some(recorded.url.clone()), ..of("goto") },
        "click" if recorded.button == "secondary" => on("rightclick")?,
        "click" => on("click")?,
        "doubleClick" => on("dblclick")?,
        "hover" => on("hover")?,
        "change" if is_password(recorded) => made.sign_in(),
        "change" => {
            let mut step = on(match recorded.value.as_str() {
                "true" => "check",
                "false" => "uncheck",
                _ => "fill",
            })?;
            if step.act.as_deref() == Some("fill") {
                made.drop_replaced(&step);
                let like = step.name.clone().unwrap_or_else(|| "value".to_owned());
                step.value = Some(made.parameter(&like, Some(recorded.value.clone())));
            }
            step
        }
        "keyDown" if MODIFIERS.contains(&recorded.key.as_str()) => {
            return Err("keys that are held are not recorded as steps".to_owned());
        }
        // A letter is part of a `change`.
        "keyDown" if recorded.key.chars().count() == 1 => return Ok(None),
        "keyDown" => Step { key: Some(recorded.key.clone()), ..of("press") },
        // Each step scrolls to its element, and waits for it.
        "keyUp" | "setViewport" | "scroll" | "waitForElement" => return Ok(None),
        _ => return Err("it has no counterpart".to_owned()),
    }))
}

fn parts(recorded: &Recorded) -> impl Iterator<Item = &[String]> {
    recorded.selectors.iter().map(|selector| match selector {
        Selector::One(one) => std::slice::from_ref(one),
        Selector::Parts(parts) => parts.as_slice(),
    })
}

fn is_password(recorded: &Recorded) -> bool {
    parts(recorded).flatten().any(|part| is_password_name(part))
}

fn element(recorded: &Recorded) -> Result<Element, String> {
    let own = || parts(recorded).filter_map(|parts| parts.last());
    if let Some(text) = own().find_map(|part| part.strip_prefix("aria/")).filter(|text| !text.is_empty()) {
        let (name, role) = match text.split_once("[role=\"") {
            Some((name, role)) => (name, role.split('"').next().filter(|role| !role.is_empty())),
            None => (text, None),
        };
        let name = Some(name.to_owned()).filter(|name| !name.is_empty());
        if name.is_some() {
            return Ok(Element { role: role.map(str::to_owned), name, ..Element::default() });
        }
    }
    let selector = own().find_map(|part| {
        let (engine, rest) = part.split_once('/').unwrap_or(("", part));
        match engine {
            "pierce" => Some(rest.to_owned()),
            "text" => Some(format!("text={rest}")),
            "xpath" => Some(format!("xpath={rest}")),
            "aria" => None,
            _ => Some(part.clone()),
        }
    });
    let selector = Some(selector.ok_or("it has no selector")?);
    Ok(Element { selector, ..Element::default() })
}
