//! The task of a recording: stores the frames of its tab until it is stopped or ends by itself.
//!
//! Owns the reasons to end and the choice of frames. Keeps the tab attached. Never waits for the page.

use super::frames::{Frames, NotTaken};
use super::gate::Gate;
use super::recording::{Ending, LONGEST, VideoRecording};
use crate::error::BrowserError;
use crate::events::{Event, Filter, Subscription};
use crate::keep_attached::KeepAttached;
use crate::refused::RefusalMark;
use crate::screencast::{FRAME, ScreencastFrame};
use crate::shared::Role;
use crate::tab::Tab;
use crate::tabs::BrowserEvent;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::mutex::lock;
use std::future::pending;
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until};

/// The number of frames that may wait for the disk; newer ones are dropped.
const MOST_WAITING: usize = 64;

pub(super) struct Recorder {
    tab: Tab,
    recording: Arc<VideoRecording>,
    frames: Frames,
    pictures: Subscription,
    told: Receiver<BrowserEvent>,
    gate: Gate,
    since: RefusalMark,
    _keep: KeepAttached,
}

impl Recorder {
    /// Subscribes at once; frames that come before `run` wait.
    pub(super) fn new(tab: &Tab, recording: Arc<VideoRecording>, frames: Frames) -> Result<Self, BrowserError> {
        let browser = tab.browser();
        Ok(Self {
            told: browser.events(),
            pictures: browser.cdp().subscribe(Filter::all().methods(&[FRAME]).capacity(MOST_WAITING)),
            gate: Gate::new(recording.options.only_on.clone()),
            since: tab.refusal_mark(),
            _keep: tab.keep_attached()?,
            tab: tab.clone(),
            recording,
            frames,
        })
    }

    pub(super) async fn run(mut self) {
        let over = self.recording.over.clone().drop_guard();
        let ending = self.record().await;
        // A running command may rely on the screencast: it is stopped in turn, below.
        let has_tab = !matches!(ending, None | Some(Ending::TabClosed | Ending::BrowserGone | Ending::SentOut));
        self.recording.close(self.frames, ending).await;
        // Before waiting for the tab: the command that holds it may wait for this.
        drop(over);
        if has_tab && let Ok(work) = self.tab.work().await {
            work.stop_screencast().await;
        }
    }

    async fn record(&mut self) -> Option<Ending> {
        let until = Instant::now() + LONGEST;
        let stop = self.recording.stop.clone();
        loop {
            let opens_at = self.gate.opens_at();
            let opens = async {
                match opens_at {
                    Some(at) => sleep_until(at).await,
                    None => pending().await,
                }
            };
            let ending = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                // Before the frames: a navigation is reported before what it shows.
                told = self.told.recv() => self.heard(told),
                () = opens => {
                    self.gate.open();
                    self.tab.renew_screencast();
                    None
                }
                () = sleep_until(until) => Some(Ending::Length),
                event = self.pictures.next() => match event {
                    Some(event) => self.take(&event).await,
                    None => Some(Ending::BrowserGone),
                },
            };
            if ending.is_some() {
                return ending;
            }
        }
        self.rest().await
    }

    /// Handles the events that had arrived when it was stopped.
    async fn rest(&mut self) -> Option<Ending> {
        let mut ending = None;
        while let Ok(told) = self.told.try_recv() {
            ending = self.heard(Ok(told)).or(ending);
        }
        while let Some(event) = self.pictures.try_next() {
            ending = self.take(&event).await.or(ending);
        }
        if self.tab.browser().gone().is_cancelled() {
            return Some(Ending::BrowserGone);
        }
        ending.or_else(|| self.tab.info().is_err().then_some(Ending::TabClosed))
    }

    fn heard(&mut self, told: Result<BrowserEvent, RecvError>) -> Option<Ending> {
        let tab = self.tab.id();
        match told {
            Ok(BrowserEvent::TabClosed(closed)) if closed == tab => return Some(Ending::TabClosed),
            Ok(BrowserEvent::SentOut(from, _)) if from == tab => return Some(Ending::SentOut),
            Ok(BrowserEvent::TabChanged(info)) if info.id == tab => self.gate.sees(&info.url, Instant::now()),
            Ok(BrowserEvent::PersonActed(of)) if of == tab => self.gate.person_acts(self.commands_begun()),
            Ok(BrowserEvent::Gone) | Err(RecvError::Closed) => return Some(Ending::BrowserGone),
            Err(RecvError::Lagged(_)) => {
                self.gate.lost_track(Instant::now());
                return self.tab.info().is_err().then_some(Ending::TabClosed);
            }
            Ok(_) => {}
        }
        None
    }

    async fn take(&mut self, event: &Event) -> Option<Ending> {
        if !self.is_of_tab(event) {
            return None;
        }
        if self.tab.check_addresses(self.since).is_err() {
            return Some(Ending::Refused);
        }
        self.look();
        self.gate.commands_begun(self.commands_begun(), Instant::now());
        if !self.gate.is_open() {
            self.frames.leave_out();
            return None;
        }
        let frame: ScreencastFrame = event.read()?;
        let picture = STANDARD.decode(frame.data).ok()?;
        let at = lock(&self.recording.clock).drawn(frame.metadata.timestamp, Instant::now());
        let taken = self.frames.take(at, picture).await;
        self.recording.began.cancel();
        taken.err().map(Ending::from)
    }

    /// Returns how many commands have begun in the tab.
    fn commands_begun(&self) -> u64 {
        self.tab.browser().shared.state().tab_states.get(&self.tab.id()).map_or(0, |tab_state| tab_state.hold_round)
    }

    fn is_of_tab(&self, event: &Event) -> bool {
        let state = self.tab.browser().shared.state();
        event.session().and_then(|session| state.sessions.get(session)) == Some(&Role::Page(self.tab.id()))
    }

    /// Looks at the tab's address, as the browser and as the page report it: either may be first.
    fn look(&mut self) {
        let now = Instant::now();
        if let Ok(info) = self.tab.info() {
            self.gate.sees(&info.url, now);
        }
        let main = {
            let state = self.tab.browser().shared.state();
            let engaged = state.engaged.get(&self.tab.id());
            engaged.and_then(|engaged| engaged.frames.main().map(|frame| frame.url.clone()))
        };
        if let Some(url) = main {
            self.gate.sees(&url, now);
        }
    }
}

impl From<NotTaken> for Ending {
    fn from(why: NotTaken) -> Self {
        match why {
            NotTaken::Full => Self::Size,
            NotTaken::Disk(error) => Self::Disk(error.to_string()),
        }
    }
}
