//! A browser that is connected to: its tabs and what happens in it.
//!
//! Owns the state that the router keeps up to date and the handle that everything else starts from.
//! Never starts or ends the browser's process, and never attaches to a page before `Tab::engage`.

use super::cdp::{Cdp, CdpError, Observer};
use super::devtools::browser::GetVersion;
use super::devtools::target::{
    CreateTarget, FilterEntry, GetBrowserContexts, GetTargets, SessionId, SetDiscoverTargets,
};
use super::dialogs::Dialogs;
use super::downloads::{DownloadFolders, Downloads};
use super::effects::{Effects, Noted};
use super::engage::auto_attach;
use super::error::BrowserError;
use super::frames::FrameTree;
use super::keeper_link::KeeperLink;
use super::keyboard::Keyboard;
use super::refused::Refused;
use super::router::Router;
use super::session::Session;
use super::standing::Standing;
use super::tab::Tab;
use super::tabs::{BrowserEvent, Follow, TabInfo, TabNumbers, TabRecord, Tabs};
use super::transport::Transport;
use crate::protocol::ids::{BrowserRun, ChromeTabId, TabId, TargetId};
use crate::protocol::tabs::ChromeTab;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How many events a receiver may be behind before it has to read the tabs again.
const EVENT_BACKLOG: usize = 1024;
/// A new tab is known to the browser within milliseconds.
const TAB_LIMIT: Duration = Duration::from_secs(10);

/// Script that is in every document of an engaged tab before the document's own.
#[derive(Clone, Debug)]
pub struct EarlyScript {
    /// None: the page's own world.
    pub world: Option<String>,
    pub source: String,
}

/// What a daemon decides before it attaches.
#[derive(Clone, Debug, Default)]
pub struct AttachOptions {
    pub numbers: TabNumbers,
    /// Without a window: its dialogs are answered at any time and its downloads are saved at any time.
    pub headless: bool,
    /// Where downloads go; none: a browser without a window refuses them.
    pub downloads: Option<DownloadFolders>,
    pub early_scripts: Vec<EarlyScript>,
    /// Whether nothing is read from an address that answered, as the browser spells it (`1.2.3.4`, `[::1]`). None: all
    /// may be read.
    pub refuses: Option<fn(&str) -> bool>,
    /// What pages ask for is looked at before it is sent: for a browser without our resolver rules.
    pub holds_back: bool,
    /// An everyday browser: nothing of it is asked before a tab is worked on, and a tab is let go of when it was left alone
    /// for so long.
    pub lets_go_after: Option<Duration>,
}

/// A connected browser. Cheap to clone; the connection ends with the last clone or by `detach`.
#[derive(Clone)]
pub struct Browser {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) cdp: Cdp,
    pub(super) options: AttachOptions,
    run: BrowserRun,
    events: broadcast::Sender<BrowserEvent>,
    state: Mutex<State>,
}

pub(super) struct State {
    pub(super) tabs: Tabs,
    pub(super) sessions: HashMap<SessionId, Role>,
    pub(super) engaged: HashMap<TabId, Engaged>,
    pub(super) desks: HashMap<TabId, Desk>,
    pub(super) downloads: Downloads,
    pub(super) keyboard: Keyboard,
    /// Pages of another browser context are incognito (or a test's own).
    pub(super) default_context: Option<String>,
}

/// What a session was attached for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Attached only to learn which page a tab holds.
    Probe(TargetId),
    Tab(TabId),
    Page(TabId),
    /// A frame in a process of its own.
    Frame(TabId),
    /// A dedicated worker of the page or of a frame.
    Worker(TabId),
    /// A *tab* target that is just being opened and waits until it is known whether a page of ours opened it.
    Opening(TargetId),
}

impl Role {
    /// The tab that a session belongs to, once that is known.
    pub(super) fn tab(&self) -> Option<TabId> {
        match self {
            Self::Tab(tab) | Self::Page(tab) | Self::Frame(tab) | Self::Worker(tab) => Some(*tab),
            Self::Probe(_) | Self::Opening(_) => None,
        }
    }
}

