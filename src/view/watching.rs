//! The task of one connected page: which tab it shows, what it is told, and what its person does.
//!
//! Owns the order and the amount of what is sent: of states, approvals and pictures only the newest waits, of steps the last
//! hundred. So a slow page costs no memory and is never behind. Ends, and with it the screencast, when the page disconnects.

use super::attached::{Attached, Heard, Picture};
use super::attaching::Attaching;
use super::message::{message, words_of};
use bytes::Bytes;
use gstack_base::visible::visible;
use gstack_browser::browser::Browser;
use gstack_browser::tabs::BrowserEvent;
use gstack_engine::{Engine, Followed, View};
use gstack_protocol::activity::{ActivityEntry, ActivityId, ActivitySource};
use gstack_protocol::control::WaitingApprovals;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use gstack_protocol::policy::PolicyBrowser;
use gstack_protocol::view::{MouseKind, ViewAct};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

/// The steps that a page gets when it connects, and that wait for a slow page.
const MOST_STEPS: usize = 100;
/// Pictures that the page got and has not drawn. One is on its way while one is drawn.
const MOST_UNDRAWN: u64 = 2;
/// The most pixels of a picture, whatever a page asks for.
const LARGEST: u32 = 4096;
const SMALLEST: u32 = 64;
/// How long the last words may take to leave.
const GOODBYE: Duration = Duration::from_secs(1);

const NO_BROWSER: &str = "No browser is open. Its picture appears here when one opens.";
const NO_TAB: &str = "No tab is open.";
const CLOSED: &str = "This tab was closed. Choose another one.";
const CRASHED: &str = "The page in this tab has crashed. It appears here again once it is reloaded.";
const HANGS: &str = "The page in this tab does not respond. The picture may be old.";

/// A browser that is watched.
struct Watched {
    browser: Browser,
    kind: PolicyBrowser,
    events: broadcast::Receiver<BrowserEvent>,
}

