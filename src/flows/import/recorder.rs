//! Recordings of Chrome's DevTools Recorder: JSON, as `@puppeteer/replay` 3.1.3 reads it.
//!
//! Owns the meaning of its steps. Its element is described by its accessible name (`aria/…`), and by a selector if it has
//! none.

use crate::distil::{Made, arrives_at, is_password_name};
use crate::file::{Element, Flow, Step, VERSION, Wait};
use crate::sites::OWN_FRAME;
use crate::words::SET;
use gstack_base::site;
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
    /// The place of the frame among the frames of its page, and of the frames in it.
    frame: Vec<u32>,
    /// `main`, or the address of another tab or of a frame in a process of its own.
    target: String,
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
    let mut place = Place::default();
    for (at, recorded) in recording.steps.iter().enumerate() {
        let said = |why: &str| format!("step {} ({}): {why}", at + 1, recorded.kind);
        match step(&mut made, recorded) {
            Ok(None) => {}
            Ok(Some(step)) => match place.of(&mut made, recorded, step) {
                Ok(step) => made.flow.steps.push(step),
                Err(why) => made.left_out.push(said(why)),
            },
            Err(why) => made.left_out.push(said(&why)),
        }
    }
    Ok(made)
}

/// Where the recording is: its format names the frame or tab of a step by its address alone.
#[derive(Default)]
struct Place {
    /// The origin of the main tab's page.
    site: String,
    /// The addresses of the tabs that were opened, in order.
    opened: Vec<String>,
}

impl Place {
    /// Adds the tab, the frame and the address that the step leads to. A frame in a process of its own is of another site
    /// than the page: a target of the same site is another tab.
    fn of(&mut self, made: &mut Made, recorded: &Recorded, step: Step) -> Result<Step, &'static str> {
        let mut step = step;
        let arrives = recorded.asserted_events.iter().find(|event| event.kind == "navigation" && !event.url.is_empty());
        let target = recorded.target.as_str();
        if !target.is_empty() && target != "main" {
            let site = site::origin(target);
            if site != self.site {
                step.frame = Some(site);
                return Ok(step);
            }
            step.tab = Some(self.tab(made, target)?);
        } else {
            let now = arrives.map(|event| event.url.as_str()).or(step.url.as_deref());
            self.site = now.map_or_else(|| self.site.clone(), site::origin);
        }
        if !recorded.frame.is_empty() {
            step.frame = Some(OWN_FRAME.to_owned());
        } else if step.url.is_none() {
            step.wait = arrives.and_then(|event| arrives_at(&event.url));
        }
        Ok(step)
    }

    /// Returns the number of an opened tab. The act before its first step has opened it.
    fn tab(&mut self, made: &mut Made, address: &str) -> Result<u32, &'static str> {
        let known = self.opened.iter().position(|known| known == address);
        let at = match known {
            Some(at) => at,
            None => {
                let opener = made.flow.steps.last_mut().filter(|step| step.act.is_some());
                let opener = opener.ok_or("nothing before it opens its tab")?;
                let wait = opener.wait.take().unwrap_or_default();
                opener.wait = Some(Wait { tab: arrives_at(address).and_then(|place| place.url), ..wait });
                self.opened.push(address.to_owned());
                self.opened.len() - 1
            }
        };
        u32::try_from(at + 2).map_err(|_| "it has too many tabs")
    }
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
        // A text, a choice and a tick are all a change to a value: what it is, the run sees by the element.
        "change" => {
            let mut step = on(SET)?;
            made.drop_replaced(&step);
            let like = step.name.clone().unwrap_or_else(|| "value".to_owned());
            step.value = Some(made.parameter(&like, Some(recorded.value.clone())));
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
