//! The browser in use: at most one, taken over from an earlier daemon, started on demand, noticed when it goes.
//!
//! Owns which browser that is. Never starts one by itself: `connect` and commands do.

use super::Engine;
use super::away::Chosen;
use super::failures::Failures;
use super::ports::{Port, PortId};
use super::relays::Everyday;
use super::tab_reports::driven_place;
use crate::base::home::Home;
use crate::base::mutex::lock;
use crate::base::process::Process;
use crate::browser::browser::{AttachOptions, Browser};
use crate::browser::downloads::DownloadFolders;
use crate::browser::endpoint::Endpoint;
use crate::browser::keeper_link::KeeperLink;
use crate::browser::launch::side_panel;
use crate::browser::page::Pages;
use crate::browser::page::capture_file::CaptureFile;
use crate::browser::page::script::early_script;
use crate::browser::tabs::TabRecord;
use crate::browser::{keeper_link, launch, websocket};
use crate::command::url_guard;
use crate::protocol::EXTENSION_ID;
use crate::protocol::control::Disconnected;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{BrowserRun, TabId};
use crate::protocol::methods::ToPanel;
use crate::protocol::told;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A kept browser answers at once; one that does not is looked at again by the next command.
const TAKE_OVER_LIMIT: Duration = Duration::from_secs(5);

/// How long a lost extension may take to come back before its panel is left to the person.
const BACK_LIMIT: Duration = Duration::from_secs(30);
/// How long to wait for it before it is looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The browser in use and the turn to change it.
pub(super) struct Browsers {
    /// Held while one is opened or closed: two `connect`s at once open one.
    pub(super) change: tokio::sync::Mutex<()>,
    current: Mutex<Option<Current>>,
    /// The everyday browser that is in use, also while its extension is away.
    pub(super) chosen: Mutex<Chosen>,
    pub(super) failures: Failures,
    /// What was written of its tabs last.
    pub(super) recorded: Mutex<Option<TabRecord>>,
}

impl Browsers {
    pub(super) fn open(home: &Home) -> Self {
        let chosen = Mutex::new(Chosen::open(home));
        Self {
            change: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            chosen,
            failures: Failures::default(),
            recorded: Mutex::default(),
        }
    }
}

#[derive(Clone)]
struct Current {
    browser: Browser,
    /// What commands remember of its tabs.
    pages: Pages,
    /// None where an attached browser does not tell.
    pid: Option<u32>,
    /// Of our own, as it was when it was taken into use.
    process: Option<Process>,
    /// The DevTools address of somebody else's browser, which is never ended; none for our own.
    attached: Option<String>,
}

/// For `status` and `doctor`.
pub(super) struct BrowserStatus {
    pub(super) pid: Option<u32>,
    pub(super) tabs: usize,
    pub(super) url: Option<String>,
}

impl Engine {
    /// The browser in use, if its connection stands.
    pub(super) fn browser(&self) -> Option<Browser> {
        let current = lock(&self.inner.browsers.current);
        current.as_ref().map(|current| current.browser.clone()).filter(|browser| !browser.gone().is_cancelled())
    }

    /// The current tab of the browser in use, as far as that is known.
    pub(super) fn current_tab(&self) -> Option<TabId> {
        self.browser()?.current_known()
    }

    /// The browser in use whose tabs are written down, and what it is called there: by its run, and somebody else's by
    /// its address. Everyday browsers number their tabs by themselves.
    pub(super) fn recorded_browser(&self) -> Option<(Browser, String)> {
        let current = lock(&self.inner.browsers.current).clone()?;
        let Current { browser, attached, .. } = current;
        if browser.gone().is_cancelled() || browser.is_relayed() {
            return None;
        }
        let name = attached.unwrap_or_else(|| browser.run().as_str().to_owned());
        Some((browser, name))
    }

    /// The browser in use with what commands remember of it.
    pub(super) fn pages(&self) -> Option<(Browser, Pages)> {
        let current = lock(&self.inner.browsers.current).clone();
        current.filter(|current| !current.browser.gone().is_cancelled()).map(|c| (c.browser, c.pages))
    }

    pub fn has_browser(&self) -> bool {
        self.browser().is_some()
    }

    /// The browser behind a port, where gstack has started it and drives it.
    pub(super) fn piped(&self, port: PortId) -> Option<Browser> {
        let run = self.ports().run_of(port)?;
        self.browser().filter(|browser| *browser.run() == run)
    }

