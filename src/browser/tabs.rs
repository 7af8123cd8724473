//! The tabs of one browser run and their state.
//!
//! Owns the current tab and the join of DevTools' *tab* and *page* targets with Chrome's own tab ids. Pure: it takes
//! events and returns the follow-ups.

use super::devtools::target::TargetInfo;
use super::entry_size::ENTRY;
use gstack_protocol::ids::{ChromeTabId, TabId, TargetId};
use gstack_protocol::tabs::ChromeTab;
use std::collections::{BTreeMap, HashMap};

pub use super::tab_info::{BrowserEvent, TabInfo, TabState};
pub use super::tab_numbers::{TabNumbers, TabRecord};

/// A follow-up of an event.
#[derive(Debug)]
pub(super) enum Follow {
    Tell(BrowserEvent),
    /// The page target of this *tab* target is unknown: ask the browser for it.
    FindPage(TargetId),
    Closed(TabId),
}

#[derive(Debug)]
struct PageInfo {
    url: String,
    title: String,
    opener: Option<String>,
}

pub(super) struct Tabs {
    numbers: TabNumbers,
    tabs: BTreeMap<TabId, Known>,
    by_target: HashMap<TargetId, TabId>,
    /// Page targets, whether or not their tab is known yet.
    pages: HashMap<TargetId, PageInfo>,
    /// Chrome ids that were reported before their page was seen.
    waiting_chrome: HashMap<TargetId, ChromeTab>,
    current: Option<TabId>,
    /// Earlier current tabs, the newest last.
    before: Vec<TabId>,
    /// True once the browser reports of any target whether it is in a tab strip: then a *tab* target without that
    /// report is a side panel or similar. For other browsers, the target type decides.
    names_strip: bool,
}

struct Known {
    info: TabInfo,
    in_strip: bool,
    told: bool,
    /// The request for its page was answered.
    settled: bool,
}

impl Tabs {
    pub(super) fn new(numbers: TabNumbers) -> Self {
        Self {
            numbers,
            tabs: BTreeMap::new(),
            by_target: HashMap::new(),
            pages: HashMap::new(),
            waiting_chrome: HashMap::new(),
            current: None,
            before: Vec::new(),
            names_strip: false,
        }
    }

    pub(super) fn all(&self) -> Vec<TabInfo> {
        self.tabs.values().filter(|known| known.told).map(|known| known.info.clone()).collect()
    }
    /// Returns what the tables take.
    pub(super) fn bytes(&self) -> usize {
        let tab = |info: &TabInfo| 2 * info.target.as_str().len() + info.url.len() + info.title.len();
        let page = |page: &PageInfo| page.url.len() + page.title.len() + page.opener.as_ref().map_or(0, String::len);
        let tabs: usize = self.tabs.values().map(|known| 2 * ENTRY + tab(&known.info)).sum();
        let pages: usize = self.pages.iter().map(|(id, about)| ENTRY + id.as_str().len() + page(about)).sum();
        let waiting = self.waiting_chrome.values().map(|chrome| ENTRY + chrome.url.len() + chrome.title.len());
        tabs + pages + waiting.sum::<usize>()
    }
    pub(super) fn get(&self, id: TabId) -> Option<&TabInfo> {
        self.tabs.get(&id).map(|known| &known.info)
    }
    pub(super) fn was_given(&self, id: TabId) -> bool {
        self.numbers.was_given(id)
    }
    /// Returns true if the page of some tab is still unknown.
    pub(super) fn has_untold(&self) -> bool {
        self.tabs.values().any(|known| !known.settled)
    }
    /// Returns the tab of this *tab* target.
    pub(super) fn by_target(&self, target: &TargetId) -> Option<TabId> {
        self.by_target.get(target).copied()
    }
    /// Returns the tab of this *tab* target, if it was reported to subscribers.
    pub(super) fn told_by_target(&self, target: &TargetId) -> Option<TabId> {
        self.by_target.get(target).copied().filter(|id| self.tabs.get(id).is_some_and(|known| known.told))
    }
    /// Returns the tab with this page target; never matches a tab target.
    pub(super) fn by_page(&self, page: &TargetId) -> Option<&TabInfo> {
        self.tabs.values().map(|known| &known.info).find(|info| info.page.as_ref() == Some(page))
    }
    pub(super) fn by_chrome_id(&self, chrome_id: ChromeTabId) -> Option<&TabInfo> {
        self.tabs.values().map(|known| &known.info).find(|info| info.chrome_id == Some(chrome_id))
    }

