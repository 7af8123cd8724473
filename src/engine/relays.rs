//! Everyday browsers: those that a person started, in whose tabs gstack acts by way of the extension there.
//!
//! Owns one relay a port, and what keeps a tab of such a browser attached to. Never attaches by itself: a command does.

use super::Engine;
use super::away::Away;
use super::ports::{PortId, notification};
use crate::base::mutex::lock;
use crate::browser::browser::{AttachOptions, Browser};
use crate::browser::linger::Stay;
use crate::browser::page::Pages;
use crate::browser::page::script::early_script;
use crate::browser::relay::{About, Heard, Relay, Reported, refusals};
use crate::browser::tabs::{BrowserEvent, TabInfo, TabNumbers};
use crate::chat::session::TabKey;
use crate::chat::{Conversation, Event};
use crate::command::{Output, listed_title, url_guard};
use crate::protocol::fault::Fault;
use crate::protocol::hello::Hello;
use crate::protocol::ids::{BrowserRun, ConversationId, TabId};
use crate::protocol::relay::Refusal;
use crate::protocol::tabs::TabsChanged;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// Anyone who types commands thinks in between; the refs of a snapshot last as long as we are attached.
const TERMINAL_LINGER: Duration = Duration::from_secs(300);

/// The everyday browsers that are connected, and what is remembered of each.
#[derive(Default)]
pub(super) struct Relays {
    open: BTreeMap<PortId, Arc<Everyday>>,
    pub(super) away: Away,
    /// The numbers of each browser's tabs, so that they keep them when its extension was restarted.
    pub(super) numbers: HashMap<BrowserRun, TabNumbers>,
    /// The tabs in which agents work in their present turns.
    stays: HashMap<ConversationId, BTreeMap<TabId, Stay>>,
}

impl Relays {
    /// `in_use`: what an earlier daemon drove, whose extension connects again in a moment.
    pub(super) fn awaiting(in_use: Option<&BrowserRun>) -> Self {
        let mut relays = Self::default();
        in_use.iter().for_each(|run| relays.away.begin(run));
        relays
    }
}

/// One everyday browser.
pub(super) struct Everyday {
    relay: Relay,
    pages: Pages,
    /// What the browser calls itself.
    pub(super) name: String,
}

impl Everyday {
    pub(super) fn browser(&self) -> &Browser {
        self.relay.browser()
    }
    pub(super) fn pages(&self) -> (Browser, Pages) {
        (self.browser().clone(), self.pages.clone())
    }
}

impl Engine {
    /// The extension of a browser that gstack has no other way into has said hello.
    pub(super) fn open_relay(&self, port: PortId, hello: &Hello) {
        if self.piped(port).is_some() {
            return;
        }
        let Ok(sender) = self.ports().sender(port) else { return };
        let mut relays = lock(&self.inner.relays);
        // A copied profile names itself like the one that it was copied from.
        let instance = BrowserRun::new(hello.instance_id.as_str());
        let is_taken = relays.open.iter().any(|(of, everyday)| *of != port && *everyday.browser().run() == instance);
        let run = if is_taken { BrowserRun::random() } else { instance };
        let numbers = relays.numbers.entry(run.clone()).or_insert_with(|| self.tab_numbers().keeping()).clone();
        let options = AttachOptions {
            headless: false,
            // The browser saves them where the person wants it.
            downloads: None,
            numbers,
            early_scripts: vec![early_script()],
            refuses: Some(url_guard::is_refused_address),
            holds_back: false,
            lets_go_after: Some(self.config().browser.let_go_after()),
        };
        let about = About { product: hello.browser.clone(), can_relay: hello.relay };
        let outlet = Box::new(move |message| sender.send(&notification(None, &message)));
        let relay = Relay::open(run, about, options, outlet);
        let name = hello.browser.clone().unwrap_or_else(|| "browser".to_owned());
        let everyday = Arc::new(Everyday { relay, pages: Pages::default(), name });
        relays.open.insert(port, everyday.clone());
        drop(relays);
        self.everyday_is_back(&everyday);
        self.spawn(self.clone().follow_browser(everyday.browser().clone()));
    }

