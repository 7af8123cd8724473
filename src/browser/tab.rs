//! One tab: engaging it, working on it in order, its frames and their worlds.
//!
//! Owns the handle, the guard of a command (`Work`) and the hold that keeps a hidden tab active. Only `activate` brings
//! a tab into view.

use super::browser::Browser;
use super::devtools::emulation::SetFocusEmulationEnabledParams;
use super::devtools::page::CreateIsolatedWorldParams;
use super::devtools::target::{ActivateTargetParams, CloseTargetParams, detach_from};
use super::devtools_session::Session;
use super::error::BrowserError;
use super::events::Subscription;
use super::frames::{Context, Frame, FrameId, World};
use super::keep_attached::KeepAttached;
use super::shared::{Phase, TabState};
use super::tabs::{BrowserEvent, TabInfo};
use gstack_protocol::ids::TabId;
use std::any::Any;
use std::ops::Deref;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedMutexGuard, watch};
use tokio::time::timeout;

/// Attaching takes milliseconds, even to a hung page, but reading the frames of a hung page never ends.
const ENGAGE_LIMIT: Duration = Duration::from_secs(10);
/// A tab closes within milliseconds; a busy machine may take longer.
const CLOSE_LIMIT: Duration = Duration::from_secs(10);
/// A page that has not answered by then counts as hung.
pub(super) const HUNG_AFTER: Duration = Duration::from_secs(3);
/// Chrome answers this in the middle of a script. Source: `DevToolsSession::ShouldInterruptForMethod` of Chromium.
const INTERRUPTS: &str = "Performance.getMetrics";
/// The browser's own process answers this, whatever the page does.
const BY_BROWSER: &str = "Page.getNavigationHistory";
/// A page that has not answered [`INTERRUPTS`] after so many answers of the browser is stopped. They are counted because on a busy
/// machine both are late.
const STOPPED_AFTER: u32 = 15;
/// The delay between two of these answers.
const ANSWER_INTERVAL: Duration = Duration::from_millis(100);
/// Focus emulation outlasts a command by this much: between a click and the next snapshot the page must not lose its
/// focus, because that would close the menu that the click opened.
const HOLD_LINGER: Duration = Duration::from_secs(20);
/// A tab by its number. Cheap to clone; the tab may be gone.
#[derive(Clone)]
pub struct Tab {
    browser: Browser,
    id: TabId,
}

