//! `{{name}}` in a step: the values of a run.
//!
//! Owns the placeholders. A value fills a text of a step, and never adds a word, an option or a step.

use super::file::{Element, Flow, Step, Wait};
use std::collections::{BTreeMap, BTreeSet};

/// The values of a run, by parameter.
pub type Values = BTreeMap<String, String>;

/// Returns the placeholder of a parameter.
pub(crate) fn placeholder(name: &str) -> String {
    format!("{{{{{name}}}}}")
}

/// Returns the parameters that a step uses. The error is a message.
pub(crate) fn used(step: &Step) -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    let mut failed = None;
    visit(&mut step.clone(), &mut |text| {
        let outcome = replaced(text, |name| {
            found.insert(name.to_owned());
            Ok(String::new())
        });
        failed = failed.take().or(outcome.err());
    });
    failed.map_or(Ok(found), Err)
}

/// Returns the values of a run: those that are set, and the defaults. The error is a message.
pub(crate) fn values(flow: &Flow, set: &Values) -> Result<Values, String> {
    if let Some(unknown) = set.keys().find(|name| !flow.parameters.contains_key(*name)) {
        let known: Vec<&str> = flow.parameters.keys().map(String::as_str).collect();
        return Err(match known.is_empty() {
            true => format!("the flow has no parameter {unknown}: it takes none"),
            false => format!("the flow has no parameter {unknown}, only: {}", known.join(", ")),
        });
    }
    let value = |(name, parameter): (&String, &super::file::Parameter)| {
        let value = set.get(name).or(parameter.default.as_ref()).cloned();
        value.map(|value| (name.clone(), value)).ok_or_else(|| format!("--set {name}=… is missing"))
    };
    flow.parameters.iter().map(value).collect()
}

/// Fills the values into a step. The error is a message.
pub(crate) fn filled(step: &Step, values: &Values) -> Result<Step, String> {
    let mut step = step.clone();
    let mut failed = None;
    visit(&mut step, &mut |text| {
        let value = |name: &str| values.get(name).cloned().ok_or_else(|| format!("{name} is not a parameter"));
        match replaced(text, value) {
            Ok(filled) => *text = filled,
            Err(why) => failed = Some(why),
        }
    });
    failed.map_or(Ok(step), Err)
}

/// Replaces each placeholder. A value is not looked through again.
fn replaced(text: &str, mut value: impl FnMut(&str) -> Result<String, String>) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").ok_or_else(|| format!("{text:?} has {{{{ without }}}}"))?;
        filled.push_str(before);
        filled.push_str(&value(name.trim())?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Visits each text of a step that may have placeholders. The act has none: a value cannot choose it.
fn visit(step: &mut Step, each: &mut dyn FnMut(&mut String)) {
    let Step {
        act: _,
        nth: _,
        tab: _,
        submit: _,
        line: _,
        role,
        name,
        near,
        selector,
        frame,
        to,
        url,
        value,
        text,
        key,
        file,
        direction,
        wait,
    } = step;
    let mut texts = vec![role, name, near, selector, frame, url, value, text, key, file, direction];
    if let Some(Element { role, name, near, nth: _, selector }) = to {
        texts.extend([role, name, near, selector]);
    }
    if let Some(Wait { url, text, gone, request, tab, seconds: _ }) = wait {
        texts.extend([url, text, gone, request, tab]);
    }
    texts.into_iter().flatten().for_each(each);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> Flow {
        Flow::read(
            "flow = 1\nparameters.email = \"a@b.example\"\nparameters.item = {}\nsteps = [\n\
             { act = \"fill\", role = \"textbox\", name = \"Email\", value = \"{{ email }}\", wait = { text = \"{{item}}!\" } },\n]\n",
        )
        .unwrap()
    }

    #[test]
    fn a_value_fills_texts_and_is_not_filled_again() {
        let flow = flow();
        let set = Values::from([("item".to_owned(), "{{email}}\" }, {".to_owned())]);
        let values = values(&flow, &set).unwrap();
        let step = filled(&flow.steps[0], &values).unwrap();
        assert_eq!(step.value.as_deref(), Some("a@b.example"));
        assert_eq!(step.wait.unwrap().text.as_deref(), Some("{{email}}\" }, {!"));
        assert_eq!(used(&flow.steps[0]).unwrap().into_iter().collect::<Vec<_>>(), ["email", "item"]);
    }

    #[test]
    fn a_missing_or_unknown_value_is_named() {
        let flow = flow();
        assert_eq!(values(&flow, &Values::new()).unwrap_err(), "--set item=… is missing");
        let unknown = Values::from([("itme".to_owned(), String::new())]);
        assert_eq!(values(&flow, &unknown).unwrap_err(), "the flow has no parameter itme, only: email, item");
    }
}