    /// The port is gone: what ran in its tabs is cut off. They may still be there, and be reached again.
    pub(super) fn close_relay(&self, port: PortId) {
        let mut relays = lock(&self.inner.relays);
        let Some(everyday) = relays.open.remove(&port) else { return };
        relays.away.begin(everyday.browser().run());
        drop(relays);
        for tab in everyday.browser().tabs() {
            self.store().tab_away(tab.id);
        }
    }

    /// gstack drives that browser by another way now.
    pub(super) fn drop_relays_of(&self, run: &BrowserRun) {
        for port in self.ports().of_run(run) {
            self.close_relay(port);
        }
        lock(&self.inner.relays).away.end(run);
    }

    pub(super) fn everyday(&self, port: PortId) -> Option<Arc<Everyday>> {
        lock(&self.inner.relays).open.get(&port).cloned()
    }

    /// All of them, in the order in which they came.
    pub(super) fn everyday_browsers(&self) -> Vec<Arc<Everyday>> {
        lock(&self.inner.relays).open.values().cloned().collect()
    }

    /// The everyday browser that has this tab.
    pub(super) fn everyday_with(&self, tab: TabId) -> Option<Arc<Everyday>> {
        self.everyday_browsers().into_iter().find(|everyday| everyday.browser().tab(tab).is_ok())
    }

    /// The tab is of an everyday browser whose extension is not connected now.
    pub(super) fn is_away(&self, tab: TabId) -> bool {
        let relays = lock(&self.inner.relays);
        let is_open = |run: &BrowserRun| relays.open.values().any(|everyday| everyday.browser().run() == run);
        relays.numbers.iter().any(|(run, numbers)| numbers.keeps(tab) && !is_open(run))
    }

    /// The browser of a tab, with what commands remember of it: an everyday one, else the one in use.
    pub(super) fn pages_with(&self, tab: Option<TabId>) -> Option<(Browser, Pages)> {
        let everyday = tab.and_then(|tab| self.everyday_with(tab)).map(|everyday| everyday.pages());
        everyday.or_else(|| self.pages().filter(|_| !tab.is_some_and(|tab| self.is_away(tab))))
    }

    /// What the extension said of DevTools.
    pub fn relay_heard(&self, port: PortId, heard: Heard) {
        if let Some(everyday) = self.everyday(port) {
            everyday.relay.hear(heard);
        }
    }

    /// What the extension said of its tabs. A tab that was reached before gets its conversation back.
    pub(super) fn report_tabs(&self, everyday: &Everyday, changed: &TabsChanged) {
        let Reported { opened, closed } = everyday.relay.report(changed);
        // At once: what the extension asks next may already be about the tab that comes after it.
        for tab in closed {
            self.tab_closed(tab);
        }
        for tab in everyday.browser().tabs() {
            let key = TabKey { browser_run: everyday.browser().run().clone(), target_id: tab.target };
            if changed.full
                && let Err(error) = self.store().tab_back(tab.id, &key)
            {
                tracing::warn!(%error, "a tab's conversation can't be opened");
            }
        }
        for of in opened {
            self.tab_opened_by(of.opener, of.tab);
        }
        if changed.full {
            lock(&self.inner.relays).away.end(everyday.browser().run());
            self.ports().tell_changed();
        }
    }

    /// `tabs`, with those of the everyday browsers in their own parts. `of`: the tab that the command was for.
    pub(super) fn with_everyday_tabs(&self, mut output: Output, of: Option<TabId>) -> Output {
        let mut data = output.data.take().and_then(|data| data.as_array().cloned()).unwrap_or_default();
        let listed = self.pages_with(of).map(|(browser, _)| browser).filter(|_| !output.text.is_empty());
        for everyday in self.everyday_browsers() {
            let browser = everyday.browser();
            if listed.as_ref().is_some_and(|listed| listed.run() == browser.run()) {
                continue;
            }
            let head = format!("Everyday browser ({}), by --tab N:", everyday.name);
            let tabs: Vec<_> = browser.tabs().into_iter().filter(|tab| !tab.incognito).collect();
            let line = |tab: &TabInfo| {
                let view = if tab.in_view { " (in view)" } else { "" };
                format!("  [{}] {} — {}{view}", tab.id, listed_title(&tab.title), tab.url)
            };
            let lines: Vec<String> = std::iter::once(head).chain(tabs.iter().map(line)).collect();
            let gap = if output.text.is_empty() { "" } else { "\n\n" };
            output.text.push_str(&format!("{gap}{}", lines.join("\n")));
            data.extend(tabs.iter().map(|tab| {
                json!({
                    "id": tab.id, "title": listed_title(&tab.title), "url": tab.url, "current": false,
                    "inView": tab.in_view, "everyday": everyday.name,
                })
            }));
        }
        output.data = Some(Value::Array(data));
        output
    }

