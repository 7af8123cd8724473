//! Changes the routes, headers and credentials of a tab, and makes the browser pause the requests they match.
//!
//! Owns no state: a tab's list is in `routes`.

use super::devtools::fetch::{DisableParams, EnableParams, RequestPattern};
use super::devtools_session::Session;
use super::error::BrowserError;
use super::routes::{Credentials, Route, Routes, SiteHeaders};
use super::shared::TabState;
use super::tab::Tab;
use gstack_base::site::SiteOrPage;
use gstack_protocol::ids::TabId;
use std::sync::Arc;

impl super::shared::Shared {
    /// Makes the browser pause matching requests of a page, frame or worker that is being set up, before it sends any.
    pub(super) fn stop_requests(&self, tab: TabId, session: &Session) {
        let stopped = self.stopped(tab);
        if !stopped.patterns.is_empty() {
            stopped.post_to(session);
        }
    }

    /// Returns the requests of a tab that the browser must pause.
    pub(super) fn stopped(&self, tab: TabId) -> Stopped {
        let limits_requests = self.limits_requests();
        let state = self.state();
        let routes = state.tab_states.get(&tab).map(|tab_state| &tab_state.routes);
        let mut patterns: Vec<_> = routes.iter().flat_map(|routes| routes.patterns()).collect();
        if self.options.holds_back {
            patterns.extend(super::held_back::patterns().iter().cloned());
        }
        if limits_requests {
            patterns.extend(super::limited::patterns());
        }
        Stopped { patterns, handle_auth_requests: routes.is_some_and(|routes| !routes.credentials.is_empty()) }
    }
}

/// The requests that the browser pauses until they are decided.
pub(super) struct Stopped {
    patterns: Vec<RequestPattern>,
    handle_auth_requests: bool,
}

impl Stopped {
    /// Sends the routes to a page, frame or worker, without waiting for its answer.
    pub(super) fn post_to(&self, session: &Session) {
        match self.enable() {
            None => session.post(DisableParams {}),
            Some(enable) => session.post(enable),
        }
    }

    /// Sends the routes to a page, frame or worker. Fails if it has ended or the browser does not answer.
    async fn call(&self, session: &Session) -> Result<(), BrowserError> {
        match self.enable() {
            None => session.call(DisableParams {}).await.map(|_| ()),
            Some(enable) => session.call(enable).await.map(|_| ()),
        }?;
        Ok(())
    }

    fn enable(&self) -> Option<EnableParams> {
        let Self { patterns, handle_auth_requests } = self;
        let enable = EnableParams::builder().patterns(patterns.clone()).handle_auth_requests(*handle_auth_requests);
        (!patterns.is_empty()).then(|| enable.build())
    }
}

impl Tab {
    /// Adds a route with precedence over the present ones; it replaces one with the same address and place.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed or has no attached page, or the browser does not answer.
    pub async fn add_route(&self, route: Route) -> Result<(), BrowserError> {
        self.change_routes(|routes| {
            let is_same = |known: &mut Arc<Route>| known.address == route.address && known.only_on == route.only_on;
            routes.routes.extract_if(.., is_same).for_each(|known| known.ended.cancel());
            routes.routes.push(Arc::new(route));
        })
        .await
    }

    /// Removes the routes of this address, or all; with `of`, only those for documents of that place. Returns how many
    /// were removed.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::add_route`] does.
    pub async fn remove_routes(&self, address: Option<&str>, of: Option<&SiteOrPage>) -> Result<usize, BrowserError> {
        let mut count = 0;
        self.change_routes(|routes| {
            let before = routes.routes.len();
            let goes = |route: &mut Arc<Route>| {
                address.is_none_or(|address| route.address.pattern() == address)
                    && of.is_none_or(|place| route.only_on.as_ref() == Some(place))
            };
            routes.routes.extract_if(.., goes).for_each(|route| route.ended.cancel());
            count = before - routes.routes.len();
        })
        .await?;
        Ok(count)
    }

    /// Returns the routes, in order of precedence.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn routes(&self) -> Result<Vec<Arc<Route>>, BrowserError> {
        self.with_tab_state(|tab_state| tab_state.routes.routes.iter().rev().cloned().collect())
    }

    /// Sends this header with each request to a site. Returns the names of all headers sent there.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::add_route`] does.
    pub async fn set_site_header(&self, site: &str, name: &str, value: &str) -> Result<Vec<String>, BrowserError> {
        let mut names = Vec::new();
        self.change_routes(|routes| {
            let at = routes.headers.iter().position(|known| known.site == site).unwrap_or_else(|| {
                routes.headers.push(SiteHeaders { site: site.to_owned(), headers: Vec::new() });
                routes.headers.len() - 1
            });
            let headers = &mut routes.headers[at].headers;
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            headers.push((name.to_owned(), value.to_owned()));
            names = headers.iter().map(|(name, _)| name.clone()).collect();
        })
        .await?;
        Ok(names)
    }

    /// Returns the sites with added headers and the names of those headers.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn site_headers(&self) -> Result<Vec<(String, Vec<String>)>, BrowserError> {
        self.with_tab_state(|tab_state| {
            let names = |known: &SiteHeaders| known.headers.iter().map(|(name, _)| name.clone()).collect();
            tab_state.routes.headers.iter().map(|known| (known.site.clone(), names(known))).collect()
        })
    }

    /// Removes the headers for a site, or for all. Returns how many sites were removed.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::add_route`] does.
    pub async fn clear_site_headers(&self, site: Option<&str>) -> Result<usize, BrowserError> {
        let mut count = 0;
        self.change_routes(|routes| {
            let before = routes.headers.len();
            routes.headers.retain(|known| site.is_some_and(|site| known.site != site));
            count = before - routes.headers.len();
        })
        .await?;
        Ok(count)
    }

    /// Sets the HTTP credentials for this site; `None` removes them.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::add_route`] does.
    pub async fn set_credentials(&self, site: &str, as_user: Option<(&str, &str)>) -> Result<(), BrowserError> {
        self.change_routes(|routes| {
            routes.credentials.retain(|known| known.site != site);
            routes.credentials.extend(as_user.map(|(user, password)| Credentials {
                site: site.to_owned(),
                user: user.to_owned(),
                password: password.to_owned(),
            }));
        })
        .await
    }

    async fn change_routes(&self, change: impl FnOnce(&mut Routes)) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state: &mut TabState| change(&mut tab_state.routes))?;
        let stopped = self.browser().shared.stopped(self.id());
        stopped.call(&self.page()?).await?;
        self.inner_sessions().iter().for_each(|session| stopped.post_to(session));
        Ok(())
    }
}
