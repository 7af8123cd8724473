//! Everyday browsers: a person started them, and gstack acts in their tabs through the extension.
//!
//! Owns one relay per port, and which everyday browser is in use. Never attaches to a tab by itself: a command does.

use super::change::BrowserChange;
use super::current::{Current, tab_key};
use super::everyday::Everyday;
use super::service::Browsers;
use super::source::ThroughExtension;
use crate::ports::PortId;
use gstack_base::mutex::lock;
use gstack_base::site_limits::SiteLimits;
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::page::Pages;
use gstack_browser::page::script::early_script;
use gstack_browser::relay::{About, FromExtension, Relay, Reported};
use gstack_browser::remote::FileSystem;
use gstack_command::url_guard;
use gstack_protocol::hello::Hello;
use gstack_protocol::ids::{BrowserRun, TabId};
use gstack_protocol::methods::ToPanel;
use gstack_protocol::tabs::TabsChanged;
use std::sync::Arc;

impl Browsers {
    /// Opens a relay for the extension that said hello, unless gstack drives its browser in another way.
    pub(crate) fn open_relay(&self, port: PortId, hello: &Hello) {
        if self.piped(port).is_some() {
            return;
        }
        let Ok(sender) = self.needs().ports.sender(port) else { return };
        let mut relays = lock(&self.shared.relays);
        // A copied profile has the same instance id as its original.
        let instance = BrowserRun::new(hello.instance_id.as_str());
        let is_taken = relays.open.iter().any(|(of, everyday)| *of != port && *everyday.browser().run() == instance);
        let run = if is_taken { BrowserRun::random() } else { instance };
        let numbers = relays.numbers.entry(run.clone()).or_insert_with(|| self.needs().numbers.keeping()).clone();
        let options = AttachOptions {
            headless: false,
            limits: SiteLimits::default(),
            // The browser saves downloads where the person wants them.
            downloads: None,
            numbers,
            early_scripts: vec![early_script()],
            refuses: Some(url_guard::is_refused_address),
            holds_back: false,
            files: FileSystem::Ours,
            lets_go_after: Some(self.needs().config.get().browser.let_go_after()),
        };
        let about = About { product: hello.browser.clone(), can_relay: hello.relay };
        let config = self.needs().config.clone();
        let outlet = Box::new(move |mut message: ToPanel| {
            if let ToPanel::RelayAttach(attach) = &mut message {
                attach.set_aside = config.get().browser.set_frames_aside;
            }
            sender.send(&message.envelope(None));
        });
        let relay = Relay::open(run, about, options, outlet);
        let name = hello.browser.clone().unwrap_or_else(|| "browser".to_owned());
        let everyday = Arc::new(Everyday { relay, pages: Pages::default(), name });
        relays.open.insert(port, everyday.clone());
        drop(relays);
        self.everyday_is_back(&everyday);
        self.needs().tasks.spawn(self.clone().follow(everyday.browser().clone()));
    }

    /// Closes the relay of a port and cuts off what ran in its tabs. The tabs may still exist and be reached again.
    pub(crate) fn close_relay(&self, port: PortId) {
        let mut relays = lock(&self.shared.relays);
        let Some(everyday) = relays.open.remove(&port) else { return };
        relays.away.begin(everyday.browser().run());
        drop(relays);
        everyday.relay.close();
        for tab in everyday.browser().tabs() {
            self.tell(BrowserChange::TabAway(tab.id));
        }
    }

    /// Drops the relays of a browser that gstack now drives in another way.
    pub(super) fn drop_relays_of(&self, run: &BrowserRun) {
        for port in self.needs().ports.of_run(run) {
            self.close_relay(port);
        }
        lock(&self.shared.relays).away.end(run);
    }

    pub(crate) fn everyday(&self, port: PortId) -> Option<Arc<Everyday>> {
        lock(&self.shared.relays).open.get(&port).cloned()
    }

