//! A connected browser: its tabs and its events.
//!
//! Owns the handle that everything else starts from; the state that the router updates is in `shared`. Never starts or
//! ends the browser's process, and never attaches to a page before `Tab::engage`.

pub use super::shared::{AttachOptions, EarlyScript};

use super::cdp::{Cdp, CdpError, Observer};
use super::devtools::browser::GetVersionParams;
use super::devtools::target::{
    BrowserContextId, CreateTargetParams, GetBrowserContextsParams, GetTargetsParams, SessionId,
    SetDiscoverTargetsParams, all_but, only,
};
use super::devtools_session::Session;
use super::downloads::Downloads;
use super::engage::auto_attach;
use super::error::BrowserError;
use super::keeper_link::KeeperLink;
use super::keyboard::Keyboard;
use super::printing::Printing;
use super::remote::FileSystem;
use super::reported::Reported;
use super::router::Router;
use super::shared::{Shared, State};
use super::tab::Tab;
use super::tabs::{BrowserEvent, TabInfo, TabRecord, Tabs};
use super::transport::Transport;
use gstack_base::site_list::SiteList;
use gstack_protocol::ids::{BrowserRun, ChromeTabId, TabId, TargetId};
use gstack_protocol::tabs::ChromeTab;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// The number of events that a receiver may lag behind before it must read the tabs again.
const EVENT_BACKLOG: usize = 1024;
/// The browser reports a new tab within milliseconds.
const TAB_LIMIT: Duration = Duration::from_secs(10);

/// A connected browser. Cheap to clone; the connection ends when the last clone is dropped or on `detach`.
#[derive(Clone)]
pub struct Browser {
    pub(super) shared: Arc<Shared>,
}

impl Browser {
    /// Attaches to a browser through its keeper.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::attach`] does.
    pub async fn attach_kept(link: KeeperLink, options: AttachOptions) -> Result<Self, BrowserError> {
        Self::attach(link.transport, Some(link.session), link.first_id, link.run, options).await
    }

    /// Attaches to the browser behind a transport; returns once its present tabs are known. `root` is the session that
    /// stands for the browser; `None` if the connection itself does.
    ///
    /// # Errors
    ///
    /// Fails if the connection ends, or the browser does not report its tabs in time.
    pub async fn attach(
        transport: Transport,
        root: Option<SessionId>,
        first_id: u32,
        run: BrowserRun,
        options: AttachOptions,
    ) -> Result<Self, BrowserError> {
        let browser = Self::start(transport, root, first_id, run, options);
        match browser.discover(&browser.root()).await {
            Ok(()) => Ok(browser),
            Err(BrowserError::Gone) if browser.reported_too_much() => Err(BrowserError::TooMuch),
            Err(error) => Err(error),
        }
    }

    /// Attaches to an everyday browser, whose extension reports the tabs.
    pub(super) fn relayed(transport: Transport, run: BrowserRun, options: AttachOptions) -> Self {
        Self::start(transport, None, 1, run, options)
    }

    fn start(
        transport: Transport,
        root: Option<SessionId>,
        first_id: u32,
        run: BrowserRun,
        options: AttachOptions,
    ) -> Self {
        let (events, _) = broadcast::channel(EVENT_BACKLOG);
        let state = State {
            tabs: Tabs::new(options.numbers.clone()),
            sessions: HashMap::new(),
            engaged: HashMap::new(),
            tab_states: HashMap::new(),
            downloads: Downloads::default(),
            keyboard: Keyboard::default(),
            printing: Printing::default(),
            default_context: None,
            limits: options.limits.clone(),
            guard: None,
        };
        let shared = Cdp::start(transport, root, first_id, |cdp| {
            let shared = Arc::new(Shared {
                cdp: cdp.clone(),
                options,
                run,
                events,
                state: Mutex::new(state),
                reported: Reported::default(),
            });
            let router: Arc<dyn Observer> = Arc::new(Router::new(Arc::downgrade(&shared)));
            (router, shared)
        });
        Self { shared }
    }

    async fn discover(&self, root: &Session) -> Result<(), BrowserError> {
        let contexts = root.call(GetBrowserContextsParams {}).await;
        self.shared.state().default_context = match contexts {
            Ok(contexts) => contexts.default_browser_context_id,
            Err(error @ (CdpError::Gone | CdpError::Timeout { .. })) => return Err(error.into()),
            // Older browsers do not name the default context: then no tab counts as incognito.
            Err(_) => None,
        };
        match self.shared.is_beside_others() {
            true => self.hear_of_downloads().await?,
            false => self.shared.set_up_downloads(),
        }
        let discover = SetDiscoverTargetsParams { discover: true, filter: Some(all_but("browser")) };
        // A tab that one of our pages opens is set up before it sends any request. Existing tabs are attached too;
        // nothing is sent to them.
        root.call(auto_attach("tab")).await?;
        // The browser reports all present targets before this reply.
        root.call(discover).await?;
        self.all_told(TAB_LIMIT).await
    }

