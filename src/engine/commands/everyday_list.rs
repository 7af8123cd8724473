//! `tabs`, with the tabs of everyday browsers in their own sections.

use super::Commands;
use crate::browser::tabs::TabInfo;
use crate::command::{Output, listed_title};
use crate::protocol::ids::TabId;
use serde_json::{Value, json};

impl Commands {
    /// Adds the tabs of the everyday browsers to the output of `tabs`. `of` is the tab that the command was for.
    pub(super) fn with_everyday_tabs(&self, mut output: Output, of: Option<TabId>) -> Output {
        let mut data = output.data.take().and_then(|data| data.as_array().cloned()).unwrap_or_default();
        let listed = self.browsers.pages_with(of).map(|(browser, _)| browser).filter(|_| !output.text.is_empty());
        for everyday in self.browsers.all_everyday() {
            let browser = everyday.browser();
            if listed.as_ref().is_some_and(|listed| listed.run() == browser.run()) {
                continue;
            }
            let head = format!("Everyday browser ({}), select with --tab N:", everyday.name);
            let tabs: Vec<_> = browser.tabs().into_iter().filter(|tab| !tab.incognito).collect();
            let line = |tab: &TabInfo| {
                let view = if tab.in_view { " (in view)" } else { "" };
                format!("  [{}] {} — {}{view}", tab.id, listed_title(&tab.title), tab.url)
            };
            let lines: Vec<String> = std::iter::once(head).chain(tabs.iter().map(line)).collect();
            let gap = if output.text.is_empty() { "" } else { "\n\n" };
            output.text.push_str(&format!("{gap}{}", lines.join("\n")));
            data.extend(tabs.iter().map(|tab| {
                json!({
                    "id": tab.id, "title": listed_title(&tab.title), "url": tab.url, "current": false,
                    "inView": tab.in_view, "everyday": everyday.name,
                })
            }));
        }
        output.data = Some(Value::Array(data));
        output
    }
}
