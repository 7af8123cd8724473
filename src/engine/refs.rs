//! The refs of a tab's last snapshot, for who points at elements: the panel and scripts.
//!
//! Owns the choice of the tab. Takes no snapshot by itself.

use super::Engine;
use super::commands::not_driven;
use super::ports::PortId;
use super::tabs::no_browser;
use crate::browser::page::{Listed, Page};
use crate::protocol::elements::{RefInfo, Refs, RefsHighlight, RefsShow};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ChromeTabId, TabId};

impl Engine {
    /// Of this tab, else of the current one.
    pub fn refs(&self, tab: Option<TabId>) -> Result<Refs, Fault> {
        let (browser, pages) = self.pages().ok_or_else(|| no_browser("refs are of a page"))?;
        let id = match tab {
            Some(id) => Some(browser.tab(id)?.id()),
            None => browser.current_known(),
        };
        let listed = id.map(|id| pages.listed(id)).unwrap_or_default();
        Ok(Refs { refs: listed.into_iter().map(info).collect() })
    }

    /// Of the tab that a panel shows.
    pub fn refs_of_panel(&self, port: PortId, chrome_id: ChromeTabId) -> Result<Refs, Fault> {
        let place = self.place_of(port, chrome_id)?;
        if self.browser_of(port).is_none() {
            return Err(not_driven());
        }
        self.refs(Some(place.tab_id))
    }

    /// Draws all refs of the last snapshot onto the page, or takes them away.
    pub async fn refs_show(&self, port: PortId, show: RefsShow) -> Result<(), Fault> {
        let (page, listed) = self.pointed_at(port, show.chrome_tab_id).await?;
        let names: Vec<String> = listed.iter().filter(|_| show.show).map(|listed| listed.name.to_string()).collect();
        Ok(page.mark(&names, false).await?)
    }

    /// Marks one element in the page and scrolls it into view; without a ref none is marked.
    pub async fn refs_highlight(&self, port: PortId, highlight: RefsHighlight) -> Result<(), Fault> {
        let (page, _) = self.pointed_at(port, highlight.chrome_tab_id).await?;
        Ok(page.mark(highlight.reference.as_slice(), true).await?)
    }

    async fn pointed_at(&self, port: PortId, chrome_id: ChromeTabId) -> Result<(Page, Vec<Listed>), Fault> {
        let place = self.place_of(port, chrome_id)?;
        let browser = self.browser_of(port).ok_or_else(not_driven)?;
        let (_, pages) = self.pages().ok_or_else(not_driven)?;
        let page = pages.open(&browser.tab(place.tab_id)?).await?;
        Ok((page, pages.listed(place.tab_id)))
    }
}

fn info(listed: Listed) -> RefInfo {
    RefInfo { reference: listed.name.to_string(), role: listed.role, name: listed.label }
}