    /// Somebody else ended our attachment to a tab. Where that was the person, nothing goes on there by itself.
    pub(super) fn sent_out(&self, tab: TabId, refusal: Refusal) {
        tracing::info!(%tab, ?refusal, "sent out of a tab");
        self.end_picks_of(tab);
        if refusal != Refusal::Cancelled {
            return;
        }
        let working: Vec<ConversationId> = {
            let mut relays = lock(&self.inner.relays);
            let in_it = |stays: &mut BTreeMap<TabId, Stay>| stays.remove(&tab).is_some();
            relays.stays.iter_mut().filter_map(|(id, stays)| in_it(stays).then(|| id.clone())).collect()
        };
        for id in working {
            let Some(runner) = self.runners().get(&id) else { continue };
            let Some(turn_id) = runner.conversation().turn() else { continue };
            if let Some(fault) = runner.handle(Event::GiveUp { turn_id, fault: refusals::fault(refusal) }) {
                self.ports().tell_fault(&fault);
            }
        }
    }

    /// The agent's turn works in this tab: it stays attached to until the turn is over.
    pub(super) fn stay_for_turn(&self, conversation: &Conversation, tab: TabId) -> Result<(), Fault> {
        let Some((browser, _)) = self.pages_with(Some(tab)) else { return Ok(()) };
        // One that was closed needs no hold: `tabs` and `newtab` work all the same, and others say that it is gone.
        let Ok(stay) = browser.tab(tab).and_then(|tab| tab.stay()) else { return Ok(()) };
        // A turn that ended meanwhile needs none.
        if conversation.turn().is_some() {
            let mut relays = lock(&self.inner.relays);
            let stays = relays.stays.entry(conversation.id().clone()).or_default();
            stays.entry(tab).or_insert(stay);
        }
        Ok(())
    }

    pub(super) fn leave_after_turn(&self, conversation: &ConversationId) {
        let stays = lock(&self.inner.relays).stays.remove(conversation);
        // Dropped without the lock: that begins to let go.
        drop(stays);
    }

    /// The person acts in this tab themselves: where they had sent us out, we may come again.
    pub(super) fn let_in(&self, tab: TabId) {
        if let Some(tab) = self.everyday_with(tab).and_then(|everyday| everyday.browser().tab(tab).ok()) {
            tab.let_in();
        }
    }

    /// Commands of a terminal come one by one.
    pub(super) fn linger_for_terminal(&self, tab: Option<TabId>) {
        let tab = tab.or_else(|| self.browser()?.current_known());
        let found = tab.and_then(|id| self.everyday_with(id)?.browser().tab(id).ok());
        if let Some(tab) = found {
            // One that has just been closed stays for nobody.
            tab.linger_for(TERMINAL_LINGER).unwrap_or_default();
        }
    }
}

/// Resolves when our attachment to the tab ends by somebody else's doing; never in a browser that is not an everyday one.
pub(super) async fn sent_out_of(browser: &Browser, tab: Option<TabId>) -> Refusal {
    if browser.is_relayed() && tab.is_some() {
        let mut events = browser.events();
        loop {
            match events.recv().await {
                Ok(BrowserEvent::SentOut(of, refusal)) if Some(of) == tab => return refusal,
                Ok(BrowserEvent::TabClosed(of)) if Some(of) == tab => return Refusal::Closed,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break,
            }
        }
    }
    std::future::pending().await
}
