//! The tab strip of an everyday browser, as its extension reports it, and the DevTools targets of its tabs.
//!
//! Owns the tabs and the ids of their targets. Pure: it takes the reported changes.

use crate::devtools::target::{EmbedderData, TargetInfo};
use gstack_protocol::ids::{ChromeTabId, TargetId};
use gstack_protocol::tabs::{ChromeTab, TabsChanged};
use serde::Serialize;
use std::collections::BTreeMap;

/// The prefix of a Chrome tab's id in the id of its *tab* target.
const TAB: &str = "chrome-tab-";
/// The prefix for its *page* target while Chrome reports no target id.
const PAGE: &str = "chrome-page-";

/// Returns the id of the *tab* target for a tab of an everyday browser.
pub fn tab_target(id: ChromeTabId) -> TargetId {
    TargetId::new(format!("{TAB}{id}"))
}

pub(super) fn chrome_id_of(target: &str) -> Option<ChromeTabId> {
    target.strip_prefix(TAB)?.parse().ok()
}

/// Returns the id of the page in a tab; the main frame's id if Chrome reports it.
pub(super) fn page_target(tab: &ChromeTab) -> TargetId {
    tab.target_id.clone().unwrap_or_else(|| TargetId::new(format!("{PAGE}{}", tab.chrome_tab_id)))
}

/// The changes that are relevant here.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    pub(super) present: Vec<ChromeTab>,
    pub(super) gone: Vec<ChromeTabId>,
}

/// All tabs that were reported and have not closed.
#[derive(Debug, Default)]
pub(super) struct Strip {
    tabs: BTreeMap<ChromeTabId, ChromeTab>,
}

/// A target in the format of `Target.getTargets`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed<'a> {
    target_id: TargetId,
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    url: &'a str,
    attached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedder_data: Option<InStrip>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct InStrip {
    tab_active: bool,
}

impl Strip {
    pub(super) fn apply(&mut self, changed: &TabsChanged) -> Changes {
        let mut gone = changed.removed.clone();
        if changed.full {
            let present = |id: &ChromeTabId| changed.tabs.iter().any(|tab| tab.chrome_tab_id == *id);
            gone.extend(self.tabs.keys().filter(|id| !present(id)));
        }
        for id in &gone {
            self.tabs.remove(id);
        }
        for tab in &changed.tabs {
            self.tabs.insert(tab.chrome_tab_id, tab.clone());
        }
        Changes { present: changed.tabs.clone(), gone }
    }

    pub(super) fn get(&self, id: ChromeTabId) -> Option<&ChromeTab> {
        self.tabs.get(&id)
    }

    /// Returns the *tab* targets, or the pages in them.
    pub(super) fn listed(&self, tabs: bool) -> Vec<Listed<'_>> {
        let name = |tab: &ChromeTab| if tabs { tab_target(tab.chrome_tab_id) } else { page_target(tab) };
        self.tabs
            .values()
            .map(|tab| Listed {
                target_id: name(tab),
                kind: if tabs { "tab" } else { "page" },
                title: &tab.title,
                url: &tab.url,
                attached: false,
                embedder_data: tabs.then_some(InStrip { tab_active: tab.active }),
            })
            .collect()
    }

    /// Converts a reported tab to its two targets: the *tab* and its *page*.
    pub(super) fn targets(&self, tab: &ChromeTab) -> (TargetInfo, TargetInfo) {
        let opener = tab.opener_chrome_tab_id.and_then(|id| self.tabs.get(&id)).map(page_target);
        let info = |id: TargetId, kind: &str| TargetInfo {
            target_id: id.as_str().to_owned(),
            kind: kind.to_owned(),
            title: tab.title.clone(),
            url: tab.url.clone(),
            opener_id: None,
            browser_context_id: None,
            subtype: None,
            embedder_data: None,
        };
        let strip = TargetInfo {
            embedder_data: Some(EmbedderData { tab_active: Some(tab.active) }),
            ..info(tab_target(tab.chrome_tab_id), "tab")
        };
        let page =
            TargetInfo { opener_id: opener.map(|opener| opener.as_str().to_owned()), ..info(page_target(tab), "page") };
        (strip, page)
    }
}

#[cfg(test)]
mod tests {
    use super::{Strip, chrome_id_of, page_target, tab_target};
    use crate::relay::translate_tests::tab;
    use gstack_protocol::ids::ChromeTabId;
    use gstack_protocol::tabs::{ChromeTab, TabsChanged};

    #[test]
    fn a_full_report_replaces_what_was_known_and_says_what_is_gone() {
        let mut strip = Strip::default();
        let report = |full, tabs: Vec<ChromeTab>, removed| TabsChanged { full, tabs, removed };
        strip.apply(&report(true, vec![tab(1, "http://a/"), tab(2, "http://b/")], vec![]));
        let changes = strip.apply(&report(true, vec![tab(2, "http://c/")], vec![]));
        assert_eq!((changes.gone, changes.present.len()), (vec![ChromeTabId(1)], 1));
        assert_eq!(strip.get(ChromeTabId(2)).unwrap().url, "http://c/");
        let changes = strip.apply(&report(false, vec![], vec![ChromeTabId(2)]));
        assert_eq!(changes.gone, [ChromeTabId(2)]);
        assert!(strip.listed(true).is_empty());
    }

    #[test]
    fn a_tab_has_two_targets_and_its_opener_is_named_by_its_page() {
        let mut strip = Strip::default();
        let popup = ChromeTab { opener_chrome_tab_id: Some(ChromeTabId(1)), ..tab(2, "http://pop/") };
        strip.apply(&TabsChanged { full: true, tabs: vec![tab(1, "http://a/"), popup.clone()], removed: vec![] });
        let (of_tab, page) = strip.targets(&popup);
        assert_eq!((of_tab.kind.as_str(), of_tab.target_id.as_str()), ("tab", "chrome-tab-2"));
        assert_eq!((page.target_id.as_str(), page.opener_id.as_deref()), ("PAGE2", Some("PAGE1")));
        assert_eq!(chrome_id_of(tab_target(ChromeTabId(2)).as_str()), Some(ChromeTabId(2)));
        assert_eq!(chrome_id_of("E3C5"), None);
        let unnamed = ChromeTab { target_id: None, ..tab(3, "") };
        assert_eq!(page_target(&unnamed).as_str(), "chrome-page-3");
    }
}