struct Watching {
    engine: Engine,
    view: Arc<View>,
    watched: Option<Watched>,
    attached: Option<Attached>,
    /// The attach that is under way. Attaching to a page that hangs is slow, so the loop never waits for it.
    attaching: Option<Attaching>,
    /// The tab that the person chose. `None`: the one in use.
    chosen: Option<TabId>,
    /// The tab in which something was done last.
    used: Option<TabId>,
    /// The tab that the person took over.
    taken: Option<TabId>,
    /// Somebody was paused in it.
    had_paused: bool,
    size: (u32, u32),
    /// The sentence that is shown instead of a picture.
    trouble: Option<String>,
    /// A sentence that is shown once.
    note: Option<String>,
    is_stale: bool,
    approvals: Option<WaitingApprovals>,
    steps: VecDeque<ActivityEntry>,
    copied: Option<String>,
    picture: Option<Picture>,
    sent: u64,
    drawn: u64,
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
    watching.look();
    if let Some(tab) = watching.shown().filter(|tab| watching.engine.views().is_paused(*tab)) {
        // The page was reloaded while the person had the tab.
        watching.hold(tab);
    }
    let goodbye = loop {
        tokio::select! {
            biased;
            () = ended.cancelled() => break "gstack has ended. Start it again, then create another link: gstack view",
            () = revoked.cancelled() => break "This page was ended with gstack view end. Create another link: gstack view",
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
    if revoked.is_cancelled() {
        watching.give_back();
    }
    let last = message(&json!({ "ended": goodbye }), &[]);
    if tokio::time::timeout(GOODBYE, out.send(last)).await.is_err() {
        tracing::debug!("a page of gstack view does not read its end");
    }
}

async fn next_of(watched: &mut Option<Watched>) -> Option<BrowserEvent> {
    let Some(watched) = watched else { return std::future::pending().await };
    match watched.events.recv().await {
        Ok(event) => Some(event),
        // The tabs are read again.
        Err(RecvError::Lagged(_)) => None,
        Err(RecvError::Closed) => Some(BrowserEvent::Gone),
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
    /// Returns the tab to show.
    fn shown(&self) -> Option<TabId> {
        let current = || self.watched.as_ref()?.browser.current_known();
        self.chosen.or(self.used).or_else(current)
    }

    /// Finds the browser and the tab again, and attaches to it unless it is attached already.
    fn look(&mut self) {
        self.is_stale = true;
        let tab = self.chosen.or(self.used);
        let found = self.engine.views().browser(tab, self.view.browser.as_deref());
        match found {
            None => {
                self.watched = None;
                self.show_none(NO_BROWSER);
                return;
            }
            Some((browser, kind)) => {
                if self
                    .watched
                    .as_ref()
                    .is_none_or(|known| known.browser.run() != browser.run() || known.browser.gone().is_cancelled())
                {
                    (self.attached, self.attaching) = (None, None);
                    self.watched = Some(Watched { events: browser.events(), browser, kind });
                }
            }
        }
        self.attach();
    }

    /// Shows no tab, for this reason.
    fn show_none(&mut self, trouble: &str) {
        (self.attached, self.attaching, self.picture) = (None, None, None);
        self.trouble = Some(trouble.to_owned());
    }

    /// Begins to attach to the page of the tab to show, unless it is attached or that has begun.
    fn attach(&mut self) {
        let Some((browser, id)) = self.watched.as_ref().map(|known| known.browser.clone()).zip(self.shown()) else {
            return self.show_none(NO_TAB);
        };
        let Ok((tab, info)) = browser.tab(id).and_then(|tab| tab.info().map(|info| (tab, info))) else {
            return self.show_none(CLOSED);
        };
        if info.is_crashed() {
            return self.show_none(CRASHED);
        }
        let shows =
            self.attached.as_ref().is_some_and(|known| known.tab() == id && info.page.as_ref() == Some(&known.page));
        if shows || self.attaching.as_ref().is_some_and(|known| known.goes_to(id, info.page.as_ref())) {
            return;
        }
        // Its screencast ends before the next one begins.
        (self.attached, self.picture, self.trouble) = (None, None, None);
        self.attaching = Some(Attaching::begin(&self.engine, tab, info.page));
    }

    fn made(&mut self, made: Result<Attached, Fault>) {
        (self.attaching, self.is_stale) = (None, true);
        match made {
            Ok(mut attached) => {
                attached.start(self.size);
                attached.leave_dialogs(self.taken == Some(attached.tab()));
                self.attached = Some(attached);
                // The tab may have another page by now.
                self.attach();
            }
            Err(fault) => self.trouble = Some(words_of(&fault)),
        }
    }

    fn browser_told(&mut self, event: Option<BrowserEvent>) {
        let shown = self.shown();
        self.is_stale = true;
        match event {
            Some(BrowserEvent::Gone) => {
                (self.watched, self.used) = (None, None);
                self.look();
            }
            Some(BrowserEvent::TabOpened(info)) => {
                // A popup of the tab in use is in use.
                if self.chosen.is_none() && self.taken.is_none() && info.opener.is_some() && info.opener == shown {
                    self.used = Some(info.id);
                }
                self.attach();
            }
            Some(BrowserEvent::TabClosed(tab)) => {
                if self.used == Some(tab) {
                    self.used = None;
                }
                if self.taken == Some(tab) {
                    self.taken = None;
                }
                self.attach();
            }
            Some(BrowserEvent::TabChanged(_) | BrowserEvent::TabCrashed(_) | BrowserEvent::SentOut(..)) | None => {
                self.attach();
            }
            Some(_) => {}
        }
    }

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

    /// Returns whether this page may show the tab: the person may have chosen a browser.
    fn is_here(&self, tab: Option<TabId>) -> bool {
        self.engine.views().browser(tab, self.view.browser.as_deref()).is_some()
    }

    /// Pauses whoever works in the tab that the person took over.
    fn hold(&mut self, tab: TabId) {
        self.taken = Some(tab);
        self.had_paused |= !self.engine.views().keep_over(tab).is_empty();
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
        (self.taken, self.had_paused, self.is_stale) = (None, false, true);
        if let Some(attached) = &mut self.attached {
            attached.leave_dialogs(false);
        }
    }

    fn give_back(&mut self) {
        let Some(tab) = self.taken else { return };
        self.release();
        if let Err(fault) = self.engine.views().hand_back(tab) {
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
        if let Err(fault) = self.engine.views().take_over(tab) {
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

    fn has_message(&self) -> bool {
        self.is_stale
            || self.approvals.is_some()
            || !self.steps.is_empty()
            || self.copied.is_some()
            || self.picture.is_some() && self.sent - self.drawn < MOST_UNDRAWN
    }

    /// Returns what is to be sent next.
    fn message(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_stale) {
            return Some(message(&json!({ "state": self.state() }), &[]));
        }
        if let Some(waiting) = self.approvals.take() {
            return Some(message(&json!({ "approvals": self.waiting(&waiting) }), &[]));
        }
        if !self.steps.is_empty() {
            let steps = std::mem::take(&mut self.steps);
            return Some(message(&json!({ "steps": steps }), &[]));
        }
        if let Some(text) = self.copied.take() {
            return Some(message(&json!({ "copied": text }), &[]));
        }
        let picture = self.picture.take()?;
        self.sent += 1;
        if let Some(attached) = &self.attached {
            attached.taken(&picture);
        }
        let about = json!({ "picture": { "number": self.sent, "width": picture.width, "height": picture.height } });
        Some(message(&about, &picture.jpeg))
    }

    fn state(&mut self) -> Value {
        let tabs = self.watched.as_ref().map(|known| known.browser.tabs()).unwrap_or_default();
        let shown = self.shown();
        let attached = self.attached.as_ref();
        let says = match (&self.trouble, attached.is_some_and(|attached| attached.hangs)) {
            (Some(trouble), _) => Some(trouble.as_str()),
            (None, true) => Some(HANGS),
            (None, false) => None,
        };
        let dialog = attached.and_then(|attached| attached.dialog.as_ref()).map(|dialog| {
            json!({ "kind": dialog.kind, "message": visible(&dialog.message), "suggests": dialog.default_prompt })
        });
        let list: Vec<Value> = tabs
            .iter()
            .map(|tab| json!({ "id": tab.id, "title": visible(&tab.title), "url": visible(&tab.url) }))
            .collect();
        json!({
            "tab": shown.filter(|tab| tabs.iter().any(|known| known.id == *tab)),
            "tabs": list,
            "chosen": self.chosen,
            "taken": self.taken.is_some(),
            "paused": self.had_paused,
            "can": attached.is_some(),
            "says": says,
            "old": attached.is_none(),
            "note": self.note.take(),
            "dialog": dialog,
            "source": self.watched.as_ref().map(source),
        })
    }

    fn waiting(&self, waiting: &WaitingApprovals) -> Value {
        let views = self.engine.views();
        let approvals: Vec<Value> = waiting
            .approvals
            .iter()
            .map(|one| json!({ "conversation": one.conversation_id, "approval": one.approval_id, "shown": views.shown(one) }))
            .collect();
        json!({ "list": approvals, "questions": waiting.questions.len() })
    }
}

/// Says where the picture comes from.
fn source(watched: &Watched) -> String {
    let from = match watched.kind {
        PolicyBrowser::Own if watched.browser.is_headless() => "a browser without a window on this computer",
        PolicyBrowser::Own => "a browser on this computer",
        PolicyBrowser::Everyday => "your everyday browser, through the gstack extension",
        PolicyBrowser::Attached => "a browser on this computer that gstack did not start",
        PolicyBrowser::Remote => "a browser on another computer",
    };
    format!("Live picture from {from} (DevTools screencast)")
}
