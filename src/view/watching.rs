//! The task of one connected page: what it waits for, and what its person does.
//!
//! Owns the state of the page. `shown_tab` chooses the tab, `outgoing` writes the messages. Ends, and with it the screencast,
//! when the page disconnects.

use super::attached::{Attached, Heard, Picture};
use super::attaching::Attaching;
use super::message::{message, words_of};
use super::shown_tab::{Watched, next_of};
use bytes::Bytes;
use gstack_engine::{Engine, Followed, View};
use gstack_protocol::activity::{ActivityEntry, ActivityId, ActivitySource};
use gstack_protocol::control::WaitingApprovals;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use gstack_protocol::view::{MouseKind, ViewAct};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

/// The steps that a page gets when it connects, and that wait for a slow page.
const MOST_STEPS: usize = 100;
/// The most pixels of a picture, whatever a page asks for.
const LARGEST: u32 = 4096;
const SMALLEST: u32 = 64;
const REVOKED: &str = "This page was ended with gstack view end. Create another link: gstack view";
const EXPIRED: &str = "The time of this page is over. Create another link: gstack view";
/// How long the last words may take to leave.
const GOODBYE: Duration = Duration::from_secs(1);

pub(super) struct Watching {
    pub(super) engine: Engine,
    pub(super) view: Arc<View>,
    pub(super) watched: Option<Watched>,
    pub(super) attached: Option<Attached>,
    /// The attach that is under way. Attaching to a page that hangs is slow, so the loop never waits for it.
    pub(super) attaching: Option<Attaching>,
    /// The tab that the person chose. `None`: the one in use.
    pub(super) chosen: Option<TabId>,
    /// The tab in which something was done last.
    pub(super) used: Option<TabId>,
    /// The tab that the person took over.
    pub(super) taken: Option<TabId>,
    /// Somebody was paused in it.
    pub(super) had_paused: bool,
    pub(super) size: (u32, u32),
    /// The sentence that is shown instead of a picture.
    pub(super) trouble: Option<String>,
    /// A sentence that is shown once.
    pub(super) note: Option<String>,
    pub(super) is_stale: bool,
    pub(super) approvals: Option<WaitingApprovals>,
    pub(super) steps: VecDeque<ActivityEntry>,
    pub(super) copied: Option<String>,
    pub(super) picture: Option<Picture>,
    pub(super) sent: u64,
    pub(super) drawn: u64,
}