    /// Returns once [`Browser::tabs`] includes every tab that is being opened now.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::Timeout`] after `limit`, and with [`BrowserError::Gone`] if the browser ends.
    pub async fn all_told(&self, limit: Duration) -> Result<(), BrowserError> {
        let mut tabs = self.events();
        let all_told = async {
            while self.shared.state().tabs.has_untold() {
                if matches!(tabs.recv().await, Err(broadcast::error::RecvError::Closed) | Ok(BrowserEvent::Gone)) {
                    return Err(BrowserError::Gone);
                }
            }
            Ok(())
        };
        let told = tokio::time::timeout(limit, all_told).await;
        told.unwrap_or_else(|_| {
            Err(BrowserError::Timeout { what: "reading the browser's tabs".to_owned(), after: limit })
        })
    }

    /// Identifies this run of this browser.
    pub fn run(&self) -> &BrowserRun {
        &self.shared.run
    }
    /// Returns true for an everyday browser, which is driven through its extension.
    pub fn is_relayed(&self) -> bool {
        self.shared.options.lets_go_after.is_some()
    }
    /// Returns true if the browser has no window.
    pub fn is_headless(&self) -> bool {
        self.shared.options.headless
    }
    /// Returns true if gstack started it, with resolver rules.
    pub fn has_resolver_rules(&self) -> bool {
        self.shared.has_resolver_rules()
    }
    /// The only sites that it can reach, whatever its pages try: those that it was opened with, or those that its extension for a
    /// list set since leaves of them.
    pub fn only_sites(&self) -> SiteList {
        let state = self.shared.state();
        match &state.guard {
            Some(guard) if guard.is_within(&state.limits.open) => guard.clone(),
            _ => state.limits.open.clone(),
        }
    }
    /// Records which list its extension for a list holds it to.
    pub fn set_guard(&self, sites: Option<SiteList>) {
        self.shared.state().guard = sites;
    }
    /// Returns the list that its extension for a list holds it to.
    pub fn guard(&self) -> Option<SiteList> {
        self.shared.state().guard.clone()
    }
    /// Returns how the browser and this machine exchange files.
    pub fn file_system(&self) -> &FileSystem {
        &self.shared.options.files
    }
    /// Commands to the browser itself.
    pub fn root(&self) -> Session {
        self.shared.cdp.root()
    }
    /// Returns the DevTools connection.
    pub fn cdp(&self) -> &Cdp {
        &self.shared.cdp
    }
    /// Subscribes to events from now on.
    pub fn events(&self) -> broadcast::Receiver<BrowserEvent> {
        self.shared.events.subscribe()
    }
    /// Returns a token that is cancelled when the connection ends.
    pub fn gone(&self) -> &CancellationToken {
        self.shared.cdp.gone()
    }
    /// Returns true if the connection ended because the browser reported more tabs and frames than gstack holds.
    pub fn reported_too_much(&self) -> bool {
        self.shared.reported_too_much()
    }
    /// Ends the connection; the browser keeps running.
    pub async fn detach(&self) {
        self.shared.cdp.close().await;
    }

    /// Clears all detaches made by the user.
    pub fn let_in(&self) {
        for tab_state in self.shared.state().tab_states.values_mut() {
            tab_state.detached_by_user = false;
        }
    }
    /// Detaches from every attached tab.
    pub fn release_all(&self) {
        let engaged: Vec<TabId> = self.shared.state().engaged.keys().copied().collect();
        for id in engaged {
            Tab::new(self.clone(), id).release();
        }
    }

