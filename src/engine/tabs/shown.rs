//! What a tab currently shows.
//!
//! Owns the order of the sources: first the browser that has the tab, then the reports of its port.

use super::service::Tabs;
use gstack_base::site;
use gstack_chat::Conversation;
use gstack_protocol::chat::PageContext;
use gstack_protocol::ids::{ChromeTabId, TabId};

impl Tabs {
    /// Returns the page of a conversation's tab.
    pub(crate) fn page_of(&self, conversation: &Conversation) -> Option<PageContext> {
        self.shown(conversation.info().tab_id?).map(|(_, page)| page)
    }

    /// Returns the tab in which the agent works and its page. `None` if that is the conversation's own tab.
    pub(crate) fn working_page(&self, conversation: &Conversation) -> Option<(TabId, PageContext)> {
        let tab = self.sets().working(conversation).filter(|tab| conversation.info().tab_id != Some(*tab))?;
        Some((tab, self.shown(tab)?.1))
    }

    /// Returns the page of a tab, and Chrome's id of the tab if known.
    pub(crate) fn shown(&self, tab_id: TabId) -> Option<(Option<ChromeTabId>, PageContext)> {
        if let Some((browser, _)) = self.0.browsers.pages_with(Some(tab_id))
            && let Ok(tab) = browser.tab(tab_id)
            && let Ok(info) = tab.info()
        {
            // DevTools does not report every change of a title; the extension does.
            let title = info.chrome_id.and_then(|id| self.0.book.reported_title(id, &info.url)).unwrap_or(info.title);
            return Some((info.chrome_id, page(&info.url, &title)));
        }
        let tab = self.0.book.numbered(tab_id)?;
        Some((Some(tab.chrome_tab_id), page(&tab.url, &tab.title)))
    }

    /// Returns the host of the page in a tab.
    pub(crate) fn site_of(&self, tab: TabId) -> Option<String> {
        site::of(&self.url_in(tab)?)
    }

    /// Returns what a tab shows, so that permissions can be bound to it.
    pub(crate) fn shown_in(&self, tab: TabId) -> site::SiteOrPage {
        site::SiteOrPage::of(&self.url_in(tab).unwrap_or_default())
    }

    fn url_in(&self, tab: TabId) -> Option<String> {
        let (browser, _) = self.0.browsers.pages_with(Some(tab))?;
        Some(browser.tab(tab).ok()?.info().ok()?.url)
    }
}

/// Returns a page in the form that conversations keep.
pub(super) fn page(url: &str, title: &str) -> PageContext {
    PageContext { url: url.to_owned(), title: title.to_owned(), selection: None }.bounded()
}
