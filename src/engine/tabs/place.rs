//! The tab that a conversation belongs to: the only place that translates tab ids.
//!
//! A tab of a browser that gstack drives is identified by its DevTools target, a tab of an everyday browser by its
//! Chrome id within one run of its port.

use super::error::TabsError;
use super::service::Tabs;
use super::shown::page;
use crate::browsers::{BrowsersError, tab_key};
use crate::ports::PortId;
use gstack_base::mutex::lock;
use gstack_browser::browser::Browser;
use gstack_browser::tabs::TabInfo;
use gstack_chat::session_file::TabKey;
use gstack_protocol::catalogue;
use gstack_protocol::chat::PageContext;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{BrowserRun, ChromeTabId, TabId, TargetId};
use gstack_protocol::tabs::ChromeTab;
use std::mem;
use std::time::Duration;
use tokio::time::timeout;

/// The known facts about a tab that a panel names.
pub(crate) enum KnownPlace {
    Known(TabPlace),
    /// The extension has reported the tab, but DevTools has not named its page yet.
    Unnamed,
    NotReported,
}

/// A tab that a conversation can belong to.
pub(crate) struct TabPlace {
    pub(crate) tab_id: TabId,
    pub(crate) key: TabKey,
    pub(crate) page: PageContext,
}

/// How long a new tab may take from the extension's report until DevTools names its page.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

impl Tabs {
    /// Returns the place of a Chrome tab's conversation. Waits for DevTools to name the page of a tab that the extension
    /// has just reported: a guess would give the tab a conversation that no tool can serve. Fails if the extension has
    /// not reported the tab, or if its page stays unknown.
    pub(crate) async fn place_of(&self, port: PortId, chrome_id: ChromeTabId) -> Result<TabPlace, Fault> {
        let mut changes = self.0.changed.subscribe();
        let known = async {
            loop {
                changes.borrow_and_update();
                match self.known_place(port, chrome_id) {
                    KnownPlace::Known(place) => return Ok(place),
                    KnownPlace::NotReported => break,
                    KnownPlace::Unnamed => {}
                }
                if changes.changed().await.is_err() {
                    break;
                }
            }
            Err(TabsError::NotReported(chrome_id))
        };
        timeout(LONGEST_WAIT, known).await.unwrap_or(Err(TabsError::PageUnknown(chrome_id))).map_err(Fault::from)
    }

    /// Returns what is known about a Chrome tab now.
    pub(crate) fn known_place(&self, port: PortId, chrome_id: ChromeTabId) -> KnownPlace {
        let reported = self.0.book.reported(port, chrome_id);
        let browser = self.0.browsers.of_port(port);
        if let Some(browser) = &browser {
            let by_page =
                reported.as_ref().and_then(|tab| tab.target_id.as_ref()).and_then(|page| browser.by_page(page));
            if let Some(info) = by_page.or_else(|| browser.by_chrome_id(chrome_id)) {
                return KnownPlace::Known(driven_place(browser, &info));
            }
        }
        let Some(tab) = reported else { return KnownPlace::NotReported };
        // A browser that gstack started may be disconnected at the moment.
        if browser.is_some() || self.0.ports.run_of(port).is_some() {
            return KnownPlace::Unnamed;
        }
        KnownPlace::Known(self.foreign_place(port, &tab))
    }

    fn foreign_place(&self, port: PortId, tab: &ChromeTab) -> TabPlace {
        let instance = self.0.ports.instance_of(port);
        let tab_id = self.0.book.number(port, tab.chrome_tab_id);
        let key = TabKey {
            browser_run: BrowserRun::new(instance),
            target_id: TargetId::new(format!("chrome-tab-{}", tab.chrome_tab_id)),
        };
        TabPlace { tab_id, key, page: page(&tab.url, &tab.title) }
    }

    /// Returns the place of a message from the terminal: the named tab, else the current one of the named browser or the
    /// main one, else `None`.
    pub(crate) async fn place_for_terminal(
        &self,
        tab: Option<TabId>,
        browser: Option<&str>,
    ) -> Result<Option<TabPlace>, Fault> {
        let browsers = self.0.browsers.of_request(tab, browser)?;
        let Some((browser, _)) = browsers.pages_with(tab) else {
            if !browsers.name().is_main() {
                return Err(browsers.not_open());
            }
            return match tab {
                None => Ok(None),
                Some(tab) => Err(BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR_TAB.with([&tab.to_string()])).into()),
            };
        };
        let tab = match tab {
            Some(id) => browser.tab(id)?,
            None => match browser.current().await {
                Ok(tab) => tab,
                Err(_) => return Ok(None),
            },
        };
        Ok(Some(driven_place(&browser, &tab.info()?)))
    }

    /// Reattaches the former conversation to a closed tab that Chrome has restored, once its page is known.
    pub(crate) fn restored(&self, port: PortId, tab: &ChromeTab) {
        lock(&self.0.restored).push((port, tab.clone()));
        self.reattach_restored();
    }

    /// Reattaches the conversations of the restored tabs whose pages are known by now.
    pub(crate) fn reattach_restored(&self) {
        let restored = mem::take(&mut *lock(&self.0.restored));
        for (port, tab) in restored {
            match self.known_place(port, tab.chrome_tab_id) {
                KnownPlace::Known(place) => self.reattach(place, &tab),
                KnownPlace::Unnamed => lock(&self.0.restored).push((port, tab)),
                KnownPlace::NotReported => {}
            }
        }
    }

    /// Gives a tab its former conversation back, unless it already has its own.
    fn reattach(&self, place: TabPlace, tab: &ChromeTab) {
        let own = self.0.store.of_tab(place.tab_id).and_then(|id| self.conversation(&id).ok());
        if own.is_some_and(|conversation| conversation.head() > 0) {
            return;
        }
        let Some(id) = self.take_closed(&tab.url) else { return };
        let free = self.conversation(&id).is_ok_and(|conversation| conversation.info().tab_id.is_none());
        if free && let Err(error) = self.0.store.attach(&id, place.tab_id, Some(place.key)) {
            tracing::warn!(%error, "a restored tab did not get its conversation back");
        }
    }
}

/// Returns the place of a tab in a browser that gstack drives.
pub(crate) fn driven_place(browser: &Browser, info: &TabInfo) -> TabPlace {
    TabPlace { tab_id: info.id, key: tab_key(browser, info), page: page(&info.url, &info.title) }
}
