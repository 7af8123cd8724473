//! A step as a browser command: which commands a flow may have, and the words of each.
//!
//! Owns the mapping, which reads only the command's spec. A command's required arguments are the keys of a step with
//! their names; its element is the step's description.

use super::file::{Element, Step, Wait};
use gstack_command::spec::{Flag, Parameter, ValueType};
use gstack_command::{Call, Category, Class, Spec, registry};

/// How long a step waits for its conditions, in seconds.
pub(crate) const WAIT_SECONDS: u32 = 15;
/// The act of a flow that fills in, chooses or ticks, by what the element is.
pub(crate) const SET: &str = "set";
/// The command that waits for conditions.
const WAIT: &str = "wait";

/// The element of a step as the words of a command have it: a ref or a selector.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places<'a> {
    pub(crate) element: Option<&'a str>,
    pub(crate) to: Option<&'a str>,
}

/// Returns the command of a step. The error is a message.
pub(crate) fn spec(act: &str) -> Result<&'static Spec, String> {
    let near = |names: Vec<&'static str>| match registry::nearest(act, names.into_iter()) {
        Some(near) => format!(", but {near} is"),
        None => String::new(),
    };
    let allowed = || registry::all().iter().filter(|spec| may_be_in_a_flow(spec)).map(|spec| spec.name).collect();
    // It takes what `fill` takes.
    let command = if act == SET { "fill" } else { act };
    match registry::find(command) {
        Some(spec) if may_be_in_a_flow(spec) => Ok(spec),
        Some(_) => Err(format!("{act} cannot be a step: a flow does what a person does in a page")),
        None => Err(format!("{act:?} is not a command{}", near(allowed()))),
    }
}

/// A flow does what a person does in a page: no scripts, no cookies, no requests of its own, no settings of the browser.
fn may_be_in_a_flow(spec: &Spec) -> bool {
    let acts = matches!(spec.class, Class::Act | Class::Upload | Class::SignIn);
    let place = matches!(spec.category, Category::Navigation | Category::Interaction);
    let known = |parameter: &Parameter| parameter.holds.is_element() || KEYS.contains(&parameter.name);
    acts && place && spec.changes() && spec.parameters.iter().all(known)
}

/// The keys of a step that are arguments of commands. `to` and the description are elements.
const KEYS: [&str; 7] = ["url", "value", "text", "key", "file", "direction", "name"];

fn argument<'a>(step: &'a Step, name: &str) -> Option<&'a String> {
    match name {
        "url" => step.url.as_ref(),
        "value" => step.value.as_ref(),
        "text" => step.text.as_ref(),
        "key" => step.key.as_ref(),
        "file" => step.file.as_ref(),
        "direction" => step.direction.as_ref(),
        "name" => step.name.as_ref(),
        _ => None,
    }
}

/// Sets the key of a step that is an argument of a command.
pub(crate) fn set_argument(step: &mut Step, name: &str, value: String) {
    let place = match name {
        "url" => &mut step.url,
        "value" => &mut step.value,
        "text" => &mut step.text,
        "key" => &mut step.key,
        "file" => &mut step.file,
        "direction" => &mut step.direction,
        "name" => &mut step.name,
        _ => return,
    };
    *place = Some(value);
}

/// Returns the flag that names the element of a command without such a parameter.
fn element_flag(spec: &Spec) -> Option<&'static Flag> {
    spec.flags.iter().find(|flag| flag.holds.is_element())
}

/// Whether a step's description is an element for its command, and not the name of a sign-in.
pub(crate) fn takes_element(spec: &Spec) -> bool {
    spec.parameters.iter().any(|parameter| parameter.holds.is_element()) || element_flag(spec).is_some()
}

/// Whether the step types its value into a field.
pub(crate) fn types(spec: &Spec) -> bool {
    spec.arguments().any(|(_, holds)| holds == ValueType::Typed)
}

/// Returns the words of a step's command. The error is a message.
pub(crate) fn words(spec: &'static Spec, step: &Step, places: Places<'_>) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut elements = [places.element, places.to].into_iter();
    let of_parameter = |parameter: &&Parameter| parameter.holds.is_element();
    let mut used = Vec::new();
    let mut positional = Vec::new();
    for parameter in spec.parameters {
        let word = match of_parameter(&parameter) {
            true => elements.next().flatten().map(str::to_owned),
            false => {
                used.push(parameter.name);
                argument(step, parameter.name).cloned()
            }
        };
        match word {
            Some(word) => positional.push(word),
            None if parameter.required && of_parameter(&parameter) => {
                return Err(format!("{} needs an element: a role and a name, or a selector", spec.name));
            }
            None if parameter.required => return Err(format!("{} needs {}", spec.name, parameter.name)),
            None => {}
        }
    }
    if let Some(flag) = element_flag(spec).filter(|_| !spec.parameters.iter().any(|p| p.holds.is_element()))
        && let Some(element) = elements.next().flatten()
    {
        words.extend([flag.name.to_owned(), element.to_owned()]);
    }
    if elements.next().flatten().is_some() {
        return Err(format!("{} takes no such element", spec.name));
    }
    if step.submit {
        let flag = spec.flags.iter().find(|flag| flag.name.trim_start_matches('-') == "submit");
        words.push(flag.ok_or_else(|| format!("{} takes no submit", spec.name))?.name.to_owned());
    }
    let is_element_name = |key: &str| key == "name" && takes_element(spec);
    if let Some(extra) =
        KEYS.iter().find(|key| !used.contains(key) && !is_element_name(key) && argument(step, key).is_some())
    {
        return Err(format!("{} takes no {extra}", spec.name));
    }
    words.push("--".to_owned());
    words.extend(positional);
    Call::of(spec, words.clone()).map_err(|fault| fault.message)?;
    Ok(words)
}

/// Returns the command and the words that wait for conditions; `None` if there are none.
pub(crate) fn wait(wait: &Wait) -> Option<(&'static str, Vec<String>)> {
    let Wait { url, text, gone, request, tab: _, seconds } = wait;
    let flags = [("--url", url), ("--text", text), ("--text-gone", gone), ("--response", request)];
    let mut words: Vec<String> =
        flags.into_iter().filter_map(|(flag, value)| Some(format!("{flag}={}", value.as_ref()?))).collect();
    if words.is_empty() {
        return None;
    }
    words.extend(["--all".to_owned(), format!("--timeout={}", u64::from(seconds.unwrap_or(WAIT_SECONDS)) * 1000)]);
    Some((WAIT, words))
}

/// Returns the command and the words that wait until an element with exactly this role and name is there; `None` if the
/// description has no such selector.
pub(crate) fn wait_for(element: &Element, milliseconds: u64) -> Option<(&'static str, Vec<String>)> {
    let selector = match (&element.selector, &element.role, &element.name) {
        (Some(selector), ..) => selector.clone(),
        (None, Some(role), Some(name)) => role_selector(role, name),
        (None, None, Some(name)) => {
            return Some((WAIT, vec![format!("--text={name}"), format!("--timeout={milliseconds}")]));
        }
        (None, _, None) => return None,
    };
    Some((WAIT, vec!["--state=attached".to_owned(), format!("--timeout={milliseconds}"), "--".to_owned(), selector]))
}

/// Returns the selector of a role and a whole name.
pub(crate) fn role_selector(role: &str, name: &str) -> String {
    format!("role={role}[name=\"{}\"]", name.replace('\\', "\\\\").replace('"', "\\\""))
}
