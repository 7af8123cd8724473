//! Overrides that Chromium keeps once for each process: the time zone and the locale. Tabs whose pages open one another share a
//! process, and only the tab that set such an override first can change it.
//!
//! Owns which tabs may share them, and sets a tab's own again when another one has given up the place.

use super::cdp::CdpError;
use super::devtools::Done;
use super::devtools_session::Session;
use super::error::BrowserError;
use super::overrides::PersistentOverride;
use super::shared::{Role, Shared, State};
use super::tab::Tab;
use gstack_protocol::ids::TabId;
use serde_json::{Value, json};
use std::sync::Arc;

/// The parameter of a time zone.
const ZONE: &str = "timezoneId";
/// A time zone to try, and another one if it is the one that is set.
const TRIED: &str = "Etc/UTC";
const TRIED_ELSE: &str = "Etc/GMT+1";
/// Longer chains of openers are cut: a page opens few tabs that open others.
const LONGEST_CHAIN: usize = 100;

impl State {
    /// Returns the first tab in the chain of openers. It may be closed.
    fn first_opener(&self, tab: TabId) -> TabId {
        let next = |tab: &TabId| self.tabs.get(*tab).and_then(|info| info.opener);
        std::iter::successors(Some(tab), next).take(LONGEST_CHAIN).last().unwrap_or(tab)
    }

    /// Returns the other tabs that may share the tab's process, oldest first.
    fn kin(&self, tab: TabId) -> Vec<TabId> {
        let first = self.first_opener(tab);
        let others = self.tabs.all().into_iter().map(|info| info.id).filter(|other| *other != tab);
        others.filter(|other| self.first_opener(*other) == first).collect()
    }

    /// Returns a tab that may share this one's process and has set this override, with its parameters.
    fn holder_beside(&self, tab: TabId, method: &str) -> Option<(TabId, Value)> {
        self.kin(tab).into_iter().find_map(|other| {
            let mut overrides = self.tab_states.get(&other)?.overrides.iter();
            let known = overrides.find(|known| known.method == method && !known.waits)?;
            Some((other, known.params.clone()))
        })
    }
}

impl Shared {
    /// Sets such an override, and notes whether another tab has set one for both.
    pub(super) fn post_process_override(self: &Arc<Self>, tab: TabId, session: &Session, command: PersistentOverride) {
        let (is_page, is_alone) = {
            let state = self.state();
            let role = session.id().and_then(|id| state.sessions.get(id));
            (matches!(role, Some(Role::Page(_))), state.holder_beside(tab, command.method).is_none())
        };
        if !is_page {
            // In a frame or worker of the page's own process it is always refused.
            return session.post(command);
        }
        let (shared, method) = (Arc::downgrade(self), command.method);
        let note = move |reply: Result<Done, CdpError>| {
            let Some(shared) = shared.upgrade() else { return };
            let mut state = shared.state();
            let overrides = state.tab_states.get_mut(&tab).map(|known| &mut known.overrides);
            if let Some(known) = overrides.and_then(|all| all.iter_mut().find(|known| known.method == method)) {
                known.waits = matches!(reply, Err(CdpError::Protocol { .. }));
            }
        };
        // The browser accepts a time zone that is in force already, whoever has set it, but no other one.
        let other = match command.params[ZONE].as_str() {
            Some(TRIED) if !is_alone => TRIED_ELSE,
            Some(_) if !is_alone => TRIED,
            _ => return session.post_then(command, note),
        };
        session.post_then(PersistentOverride::new(method, json!({ ZONE: other })), note);
        session.post(command);
    }

    /// Sets the overrides again that waited for those of this tab: it has closed or shows another page.
    pub(super) fn override_again(self: &Arc<Self>, tab: TabId) {
        let mut waiting = Vec::new();
        {
            let state = self.state();
            let waits = |known: &&PersistentOverride| known.is_of_process() && known.waits;
            if !state.tab_states.values().flat_map(|known| &known.overrides).any(|known| waits(&known)) {
                return;
            }
            for other in state.kin(tab) {
                let Some(page) = state.engaged.get(&other).and_then(|engaged| engaged.page.clone()) else { continue };
                let overrides = state.tab_states.get(&other).map(|known| known.overrides.iter());
                waiting.extend(
                    overrides.into_iter().flatten().filter(waits).map(|one| (other, page.clone(), one.clone())),
                );
            }
        }
        for (other, page, command) in waiting {
            self.post_process_override(other, &self.cdp.session(page), command);
        }
    }
}

impl Tab {
    /// Returns another tab whose override of this kind applies here too, or may do so, with its parameters.
    pub(super) fn holder_of(&self, method: &str) -> Option<(TabId, Value)> {
        self.browser().shared.state().holder_beside(self.id(), method)
    }

    /// Returns true if the tab has this override, but another tab's applies.
    pub(super) fn waits_with(&self, method: &str) -> bool {
        let waits = |known: &PersistentOverride| known.method == method && known.waits;
        self.with_tab_state(|tab_state| tab_state.overrides.iter().any(waits)).unwrap_or_default()
    }

    /// Gives the tabs that share this one's override what it is now; `None`: it is no longer set.
    pub(super) fn share_override(&self, method: &str, params: Option<&Value>) {
        let mut state = self.browser().shared.state();
        for other in state.kin(self.id()) {
            let Some(known) = state.tab_states.get_mut(&other) else { continue };
            known.overrides.retain_mut(|known| {
                let shares = known.method == method && known.waits;
                if let (true, Some(params)) = (shares, params) {
                    known.params = params.clone();
                }
                !shares || params.is_some()
            });
        }
    }

    /// Notes an override that another tab has set for both.
    pub(super) fn wait_with(&self, method: &'static str, params: Value) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| {
            tab_state.drop_override(method);
            tab_state.overrides.push(PersistentOverride { method, params, waits: true });
        })
    }
}
