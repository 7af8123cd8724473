//! The everyday browsers that are connected, and the state kept for each.

use super::away::Away;
use crate::ports::PortId;
use gstack_browser::browser::Browser;
use gstack_browser::keep_attached::KeepAttached;
use gstack_browser::page::Pages;
use gstack_browser::relay::Relay;
use gstack_browser::tabs::TabNumbers;
use gstack_protocol::ids::{BrowserRun, ConversationId, TabId};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Relays {
    /// Keyed by the port of the extension.
    pub(super) open: BTreeMap<PortId, Arc<Everyday>>,
    pub(super) away: Away,
    /// The tab numbers of each browser. Tabs keep their numbers when the extension restarts.
    pub(super) numbers: HashMap<BrowserRun, TabNumbers>,
    /// The tabs that agents use in their current turns.
    pub(super) kept_attached: HashMap<ConversationId, BTreeMap<TabId, KeepAttached>>,
}

impl Relays {
    /// Creates the state. `in_use` are the browsers that an earlier daemon drove; their extensions are expected to reconnect.
    pub(super) fn awaiting(in_use: &[BrowserRun]) -> Self {
        let mut relays = Self::default();
        in_use.iter().for_each(|run| relays.away.begin(run));
        relays
    }
}

/// An everyday browser: a person started it, and gstack acts in its tabs through its extension.
pub(crate) struct Everyday {
    pub(super) relay: Relay,
    pub(super) pages: Pages,
    /// The name that the browser reports.
    pub(crate) name: String,
}

impl Everyday {
    pub(crate) fn browser(&self) -> &Browser {
        self.relay.browser()
    }
    pub(super) fn pages(&self) -> (Browser, Pages) {
        (self.browser().clone(), self.pages.clone())
    }
}