/// An engaged tab's attachment.
pub(super) struct Engaged {
    /// The session of the *tab* target, through which its page is attached, also when it is replaced.
    pub(super) tab_session: Option<SessionId>,
    pub(super) page: Option<SessionId>,
    pub(super) frames: FrameTree,
    pub(super) phase: watch::Sender<Phase>,
}

#[derive(Clone, Debug)]
pub(super) enum Phase {
    Attaching,
    /// The page's session is there: it can be navigated even if it is hung.
    Attached,
    /// The frames are known too.
    Ready,
    Failed(BrowserError),
}

/// What belongs to a tab whether or not it is engaged.
#[derive(Default)]
pub(super) struct Desk {
    /// Commands on one tab run in the order in which they asked.
    pub(super) order: Arc<tokio::sync::Mutex<()>>,
    pub(super) dialogs: Dialogs,
    /// What the act causes that is under way.
    pub(super) effects: Option<Effects>,
    pub(super) refused: Refused,
    /// What each of its pages, frames and workers is given.
    pub(super) standing: Vec<Standing>,
    /// A command of its own answers each of its requests (`Tab::judge_requests`).
    pub(super) judges_itself: bool,
    /// Commands and turns that work on the tab now.
    pub(super) holds: usize,
    /// Counts the times that holds ended, so that a lingering release knows whether it is still meant.
    pub(super) hold_round: u64,
    /// Anyone who wants the tab to stay attached although no command works on it.
    pub(super) stays: usize,
    /// Not let go of before.
    pub(super) linger_until: Option<Instant>,
    /// The person sent us out of it: not attached to before they let us in again.
    pub(super) kept_out: bool,
}

impl State {
    /// Notes closed tabs with the acts that caused it, under the lock under which they leave the table.
    pub(super) fn note_closed(&self, follows: &[Follow]) {
        for follow in follows {
            let Follow::Closed(tab) = follow else { continue };
            for effects in self.desks.values().filter_map(|desk| desk.effects.as_ref()) {
                effects.tab_closed(*tab);
            }
        }
    }

    /// The sessions of an engaged tab: with the *tab* target's all the others end, mostly without a word. What they were
    /// asked is the caller's to give up.
    pub(super) fn forget_sessions(&mut self, tab: TabId) -> Vec<SessionId> {
        self.sessions.extract_if(|_, role| role.tab() == Some(tab)).map(|(id, _)| id).collect()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.cdp.cancel();
    }
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Each change is small and leaves the state whole, whatever panicked elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn tell(&self, event: BrowserEvent) {
        if self.events.send(event).is_err() {
            tracing::trace!("nobody listens to the browser's events");
        }
    }
    /// Does what the tab table asked for. Called without the state's lock.
    pub(super) fn follow(self: &Arc<Self>, follows: Vec<Follow>) {
        for follow in follows {
            match follow {
                Follow::Tell(event) => {
                    self.note_tab(&event);
                    self.tell(event);
                }
                Follow::FindPage(target) => self.find_page(target),
                Follow::Closed(tab) => self.forget(tab),
            }
        }
    }
    /// A tab is noted by the act that made a page open it.
    fn note_tab(&self, event: &BrowserEvent) {
        let BrowserEvent::TabOpened(info) = event else { return };
        let state = self.state();
        let opener = info.opener.and_then(|opener| state.desks.get(&opener));
        if let Some(effects) = opener.and_then(|desk| desk.effects.as_ref()) {
            effects.note(Noted::TabOpened(info.id));
        }
    }
    fn forget(&self, tab: TabId) {
        let ended = {
            let mut state = self.state();
            state.desks.remove(&tab);
            if let Some(engaged) = state.engaged.remove(&tab) {
                engaged.phase.send_replace(Phase::Failed(BrowserError::TabClosed(tab)));
            }
            state.forget_sessions(tab)
        };
        self.give_up(&ended);
    }
    /// Calls that wait for an answer of these sessions end. Called without the state's lock.
    pub(super) fn give_up(&self, sessions: &[SessionId]) {
        for session in sessions {
            self.cdp.give_up(session);
        }
    }
}

