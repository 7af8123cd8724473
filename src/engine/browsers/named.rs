//! The browsers of one daemon by their names, and the browser of a request.
//!
//! Owns the lookup of a browser by its tab or name. Never opens or closes one.

use super::error::BrowsersError;
use super::service::{Browsers, NamedBrowser};
use gstack_base::browser_names::BrowserName;
use gstack_base::mutex::lock;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{BrowserRun, TabId};
use gstack_protocol::status::NamedBrowserInfo;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Each browser that gstack starts takes some hundred megabytes, and a daemon drives all of them.
pub(super) const MOST_BROWSERS: usize = 8;
const ENDED_UNSEEN: &str = "it ended, or it was not taken over, while gstack restarted";

/// Chooses the browser of a request. `named`: the browser in the request; `owner`: the browser that holds its tab. `None`: the
/// main browser. Fails if the request names a tab of another browser.
fn choose(
    tab: Option<TabId>,
    named: Option<BrowserName>,
    owner: Option<BrowserName>,
) -> Result<Option<BrowserName>, BrowsersError> {
    match (tab, named) {
        (Some(tab), Some(named)) if owner.as_ref() != Some(&named) => {
            Err(BrowsersError::NotItsTab { tab, name: named })
        }
        (_, Some(named)) => Ok(Some(named)),
        (_, None) => Ok(owner),
    }
}

impl Browsers {
    /// Returns the name of the chosen browser.
    pub(crate) fn name(&self) -> &BrowserName {
        &self.own.name
    }

    fn with(&self, own: &Arc<NamedBrowser>) -> Self {
        Self { shared: self.shared.clone(), own: own.clone() }
    }

    /// Returns all browsers, each chosen in its handle: the main one, then the others by name. Some may not be open.
    pub(crate) fn all(&self) -> Vec<Self> {
        let named = lock(&self.shared.named);
        let (main, others): (Vec<_>, Vec<_>) = named.values().partition(|one| one.name.is_main());
        main.into_iter().chain(others).map(|own| self.with(own)).collect()
    }

    /// Returns true if the browser is in use, or if it ended without being closed.
    fn is_known(&self) -> bool {
        self.is_open() || self.everyday_is_chosen() || self.has_lost()
    }

    /// Returns the browser of a name. Fails if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a name, or no browser has it.
    pub(crate) fn named(&self, name: &str) -> Result<Self, Fault> {
        let name = BrowserName::parse(name).map_err(BrowsersError::BadName)?;
        let all = self.all();
        let found = all.iter().find(|browsers| *browsers.name() == name && (name.is_main() || browsers.is_known()));
        found.cloned().ok_or_else(|| {
            let known = all.iter().filter(|browsers| browsers.is_known()).map(|browsers| browsers.name().to_string());
            BrowsersError::NoSuchName { name, known: known.collect() }.into()
        })
    }

    /// Returns the browser of a name to open. Makes its folder if it has none.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a name, or its folder can't be used.
    pub(crate) fn to_open(&self, name: &str) -> Result<Self, Fault> {
        let name = BrowserName::parse(name).map_err(BrowsersError::BadName)?;
        let mut named = lock(&self.shared.named);
        if let Some(own) = named.get(&name) {
            return Ok(self.with(own));
        }
        let home = self.needs().home.for_browser(&name).map_err(BrowsersError::NoFolder)?;
        let own = Arc::new(NamedBrowser::new(name.clone(), home));
        named.insert(name, own.clone());
        Ok(self.with(&own))
    }

    /// Fails if no further browser may be opened. For the holder of the right to open this one.
    pub(crate) fn check_room(&self) -> Result<(), Fault> {
        let is_taken = |other: &Self| {
            // Its lock is held while it is opened.
            other.name() != self.name() && (other.is_known() || other.own.change.try_lock().is_err())
        };
        match self.all().iter().filter(|other| is_taken(other)).count() < MOST_BROWSERS {
            true => Ok(()),
            false => Err(BrowsersError::TooMany { most: MOST_BROWSERS }.into()),
        }
    }

