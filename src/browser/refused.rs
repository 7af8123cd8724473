//! The documents of one tab that have to do with an address from which nothing is read (a cloud's metadata service).
//!
//! Owns the memory of them, fed by each answer's remote address: the last of three guards, behind the spelling of an
//! address and the browser's own resolver rules, for names that lead there all the same. Never judges an address:
//! `AttachOptions::refuses` does.

use super::browser::Shared;
use super::error::BrowserError;
use super::events::Event;
use super::tab::Tab;
use crate::protocol::ids::TabId;
use serde::Deserialize;
use std::collections::HashMap;

/// More documents of one tab than this are not remembered one by one: each is a refusal of its own already.
const MOST: usize = 1000;

/// What one tab got from refused addresses.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The address, by the document (its loader) that asked for it or came from it.
    documents: HashMap<String, String>,
    /// Counts the times that such a document was shown or got such an answer, so that one that has gone meanwhile is
    /// noticed too.
    times: u64,
    last: String,
}

impl Refused {
    /// `is_shown`: a frame has that document now. One that is still to come counts when it does, and what was asked for
    /// by a document that was left (its icon) comes too late to be read.
    fn add(&mut self, document: &str, address: &str, is_shown: bool) {
        if self.documents.len() < MOST {
            self.documents.insert(document.to_owned(), address.to_owned());
        }
        if is_shown {
            self.shown(document);
        }
    }
    fn shown(&mut self, document: &str) {
        if let Some(address) = self.documents.get(document) {
            self.times += 1;
            self.last.clone_from(address);
        }
    }
}

/// How far a tab had got when something began to read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusalMark(u64);

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
    /// `Network.responseReceived`, and of `Network.requestWillBeSent` the answer that redirected.
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
        // A worker asks for no document in particular: it is held against the page.
        let document = if answered.loader_id.is_empty() { main } else { answered.loader_id };
        let is_shown = engaged.frames.shows(&document);
        state.desks.entry(tab).or_default().refused.add(&document, &address, is_shown);
    }

    /// A frame of the tab shows this document now.
    pub(super) fn document_shown(&self, tab: TabId, document: &str) {
        if let Some(desk) = self.state().desks.get_mut(&tab) {
            desk.refused.shown(document);
        }
    }
}

impl Tab {
    /// To be taken before something reads the tab.
    pub fn refusal_mark(&self) -> RefusalMark {
        let state = self.browser().shared.state();
        RefusalMark(state.desks.get(&self.id()).map_or(0, |desk| desk.refused.times))
    }

    /// An error where, since that mark or now, a frame of the tab shows a document that has to do with a refused address:
    /// what was read may be from there and must not be handed on.
    pub fn check_addresses(&self, since: RefusalMark) -> Result<(), BrowserError> {
        let state = self.browser().shared.state();
        let Some(desk) = state.desks.get(&self.id()) else { return Ok(()) };
        let refused = &desk.refused;
        let frames = state.engaged.get(&self.id()).map(|engaged| engaged.frames.all()).unwrap_or_default();
        let now = frames.iter().find_map(|frame| refused.documents.get(&frame.loader));
        let met = (refused.times > since.0).then_some(&refused.last);
        match now.or(met) {
            Some(address) => Err(BrowserError::RefusedAddress(address.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Refused;

    #[test]
    fn a_document_counts_when_it_answers_and_each_time_it_is_shown() {
        let mut refused = Refused::default();
        refused.shown("fine");
        assert_eq!(refused.times, 0);
        refused.add("coming", "10.0.0.1", false);
        assert_eq!(refused.times, 0);
        refused.shown("coming");
        refused.shown("coming");
        refused.add("asks", "10.0.0.2", true);
        assert_eq!((refused.times, refused.last.as_str()), (3, "10.0.0.2"));
    }
}