    pub(super) fn has_current(&self) -> bool {
        self.current.is_some_and(|id| self.tabs.contains_key(&id))
    }
    /// Returns the tab that commands without a tab act on: the chosen one, else the one in view, else the newest.
    pub(super) fn current(&mut self) -> Option<TabId> {
        if let Some(id) = self.current.filter(|id| self.tabs.contains_key(id)) {
            return Some(id);
        }
        let told = || self.tabs.values().filter(|known| known.told).map(|known| &known.info);
        let found = told().rev().find(|info| info.in_view).or_else(|| told().next_back()).map(|info| info.id);
        self.current = found;
        found
    }
    pub(super) fn set_current(&mut self, id: TabId) {
        self.before.extend(self.current.filter(|before| *before != id));
        self.before.retain(|before| *before != id);
        self.current = Some(id);
    }
    /// Returns the record for the next daemon; the caller that writes it sets `browser`.
    pub(super) fn record(&self) -> TabRecord {
        let told = self.tabs.values().filter(|known| known.told).map(|known| &known.info);
        TabRecord {
            browser: String::new(),
            next: self.numbers.upcoming(),
            numbers: told.map(|info| (info.target.as_str().to_owned(), info.id)).collect(),
            current: self.current,
        }
    }
    /// Returns the tab that becomes current after the current one closed: its opener, else the previous current tab.
    fn next_current(&self, opener: Option<TabId>) -> Option<TabId> {
        let is_open = |id: &TabId| self.tabs.get(id).is_some_and(|known| known.told);
        opener.filter(is_open).or_else(|| self.before.iter().rev().copied().find(is_open))
    }

    /// Applies the reply to a query for the tabs in view: a switch of tabs is not reported by itself.
    pub(super) fn views(&mut self, targets: Vec<TargetInfo>) -> Vec<Follow> {
        targets.into_iter().filter(|target| target.kind == "tab").flat_map(|target| self.seen(target, false)).collect()
    }

    /// Handles `targetCreated` and `targetInfoChanged`.
    pub(super) fn seen(&mut self, target: TargetInfo, incognito: bool) -> Vec<Follow> {
        match target.kind.as_str() {
            "tab" => self.tab_seen(target, incognito),
            "page" if target.subtype.as_deref() != Some("prerender") => self.page_seen(target),
            _ => Vec::new(),
        }
    }

    fn tab_seen(&mut self, target: TargetInfo, incognito: bool) -> Vec<Follow> {
        let in_view = target.embedder_data.as_ref().and_then(|data| data.tab_active);
        let in_strip = target.embedder_data.is_some();
        self.names_strip |= in_strip;
        let tab_target = TargetId::new(target.target_id);
        if let Some(id) = self.by_target.get(&tab_target).copied() {
            if let Some(known) = self.tabs.get_mut(&id) {
                known.in_strip |= in_strip;
            }
            let mut follows = self.tell_if_due(id);
            follows.extend(self.change(id, |info| {
                if let Some(in_view) = in_view {
                    info.in_view = in_view;
                }
            }));
            return follows;
        }
        if target.url.starts_with("devtools://") || (self.names_strip && !in_strip) {
            return Vec::new();
        }
        let id = self.numbers.of(&tab_target);
        let info = TabInfo {
            id,
            target: tab_target.clone(),
            page: None,
            url: target.url,
            title: target.title,
            opener: None,
            state: TabState::Open,
            in_view: in_view.unwrap_or(false),
            incognito,
            context: target.browser_context_id,
            chrome_id: None,
        };
        self.tabs.insert(id, Known { info, in_strip, told: false, settled: false });
        self.by_target.insert(tab_target.clone(), id);
        vec![Follow::FindPage(tab_target)]
    }

    fn page_seen(&mut self, target: TargetInfo) -> Vec<Follow> {
        let page = TargetId::new(target.target_id);
        let (url, title) = (target.url.clone(), target.title.clone());
        self.pages.insert(page.clone(), PageInfo { url: target.url, title: target.title, opener: target.opener_id });
        let Some(id) = self.by_page(&page).map(|info| info.id) else { return Vec::new() };
        self.change(id, |info| {
            // A crashed page's target is still reported; only a new address shows that the page is back.
            if info.url != url {
                info.state = TabState::Open;
            }
            info.url = url;
            info.title = title;
        })
    }

    /// Handles the answer to `FindPage`; a tab without a page is reported too.
    pub(super) fn page_found(&mut self, tab_target: &TargetId, page: Option<TargetId>) -> Vec<Follow> {
        let Some(id) = self.by_target.get(tab_target).copied() else { return Vec::new() };
        let known_page = page.as_ref().and_then(|page| self.pages.get(page));
        let opener = known_page
            .and_then(|page| page.opener.as_ref())
            .and_then(|opener| self.by_page(&TargetId::new(opener.as_str())))
            .map(|opener| opener.id);
        let texts = known_page.map(|page| (page.url.clone(), page.title.clone()));
        let chrome = page.as_ref().and_then(|page| self.waiting_chrome.remove(page));
        let Some(known) = self.tabs.get_mut(&id) else { return Vec::new() };
        let before = known.info.clone();
        if page.is_some() {
            known.info.page = page;
        }
        if let Some((url, title)) = texts {
            known.info.url = url;
            known.info.title = title;
        }
        known.info.opener = known.info.opener.or(opener);
        if let Some(chrome) = chrome {
            join(&mut known.info, &chrome);
        }
        known.settled = true;
        if known.told && known.info != before {
            return vec![Follow::Tell(BrowserEvent::TabChanged(known.info.clone()))];
        }
        self.tell_if_due(id)
    }

