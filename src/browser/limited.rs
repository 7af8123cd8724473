//! Stops requests of an engaged tab in gstack's own browser to sites outside its list, whatever causes them (a link, a redirect,
//! an image, a script).
//!
//! The second guard after the browser's resolver rules, which cover every process and protocol but keep the list that the
//! browser was opened with: this one follows the configuration, also before the extension for a new list (`launch::site_guard`)
//! is in force. Chrome pauses no WebSocket, nothing that a shared or a service
//! worker requests, and no prefetch of speculation rules. Owns the patterns of requests to pause; `paused` checks each one.

use super::browser::Browser;
use super::devtools::fetch::{RequestPattern, pattern};
use super::shared::{Role, Shared};
use gstack_base::site_limits::SiteLimits;
use gstack_base::site_list::SiteList;
use gstack_protocol::ids::TabId;
use url::Url;

/// Returns the patterns of requests to pause.
pub(super) fn patterns() -> impl Iterator<Item = RequestPattern> {
    ["http://*", "https://*"].into_iter().map(pattern)
}

impl Shared {
    /// Whether requests of engaged tabs are limited here: in a browser that gstack started. In any other one, nothing is
    /// driven while a list is set.
    pub(super) fn limits_requests(&self) -> bool {
        self.has_resolver_rules() && !self.state().limits.is_empty()
    }

    /// Whether a page may send this request.
    pub(super) fn may_request(&self, url: &str) -> bool {
        if !self.has_resolver_rules() {
            return true;
        }
        let limits = &self.state().limits;
        limits.is_empty() || Url::parse(url).is_ok_and(|url| limits.refusing(&url).is_none())
    }

    /// Makes the browser pause the requests that must be decided now, in every part of a tab.
    fn stop_requests_anew(&self, tab: TabId) {
        let sessions: Vec<_> = {
            let state = self.state();
            if state.tab_states.get(&tab).is_some_and(|tab_state| tab_state.judges_itself) {
                return;
            }
            let is_part =
                |role: &Role| matches!(role, Role::Page(of) | Role::Frame(of) | Role::Worker(of) if *of == tab);
            state.sessions.iter().filter(|(_, role)| is_part(role)).map(|(id, _)| id.clone()).collect()
        };
        let stopped = self.stopped(tab);
        sessions.into_iter().for_each(|id| stopped.post_to(&self.cdp.session(id)));
    }
}

impl Browser {
    /// The sites that it may reach: on the list that it was opened with and on the one in the configuration.
    pub fn limits(&self) -> SiteLimits {
        self.shared.state().limits.clone()
    }

    /// Takes the list in the configuration: from now on, engaged tabs request nothing that is not on it.
    pub fn limit_to(&self, configured: SiteList) {
        let tabs: Vec<TabId> = {
            let mut state = self.shared.state();
            if state.limits.configured == configured {
                return;
            }
            state.limits.configured = configured;
            state.engaged.keys().copied().collect()
        };
        if self.shared.has_resolver_rules() {
            tabs.into_iter().for_each(|tab| self.shared.stop_requests_anew(tab));
        }
    }
}
