//! Documents of a tab that came from, or requested, refused addresses: recorded from network events and checked before
//! page data is returned.
//!
//! Owns no state: the memory of one tab is in `refused`.

use super::browser::Browser;
use super::error::BrowserError;
use super::events::Event;
use super::refused::RefusalMark;
use super::shared::Shared;
use super::tab::Tab;
use gstack_protocol::ids::TabId;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered {
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    response: Option<Remote>,
    #[serde(default)]
    redirect_response: Option<Remote>,
}

#[derive(Deserialize)]
struct Remote {
    #[serde(default, rename = "remoteIPAddress")]
    address: Option<String>,
}

impl Shared {
    /// Records the answer in `Network.responseReceived`, or the redirect in `Network.requestWillBeSent`.
    pub(super) fn answered(&self, tab: TabId, event: &Event) {
        let Some(refuses) = self.options.refuses else { return };
        if event.method() == "Network.requestWillBeSent" && !event.params().contains("\"redirectResponse\"") {
            return;
        }
        let Some(answered) = event.read::<Answered>() else { return };
        let remote = answered.response.or(answered.redirect_response);
        let Some(address) = remote.and_then(|remote| remote.address).filter(|address| refuses(address)) else { return };
        tracing::warn!(%tab, address, "a page got an answer from a refused address");
        let mut state = self.state();
        let Some(engaged) = state.engaged.get(&tab) else { return };
        let main = engaged.frames.main().map(|frame| frame.loader.clone()).unwrap_or_default();
        // A worker's request names no document: it counts against the page.
        let document = if answered.loader_id.is_empty() { main } else { answered.loader_id };
        let is_shown = engaged.frames.shows(&document);
        state.tab_states.entry(tab).or_default().refused.add(&document, &address, is_shown);
    }

    /// Records that a frame of the tab now shows this document.
    pub(super) fn document_shown(&self, tab: TabId, document: &str) {
        if let Some(tab_state) = self.state().tab_states.get_mut(&tab) {
            tab_state.refused.shown(document);
        }
    }
}

impl Browser {
    /// Returns true if nothing may be read from the remote address `address`, spelled as the browser reports it.
    pub fn refuses(&self, address: &str) -> bool {
        self.shared.options.refuses.is_some_and(|refuses| refuses(address))
    }
}

impl Tab {
    /// Marks the current state. Take a mark before reading from the tab.
    pub fn refusal_mark(&self) -> RefusalMark {
        let state = self.browser().shared.state();
        RefusalMark(state.tab_states.get(&self.id()).map_or(0, |tab_state| tab_state.refused.times))
    }

    /// Checks that what was read since the mark may be returned.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::RefusedAddress`] if a frame shows a document linked to a refused address, or showed
    /// one since the mark. The data that was read may come from there and must not be returned.
    pub fn check_addresses(&self, since: RefusalMark) -> Result<(), BrowserError> {
        let state = self.browser().shared.state();
        let Some(tab_state) = state.tab_states.get(&self.id()) else { return Ok(()) };
        let refused = &tab_state.refused;
        let frames = state.engaged.get(&self.id()).map(|engaged| engaged.frames.all()).unwrap_or_default();
        let now = frames.iter().find_map(|frame| refused.documents.get(&frame.loader));
        let met = (refused.times > since.0).then_some(&refused.last);
        match now.or(met) {
            Some(address) => Err(BrowserError::RefusedAddress(address.clone())),
            None => Ok(()),
        }
    }
}
