//! One tab: engaging it, working on it in order, its frames and their worlds.
//!
//! Owns the handle, the guard of a command (`Work`) and the hold that keeps a hidden tab active. Only `activate` brings
//! a tab into view.

use super::browser::Browser;
use super::devtools::emulation::SetFocusEmulationEnabled;
use super::devtools::page::{
    CreateIsolatedWorld, HandleJavaScriptDialog, PictureFormat, StartScreencast, StopScreencast,
};
use super::devtools::target::{ActivateTarget, CloseTarget};
use super::dialogs::{Dialog, DialogPolicy, DialogRecord};
use super::engage::detach_from;
use super::error::BrowserError;
use super::events::Subscription;
use super::frames::{Context, Frame, FrameId, World};
use super::linger::Stay;
use super::session::Session;
use super::shared::{Phase, TabState};
use super::tabs::{BrowserEvent, TabInfo};
use crate::protocol::ids::TabId;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedMutexGuard, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// Attaching takes milliseconds, even to a hung page, but reading the frames of a hung page never ends.
const ENGAGE_LIMIT: Duration = Duration::from_secs(10);
/// A tab closes within milliseconds; a busy machine may take longer.
const CLOSE_LIMIT: Duration = Duration::from_secs(10);
/// A page that has not answered by then counts as hung.
pub(super) const HUNG_AFTER: Duration = Duration::from_secs(3);
/// Focus emulation outlasts a command by this much: between a click and the next snapshot the page must not lose its
/// focus, because that would close the menu that the click opened.
const HOLD_LINGER: Duration = Duration::from_secs(20);
/// A command that needs no frame, and a screenshot of a tab in view, mostly takes less. The page cannot be asked
/// whether it is in view: with focus emulation it always says yes.
const DRAW_AFTER: Duration = Duration::from_millis(50);

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
    pub fn id(&self) -> TabId {
        self.id
    }
    pub fn browser(&self) -> &Browser {
        &self.browser
    }
    pub fn info(&self) -> Result<TabInfo, BrowserError> {
        self.browser.shared.state().tabs.get(self.id).cloned().ok_or(BrowserError::TabClosed(self.id))
    }

    /// Waits for the caller's turn on the tab, engages it and holds it: one command at a time, in the order of the
    /// requests. Dropping the future or the guard gives the turn to the next caller.
    pub async fn work(&self) -> Result<Work, BrowserError> {
        let order = self.with_tab_state(|tab_state| tab_state.order.clone())?;
        let order = order.lock_owned().await;
        // Before the tab is engaged: if the caller is dropped during that, the `Stay` still schedules the detach.
        let stay = self.stay()?;
        let page = self.engage().await?;
        let hold = self.hold()?;
        Ok(Work { tab: self.clone(), page, _hold: hold, _stay: stay, _order: order })
    }

    /// Attaches to the tab's page unless it is attached; the tab is engaged until `release`. Returns the page's session
    /// once the page has received its setup. A hung or crashed page receives nothing, but its session is returned: it
    /// can still be navigated.
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

    /// Returns the session of the engaged tab's page. Fails with `TabClosed` if the tab is closed and `FrameGone` if it
    /// has no attached page.
    pub fn page(&self) -> Result<Session, BrowserError> {
        let state = self.browser.shared.state();
        let page = state.engaged.get(&self.id).and_then(|engaged| engaged.page.clone());
        match page {
            Some(id) => Ok(self.browser.cdp().session(id)),
            None if state.tabs.get(self.id).is_none() => Err(BrowserError::TabClosed(self.id)),
            None => Err(BrowserError::FrameGone),
        }
    }
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
    pub fn subscribe(&self, methods: &[&'static str]) -> Result<Subscription, BrowserError> {
        Ok(self.page()?.subscribe(methods))
    }

    /// Returns the frames of the engaged tab, the main one first.
    pub async fn frames(&self) -> Result<Vec<Frame>, BrowserError> {
        self.ready().await?;
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        Ok(engaged.frames.all().to_vec())
    }
    pub async fn main_frame(&self) -> Result<Frame, BrowserError> {
        self.ready().await?;
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        engaged.frames.main().cloned().ok_or(BrowserError::FrameGone)
    }
    /// Returns the frame with this id, as it is now. Fails with `FrameGone` if it does not exist.
    pub fn frame(&self, id: &FrameId) -> Result<Frame, BrowserError> {
        let state = self.browser.shared.state();
        let engaged = state.engaged.get(&self.id).ok_or(BrowserError::FrameGone)?;
        engaged.frames.get(id.as_str()).cloned().ok_or(BrowserError::FrameGone)
    }
    /// Waits until the frames are known. Fails with `Timeout` for a hung page and `TabCrashed` for a crashed one.
    async fn ready(&self) -> Result<(), BrowserError> {
        let mut phase = self.browser.shared.begin_to_engage(self.id)?;
        if self.is_crashed() {
            return Err(BrowserError::TabCrashed(self.id));
        }
        let ready = |phase: &Phase| matches!(phase, Phase::Ready | Phase::Failed(_));
        self.wait_for(&mut phase, "reading the page's frames", ENGAGE_LIMIT, ready).await
    }

    /// Returns the session of a frame.
    pub fn session_of(&self, frame: &FrameId) -> Result<Session, BrowserError> {
        Ok(self.browser.cdp().session(self.frame(frame)?.session))
    }
    /// Returns the execution context of a world in the frame's present document; creates an isolated world if it does
    /// not exist yet.
    pub async fn context(&self, frame: &FrameId, world: &World) -> Result<Context, BrowserError> {
        if let Some(context) = self.known_context(frame, world)? {
            return Ok(context);
        }
        let World::Isolated(name) = world else { return Err(BrowserError::FrameGone) };
        let session = self.session_of(frame)?;
        let create = CreateIsolatedWorld { frame_id: frame.as_str().to_owned(), world_name: name.clone() };
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
    pub async fn activate(&self) -> Result<(), BrowserError> {
        let target_id = self.info()?.target;
        self.browser.root().call(ActivateTarget { target_id }).await?;
        Ok(())
    }
    /// Closes the tab without running its `beforeunload` handlers; returns once it is closed.
    pub async fn close(&self) -> Result<(), BrowserError> {
        let target_id = self.info()?.target;
        let mut events = self.browser.events();
        let close = async {
            self.browser.root().call(CloseTarget { target_id }).await?;
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

    /// Sets the answer to dialogs that open while a command works on the tab (always, in a headless browser).
    pub fn set_dialog_policy(&self, policy: DialogPolicy) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| tab_state.dialogs.chosen = Some(policy))
    }
    /// Returns the dialogs seen in this tab, oldest first.
    pub fn dialogs(&self) -> Result<Vec<DialogRecord>, BrowserError> {
        self.with_tab_state(|tab_state| tab_state.dialogs.records())
    }
    pub fn clear_dialogs(&self) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| tab_state.dialogs.clear())
    }
    /// Returns the open dialog if it was reported for an answer.
    pub fn open_dialog(&self) -> Option<Dialog> {
        let told = self.with_tab_state(|tab_state| {
            tab_state.dialogs.open().filter(|_| !tab_state.dialogs.held.is_empty()).cloned()
        });
        told.ok().flatten()
    }
    /// Dismisses the open dialog without waiting.
    pub fn dismiss_dialog(&self) {
        if let Ok(page) = self.page() {
            page.post(HandleJavaScriptDialog { accept: false, prompt_text: None });
        }
    }
    /// Answers the open dialog.
    pub async fn answer_dialog(&self, accept: bool, text: Option<String>) -> Result<(), BrowserError> {
        self.page()?.call(HandleJavaScriptDialog { accept, prompt_text: text }).await?;
        Ok(())
    }

    /// Keeps the tab as active as one in view while the hold lives, and a little longer.
    pub fn hold(&self) -> Result<Hold, BrowserError> {
        let first = self.with_tab_state(|tab_state| {
            tab_state.holds += 1;
            tab_state.hold_round += 1;
            tab_state.holds == 1
        })?;
        if first && let Ok(page) = self.page() {
            page.post(SetFocusEmulationEnabled { enabled: true });
        }
        Ok(Hold { tab: self.clone() })
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
                    page.post(SetFocusEmulationEnabled { enabled: false });
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

/// Makes a hidden page draw frames, after a short delay.
pub struct Drawing {
    page: Session,
    state: Arc<Mutex<DrawingState>>,
    /// Starts to draw after `DRAW_AFTER`.
    waiting: AbortHandle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawingState {
    Waiting,
    Drawing,
    Over,
}

impl Drawing {
    fn begin(page: &Session, state: &Mutex<DrawingState>) {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state != DrawingState::Waiting {
            return;
        }
        *state = DrawingState::Drawing;
        page.post(StartScreencast {
            format: PictureFormat::Jpeg,
            quality: 1,
            // The frames are discarded, so they are as small as possible. The router acknowledges them.
            max_width: 16,
            max_height: 16,
        });
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.waiting.abort();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *state, DrawingState::Over) == DrawingState::Drawing {
            self.page.post(StopScreencast {});
        }
    }
}

/// A command's exclusive turn on a tab: engaged and held. Ends when dropped.
pub struct Work {
    tab: Tab,
    page: Session,
    _hold: Hold,
    _stay: Stay,
    _order: OwnedMutexGuard<()>,
}

impl Work {
    /// Returns the page's session, as it was when the work began.
    pub fn session(&self) -> &Session {
        &self.page
    }
    /// Makes the page draw frames while its tab is hidden, as long as the guard lives: without it, a screenshot of a
    /// hidden tab hangs and its animation frames never fire. A tab in view draws by itself, and forcing it would cost
    /// two frames, so drawing starts only if the guard lives longer than `DRAW_AFTER`.
    pub fn draw(&self) -> Drawing {
        // A recording makes it draw already, in its own size.
        let first = if self.is_cast() { DrawingState::Over } else { DrawingState::Waiting };
        let state = Arc::new(Mutex::new(first));
        let later = (self.page.clone(), state.clone());
        let waiting = tokio::spawn(async move {
            tokio::time::sleep(DRAW_AFTER).await;
            Drawing::begin(&later.0, &later.1);
        });
        Drawing { page: self.page.clone(), state, waiting: waiting.abort_handle() }
    }
}

impl Deref for Work {
    type Target = Tab;
    fn deref(&self) -> &Tab {
        &self.tab
    }
}