    /// Returns the browser that has a tab, with that browser chosen. Everyday browsers that are not in use have none.
    pub(crate) fn with_tab(&self, tab: TabId) -> Option<Self> {
        let has_it = |browsers: &Self| browsers.current().is_some_and(|browser| browser.tab(tab).is_ok());
        self.all().into_iter().find(has_it)
    }

    /// Returns the browser with this run, with that browser chosen.
    pub(crate) fn with_run(&self, run: &BrowserRun) -> Option<Self> {
        self.all().into_iter().find(|browsers| browsers.current().is_some_and(|browser| browser.run() == run))
    }

    /// Returns the browser of a request: the one that it names, the one of its tab, or the main one.
    ///
    /// # Errors
    ///
    /// Fails if no browser has the name, or another browser has the tab.
    pub(crate) fn of_request(&self, tab: Option<TabId>, name: Option<&str>) -> Result<Self, Fault> {
        let named = name.map(|name| self.named(name)).transpose()?;
        let owner = tab.and_then(|tab| self.with_tab(tab));
        let names = |browsers: &Option<Self>| browsers.as_ref().map(|browsers| browsers.name().clone());
        let chosen = choose(tab, names(&named), names(&owner))?;
        let found = [named, owner].into_iter().flatten().find(|browsers| Some(browsers.name()) == chosen.as_ref());
        Ok(found.unwrap_or_else(|| self.clone()))
    }

    /// Returns why the browser ended, if it was in use and gstack did not close it.
    pub(crate) fn why_lost(&self) -> Option<String> {
        self.has_lost().then(|| lock(&self.own.lost).map_or(ENDED_UNSEEN, |lost| lost.why).to_owned())
    }

    /// Records whether a person has the browser after a handoff. Returns the earlier answer.
    pub(crate) fn set_handed_off(&self, is_handed_off: bool) -> bool {
        self.own.is_handed_off.swap(is_handed_off, Ordering::Relaxed)
    }

    /// Returns the fault of a named browser that is not connected. The main one may be opened by a command instead.
    pub(crate) fn not_open(&self) -> Fault {
        let name = self.name().clone();
        match self.why_lost() {
            Some(why) => BrowsersError::Lost { name, why }.into(),
            None => BrowsersError::NoSuchName { name, known: Vec::new() }.into(),
        }
    }

    /// Returns the browsers that are in use or lost, for `status`.
    pub(crate) fn infos(&self) -> Vec<NamedBrowserInfo> {
        self.all().iter().filter(|browsers| browsers.is_known()).map(Self::info).collect()
    }

    fn info(&self) -> NamedBrowserInfo {
        let status = self.status();
        NamedBrowserInfo {
            name: self.name().to_string(),
            mode: self.mode().to_owned(),
            lost: self.why_lost(),
            url: status.as_ref().and_then(|status| status.url.clone()),
            tabs: status.as_ref().map_or(0, |status| status.tabs),
            browser_pid: status.and_then(|status| status.pid),
            profile: self.profile().map(|profile| profile.to_string()),
            remote: self.remote_status(),
            only_sites: self.other_limit().map(|sites| sites.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Option<BrowserName> {
        Some(BrowserName::parse(name).unwrap())
    }

    #[test]
    fn a_tab_finds_its_browser_and_a_name_alone_chooses_one() {
        let tab = Some(TabId(7));
        assert_eq!(choose(None, None, None).unwrap(), None, "the main one");
        assert_eq!(choose(None, name("shop"), None).unwrap(), name("shop"));
        assert_eq!(choose(tab, None, name("shop")).unwrap(), name("shop"));
        assert_eq!(choose(tab, name("shop"), name("shop")).unwrap(), name("shop"));
        assert_eq!(choose(tab, None, None).unwrap(), None, "the main one reports that it has no such tab");
    }

    #[test]
    fn a_tab_of_another_browser_than_the_named_one_is_refused() {
        let tab = Some(TabId(7));
        for owner in [None, name("main"), name("other")] {
            let error = choose(tab, name("shop"), owner).unwrap_err();
            assert!(matches!(error, BrowsersError::NotItsTab { tab: TabId(7), .. }), "{error:?}");
        }
    }
}
