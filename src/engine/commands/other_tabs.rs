//! `tabs`, with the tabs of the other browsers in their own sections.

use super::Commands;
use gstack_browser::browser::Browser;
use gstack_browser::tabs::TabInfo;
use gstack_command::{Output, listed_title};
use gstack_protocol::ids::TabId;
use serde_json::{Value, json};

impl Commands {
    /// Adds the tabs of the other browsers to the output of `tabs`: those in use, then the everyday ones. `of` is the
    /// tab that the command was for. `only`: the tabs that may be listed, if not all.
    pub(super) fn with_other_tabs(&self, mut output: Output, of: Option<TabId>, only: Option<&[TabId]>) -> Output {
        let may_list = |tab: &TabInfo| only.is_none_or(|only| only.contains(&tab.id));
        let mut data = output.data.take().and_then(|data| data.as_array().cloned()).unwrap_or_default();
        let listed = self.browsers.pages_with(of).map(|(browser, _)| browser).filter(|_| !output.text.is_empty());
        let is_listed = |browser: &Browser| listed.as_ref().is_some_and(|listed| listed.run() == browser.run());
        if !self.browsers.name().is_main() {
            for tab in data.iter_mut().filter_map(Value::as_object_mut) {
                tab.insert("browser".to_owned(), self.browsers.name().as_str().into());
            }
        }
        for other in self.browsers.all() {
            let Some(browser) = other.current().filter(|browser| !browser.is_relayed() && !is_listed(browser)) else {
                continue;
            };
            let name = other.name();
            let tabs: Vec<_> = browser.tabs().into_iter().filter(may_list).collect();
            if tabs.is_empty() && only.is_some() {
                continue;
            }
            add(&mut output.text, &format!("Browser {name}, select with --browser {name} or --tab N:"), &tabs);
            data.extend(tabs.iter().map(|tab| {
                json!({
                    "id": tab.id, "title": listed_title(&tab.title), "url": tab.url, "current": false,
                    "browser": name.as_str(),
                })
            }));
        }
        for everyday in self.browsers.all_everyday() {
            let browser = everyday.browser();
            if is_listed(browser) {
                continue;
            }
            let tabs: Vec<_> = browser.tabs().into_iter().filter(|tab| !tab.incognito && may_list(tab)).collect();
            if tabs.is_empty() && only.is_some() {
                continue;
            }
            add(&mut output.text, &format!("Everyday browser ({}), select with --tab N:", everyday.name), &tabs);
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

/// Adds a section to the text.
fn add(text: &mut String, head: &str, tabs: &[TabInfo]) {
    let line = |tab: &TabInfo| {
        let view = if tab.in_view { " (in view)" } else { "" };
        format!("  [{}] {} — {}{view}", tab.id, listed_title(&tab.title), tab.url)
    };
    let lines: Vec<String> = std::iter::once(head.to_owned()).chain(tabs.iter().map(line)).collect();
    let gap = if text.is_empty() { "" } else { "\n\n" };
    text.push_str(&format!("{gap}{}", lines.join("\n")));
}