    /// The browser behind a port: the one that gstack has started, or an everyday one.
    pub(super) fn browser_of(&self, port: PortId) -> Option<Browser> {
        self.piped(port).or_else(|| Some(self.everyday(port)?.browser().clone()))
    }

    /// An everyday browser becomes the one in use.
    pub(super) fn use_everyday(&self, everyday: &Everyday) {
        let (browser, pages) = everyday.pages();
        lock(&self.inner.browsers.chosen).set(Some(browser.run().clone()));
        let attached = Some(everyday.name.clone());
        *lock(&self.inner.browsers.current) = Some(Current { browser, pages, pid: None, process: None, attached });
        self.update_busy();
    }

    /// No everyday browser is the one in use any more; false where none was.
    fn leave_everyday(&self) -> bool {
        let was = self.everyday_is_chosen();
        lock(&self.inner.browsers.chosen).set(None);
        was
    }

    pub(super) fn is_in_use(&self, everyday: &Everyday) -> bool {
        self.browser().is_some_and(|browser| browser.run() == everyday.browser().run())
    }

    /// The extension of an everyday browser was restarted: where it was the browser in use, it is again.
    pub(super) fn everyday_is_back(&self, everyday: &Everyday) {
        let run = everyday.browser().run();
        let is_it = lock(&self.inner.browsers.chosen).get() == Some(run);
        // The end of the connection before this one may not be seen yet.
        if is_it && self.browser().is_none_or(|known| known.run() == run) {
            self.use_everyday(everyday);
        }
    }

    /// The connection to an everyday browser has ended; it may come again.
    pub(super) fn everyday_gone(&self, browser: &Browser) {
        let mut current = lock(&self.inner.browsers.current);
        // Another connection to the same browser may have taken its place.
        if current
            .as_ref()
            .is_some_and(|known| known.browser.run() == browser.run() && known.browser.gone().is_cancelled())
        {
            *current = None;
            drop(current);
            self.update_busy();
        }
    }

    pub(super) fn browser_pid(&self) -> Option<u32> {
        lock(&self.inner.browsers.current).as_ref().and_then(|current| current.pid)
    }

    /// Our own, and no person sees it.
    pub(super) fn is_unseen(&self) -> bool {
        !self.is_attached() && self.browser().is_some_and(|browser| browser.is_headless())
    }

    /// The browser in use is somebody else's.
    pub(super) fn is_attached(&self) -> bool {
        self.attached_to().flatten().is_some()
    }

    /// The address of an attached browser; `Some(None)` for one of our own, none where there is no browser.
    pub(super) fn attached_to(&self) -> Option<Option<String>> {
        let current = lock(&self.inner.browsers.current).clone();
        current.filter(|current| !current.browser.gone().is_cancelled()).map(|current| current.attached)
    }

