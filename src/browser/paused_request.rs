//! Paused requests, and the documents that sent them.
//!
//! Owns the memory of one tab. `routes` decides on a request and `paused` carries it out.

use super::devtools::fetch::HeaderEntry;
use crate::devtools::target::SessionId;
use gstack_base::site::SiteOrPage;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet, VecDeque};

/// The number of requests whose documents are remembered.
const MOST_KNOWN: usize = 512;

/// The documents by request, and the requests that wait for theirs.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// By the network's request id, the newest last.
    known: VecDeque<(String, SiteOrPage)>,
    pub(super) waiting: HashMap<String, Waiting>,
    /// Ids of requests that were answered with credentials once.
    signed_in: HashSet<String>,
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) session: SessionId,
    pub(super) paused: Paused,
}

impl Documents {
    pub(super) fn of(&self, network_id: &str) -> Option<&SiteOrPage> {
        self.known.iter().rev().find(|(id, _)| id == network_id).map(|(_, place)| place)
    }

    pub(super) fn learn(&mut self, network_id: String, place: SiteOrPage) -> Option<Waiting> {
        if self.known.len() == MOST_KNOWN {
            self.known.pop_front();
        }
        let waiting = self.waiting.remove(&network_id);
        self.known.push_back((network_id, place));
        waiting
    }

    /// Records a sign-in for this request; returns true if it is the first.
    pub(super) fn signs_in(&mut self, request_id: &str) -> bool {
        if self.signed_in.len() >= MOST_KNOWN {
            self.signed_in.clear();
        }
        self.signed_in.insert(request_id.to_owned())
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Paused {
    pub(super) request_id: String,
    pub(super) request: RequestData,
    #[serde(default)]
    pub(super) network_id: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct RequestData {
    pub(super) url: String,
    #[serde(default)]
    pub(super) method: String,
    #[serde(default)]
    pub(super) headers: Map<String, Value>,
}

impl RequestData {
    pub(super) fn header(&self, wanted: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.and_then(|(_, value)| value.as_str())
    }

    pub(super) fn entries(&self) -> Vec<HeaderEntry> {
        let entry = |(name, value): (&String, &Value)| {
            Some(HeaderEntry { name: name.clone(), value: value.as_str()?.to_owned() })
        };
        self.headers.iter().filter_map(entry).collect()
    }

    /// Returns true for a CORS preflight request.
    pub(super) fn is_preflight(&self) -> bool {
        self.method == "OPTIONS" && self.header("access-control-request-method").is_some()
    }
}
