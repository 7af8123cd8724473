//! Page elements as a panel refers to them: refs, the outline, picking, and the agent's pointer.
//!
//! Owns each panel's pick. The browser layer draws.

mod error;
mod pointing;

use crate::browsers::{Browsers, BrowsersError};
use crate::ports::{PortId, Ports};
use crate::tabs::{KnownPlace, Tabs};
use crate::tasks::Tasks;
use error::ElementError;
use gstack_base::mutex::lock;
use gstack_base::own_page;
use gstack_browser::keep_attached::KeepAttached;
use gstack_browser::page::refs::RefName;
use gstack_browser::page::{ListedRef, Marks, PickedElement, PointerAt, PointerWatch};
use gstack_protocol::catalogue;
use gstack_protocol::elements::{Acting, OfTab, Picked, RefInfo, Refs, RefsHighlight, RefsShow};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ChromeTabId, PanelId, TabId};
use gstack_protocol::methods::ToPanel;
use pointing::{Pointing, Who};
use std::sync::{Arc, Mutex};

/// A handle to the elements that panels point at. Cheap to clone.
#[derive(Clone)]
pub struct Elements {
    browsers: Browsers,
    ports: Ports,
    tabs: Tabs,
    tasks: Tasks,
    pointing: Arc<Mutex<Pointing>>,
}

impl Elements {
    pub(crate) fn new(browsers: Browsers, ports: Ports, tabs: Tabs, tasks: Tasks) -> Self {
        Self { browsers, ports, tabs, tasks, pointing: Arc::default() }
    }

    /// Returns the refs of a tab's last snapshot.
    pub async fn refs(&self, port: PortId, of: OfTab) -> Result<Refs, Fault> {
        match self.marks(port, of.chrome_tab_id, MarkUse::Look).await? {
            Some(marks) => Ok(listed(marks.refs().await?)),
            None => Ok(Refs { refs: Vec::new() }),
        }
    }