    /// What kind of browser is in use: `headed`, `headless`, `attached`, `everyday` or `none`.
    pub(super) fn mode(&self) -> &'static str {
        match self.browser() {
            None if self.everyday_is_chosen() => "everyday",
            None => "none",
            Some(browser) if browser.is_relayed() => "everyday",
            Some(_) if self.is_attached() => "attached",
            Some(browser) if browser.is_headless() => "headless",
            Some(_) => "headed",
        }
    }

    pub(super) fn browser_status(&self) -> Option<BrowserStatus> {
        let browser = self.browser()?;
        let tabs = browser.tabs();
        Some(BrowserStatus {
            pid: self.browser_pid(),
            tabs: tabs.len(),
            url: browser.current_known().and_then(|id| tabs.into_iter().find(|tab| tab.id == id)).map(|tab| tab.url),
        })
    }

    /// The browser that an earlier daemon left in its keeper.
    pub(super) async fn take_over_browser(&self) {
        let link = match tokio::time::timeout(TAKE_OVER_LIMIT, keeper_link::connect(self.home())).await {
            Ok(Ok(link)) => link,
            Ok(Err(error)) => return tracing::debug!(%error, "no browser to take over"),
            Err(_) => return tracing::warn!("the browser's keeper does not answer"),
        };
        match self.use_browser(link).await {
            Ok(_) => tracing::info!("took over the open browser"),
            Err(fault) => tracing::warn!(%fault, "the open browser could not be taken over"),
        }
    }

    /// Attaches, makes it the browser in use and follows its events.
    pub(super) async fn use_browser(&self, link: KeeperLink) -> Result<Browser, Fault> {
        let pid = link.pid;
        let record = self.recorded_tabs(link.run.as_str());
        let options = AttachOptions {
            headless: link.headless,
            downloads: Some(self.download_folders()?),
            numbers: self.tab_numbers().going_on_from(&record),
            early_scripts: vec![early_script()],
            refuses: Some(url_guard::is_refused_address),
            // Its resolver rules do that.
            holds_back: false,
            lets_go_after: None,
        };
        let browser = Browser::attach_kept(link, options).await?;
        self.restore_current(&browser, &record);
        self.take_into_use(&browser, Some(pid), None);
        Ok(browser)
    }

    /// Attaches to somebody else's browser and makes it the one in use.
    pub(super) async fn use_foreign_browser(&self, endpoint: &Endpoint) -> Result<Browser, Fault> {
        let transport = websocket::connect(&endpoint.address).await?;
        let record = self.recorded_tabs(&endpoint.address);
        let options = AttachOptions {
            headless: endpoint.headless,
            downloads: Some(self.download_folders()?),
            numbers: self.tab_numbers().going_on_from(&record),
            early_scripts: vec![early_script()],
            refuses: Some(url_guard::is_refused_address),
            holds_back: true,
            lets_go_after: None,
        };
        let browser = Browser::attach(transport, None, 1, BrowserRun::random(), options).await?;
        self.restore_current(&browser, &record);
        let pid = browser.pid().await;
        self.take_into_use(&browser, pid, Some(endpoint.address.clone()));
        Ok(browser)
    }

    /// What pages make a browser save goes to where screenshots without a path go.
    fn download_folders(&self) -> Result<DownloadFolders, Fault> {
        let incoming = self.home().incoming();
        let saved = self.temporary_folder()?;
        crate::base::home::private_folder(&incoming)
            .map_err(|e| Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint()))?;
        Ok(DownloadFolders { incoming, saved })
    }

    fn take_into_use(&self, browser: &Browser, pid: Option<u32>, attached: Option<String>) {
        let capture = self.config().browser.capture_to_disk.then(|| CaptureFile::open(self.home().capture_file()));
        let capture = capture.and_then(|opened| match opened {
            Ok(file) => Some(file),
            Err(error) => {
                let message = told::CAPTURE_NOT_WRITTEN.with([&error.to_string()]);
                self.ports().tell_fault(&Fault::new(FaultCode::Storage, message).hint(told::CAPTURE_NOT_WRITTEN_NEXT));
                None
            }
        });
        let pages = Pages::default().captured_to(capture);
        let own = pid.filter(|_| attached.is_none()).and_then(|pid| i32::try_from(pid).ok());
        let process = own.and_then(Process::find);
        let current = Current { browser: browser.clone(), pages, pid, process, attached };
        self.leave_everyday();
        self.drop_relays_of(browser.run());
        *lock(&self.inner.browsers.current) = Some(current);
        // Its tabs may have had conversations under an earlier daemon.
        for tab in browser.tabs() {
            let place = driven_place(browser, &tab);
            if let Err(error) = self.store().tab_back(place.tab_id, &place.key) {
                tracing::warn!(%error, "a tab did not get its conversation back");
            }
        }
        self.confirm_started_ports();
        self.update_busy();
        self.spawn(self.clone().follow_browser(browser.clone()));
    }

    /// The browser that gstack has started, and its process.
    pub(super) fn started_browser(&self) -> Option<(BrowserRun, Process)> {
        let current = lock(&self.inner.browsers.current);
        let current = current.as_ref().filter(|current| !current.browser.gone().is_cancelled())?;
        Some((current.browser.run().clone(), current.process.clone()?))
    }

    /// The connection ended: the browser was closed or crashed, or its keeper was killed.
    pub(super) fn browser_gone(&self, browser: &Browser) {
        let mut current = lock(&self.inner.browsers.current);
        if current.as_ref().is_none_or(|known| known.browser.run() != browser.run()) {
            return;
        }
        *current = None;
        drop(current);
        if self.shutdown().is_cancelled() {
            return;
        }
        tracing::info!("the browser is gone");
        for tab in browser.tabs() {
            self.tab_closed(tab.id);
        }
        self.update_busy();
        let fault = Fault::new(FaultCode::BrowserDown, told::BROWSER_CLOSED)
            .hint(told::BROWSER_CLOSED_NEXT)
            .command("gstack connect")
            .at(Hop::Browser);
        self.ports().broadcast(&ToPanel::Fault(fault));
    }

    /// Lets go of the browser at the daemon's end: it lives on in its keeper.
    pub(super) async fn detach_browser(&self) {
        let current = lock(&self.inner.browsers.current).take();
        if let Some(current) = current {
            current.browser.detach().await;
        }
    }

    /// Closes the browser, or lets go of one that is somebody else's. Conversations stay. `force` kills one of ours, which
    /// may be hung.
    pub async fn disconnect(&self, force: bool) -> Result<Disconnected, Fault> {
        let own = |current: &Current| current.pid.filter(|_| current.attached.is_none() && force);
        let hung = lock(&self.inner.browsers.current).as_ref().and_then(own);
        if let Some(pid) = hung {
            // First of all: what holds the turn to change the browser may wait for an answer of it.
            launch::kill(self.home(), pid).await?;
        }
        let _turn = self.inner.browsers.change.lock().await;
        self.stop_turns(None);
        match self.close_browser_in_turn().await {
            // That it is gone was noticed meanwhile.
            Err(_) if hung.is_some() => Ok(Disconnected { closed: true }),
            outcome => outcome,
        }
    }

    /// The same, for who has the turn to change the browser.
    pub(super) async fn close_browser_in_turn(&self) -> Result<Disconnected, Fault> {
        // The keeper serves one client at a time: ours goes first, so that its end is not taken for a crash.
        let current = lock(&self.inner.browsers.current).take();
        let was_chosen = self.leave_everyday();
        if current.is_none() && was_chosen {
            // It was in use although its extension is away now.
            return Ok(Disconnected { closed: false });
        }
        if let Some(current) = current.as_ref().filter(|current| current.browser.is_relayed()) {
            current.browser.release_all();
            self.update_busy();
            return Ok(Disconnected { closed: false });
        }
        if let Some(current) = &current {
            for tab in current.browser.tabs() {
                self.tab_closed(tab.id);
            }
            current.browser.detach().await;
        }
        if current.as_ref().is_some_and(|current| current.attached.is_some()) {
            self.forget_recorded_tabs();
            self.update_busy();
            return Ok(Disconnected { closed: false });
        }
        let stopped = launch::stop(self.home()).await?;
        self.forget_recorded_tabs();
        self.update_busy();
        if stopped || current.is_some() {
            return Ok(Disconnected { closed: true });
        }
        Err(Fault::new(FaultCode::BrowserDown, "no browser was open").hint("Nothing to do.").at(Hop::Browser))
    }

    /// A port closed. Where the extension itself crashed it is loaded again, and its panel opened again.
    pub(super) fn port_lost(&self, port: Port) {
        let Some(run) = port.preamble.browser_run else { return };
        let Some(browser) = self.browser().filter(|browser| *browser.run() == run) else { return };
        let engine = self.clone();
        let had_panel = !port.panels.is_empty();
        self.spawn(async move {
            let shutdown = engine.shutdown();
            tokio::select! {
                outcome = engine.mend_extension(&browser, had_panel) => {
                    if let Err(fault) = outcome {
                        tracing::warn!(%fault, "the extension could not be repaired");
                    }
                }
                () = browser.gone().cancelled() => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    async fn mend_extension(&self, browser: &Browser, had_panel: bool) -> Result<(), Fault> {
        let mut changed = self.ports().watch();
        let deadline = Instant::now() + BACK_LIMIT;
        loop {
            // Chrome notices a crash a moment after the port has closed, so an extension that stays away is looked at again.
            if !side_panel::is_enabled(browser, EXTENSION_ID).await? {
                tracing::warn!("the extension crashed and is loaded again");
                let folder = (self.inner.provision.unpack_extension)(self.home())?;
                side_panel::load_extension(browser, &folder).await?;
            }
            let back = changed.wait_for(|()| self.ports().has_greeted(browser.run()));
            if matches!(tokio::time::timeout(LOOK_AGAIN, back).await, Ok(Ok(_))) {
                break;
            }
            if !had_panel || Instant::now() >= deadline {
                return Ok(());
            }
        }
        // A panel whose page lives connects again by itself; one that went with a reload of the extension does not.
        if had_panel && !side_panel::is_open(browser, EXTENSION_ID).await? {
            tracing::info!("the panel is opened again");
            side_panel::open(browser, EXTENSION_ID, &browser.current().await?).await?;
        }
        Ok(())
    }
}