/// Serves a page until either side ends it.
pub(crate) async fn run(engine: Engine, view: Arc<View>, mut acts: mpsc::Receiver<ViewAct>, out: mpsc::Sender<Bytes>) {
    let (sender, mut approvals) = mpsc::channel(1);
    engine.approvals().watch(sender);
    let Followed { page, mut events } = engine.activity().follow(ActivityId::default());
    let mut pauses = engine.views().watch_pauses();
    let (ended, revoked) = (engine.ended(), view.revoked.clone());
    let before = page.entries.len().saturating_sub(MOST_STEPS);
    let mut watching = Watching {
        chosen: view.tab,
        engine,
        view,
        watched: None,
        attached: None,
        attaching: None,
        used: None,
        taken: None,
        had_paused: false,
        size: (1280, 800),
        trouble: None,
        note: None,
        is_stale: true,
        approvals: None,
        steps: page.entries.into_iter().skip(before).collect(),
        copied: None,
        picture: None,
        sent: 0,
        drawn: 0,
    };
    // The page was closed or reloaded while the person had the tab.
    watching.taken = watching.view.taken();
    watching.look();
    let paused = watching.shown().filter(|tab| watching.engine.views().is_paused(*tab));
    if let Some(tab) = watching.taken.or(paused) {
        watching.hold(tab);
    }
    let goodbye = loop {
        tokio::select! {
            biased;
            () = ended.cancelled() => break "gstack has ended. Start it again, then create another link: gstack view",
            () = revoked.cancelled() => break if watching.view.has_expired() { EXPIRED } else { REVOKED },
            () = out.closed() => return,
            act = acts.recv() => match act {
                Some(act) => watching.act(act),
                None => break "This view is shown in another tab now.",
            },
            permit = out.reserve(), if watching.has_message() => match permit {
                Ok(permit) => if let Some(message) = watching.message() { permit.send(message) },
                Err(_) => return,
            },
            Some(waiting) = approvals.recv() => watching.approvals = Some(waiting),
            entry = events.recv() => match entry {
                Ok(entry) => watching.step(entry),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            Ok(()) = pauses.changed() => watching.pauses_changed(),
            event = next_of(&mut watching.watched) => watching.browser_told(event),
            made = made_of(&mut watching.attaching) => watching.made(made),
            heard = heard_of(&mut watching.attached) => watching.heard(heard),
        }
    };
    let last = message(&json!({ "ended": goodbye }), &[]);
    if tokio::time::timeout(GOODBYE, out.send(last)).await.is_err() {
        tracing::debug!("a page of gstack view does not read its end");
    }
}

async fn heard_of(attached: &mut Option<Attached>) -> Heard {
    match attached {
        Some(attached) => attached.next().await,
        None => std::future::pending().await,
    }
}

async fn made_of(attaching: &mut Option<Attaching>) -> Result<Attached, Fault> {
    match attaching {
        Some(attaching) => attaching.made().await,
        None => std::future::pending().await,
    }
}

impl Watching {
    fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Nothing => {}
            Heard::Changed => self.is_stale = true,
            Heard::Copied(text) => self.copied = Some(text),
            Heard::Picture(picture) => {
                if let (Some(older), Some(attached)) = (self.picture.replace(picture), &self.attached) {
                    attached.taken(&older);
                }
            }
            Heard::Ended => {
                self.attached = None;
                self.look();
            }
        }
    }

    /// Notes a command that began or ended somewhere.
    fn step(&mut self, entry: ActivityEntry) {
        let (tab, source) = (entry.tab_id, entry.source);
        match self.steps.iter_mut().find(|known| known.id == entry.id) {
            Some(known) => *known = entry,
            None => self.steps.push_back(entry),
        }
        if self.steps.len() > MOST_STEPS {
            self.steps.pop_front();
        }
        if let Some(tab) = tab.filter(|tab| self.taken == Some(*tab))
            && matches!(source, ActivitySource::Agent | ActivitySource::Mcp)
        {
            // It began after the person took the tab over.
            self.hold(tab);
        }
        if self.chosen.is_none() && self.taken.is_none() {
            match source {
                ActivitySource::Agent | ActivitySource::Mcp if tab.is_some() && self.is_here(tab) => self.used = tab,
                ActivitySource::Agent | ActivitySource::Mcp => {}
                // A person's command works in the current tab, and may make another one that.
                _ => self.used = None,
            }
        }
        if self.watched.is_none() || self.shown() != self.attached.as_ref().map(Attached::tab) {
            self.look();
        }
        if let Some(attached) = self.attached.as_mut().filter(|attached| Some(attached.tab()) == tab) {
            attached.check();
        }
    }

    /// Pauses whoever works in the tab that the person took over.
    fn hold(&mut self, tab: TabId) {
        self.taken = Some(tab);
        self.had_paused |= !self.engine.views().keep_over(&self.view, tab).is_empty();
        self.is_stale = true;
    }

    fn pauses_changed(&mut self) {
        let Some(tab) = self.taken.filter(|_| self.had_paused) else { return };
        if !self.engine.views().is_paused(tab) {
            // It was handed back in the panel or a terminal, or the turn has ended.
            self.release();
        }
    }

    fn release(&mut self) {
        self.view.forget_taken();
        (self.taken, self.had_paused, self.is_stale) = (None, false, true);
        if let Some(attached) = &mut self.attached {
            attached.leave_dialogs(false);
        }
    }

    fn give_back(&mut self) {
        let Some(tab) = self.taken else { return };
        self.release();
        if let Err(fault) = self.engine.views().hand_back(&self.view, tab) {
            self.note = Some(words_of(&fault));
        }
    }

    fn act(&mut self, act: ViewAct) {
        match act {
            ViewAct::Seen { number } => self.drawn = number.min(self.sent),
            ViewAct::Size { width, height } => {
                let size = (width.clamp(SMALLEST, LARGEST), height.clamp(SMALLEST, LARGEST));
                if self.size != size {
                    self.size = size;
                    self.attached.iter_mut().for_each(|attached| attached.start(size));
                }
            }
            ViewAct::Tab { id } => {
                if self.taken.is_none() && (id.is_none() || self.is_here(id)) {
                    self.chosen = id;
                    self.look();
                }
            }
            ViewAct::Take => self.take(),
            ViewAct::Back => self.give_back(),
            ViewAct::Answer { conversation_id, approval_id, decision } => {
                if let Err(fault) = self.engine.views().answer(conversation_id, approval_id, decision) {
                    (self.note, self.is_stale) = (Some(words_of(&fault)), true);
                }
            }
            act => self.input(act),
        }
    }

    fn take(&mut self) {
        let Some(tab) = self.attached.as_ref().map(Attached::tab) else { return };
        if let Err(fault) = self.engine.views().take_over(&self.view, tab) {
            (self.note, self.is_stale) = (Some(words_of(&fault)), true);
            return;
        }
        self.hold(tab);
        if let Some(attached) = &mut self.attached {
            attached.leave_dialogs(true);
        }
    }

    /// Does in the tab what the person does, while they have it.
    fn input(&mut self, act: ViewAct) {
        let Some(attached) = self.attached.as_mut().filter(|attached| self.taken == Some(attached.tab())) else {
            return;
        };
        match act {
            ViewAct::Mouse(mouse) => {
                attached.mouse(&mouse);
                if mouse.kind == MouseKind::Pressed {
                    attached.check();
                }
            }
            ViewAct::Key(key) => {
                attached.key(&key);
                if key.down {
                    attached.check();
                }
            }
            ViewAct::Text { text } => attached.text(&text),
            ViewAct::Dialog { accept, text } => attached.answer_dialog(accept, text),
            _ => {}
        }
    }
}