    /// Returns all everyday browsers in the order in which they connected.
    pub(crate) fn all_everyday(&self) -> Vec<Arc<Everyday>> {
        lock(&self.shared.relays).open.values().cloned().collect()
    }

    /// Returns the everyday browser that has this tab.
    pub(crate) fn everyday_with(&self, tab: TabId) -> Option<Arc<Everyday>> {
        self.all_everyday().into_iter().find(|everyday| everyday.browser().tab(tab).is_ok())
    }

    /// Returns true if the tab belongs to an everyday browser whose extension is not connected.
    pub(crate) fn is_away(&self, tab: TabId) -> bool {
        let relays = lock(&self.shared.relays);
        let is_open = |run: &BrowserRun| relays.open.values().any(|everyday| everyday.browser().run() == run);
        relays.numbers.iter().any(|(run, numbers)| numbers.keeps(tab) && !is_open(run))
    }

    /// Handles a DevTools message from the extension. Waits while many are still unprocessed.
    pub async fn heard(&self, port: PortId, heard: FromExtension) {
        if let Some(everyday) = self.everyday(port) {
            everyday.relay.hear(heard).await;
        }
    }

    /// Handles the extension's report of its tabs. A tab that was reached before gets its conversation back.
    pub(crate) fn report_tabs(&self, everyday: &Everyday, changed: &TabsChanged) {
        let Reported { opened, closed } = everyday.relay.report(changed);
        // Reported at once: the extension's next request may already concern the tab that replaces a closed one.
        for tab in closed {
            self.tell(BrowserChange::TabClosed(tab));
        }
        if changed.full {
            for tab in everyday.browser().tabs() {
                self.tell(BrowserChange::TabBack { tab: tab.id, key: tab_key(everyday.browser(), &tab) });
            }
        }
        for of in opened {
            self.tell(BrowserChange::TabOpenedBy { opener: of.opener, tab: of.tab });
        }
        if changed.full {
            lock(&self.shared.relays).away.end(everyday.browser().run());
            self.needs().ports.tell_changed();
        }
    }

    /// Makes an everyday browser the one in use under the chosen name.
    pub(crate) fn use_everyday(&self, everyday: &Arc<Everyday>) {
        let (browser, pages) = everyday.pages();
        lock(&self.own.chosen).set(Some(browser.run().clone()));
        *lock(&self.own.current) =
            Some(Current { browser, pages, source: Arc::new(ThroughExtension { name: everyday.name.clone() }) });
        self.tell(BrowserChange::InUse);
    }

    /// Takes the everyday browser out of use. Returns false if none was in use.
    pub(super) fn leave_everyday(&self) -> bool {
        let was = self.everyday_is_chosen();
        lock(&self.own.chosen).set(None);
        was
    }

    pub(crate) fn is_in_use(&self, everyday: &Everyday) -> bool {
        self.with_run(everyday.browser().run()).is_some()
    }

    /// Makes an everyday browser the one in use again, under the name that it had before its extension restarted.
    fn everyday_is_back(&self, everyday: &Arc<Everyday>) {
        let run = everyday.browser().run();
        for browsers in self.all() {
            let is_it = lock(&browsers.own.chosen).get() == Some(run);
            // The end of the previous connection may not have been noticed yet.
            if is_it && browsers.current().is_none_or(|known| known.run() == run) {
                browsers.use_everyday(everyday);
            }
        }
    }

    /// Handles the end of the connection to an everyday browser. It may reconnect.
    pub(super) fn everyday_gone(&self, browser: &Browser) {
        let mut was_in_use = false;
        for browsers in self.all() {
            let is_it = |known: &Current| known.browser.run() == browser.run() && !known.is_connected();
            // Another connection to the same browser may have replaced it.
            was_in_use |= lock(&browsers.own.current).take_if(|known| is_it(known)).is_some();
        }
        if was_in_use {
            self.tell(BrowserChange::InUse);
        }
    }
}
