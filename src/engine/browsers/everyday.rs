//! The everyday browsers that are connected, and what is remembered of each.

use super::away::Away;
use crate::browser::browser::Browser;
use crate::browser::linger::Stay;
use crate::browser::page::Pages;
use crate::browser::relay::Relay;
use crate::browser::tabs::TabNumbers;
use crate::engine::ports::PortId;
use crate::protocol::ids::{BrowserRun, ConversationId, TabId};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Relays {
    /// By the port of its extension.
    pub(super) open: BTreeMap<PortId, Arc<Everyday>>,
    pub(super) away: Away,
    /// The numbers of each browser's tabs. The tabs keep them when the extension is restarted.
    pub(super) numbers: HashMap<BrowserRun, TabNumbers>,
    /// The tabs in which agents work in their present turns.
    pub(super) stays: HashMap<ConversationId, BTreeMap<TabId, Stay>>,
}

impl Relays {
    /// `in_use`: the browser that an earlier daemon drove; its extension is expected to connect again.
    pub(super) fn awaiting(in_use: Option<&BrowserRun>) -> Self {
        let mut relays = Self::default();
        in_use.iter().for_each(|run| relays.away.begin(run));
        relays
    }
}

/// One everyday browser: a person started it, and gstack acts in its tabs by its extension.
pub(in crate::engine) struct Everyday {
    pub(super) relay: Relay,
    pub(super) pages: Pages,
    /// What the browser calls itself.
    pub(in crate::engine) name: String,
}

impl Everyday {
    pub(in crate::engine) fn browser(&self) -> &Browser {
        self.relay.browser()
    }
    pub(super) fn pages(&self) -> (Browser, Pages) {
        (self.browser().clone(), self.pages.clone())
    }
}