impl Browser {
    /// Takes over a kept browser.
    pub async fn attach_kept(link: KeeperLink, options: AttachOptions) -> Result<Self, BrowserError> {
        Self::attach(link.transport, Some(link.session), link.first_id, link.run, options).await
    }

    /// Takes over the browser behind a transport; returns once its present tabs are known. `root`: the session that
    /// stands for the browser, none where the connection itself does.
    pub async fn attach(
        transport: Transport,
        root: Option<SessionId>,
        first_id: u32,
        run: BrowserRun,
        options: AttachOptions,
    ) -> Result<Self, BrowserError> {
        let browser = Self::start(transport, root, first_id, run, options);
        browser.discover(&browser.root()).await?;
        Ok(browser)
    }

    /// Takes over an everyday browser, whose tabs are told of by its extension.
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
            desks: HashMap::new(),
            downloads: Downloads::default(),
            keyboard: Keyboard::default(),
            default_context: None,
        };
        let shared = Cdp::start(transport, root, first_id, |cdp| {
            let shared = Arc::new(Shared { cdp: cdp.clone(), options, run, events, state: Mutex::new(state) });
            let router: Arc<dyn Observer> = Arc::new(Router::new(Arc::downgrade(&shared)));
            (router, shared)
        });
        Self { shared }
    }

    async fn discover(&self, root: &Session) -> Result<(), BrowserError> {
        let contexts = root.call(GetBrowserContexts {}).await;
        self.shared.state().default_context = match contexts {
            Ok(contexts) => contexts.default_browser_context_id,
            Err(error @ (CdpError::Gone | CdpError::Timeout { .. })) => return Err(error.into()),
            // Older browsers do not name the default context: then nothing is taken for incognito.
            Err(_) => None,
        };
        self.shared.set_up_downloads();
        let filter = vec![FilterEntry::never("browser"), FilterEntry::all_others()];
        let discover = SetDiscoverTargets { discover: true, filter };
        // A tab that a page of ours opens is set up before it asks for anything. Tabs that are there already are attached
        // too; nothing is asked of them.
        root.call(auto_attach("tab")).await?;
        // All present targets are reported before the reply.
        root.call(discover).await?;
        self.all_told(TAB_LIMIT).await
    }

    /// Returns once [`Browser::tabs`] holds every tab that is being opened now.
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

    /// Names this run of this browser.
    pub fn run(&self) -> &BrowserRun {
        &self.shared.run
    }
    /// An everyday browser, driven by way of its extension.
    pub fn is_relayed(&self) -> bool {
        self.shared.options.lets_go_after.is_some()
    }
    pub fn is_headless(&self) -> bool {
        self.shared.options.headless
    }
    /// Commands to the browser itself.
    pub fn root(&self) -> Session {
        self.shared.cdp.root()
    }
    pub fn cdp(&self) -> &Cdp {
        &self.shared.cdp
    }
    /// What happens from now on.
    pub fn events(&self) -> broadcast::Receiver<BrowserEvent> {
        self.shared.events.subscribe()
    }
    /// Ends when the connection to the browser does.
    pub fn gone(&self) -> &CancellationToken {
        self.shared.cdp.gone()
    }
    /// Ends the connection; the browser itself goes on.
    pub async fn detach(&self) {
        self.shared.cdp.close().await;
    }

    /// The person lets us into every tab again out of which they had sent us.
    pub fn let_in(&self) {
        for desk in self.shared.state().desks.values_mut() {
            desk.kept_out = false;
        }
    }
    /// Lets go of every tab that is attached to.
    pub fn release_all(&self) {
        let engaged: Vec<TabId> = self.shared.state().engaged.keys().copied().collect();
        for id in engaged {
            Tab::new(self.clone(), id).release();
        }
    }

    /// All open tabs, by number.
    pub fn tabs(&self) -> Vec<TabInfo> {
        self.shared.state().tabs.all()
    }
    /// A tab by its number.
    pub fn tab(&self, id: TabId) -> Result<Tab, BrowserError> {
        let state = self.shared.state();
        match state.tabs.get(id) {
            Some(_) => Ok(Tab::new(self.clone(), id)),
            None if state.tabs.was_given(id) => Err(BrowserError::TabClosed(id)),
            None => Err(BrowserError::NoSuchTab(id)),
        }
    }
    /// Asks the browser which tabs are in view: switching is not reported by itself.
    pub async fn refresh_views(&self) -> Result<(), BrowserError> {
        let targets = self.root().call(GetTargets { filter: Some(vec![FilterEntry::only("tab")]) }).await?.target_infos;
        let follows = self.shared.state().tabs.views(targets);
        self.shared.follow(follows);
        Ok(())
    }
    /// The tab that commands without one act on: the chosen one, else the one in view.
    pub async fn current(&self) -> Result<Tab, BrowserError> {
        let chosen = self.shared.state().tabs.has_current();
        if !chosen {
            self.refresh_views().await?;
        }
        let id = self.shared.state().tabs.current().ok_or(BrowserError::NoTab)?;
        Ok(Tab::new(self.clone(), id))
    }
    /// The current tab as far as it is known without asking the browser.
    pub fn current_known(&self) -> Option<TabId> {
        self.shared.state().tabs.current()
    }
    /// Who the browser says it is: `Chromium 156.0.8078.73`.
    pub async fn version(&self) -> Result<String, BrowserError> {
        let version = self.root().call(GetVersion {}).await?;
        Ok(version.product.replacen('/', " ", 1))
    }
    /// The browser's own process; none where it does not tell.
    pub async fn pid(&self) -> Option<u32> {
        const LIMIT: Duration = Duration::from_secs(2);
        let reply = self.root().call_json("SystemInfo.getProcessInfo", &serde_json::json!({}), LIMIT).await.ok()?;
        let processes = reply.get("processInfo")?.as_array()?;
        let own = processes.iter().find(|process| process["type"] == "browser")?;
        u32::try_from(own["id"].as_u64()?).ok()
    }
    /// Makes a tab the current one. Does not bring it into view.
    pub fn set_current(&self, id: TabId) -> Result<Tab, BrowserError> {
        let tab = self.tab(id)?;
        self.shared.state().tabs.set_current(id);
        Ok(tab)
    }

    /// The numbers of the tabs and the current one, for the daemon after this one.
    pub fn tab_record(&self) -> TabRecord {
        self.shared.state().tabs.record()
    }
    /// Joins Chrome's report of a tab (its id, view, discarding) to ours, by the page target in it.
    pub fn bind(&self, chrome: &ChromeTab) {
        let follows = self.shared.state().tabs.bind(chrome);
        self.shared.follow(follows);
    }
    pub fn by_chrome_id(&self, chrome_id: ChromeTabId) -> Option<TabInfo> {
        self.shared.state().tabs.by_chrome_id(chrome_id).cloned()
    }
    pub fn by_page(&self, page: &TargetId) -> Option<TabInfo> {
        self.shared.state().tabs.by_page(page).cloned()
    }

    /// Opens an empty tab in the background. It does not become the current one.
    pub async fn new_tab(&self) -> Result<Tab, BrowserError> {
        let create = CreateTarget { url: "about:blank".to_owned(), background: true, for_tab: true };
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
        opened.unwrap_or_else(|_| Err(BrowserError::Timeout { what: "opening a tab".to_owned(), after }))
    }
}
