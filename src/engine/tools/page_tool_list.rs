//! The tools of the page that an agent's tab shows, as the agent knows them.
//!
//! Owns the list and the wish to look again. `page_tool_look` looks.

use crate::agents::PageToolOffer;
use gstack_protocol::page_tool::PAGE_TOOL_PREFIX;
use std::sync::Arc;
use tokio::sync::{Notify, watch};

/// The tools that the page offers, and the request to look again.
#[derive(Default)]
pub(super) struct PageToolList {
    pub(super) offers: watch::Sender<Arc<Vec<PageToolOffer>>>,
    pub(super) look: Notify,
}

impl PageToolList {
    /// Requests a look. Several requests before the look count as one.
    pub(super) fn look(&self) {
        self.look.notify_one();
    }

    pub(super) fn watch(&self) -> watch::Receiver<Arc<Vec<PageToolOffer>>> {
        self.offers.subscribe()
    }
}

/// Returns true for a name that only a page's tool has.
pub(super) fn is_page_tool(tool: &str) -> bool {
    tool.starts_with(PAGE_TOOL_PREFIX)
}