    /// Returns all open tabs, sorted by number.
    pub fn tabs(&self) -> Vec<TabInfo> {
        self.shared.state().tabs.all()
    }
    /// Returns the tab with this number.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab was closed, and with [`BrowserError::NoSuchTab`] if there
    /// never was one with this number.
    pub fn tab(&self, id: TabId) -> Result<Tab, BrowserError> {
        let state = self.shared.state();
        match state.tabs.get(id) {
            Some(_) => Ok(Tab::new(self.clone(), id)),
            None if state.tabs.was_given(id) => Err(BrowserError::TabClosed(id)),
            None => Err(BrowserError::NoSuchTab(id)),
        }
    }
    /// Asks the browser which tabs are in view: it does not report a switch of tabs by itself.
    ///
    /// # Errors
    ///
    /// Fails if the browser does not answer.
    pub async fn refresh_views(&self) -> Result<(), BrowserError> {
        let targets = self.root().call(GetTargetsParams { filter: Some(only(&["tab"])) }).await?.target_infos;
        let follows = self.shared.state().tabs.views(targets);
        self.shared.follow(follows);
        Ok(())
    }
    /// Returns the tab that commands without a tab act on: the chosen one, else the one in view.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::NoTab`] if no tab is open, and if the browser does not answer.
    pub async fn current(&self) -> Result<Tab, BrowserError> {
        let chosen = self.shared.state().tabs.has_current();
        if !chosen {
            self.refresh_views().await?;
        }
        let id = self.shared.state().tabs.current().ok_or(BrowserError::NoTab)?;
        Ok(Tab::new(self.clone(), id))
    }
    /// Returns the current tab as known without asking the browser.
    pub fn current_known(&self) -> Option<TabId> {
        self.shared.state().tabs.current()
    }
    /// Returns the browser's name and version: `Chromium 156.0.8078.73`.
    ///
    /// # Errors
    ///
    /// Fails if the browser does not answer.
    pub async fn version(&self) -> Result<String, BrowserError> {
        let version = self.root().call(GetVersionParams {}).await?;
        Ok(version.product.replacen('/', " ", 1))
    }
    /// Asks the browser whether it answers. Returns how long nothing came from it, if it does not answer within `limit`.
    pub async fn silence(&self, limit: Duration) -> Option<Duration> {
        let since = self.shared.cdp.heard();
        match tokio::time::timeout(limit, self.version()).await {
            Ok(Ok(_) | Err(BrowserError::Gone)) => None,
            Ok(Err(_)) | Err(_) => (self.shared.cdp.heard() == since).then(|| since.elapsed()),
        }
    }
    /// Returns the process id of the browser, if it reports one.
    pub async fn pid(&self) -> Option<u32> {
        const LIMIT: Duration = Duration::from_secs(2);
        let reply = self.root().call_json("SystemInfo.getProcessInfo", &serde_json::json!({}), LIMIT).await.ok()?;
        let processes = reply.get("processInfo")?.as_array()?;
        let own = processes.iter().find(|process| process["type"] == "browser")?;
        u32::try_from(own["id"].as_u64()?).ok()
    }
    /// Makes a tab the current one. Does not bring it into view.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::tab`] does.
    pub fn set_current(&self, id: TabId) -> Result<Tab, BrowserError> {
        let tab = self.tab(id)?;
        self.shared.state().tabs.set_current(id);
        Ok(tab)
    }

    /// Returns the tab numbers and the current tab, for the next daemon.
    pub fn tab_record(&self) -> TabRecord {
        self.shared.state().tabs.record()
    }
    /// Joins Chrome's report of a tab (its id, view, discarding) to our tab by its page target.
    pub fn bind(&self, chrome: &ChromeTab) {
        let follows = self.shared.state().tabs.bind(chrome);
        self.shared.follow(follows);
    }
    /// Returns the tab with this id in Chrome's extension API, once the extension has reported it.
    pub fn by_chrome_id(&self, chrome_id: ChromeTabId) -> Option<TabInfo> {
        self.shared.state().tabs.by_chrome_id(chrome_id).cloned()
    }
    /// Returns the tab that shows this page target.
    pub fn by_page(&self, page: &TargetId) -> Option<TabInfo> {
        self.shared.state().tabs.by_page(page).cloned()
    }

    /// Opens an empty tab in the background. It does not become the current one.
    ///
    /// # Errors
    ///
    /// Fails if the browser does not open a tab. After [`BrowserError::Unanswered`] it may still do so.
    pub async fn new_tab(&self) -> Result<Tab, BrowserError> {
        self.new_tab_in(None).await
    }

    /// Does the same in a context of `new_context`. `None`: in the browser's own.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::new_tab`] does.
    pub async fn new_tab_in(&self, context: Option<&str>) -> Result<Tab, BrowserError> {
        let create = CreateTargetParams {
            background: Some(true),
            browser_context_id: context.map(BrowserContextId::new),
            for_tab: Some(true),
            ..CreateTargetParams::new("about:blank")
        };
        let mut events = self.events();
        let target = self.root().call(create).await?.target_id;
        let known = async {
            loop {
                let found = self.shared.state().tabs.told_by_target(&target);
                if let Some(id) = found {
                    return Ok(Tab::new(self.clone(), id));
                }
                if matches!(events.recv().await, Err(broadcast::error::RecvError::Closed) | Ok(BrowserEvent::Gone)) {
                    return Err(BrowserError::Gone);
                }
            }
        };
        let after = TAB_LIMIT;
        let opened = tokio::time::timeout(after, known).await;
        opened.unwrap_or_else(|_| Err(BrowserError::Unanswered { what: "opening a tab".to_owned(), after }))
    }
}
