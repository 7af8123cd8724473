//! The list of sites in the configuration, and the browsers that do not keep to it.
//!
//! Owns the comparison. What enforces a list is the browser's resolver rules from its start on, an extension for a list that is set
//! later (`launch::site_guard`), the check of each command, and what stops the requests of engaged tabs (`browser::limited`).

use super::error::BrowsersError;
use super::service::Browsers;
use gstack_base::browser_names::BrowserName;
use gstack_base::site_list::SiteList;
use gstack_browser::browser::Browser;
use gstack_browser::launch::site_guard::{self, GuardError};
use tokio::sync::oneshot;

impl Browsers {
    /// Returns the list in the configuration.
    pub(crate) fn configured_sites(&self) -> SiteList {
        self.needs().config.get().browser.only_sites.clone()
    }

    /// Gives a browser the list in the configuration, for its commands and its pages.
    pub(crate) fn limit(&self, browser: &Browser) {
        browser.limit_to(self.configured_sites());
    }

    /// Holds all open browsers to the list in the configuration, with everything that their pages and workers do. Waits until they
    /// are; one that can't be is named by `status` and `doctor`.
    pub(crate) async fn apply_limits(&self) {
        let all = self.all();
        // A receiver fails only if the daemon ends.
        let _applied = futures_util::future::join_all(all.iter().map(Self::start_limiting)).await;
    }

    /// Starts to hold this browser to the list, in a task of its own: a caller that stops waiting must not leave it half done.
    pub(super) fn start_limiting(&self) -> oneshot::Receiver<()> {
        let (browsers, (done, ended)) = (self.clone(), oneshot::channel());
        self.needs().tasks.spawn(async move {
            if let Err(error) = browsers.apply_own_limit().await {
                tracing::warn!(browser = %browsers.name(), %error, "the open browser keeps to another list of sites");
            }
            // The caller may have stopped waiting.
            done.send(()).ok();
        });
        ended
    }

    async fn apply_own_limit(&self) -> Result<(), GuardError> {
        let Some(browser) = self.current() else { return Ok(()) };
        let _turn = self.own.limiting.lock().await;
        self.limit(&browser);
        if !browser.has_resolver_rules() {
            return Ok(());
        }
        let (open, configured) = (browser.limits().open, self.configured_sites());
        let folder = self.own.home.site_guard();
        if configured.is_empty() || (!open.is_empty() && open.is_within(&configured)) {
            let may_be_held = browser.guard().is_some() || folder.exists();
            browser.set_guard(None);
            return if may_be_held { site_guard::release(&browser, &folder).await } else { Ok(()) };
        }
        if browser.guard().as_ref() == Some(&configured) && site_guard::is_loaded(&browser, &folder).await? {
            return Ok(());
        }
        site_guard::hold(&browser, &folder, &configured).await?;
        browser.set_guard(Some(configured));
        Ok(())
    }

    /// Holds a browser to the list in the configuration. Fails if a list is set and this browser cannot be held to one: gstack
    /// did not start it.
    pub(crate) fn check_limit(&self, browser: &Browser) -> Result<(), BrowsersError> {
        self.limit(browser);
        match browser.has_resolver_rules() || self.configured_sites().is_empty() {
            true => Ok(()),
            false => Err(BrowsersError::NotLimited),
        }
    }

    /// Returns the list of the open browser, if it is not the one in the configuration.
    pub(super) fn other_limit(&self) -> Option<SiteList> {
        let open = self.current()?.only_sites();
        Some(open).filter(|sites| *sites != self.configured_sites())
    }

    /// Returns the open browsers whose list is not the one in the configuration.
    pub(crate) fn otherwise_limited(&self) -> Vec<(BrowserName, Browser)> {
        let others = self.all().into_iter().filter(|browsers| browsers.other_limit().is_some());
        others.filter_map(|browsers| Some((browsers.name().clone(), browsers.current()?))).collect()
    }
}