    fn tell_if_due(&mut self, id: TabId) -> Vec<Follow> {
        let Some(known) = self.tabs.get_mut(&id) else { return Vec::new() };
        if known.told || !known.settled || (self.names_strip && !known.in_strip) {
            return Vec::new();
        }
        known.told = true;
        vec![Follow::Tell(BrowserEvent::TabOpened(known.info.clone()))]
    }

    /// Handles `targetDestroyed`.
    pub(super) fn destroyed(&mut self, target: &TargetId) -> Vec<Follow> {
        if let Some(id) = self.by_target.remove(target) {
            let closed = self.tabs.remove(&id);
            let opener = closed.as_ref().and_then(|known| known.info.opener);
            let told = closed.is_some_and(|known| known.told);
            self.before.retain(|before| *before != id);
            if self.current == Some(id) {
                self.current = self.next_current(opener);
            }
            let mut follow = vec![Follow::Closed(id)];
            if told {
                follow.push(Follow::Tell(BrowserEvent::TabClosed(id)));
            }
            return follow;
        }
        if self.pages.remove(target).is_none() {
            return Vec::new();
        }
        self.waiting_chrome.remove(target);
        let Some(known) = self.tabs.values_mut().find(|known| known.info.page.as_ref() == Some(target)) else {
            return Vec::new();
        };
        // The tab gets another page (a prerendered one), or is about to close.
        known.info.page = None;
        vec![Follow::FindPage(known.info.target.clone())]
    }

    /// Gives a tab another target, which keeps its number and everything else.
    pub(super) fn replaced(&mut self, former: &TargetId, target: &TargetId) {
        let Some(id) = self.by_target.remove(former) else { return };
        self.by_target.insert(target.clone(), id);
        self.numbers.replaced(former, target);
        if let Some(known) = self.tabs.get_mut(&id) {
            known.info.target = target.clone();
        }
    }

    /// Handles `targetCrashed` of a page target.
    pub(super) fn crashed(&mut self, page: &TargetId) -> Vec<Follow> {
        let Some(id) = self.by_page(page).map(|info| info.id) else { return Vec::new() };
        let mut follow = self.change(id, |info| info.state = TabState::Crashed);
        if !follow.is_empty() {
            follow.push(Follow::Tell(BrowserEvent::TabCrashed(id)));
        }
        follow
    }

    /// Records a new document, which ends the tab's crashed or discarded state.
    pub(super) fn has_new_document(&mut self, id: TabId) -> Vec<Follow> {
        self.change(id, |info| info.state = TabState::Open)
    }

    /// Joins Chrome's report of a tab, sent by the extension, to our tab by its page target.
    pub(super) fn bind(&mut self, chrome: &ChromeTab) -> Vec<Follow> {
        let by_page = chrome.target_id.as_ref().and_then(|page| self.by_page(page));
        let Some(id) = by_page.or_else(|| self.by_chrome_id(chrome.chrome_tab_id)).map(|info| info.id) else {
            if let Some(page) = &chrome.target_id {
                self.waiting_chrome.insert(page.clone(), chrome.clone());
            }
            return Vec::new();
        };
        self.change(id, |info| join(info, chrome))
    }

    fn change(&mut self, id: TabId, edit: impl FnOnce(&mut TabInfo)) -> Vec<Follow> {
        let Some(known) = self.tabs.get_mut(&id) else { return Vec::new() };
        let before = known.info.clone();
        edit(&mut known.info);
        if !known.told || known.info == before {
            return Vec::new();
        }
        vec![Follow::Tell(BrowserEvent::TabChanged(known.info.clone()))]
    }
}

fn join(info: &mut TabInfo, chrome: &ChromeTab) {
    info.chrome_id = Some(chrome.chrome_tab_id);
    info.in_view = chrome.active;
    info.incognito |= chrome.incognito;
    info.state = match (chrome.discarded, info.state) {
        (true, _) => TabState::Discarded,
        (false, TabState::Discarded) => TabState::Open,
        (false, state) => state,
    };
}