impl Tab {
    pub(super) fn new(browser: Browser, id: TabId) -> Self {
        Self { browser, id }
    }
    /// Returns the tab's number.
    pub fn id(&self) -> TabId {
        self.id
    }
    /// Returns the browser that the tab is in.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }
    /// Returns the tab as it is now.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn info(&self) -> Result<TabInfo, BrowserError> {
        self.browser.shared.state().tabs.get(self.id).cloned().ok_or(BrowserError::TabClosed(self.id))
    }

    /// Waits for the caller's turn on the tab, engages it and holds it: one command at a time, in the order of the
    /// requests. Dropping the future or the guard gives the turn to the next caller.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed or cannot be attached to.
    pub async fn work(&self) -> Result<Work, BrowserError> {
        let order = self.with_tab_state(|tab_state| tab_state.order.clone())?;
        let order = order.lock_owned().await;
        // Before the tab is engaged: if the caller is dropped during that, the `KeepAttached` still schedules the detach.
        let keep = self.keep_attached()?;
        let page = self.engage().await?;
        let hold = self.hold()?;
        Ok(Work { tab: self.clone(), page, _hold: hold, _keep: keep, order: Some(order) })
    }

    /// Attaches to the tab's page unless it is attached; the tab is engaged until `release`. Returns the page's session
    /// once the page has received its setup. A hung or crashed page receives nothing, but its session is returned: it
    /// can still be navigated.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, the browser does not attach to it in time, or, in an everyday browser, gstack may
    /// not act on it.
    pub async fn engage(&self) -> Result<Session, BrowserError> {
        let mut phase = self.browser.shared.begin_to_engage(self.id)?;
        let attached = |phase: &Phase| !matches!(phase, Phase::Attaching);
        self.wait_for(&mut phase, "attaching to the tab", ENGAGE_LIMIT, attached).await?;
        if !self.is_crashed() {
            let ready = |phase: &Phase| matches!(phase, Phase::Ready | Phase::Failed(_));
            match self.wait_for(&mut phase, "setting up the page", HUNG_AFTER, ready).await {
                Err(BrowserError::Timeout { .. }) => tracing::info!(tab = %self.id, "the page does not answer"),
                result => result?,
            }
        }
        self.page()
    }

    fn is_crashed(&self) -> bool {
        self.browser.shared.state().tabs.get(self.id).is_some_and(TabInfo::is_crashed)
    }

    async fn wait_for(
        &self,
        phase: &mut watch::Receiver<Phase>,
        what: &str,
        limit: Duration,
        enough: impl Fn(&Phase) -> bool,
    ) -> Result<(), BrowserError> {
        match timeout(limit, phase.wait_for(|phase| enough(phase))).await {
            Ok(Ok(phase)) => match &*phase {
                Phase::Failed(error) => Err(error.clone()),
                _ => Ok(()),
            },
            Ok(Err(_)) => Err(BrowserError::TabClosed(self.id)),
            Err(_) => Err(BrowserError::Timeout { what: what.to_owned(), after: limit }),
        }
    }

    /// Returns the session of the engaged tab's page.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed, and with [`BrowserError::FrameGone`] if it has no
    /// attached page.
    pub fn page(&self) -> Result<Session, BrowserError> {
        let state = self.browser.shared.state();
        let page = state.engaged.get(&self.id).and_then(|engaged| engaged.page.clone());
        match page {
            Some(id) => Ok(self.browser.cdp().session(id)),
            None if state.tabs.get(self.id).is_none() => Err(BrowserError::TabClosed(self.id)),
            None => Err(BrowserError::FrameGone),
        }
    }
    /// Returns true while gstack is attached to the tab's page, or attaching.
    pub fn is_engaged(&self) -> bool {
        self.browser.shared.state().engaged.contains_key(&self.id)
    }
    /// Detaches from the page and undoes its setup, except for early scripts in the present document.
    pub fn release(&self) {
        let (session, ended) = {
            let mut state = self.browser.shared.state();
            let engaged = state.engaged.remove(&self.id);
            (engaged.and_then(|engaged| engaged.tab_session), state.forget_sessions(self.id))
        };
        self.browser.shared.give_up(&ended);
        if let Some(session) = session {
            self.browser.root().post(detach_from(session));
        }
    }

    /// Subscribes to events of the page's session (not of out-of-process frames), from now on.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::page`] does.
    pub fn subscribe(&self, methods: &[&'static str]) -> Result<Subscription, BrowserError> {
        Ok(self.page()?.subscribe(methods))
    }

    /// Returns the frames of the engaged tab, the main one first.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::Timeout`] if the page hangs, with [`BrowserError::TabCrashed`] if it crashed, and if
    /// the tab is closed.
    pub async fn frames(&self) -> Result<Vec<Frame>, BrowserError> {
        self.ready().await?;
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        Ok(engaged.frames.all().to_vec())
    }
    /// Returns the main frame, once the tab is ready.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::frames`] does.
    pub async fn main_frame(&self) -> Result<Frame, BrowserError> {
        self.ready().await?;
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        engaged.frames.main().cloned().ok_or(BrowserError::FrameGone)
    }
    /// Returns the main document's loader, if it is known.
    pub(super) fn main_loader(&self) -> Option<String> {
        let state = self.browser.shared.state();
        state.engaged.get(&self.id)?.frames.main().map(|frame| frame.loader.clone())
    }
    /// Returns the frame with this id, as it is now.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::FrameGone`] if the frame does not exist.
    pub fn frame(&self, id: &FrameId) -> Result<Frame, BrowserError> {
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        engaged.frames.get(id.as_str()).cloned().ok_or(BrowserError::FrameGone)
    }
    /// Returns whether the tab shows the document with this loader. `None` if its frames are not followed.
    pub fn shows_document(&self, loader: &str) -> Option<bool> {
        let state = self.browser.shared.state();
        state.engaged.get(&self.id)?.frames.main().map(|frame| frame.loader == loader)
    }
    /// Waits until the frames are known. Fails with `Timeout` for a hung page and `TabCrashed` for a crashed one.
    async fn ready(&self) -> Result<(), BrowserError> {
        let mut phase = self.browser.shared.begin_to_engage(self.id)?;
        if self.is_crashed() {
            return Err(BrowserError::TabCrashed(self.id));
        }
        let ready = |phase: &Phase| matches!(phase, Phase::Ready | Phase::Failed(_));
        let what = "reading the page's frames";
        let known = self.wait_for(&mut phase, what, ENGAGE_LIMIT, ready);
        if !self.browser.is_relayed() {
            return known.await;
        }
        tokio::select! {
            biased;
            known = known => known,
            () = self.stopped() => Err(BrowserError::Stopped(self.id)),
        }
    }

    /// Resolves if the page does not even answer what interrupts a busy script: a dialog stops everything. One that opened
    /// before gstack attached is reported by no event.
    async fn stopped(&self) {
        let Ok(page) = self.page() else { return std::future::pending().await };
        let nothing = serde_json::json!({});
        let of_browser = async {
            for _ in 0..STOPPED_AFTER {
                tokio::time::sleep(ANSWER_INTERVAL).await;
                if page.call_json(BY_BROWSER, &nothing, ENGAGE_LIMIT).await.is_err() {
                    // Neither answers.
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            biased;
            _ = page.call_json(INTERRUPTS, &nothing, ENGAGE_LIMIT) => std::future::pending().await,
            () = of_browser => {}
        }
    }

    /// Returns the session of a frame.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::FrameGone`] if the frame does not exist.
    pub fn session_of(&self, frame: &FrameId) -> Result<Session, BrowserError> {
        Ok(self.browser.cdp().session(self.frame(frame)?.session))
    }
    /// Returns the execution context of a world in the frame's present document; creates an isolated world if it does
    /// not exist yet.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::FrameGone`] if the frame or the page's own world does not exist, and if the browser
    /// does not answer.
    pub async fn context(&self, frame: &FrameId, world: &World) -> Result<Context, BrowserError> {
        if let Some(context) = self.known_context(frame, world)? {
            return Ok(context);
        }
        let World::Isolated(name) = world else { return Err(BrowserError::FrameGone) };
        let session = self.session_of(frame)?;
        let create = CreateIsolatedWorldParams {
            world_name: Some(name.clone()),
            ..CreateIsolatedWorldParams::new(frame.as_str().to_owned())
        };
        let made = session.call(create).await?;
        if let Some(context) = self.known_context(frame, world)? {
            return Ok(context);
        }
        let session = session.id().cloned().ok_or(BrowserError::FrameGone)?;
        Ok(Context { session, id: made.execution_context_id, unique: None })
    }
    /// Returns the context of a world if it has been reported; creates none.
    pub(super) fn known_context(&self, frame: &FrameId, world: &World) -> Result<Option<Context>, BrowserError> {
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        Ok(engaged.frames.context(frame.as_str(), world).cloned())
    }

    /// Brings the tab into view in its window. No other function here is visible to the user.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed or the browser does not answer.
    pub async fn activate(&self) -> Result<(), BrowserError> {
        let target_id = self.info()?.target;
        self.browser.root().call(ActivateTargetParams::new(target_id.to_string())).await?;
        Ok(())
    }
    /// Closes the tab without running its `beforeunload` handlers; returns once it is closed.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed already, or the browser does not answer. After [`BrowserError::Unanswered`] the tab
    /// may still be closed.
    pub async fn close(&self) -> Result<(), BrowserError> {
        let target_id = self.info()?.target;
        let mut events = self.browser.events();
        let close = async {
            self.browser.root().call(CloseTargetParams::new(target_id.to_string())).await?;
            while self.info().is_ok() {
                match events.recv().await {
                    // Closing the last tab ends the browser.
                    Err(RecvError::Closed) | Ok(BrowserEvent::Gone) => return Ok(()),
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                }
            }
            Ok(())
        };
        let late = || BrowserError::Unanswered { what: format!("closing tab {}", self.id), after: CLOSE_LIMIT };
        tokio::select! {
            closed = timeout(CLOSE_LIMIT, close) => closed.map_err(|_| late())?,
            () = self.browser.gone().cancelled() => Ok(()),
        }
    }

    /// Keeps the tab as active as one in view while the hold lives, and a little longer.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::TabClosed`] if the tab is closed.
    pub fn hold(&self) -> Result<Hold, BrowserError> {
        let first = self.with_tab_state(|tab_state| {
            tab_state.holds += 1;
            tab_state.hold_round += 1;
            tab_state.holds == 1
        })?;
        if first && let Ok(page) = self.page() {
            page.post(SetFocusEmulationEnabledParams::new(true));
        }
        Ok(Hold { tab: self.clone() })
    }

    /// Drops a value when the tab closes, or gstack disconnects from the browser. At once if the tab is closed already.
    pub fn keep(&self, kept: impl Any + Send) {
        if self.with_tab_state(|tab_state| tab_state.kept.push(Box::new(kept))).is_err() {
            tracing::debug!(tab = %self.id, "the tab closed before its files were read");
        }
    }

    pub(super) fn with_tab_state<T>(&self, act: impl FnOnce(&mut TabState) -> T) -> Result<T, BrowserError> {
        let mut state = self.browser.shared.state();
        if state.tabs.get(self.id).is_none() {
            return Err(BrowserError::TabClosed(self.id));
        }
        Ok(act(state.tab_states.entry(self.id).or_default()))
    }

    fn let_go(&self) {
        let round = self.with_tab_state(|tab_state| {
            tab_state.holds -= 1;
            (tab_state.holds == 0).then_some(tab_state.hold_round)
        });
        let (Ok(Some(round)), Ok(runtime)) = (round, tokio::runtime::Handle::try_current()) else { return };
        let tab = self.clone();
        let gone = self.browser.gone().clone();
        self.browser.cdp().tasks().spawn_on(
            async move {
                tokio::select! {
                    () = gone.cancelled() => return,
                    () = tokio::time::sleep(HOLD_LINGER) => {}
                }
                let unheld = tab.with_tab_state(|tab_state| tab_state.holds == 0 && tab_state.hold_round == round);
                if let (Ok(true), Ok(page)) = (unheld, tab.page()) {
                    page.post(SetFocusEmulationEnabledParams::new(false));
                }
            },
            &runtime,
        );
    }
}

/// Keeps a hidden tab active while it lives.
pub struct Hold {
    tab: Tab,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.tab.let_go();
    }
}

/// A command's exclusive turn on a tab: engaged and held. Ends when dropped.
pub struct Work {
    tab: Tab,
    page: Session,
    _hold: Hold,
    _keep: KeepAttached,
    /// `None`: the command only waits, and others work on the tab.
    order: Option<OwnedMutexGuard<()>>,
}

impl Work {
    /// Returns the page's session, as it was when the work began.
    pub fn session(&self) -> &Session {
        &self.page
    }

    /// Gives the turn on the tab to the next caller, for a command that only waits for what another one may do.
    pub fn let_others_work(&mut self) {
        self.order = None;
    }
}

impl Deref for Work {
    type Target = Tab;
    fn deref(&self) -> &Tab {
        &self.tab
    }
}
