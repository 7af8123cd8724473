//! Queries about the browsers in use.
//!
//! Never changes it: `opening`, `relays` and `closing` do.

use super::current::Current;
use super::service::Browsers;
use crate::ports::PortId;
use gstack_base::mutex::lock;
use gstack_base::process::Process;
use gstack_base::profiles::ProfileName;
use gstack_browser::browser::Browser;
use gstack_browser::page::Pages;
use gstack_protocol::ids::{BrowserRun, TabId};
use gstack_protocol::policy::PolicyBrowser;
use gstack_protocol::remote::{RemoteBrowser, RemoteStatus};

/// The browser in use, for `status` and `doctor`.
pub(crate) struct BrowserStatus {
    pub(crate) pid: Option<u32>,
    pub(crate) tabs: usize,
    pub(crate) url: Option<String>,
}

impl Browsers {
    fn connected(&self) -> Option<Current> {
        lock(&self.own.current).clone().filter(Current::is_connected)
    }

    /// Returns the browser in use if its connection is open.
    pub(crate) fn current(&self) -> Option<Browser> {
        self.connected().map(|current| current.browser)
    }

    /// Returns the browser in use with the state that commands keep for its tabs.
    pub(crate) fn pages(&self) -> Option<(Browser, Pages)> {
        self.connected().map(|current| (current.browser, current.pages))
    }

    /// Returns true if a browser is in use and connected.
    pub fn is_open(&self) -> bool {
        self.connected().is_some()
    }

    /// Returns the current tab of the browser in use, if it is known.
    pub(crate) fn current_tab(&self) -> Option<TabId> {
        self.current()?.current_known()
    }

    /// Returns the browser behind a port if gstack started that browser and drives it.
    pub(crate) fn piped(&self, port: PortId) -> Option<Browser> {
        let run = self.needs().ports.run_of(port)?;
        self.with_run(&run)?.current()
    }

    /// Returns the browser behind a port: the one that gstack started, or an everyday one.
    pub(crate) fn of_port(&self, port: PortId) -> Option<Browser> {
        self.piped(port).or_else(|| Some(self.everyday(port)?.browser().clone()))
    }

    /// Returns the browser of a tab, with the state that commands keep for its tabs. Without a tab, or for a tab that no
    /// browser has, returns the chosen browser. Returns `None` if the tab's browser is away.
    pub(crate) fn pages_with(&self, tab: Option<TabId>) -> Option<(Browser, Pages)> {
        let everyday = tab.and_then(|tab| self.everyday_with(tab)).map(|everyday| everyday.pages());
        let owner = || tab.and_then(|tab| self.with_tab(tab)?.pages());
        everyday.or_else(owner).or_else(|| self.pages().filter(|_| !tab.is_some_and(|tab| self.is_away(tab))))
    }

    /// Returns true if any browser is in use and connected.
    pub fn any_open(&self) -> bool {
        self.all().iter().any(Self::is_open)
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        lock(&self.own.current).as_ref().and_then(|current| current.source.pid())
    }

    /// Returns the profile of the browser in use; `None` if gstack did not start it, or none is open.
    pub(crate) fn profile(&self) -> Option<ProfileName> {
        self.connected()?.source.profile()
    }

    /// Returns true if gstack did not start the browser in use.
    pub(crate) fn is_attached(&self) -> bool {
        self.attached_to().flatten().is_some()
    }

    /// Returns the address of an attached browser, `Some(None)` for one of our own, `None` if no browser is open.
    pub(crate) fn attached_to(&self) -> Option<Option<String>> {
        self.connected().map(|current| current.source.name())
    }

    /// Returns the process of a browser that gstack started.
    pub(crate) fn process_of(&self, run: &BrowserRun) -> Option<Process> {
        self.with_run(run)?.connected()?.source.process()
    }

    /// Returns the kind of browser in use: `headed`, `headless`, `attached`, `remote`, `everyday`
    /// or `none`.
    pub(crate) fn mode(&self) -> &'static str {
        match self.connected() {
            None if self.everyday_is_chosen() => "everyday",
            None => "none",
            Some(current) => current.source.mode(current.browser.is_headless()),
        }
    }

    /// Returns the kind of a tab's browser. Without a tab, or for an unknown tab, returns that of the browser in use.
    pub(crate) fn kind_of(&self, tab: Option<TabId>) -> PolicyBrowser {
        if tab.is_some_and(|tab| self.everyday_with(tab).is_some() || self.is_away(tab)) {
            return PolicyBrowser::Everyday;
        }
        let owner = tab.and_then(|tab| self.with_tab(tab));
        let browsers = owner.as_ref().unwrap_or(self);
        match browsers.connected() {
            None if browsers.everyday_is_chosen() || !browsers.all_everyday().is_empty() => PolicyBrowser::Everyday,
            None => PolicyBrowser::Own,
            Some(current) => current.source.kind(),
        }
    }

    /// Returns the kind of the browser behind a panel's port.
    pub(crate) fn kind_at(&self, port: PortId) -> PolicyBrowser {
        let of_run = || self.needs().ports.run_of(port).and_then(|run| self.with_run(&run));
        match self.everyday(port) {
            Some(_) => PolicyBrowser::Everyday,
            None => of_run()
                .and_then(|browsers| browsers.connected())
                .map_or(PolicyBrowser::Everyday, |current| current.source.kind()),
        }
    }

    /// Returns where the browser in use runs, if that is another machine.
    pub(crate) fn remote_status(&self) -> Option<RemoteStatus> {
        self.connected()?.source.remote_status()
    }

    /// Returns the browser on another machine that is in use, as it was requested.
    pub(crate) fn remote_in_use(&self) -> Option<RemoteBrowser> {
        self.connected()?.source.requested()
    }

    /// Returns `None` if no browser is open.
    pub(crate) fn status(&self) -> Option<BrowserStatus> {
        let browser = self.current()?;
        let tabs = browser.tabs();
        Some(BrowserStatus {
            pid: self.pid(),
            tabs: tabs.len(),
            url: browser.current_known().and_then(|id| tabs.into_iter().find(|tab| tab.id == id)).map(|tab| tab.url),
        })
    }
}
