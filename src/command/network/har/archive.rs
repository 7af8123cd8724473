//! The HAR file as a whole.
//!
//! Source: HAR 1.2, <http://www.softwareishard.com/blog/har-12-spec/>

use super::entry::Entry;
use crate::reading::pretty;
use gstack_base::clock::iso;
use gstack_protocol::VERSION;
use gstack_protocol::fault::Fault;
use serde_json::{Value, json};

pub(super) const PAGE: &str = "page_1";

pub(super) struct Archive {
    /// The page's address, as it may be shown.
    pub(super) page: String,
    /// In milliseconds since 1970.
    pub(super) since: u64,
    pub(super) entries: Vec<Entry>,
}

impl Archive {
    pub(super) fn text(&self) -> Result<String, Fault> {
        let entries: Vec<Value> = self.entries.iter().map(Entry::data).collect();
        let page = json!({ "startedDateTime": iso(self.since), "id": PAGE, "title": self.page,
            "pageTimings": { "onContentLoad": -1, "onLoad": -1 } });
        pretty(&json!({ "log": { "version": "1.2", "creator": { "name": "gstack", "version": VERSION },
            "pages": [page], "entries": entries } }))
    }
}
