//! Scripts that run in each document of a tab before the document's own.
//!
//! Owns the list, and adding a script to a session and removing it. Does not handle tabs: `tab_scripts` does.

use super::cdp::Cdp;
use super::devtools::page::{AddScriptToEvaluateOnNewDocumentParams, RemoveScriptToEvaluateOnNewDocumentParams};
use super::devtools::target::SessionId;
use super::devtools_session::Session;
use gstack_base::site::SiteOrPage;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One script.
#[derive(Debug)]
pub struct InitScript {
    /// Counts the tab's scripts from 1.
    pub number: u64,
    pub source: String,
    /// Runs only in documents of this place; `None`: in all.
    pub only_on: Option<SiteOrPage>,
    /// The isolated world that it runs in, in the present document too; `None`: the page's own.
    pub(super) world: Option<String>,
    given: Mutex<Given>,
}

/// The browser's identifiers of the script, by session.
#[derive(Debug, Default)]
struct Given {
    ids: HashMap<SessionId, String>,
    /// The script was removed from the list: an identifier that arrives later is removed at once.
    is_over: bool,
}

/// The scripts of one tab.
#[derive(Debug, Default)]
pub(super) struct InitScripts {
    pub(super) list: Vec<Arc<InitScript>>,
    count: u64,
}

impl InitScripts {
    pub(super) fn add(&mut self, source: String, only_on: Option<SiteOrPage>) -> Arc<InitScript> {
        self.count += 1;
        let script = Arc::new(InitScript { number: self.count, source, only_on, world: None, given: Mutex::default() });
        self.list.push(script.clone());
        script
    }

    /// Copies the list for a popup of this tab.
    pub(super) fn handed_on(&self) -> Self {
        let mut own = Self::default();
        for script in &self.list {
            own.count = script.number - 1;
            own.add(script.source.clone(), script.only_on.clone());
        }
        own
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

impl InitScript {
    /// Returns a script for an isolated world, which is in no list.
    pub(super) fn in_world(world: &str, source: String) -> Self {
        Self { number: 0, source, only_on: None, world: Some(world.to_owned()), given: Mutex::default() }
    }

    /// Returns the source as sent to the browser. `Page::add_init_script` has checked that the script is complete, so
    /// no part of it can escape the block; no page can change its own address.
    fn guarded(&self) -> String {
        match &self.only_on {
            None => self.source.clone(),
            Some(SiteOrPage::Site(site)) => {
                format!(
                    "if (window.location.host + (window.location.protocol === 'http:' && !window.location.port ? ':80' : '') \
                     === {}) {{\n{}\n}}",
                    serde_json::Value::from(site.as_str()),
                    self.source
                )
            }
            // Such a page has no other documents.
            Some(SiteOrPage::Page(_)) => String::new(),
        }
    }

    pub(super) fn give(self: &Arc<Self>, session: &Session) {
        let Some(id) = session.id().cloned() else { return };
        let command = AddScriptToEvaluateOnNewDocumentParams {
            world_name: self.world.clone(),
            run_immediately: self.world.as_ref().map(|_| true),
            ..AddScriptToEvaluateOnNewDocumentParams::new(self.guarded())
        };
        let (script, later) = (self.clone(), session.clone());
        session.post_then(command, move |reply| match reply {
            Ok(added) => {
                let mut given = script.given.lock().unwrap_or_else(PoisonError::into_inner);
                match given.is_over {
                    true => later.post(RemoveScriptToEvaluateOnNewDocumentParams::new(added.identifier)),
                    false => drop(given.ids.insert(id, added.identifier)),
                }
            }
            Err(error) => tracing::debug!(%error, "a page or frame did not take a script"),
        });
    }

    pub(super) fn take_back(&self, cdp: &Cdp) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.is_over = true;
        for (session, identifier) in given.ids.drain() {
            cdp.session(session).post(RemoveScriptToEvaluateOnNewDocumentParams::new(identifier));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_a_place_runs_only_there_and_a_popup_s_list_has_the_same_numbers() {
        let mut scripts = InitScripts::default();
        scripts.add("one".to_owned(), None);
        scripts.add("two".to_owned(), None);
        let bound = scripts.add("three // end".to_owned(), Some(SiteOrPage::of("http://a.example:8080/x")));
        assert_eq!(
            bound.guarded(),
            "if (window.location.host + (window.location.protocol === 'http:' && !window.location.port ? ':80' : '') \
             === \"a.example:8080\") {\nthree // end\n}"
        );
        scripts.list.remove(0);
        let numbers: Vec<u64> = scripts.handed_on().list.iter().map(|script| script.number).collect();
        assert_eq!((numbers, scripts.handed_on().count), (vec![2, 3], 3));
        let nowhere = scripts.add("x".to_owned(), Some(SiteOrPage::of("about:blank")));
        assert_eq!(nowhere.guarded(), "");
    }
}