#[cfg(test)]
mod tests {
    use super::{BrowserEvent, Follow, TabNumbers, Tabs};
    use crate::devtools::target::TargetInfo;
    use gstack_protocol::ids::{TabId, TargetId};
    use serde_json::json;

    fn target(kind: &str, id: &str, in_strip: bool) -> TargetInfo {
        let strip = in_strip.then(|| json!({"tabActive": false}));
        serde_json::from_value(json!({"targetId": id, "type": kind, "url": "http://a/", "embedderData": strip}))
            .unwrap()
    }
    fn page_of(tabs: &mut Tabs, tab: &str, page: &str) -> Vec<Follow> {
        tabs.seen(target("page", page, false), false);
        tabs.page_found(&TargetId::new(tab), Some(TargetId::new(page)))
    }

    #[test]
    fn a_side_panel_is_no_tab_although_it_has_a_tab_target() {
        let mut tabs = Tabs::new(TabNumbers::default());
        // Seen before the browser has shown that it reports tab strips.
        tabs.seen(target("tab", "panel", false), false);
        tabs.seen(target("tab", "real", true), false);
        assert!(page_of(&mut tabs, "panel", "P").is_empty());
        assert!(matches!(page_of(&mut tabs, "real", "R")[..], [Follow::Tell(BrowserEvent::TabOpened(_))]));
        assert_eq!(tabs.all().len(), 1);
        assert!(!tabs.has_untold());
    }

    #[test]
    fn a_tab_keeps_its_number_when_its_page_is_replaced() {
        let mut tabs = Tabs::new(TabNumbers::default());
        tabs.seen(target("tab", "T", true), false);
        page_of(&mut tabs, "T", "A");
        let follow = tabs.destroyed(&TargetId::new("A"));
        assert!(matches!(&follow[..], [Follow::FindPage(target)] if target.as_str() == "T"));
        page_of(&mut tabs, "T", "B");
        assert_eq!(tabs.by_page(&TargetId::new("B")).unwrap().id, TabId(1));
    }

    #[test]
    fn a_discarded_tab_that_comes_back_under_another_id_keeps_its_number() {
        let mut tabs = Tabs::new(TabNumbers::default().keeping());
        tabs.seen(target("tab", "T", true), false);
        page_of(&mut tabs, "T", "A");
        let (former, other) = (TargetId::new("T"), TargetId::new("U"));
        tabs.replaced(&former, &other);
        assert!(tabs.destroyed(&former).is_empty(), "the former id closes nothing");
        assert!(tabs.seen(target("tab", "U", true), false).is_empty(), "it is no other tab");
        assert_eq!(tabs.by_target(&other), Some(TabId(1)));
        assert_eq!(tabs.numbers.of(&other), TabId(1), "also on the next connection");
    }

    #[test]
    fn numbers_go_on_across_browser_runs() {
        let numbers = TabNumbers::default();
        Tabs::new(numbers.clone()).seen(target("tab", "T", true), false);
        let mut second = Tabs::new(numbers);
        second.seen(target("tab", "T", true), false);
        page_of(&mut second, "T", "A");
        assert_eq!(second.all()[0].id, TabId(2));
        assert!(second.was_given(TabId(1)) && !second.was_given(TabId(3)));
    }

    #[test]
    fn closing_the_current_tab_moves_to_one_that_is_there() {
        let mut tabs = Tabs::new(TabNumbers::default());
        for (tab, page) in [("T", "A"), ("U", "B")] {
            tabs.seen(target("tab", tab, true), false);
            page_of(&mut tabs, tab, page);
        }
        tabs.set_current(TabId(1));
        assert_eq!(tabs.current(), Some(TabId(1)));
        tabs.destroyed(&TargetId::new("T"));
        assert_eq!(tabs.current(), Some(TabId(2)));
    }

    #[test]
    fn a_popup_that_closes_leaves_its_opener_the_current_tab() {
        let mut tabs = Tabs::new(TabNumbers::default());
        for (tab, page) in [("T", "A"), ("U", "B"), ("V", "C")] {
            tabs.seen(target("tab", tab, true), false);
            page_of(&mut tabs, tab, page);
        }
        let mut popup = target("page", "D", false);
        popup.opener_id = Some("B".to_owned());
        tabs.seen(target("tab", "W", true), false);
        tabs.seen(popup, false);
        tabs.page_found(&TargetId::new("W"), Some(TargetId::new("D")));
        for id in [1, 3, 4] {
            tabs.set_current(TabId(id));
        }
        tabs.destroyed(&TargetId::new("W"));
        assert_eq!(tabs.current(), Some(TabId(2)));
        tabs.set_current(TabId(1));
        tabs.set_current(TabId(3));
        tabs.destroyed(&TargetId::new("V"));
        assert_eq!(tabs.current(), Some(TabId(1)), "without an opener it is the one before");
    }
}
