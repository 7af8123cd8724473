//! The documents into which gstack filled a secret.
//!
//! Owns the answer whether a tab may still show one: the page's scripts, and so an agent's, could read the secret there.
//! A document that the browser keeps for the way back still counts. Never holds a secret itself.

use super::page::{Memory, Pages};
use crate::base::mutex::lock;
use crate::browser::tab::Tab;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The documents of one tab, by origin and the browser's id.
#[derive(Default)]
pub(super) struct HeldSecrets(Mutex<BTreeSet<(String, String)>>);

impl Memory {
    pub(super) fn hold_secret(&self, origin: &str, loader: &str) {
        lock(&self.held_secrets.0).insert((origin.to_owned(), loader.to_owned()));
    }
}

impl Pages {
    /// Returns whether the tab, or another one that its scripts could reach because it is of the same origin, shows a
    /// document into which a secret was filled.
    pub fn may_reach_secret(&self, tab: &Tab) -> bool {
        let of = |tab: &Tab| self.memory_if_known(tab.id()).map(|memory| lock(&memory.held_secrets.0).clone());
        let shows = |tab: &Tab, held: &BTreeSet<(String, String)>| {
            // A tab that is not followed at the moment may show anything that it showed before.
            held.iter().any(|(_, loader)| tab.shows_document(loader).unwrap_or(true))
        };
        if of(tab).is_some_and(|held| shows(tab, &held)) {
            return true;
        }
        let own = tab.info().map(|info| origin_of(&info.url)).unwrap_or_default();
        tab.browser().tabs().iter().filter_map(|info| tab.browser().tab(info.id).ok()).any(|other| {
            let held = of(&other).unwrap_or_default();
            held.iter().any(|(origin, _)| *origin == own) && shows(&other, &held)
        })
    }
}

fn origin_of(address: &str) -> String {
    url::Url::parse(address).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}