    /// Returns the refs of the last snapshot of a tab, or of the current one if no tab is named. For scripts.
    pub async fn refs_of_tab(&self, tab: Option<TabId>) -> Result<Refs, Fault> {
        let (browser, pages) = self
            .browsers
            .pages_with(tab)
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR_REFS.into()))?;
        let tab = match tab {
            Some(id) => browser.tab(id)?,
            None => browser.current().await?,
        };
        Ok(listed(pages.marks(&tab).await?.refs().await?))
    }

    pub async fn show_refs(&self, port: PortId, client: Option<PanelId>, show: RefsShow) -> Result<(), Fault> {
        let mark_use = if show.show { MarkUse::Draw } else { MarkUse::Look };
        let Some(marks) = self.marks(port, show.chrome_tab_id, mark_use).await? else { return Ok(()) };
        let shown = marks.show_refs(show.show).await;
        self.drew(port, client, &marks);
        Ok(shown?)
    }

    pub async fn highlight(
        &self,
        port: PortId,
        client: Option<PanelId>,
        highlight: RefsHighlight,
    ) -> Result<(), Fault> {
        let name = match &highlight.reference {
            None => None,
            Some(text) => Some(RefName::parse(text).ok_or_else(|| ElementError::NotARef(text.clone()))?),
        };
        let mark_use = if name.is_some() { MarkUse::Draw } else { MarkUse::Look };
        let Some(marks) = self.marks(port, highlight.chrome_tab_id, mark_use).await? else { return Ok(()) };
        let pointed = marks.highlight(name).await;
        self.drew(port, client, &marks);
        Ok(pointed?)
    }

    /// Lets a panel's person pick an element. Ends a pick in progress in the tab or in the panel.
    pub async fn pick(&self, port: PortId, client: Option<PanelId>, of: OfTab) -> Result<Picked, Fault> {
        let place = self.tabs.place_of(port, of.chrome_tab_id).await?;
        if let Some(fault) = kept_out_of(&place.page.url) {
            return Err(fault);
        }
        let end = self.tasks.shutdown().child_token();
        let key = (port, client);
        {
            let picks = &mut lock(&self.pointing).picks;
            for (_, (_, before)) in picks.extract_if(|of, (tab, _)| *of == key || *tab == place.tab_id) {
                before.cancel();
            }
            picks.insert(key.clone(), (place.tab_id, end.clone()));
        }
        // Registered from here on: the pick may be cancelled before the page is ready for it.
        let outcome = async {
            let marks = self.marks(port, of.chrome_tab_id, MarkUse::Draw).await?.ok_or(BrowsersError::NotConnected)?;
            if end.is_cancelled() { Ok(None) } else { marks.pick(&end).await.map_err(Fault::from) }
        };
        let outcome: Result<Option<PickedElement>, Fault> = outcome.await;
        if !end.is_cancelled() {
            lock(&self.pointing).picks.remove(&key);
            // The person clicked in the page; what they type next is for the panel.
            if let Some(browser) = self.browsers.of_port(port).filter(|_| outcome.is_ok()) {
                browser.keyboard_to_last_panel();
            }
        }
        match outcome? {
            Some(picked) => Ok(wire(picked)),
            None => Err(ElementError::NothingPicked.into()),
        }
    }

    /// Ends the picks of a tab.
    pub fn pick_stop(&self, port: PortId, of: OfTab) -> Result<(), Fault> {
        if let KnownPlace::Known(place) = self.tabs.known_place(port, of.chrome_tab_id) {
            self.end_picks(|_, at| at == place.tab_id);
        }
        Ok(())
    }

    /// Ends the pick of a closed panel, or of all panels of a closed port, and removes what it had drawn.
    pub(crate) fn end_pointing(&self, port: PortId, client: Option<&Option<PanelId>>) {
        let is_gone = |(of, panel): &Who| *of == port && client.is_none_or(|client| panel == client);
        self.end_picks(|who, _| is_gone(who));
        let drawn: Vec<(TabId, KeepAttached)> =
            lock(&self.pointing).drawn.extract_if(|who, _| is_gone(who)).map(|(_, drawn)| drawn).collect();
        if drawn.is_empty() {
            return;
        }
        let elements = self.clone();
        self.tasks.spawn(async move {
            for (tab, _keep) in drawn {
                // Nothing is drawn in a closed tab.
                let Some((browser, pages)) = elements.browsers.pages_with(Some(tab)) else { continue };
                let Ok(tab) = browser.tab(tab) else { continue };
                let cleared = async {
                    let marks = pages.marks(&tab).await?;
                    marks.show_refs(false).await?;
                    marks.highlight(None).await
                };
                if let Err(error) = cleared.await {
                    tracing::debug!(%error, "what a panel had drawn could not be taken away");
                }
            }
        });
    }

    pub(crate) fn end_picks_of(&self, tab: TabId) {
        self.end_picks(|_, at| at == tab);
    }

    fn end_picks(&self, which: impl Fn(&Who, TabId) -> bool) {
        for (_, (_, end)) in lock(&self.pointing).picks.extract_if(|key, (tab, _)| which(key, *tab)) {
            end.cancel();
        }
    }

    /// Sends the browsers' extensions the position of an agent's input in a tab. Returns `None` if no extension
    /// listens.
    pub(crate) fn shows_pointer(&self, tab: TabId) -> Option<PointerWatch> {
        self.ports.senders().iter().find(|(port, _)| self.tabs.chrome_tab(*port, tab).is_some())?;
        let elements = self.clone();
        Some(Arc::new(move |at| elements.tell_acting(at)))
    }

    fn tell_acting(&self, PointerAt { tab, x, y, pressed }: PointerAt) {
        for (port, sender) in self.ports.senders() {
            if let Some(chrome) = self.tabs.chrome_tab(port, tab) {
                let acting = Acting { chrome_tab_id: chrome.chrome_tab_id, x, y, pressed };
                sender.send(&ToPanel::TabsActing(acting).envelope(None));
            }
        }
    }

    /// Records what a panel has drawn in a tab, because that panel removes it.
    fn drew(&self, port: PortId, client: Option<PanelId>, marks: &Marks) {
        let drawn = marks.draws().then(|| (marks.tab(), marks.keep_attached()));
        let mut pointing = lock(&self.pointing);
        let before = match drawn {
            Some(drawn) => pointing.drawn.insert((port, client.clone()), drawn),
            None => pointing.drawn.remove(&(port, client.clone())),
        };
        drop(pointing);
        // Dropped without the lock, because the drop may start to detach from the tab.
        drop(before);
        // It closed while this was drawn, and its end found nothing to remove.
        if !self.ports.is_open(port, client.as_ref()) {
            self.end_pointing(port, Some(&client));
        }
    }

    /// Returns `None` if the panel only looks at an everyday browser's tab that gstack is not attached to, because
    /// looking does not justify attaching.
    async fn marks(&self, port: PortId, tab: ChromeTabId, mark_use: MarkUse) -> Result<Option<Marks>, Fault> {
        let place = self.tabs.place_of(port, tab).await?;
        let found = self.browsers.of_port(port).and_then(|_| self.browsers.pages_with(Some(place.tab_id)));
        let (browser, pages) = found.ok_or(BrowsersError::NotConnected)?;
        let tab = browser.tab(place.tab_id)?;
        if mark_use == MarkUse::Draw {
            self.browsers.let_in(place.tab_id);
        } else if browser.is_relayed() && !tab.is_engaged() {
            return Ok(None);
        }
        Ok(Some(pages.marks(&tab).await?))
    }
}

/// Why a panel needs the marks in a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkUse {
    /// The panel reads them by itself whenever another tab comes into view.
    Look,
    /// The person wants something shown.
    Draw,
}

fn listed(refs: Vec<ListedRef>) -> Refs {
    let refs = refs.into_iter().map(|listed| RefInfo {
        reference: listed.name.to_string(),
        role: listed.role,
        name: listed.label,
    });
    Refs { refs: refs.collect() }
}

fn wire(picked: PickedElement) -> Picked {
    let PickedElement { name, role, label, selector, url, rect, html } = picked;
    Picked { reference: name.to_string(), role, name: label, selector, url, rect, html }
}

/// Returns the fault for a page that extensions cannot access.
fn kept_out_of(url: &str) -> Option<Fault> {
    own_page::of(url).map(|page| ElementError::PickForbidden(page).into())
}

#[cfg(test)]
mod tests {
    use super::kept_out_of;

    #[test]
    fn a_page_of_the_browser_or_the_store_is_refused_in_words() {
        for url in
            ["chrome://settings/", "chrome-extension://abc/sidepanel.html", "https://chromewebstore.google.com/x"]
        {
            let fault = kept_out_of(url).unwrap();
            assert!(fault.message.contains("you can't pick an element here") && fault.hint.is_some(), "{url}");
        }
        for url in ["https://example.com/", "about:blank", "http://127.0.0.1:8000/", "file:///tmp/a.html", ""] {
            assert!(kept_out_of(url).is_none(), "{url}");
        }
    }
}
