//! A step and an element in words, for people.
//!
//! Owns the words. Texts of a page are quoted.

use super::file::{Element, Step, Wait};
use super::words::{self, Places};
use gstack_command::words::{Words, describe};
use gstack_command::{Call, registry};

impl Step {
    /// Returns the step in one line: `click button “Buy” near “Desk lamp”`.
    pub fn told(&self) -> String {
        let mut words = vec![self.act.clone().unwrap_or_else(|| "wait".to_owned())];
        words.extend(self.element().map(|element| element.told()));
        words.extend(self.to.as_ref().map(|to| format!("to {}", to.told())));
        words.extend(self.frame.as_ref().map(|frame| format!("in a frame of {frame}")));
        words.extend(self.tab.map(|tab| format!("in tab {tab}")));
        let texts = [&self.url, &self.value, &self.text, &self.key, &self.file, &self.direction];
        words.extend(texts.into_iter().flatten().map(|text| quoted(text)));
        if let Some(wait) = &self.wait {
            let Wait { url, text, gone, request, tab, seconds: _ } = wait;
            let conditions = [("url", url), ("text", text), ("gone", gone), ("request", request), ("tab", tab)];
            let told = conditions.iter().filter_map(|(key, text)| Some(format!("{key} {}", quoted(text.as_ref()?))));
            let told = told.collect::<Vec<_>>().join(", ");
            words.push(if self.act.is_some() { format!("until {told}") } else { told });
        }
        words.join(" ")
    }
}

/// The elements of a step, until a run has found them.
const ELEMENT: &str = "@e1";
const TO: &str = "@e2";

impl Step {
    /// Returns the step as gstack describes its command, for a line that panels translate. `None` if it cannot be described.
    pub(crate) fn words(&self) -> Option<Words> {
        let call = match &self.act {
            None => {
                let (command, words) = self.wait.as_ref().and_then(words::wait)?;
                Call::of(registry::find(command)?, words).ok()?
            }
            Some(act) => {
                let spec = words::spec(act).ok()?;
                let element = self.element().filter(|_| words::takes_element(spec)).map(|_| ELEMENT);
                let places = Places { element, to: self.to.as_ref().map(|_| TO) };
                Call::of(spec, words::words(spec, self, places).ok()?).ok()?
            }
        };
        let label = |place: &str| match place {
            ELEMENT => self.element().map(|element| element.label()),
            TO => self.to.as_ref().map(Element::label),
            _ => None,
        };
        Some(describe(&call, &label))
    }
}

impl Element {
    /// Returns the element as a line about its command names it: `Buy (Desk lamp)`.
    fn label(&self) -> String {
        let Self { role, name, near, nth: _, selector } = self;
        let named = name.clone().or_else(|| selector.clone()).or_else(|| role.clone()).unwrap_or_default();
        near.as_ref().map_or_else(|| named.clone(), |near| format!("{named} ({near})"))
    }

    /// Returns the description in words: `button “Buy” near “Desk lamp”`.
    pub(crate) fn told(&self) -> String {
        let mut words: Vec<String> = self.role.iter().cloned().collect();
        words.extend(self.name.as_ref().map(|name| quoted(name)));
        words.extend(self.selector.clone());
        words.extend(self.near.as_ref().map(|near| format!("near {}", quoted(near))));
        words.extend(self.nth.map(|nth| format!("number {nth}")));
        words.join(" ")
    }
}

pub(crate) fn quoted(text: &str) -> String {
    format!("“{text}”")
}
