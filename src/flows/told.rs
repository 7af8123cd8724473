//! A step and an element in words, for people.
//!
//! Owns the words. Texts of a page are quoted.

use super::file::{Element, Step, Wait};

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

impl Element {
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
