//! What a tab shows now.
//!
//! Owns the order of the sources: the browser that has the tab, then what its port has reported.

use super::Engine;
use crate::base::site;
use crate::chat::Conversation;
use crate::protocol::chat::PageContext;
use crate::protocol::ids::{ChromeTabId, TabId};

impl Engine {
    /// The page of a conversation's tab.
    pub(super) fn page_of(&self, conversation: &Conversation) -> Option<PageContext> {
        self.shown_tab(conversation.info().tab_id?).map(|(_, page)| page)
    }

    /// The tab in which its agent works and what it shows. `None` if that is the conversation's own tab.
    pub(super) fn working_page(&self, conversation: &Conversation) -> Option<(TabId, PageContext)> {
        let tab = self.tab_sets().working(conversation).filter(|tab| conversation.info().tab_id != Some(*tab))?;
        Some((tab, self.shown_tab(tab)?.1))
    }

    /// The page of a tab, and Chrome's id of the tab once that is known.
    pub(super) fn shown_tab(&self, tab_id: TabId) -> Option<(Option<ChromeTabId>, PageContext)> {
        if let Some((browser, _)) = self.browsers().pages_with(Some(tab_id))
            && let Ok(tab) = browser.tab(tab_id)
            && let Ok(info) = tab.info()
        {
            // DevTools reports a title only on some occasions, the extension reports each.
            let title =
                info.chrome_id.and_then(|id| self.tab_book().reported_title(id, &info.url)).unwrap_or(info.title);
            return Some((info.chrome_id, page(&info.url, &title)));
        }
        let tab = self.tab_book().numbered(tab_id)?;
        Some((Some(tab.chrome_tab_id), page(&tab.url, &tab.title)))
    }

    /// The host of the page in a tab.
    pub(super) fn site_of(&self, tab: TabId) -> Option<String> {
        site::of(&self.url_in(tab)?)
    }

    /// What a tab shows, to bind to it what is allowed there.
    pub(super) fn shown_in(&self, tab: TabId) -> site::Place {
        site::Place::of(&self.url_in(tab).unwrap_or_default())
    }

    fn url_in(&self, tab: TabId) -> Option<String> {
        let (browser, _) = self.browsers().pages_with(Some(tab))?;
        Some(browser.tab(tab).ok()?.info().ok()?.url)
    }
}

/// A page as conversations keep it.
pub(super) fn page(url: &str, title: &str) -> PageContext {
    PageContext { url: url.to_owned(), title: title.to_owned(), selection: None }.bounded()
}
