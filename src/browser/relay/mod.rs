//! An everyday browser: one that the user started, with neither DevTools pipe nor port. gstack drives it through its
//! extension (`chrome.debugger`).
//!
//! Owns the transport and the tabs as the extension reports them. Attaches to a tab when a command needs it, never
//! before.

mod barred;
mod guests;
mod message;
mod outgoing;
pub mod refusals;
mod strip;
mod translate;
#[cfg(test)]
mod translate_tests;

pub use strip::tab_target;
pub(super) use translate::{ATTACH_CLIENT, PANEL_TO_FRONT};
pub use translate::{About, FromExtension};

use super::browser::{AttachOptions, Browser};
use super::error::BrowserError;
use super::tab::Tab;
use super::tabs::Follow;
use super::transport::{MessageSink, MessageSource, Transport};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use gstack_protocol::ids::{BrowserRun, ChromeTabId, TabId};
use gstack_protocol::methods::ToPanel;
use gstack_protocol::tabs::{ChromeTab, TabsChanged};
use message::Outbound;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use strip::{Strip, page_target};
use tokio::sync::mpsc;
use translate::{LEAVE_OWN_PAGE, READ_TEXT, Translator};

/// The most messages queued in each direction. Writers wait when a queue is full: the connection's writer task, whose
/// own queue is bounded, and the reader of the extension's port, so that gstack reads the extension's messages no
/// faster than it handles them.
const MOST_WAITING: usize = 64;
/// An empty page loads at once.
const LEAVE_LIMIT: Duration = Duration::from_secs(10);

/// Sends a message to the extension. Must not block.
pub type Outlet = Box<dyn Fn(ToPanel) + Send + Sync>;

type Shared = Arc<Mutex<Strip>>;

/// The connection to one everyday browser. Dropping it ends the connection; the browser keeps running.
pub struct Relay {
    browser: Browser,
    strip: Shared,
    heard: mpsc::Sender<FromExtension>,
}

/// A tab that another tab opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenedBy {
    pub opener: TabId,
    pub tab: TabId,
}

/// The changes from one report of the extension.
#[derive(Debug)]
pub struct Reported {
    /// Tabs whose opener has become known.
    pub opened: Vec<OpenedBy>,
    /// Tabs that have closed.
    pub closed: Vec<TabId>,
}

impl Relay {
    /// Opens the connection without sending anything to the browser.
    pub fn open(run: BrowserRun, about: About, options: AttachOptions, outlet: Outlet) -> Self {
        let strip = Shared::default();
        let (commands, queue) = mpsc::channel(MOST_WAITING);
        let (heard, hearing) = mpsc::channel(MOST_WAITING);
        let source = Source {
            translator: Translator::new(about),
            strip: strip.clone(),
            queue,
            hearing,
            outlet,
            ready: VecDeque::new(),
        };
        let transport = Transport { sink: Box::new(Sink { commands }), source: Box::new(source) };
        Self { browser: Browser::relayed(transport, run, options), strip, heard }
    }

    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Ends the connection now: a command that still holds it must not wait for an answer.
    pub fn close(&self) {
        self.browser.cdp().cancel();
    }

    /// Queues a DevTools message from the extension; waits while the queue is full.
    pub async fn hear(&self, heard: FromExtension) {
        if self.heard.send(heard).await.is_err() {
            tracing::debug!("an everyday browser's connection has ended");
        }
    }

    /// Applies the extension's report of its tabs; the tabs are up to date when this returns.
    pub fn report(&self, changed: &TabsChanged) -> Reported {
        let mut strip = lock(&self.strip);
        for (former, tab) in changed.tabs.iter().filter_map(|tab| Some((tab.replaces?, tab))) {
            self.browser.shared.state().tabs.replaced(&tab_target(former), &tab_target(tab.chrome_tab_id));
        }
        let changes = strip.apply(changed);
        let mut opened = Vec::new();
        for tab in &changes.present {
            opened.extend(self.reported(&strip, tab));
        }
        drop(strip);
        let closed = changes.gone.into_iter().filter_map(|id| self.gone(id)).collect();
        Reported { opened, closed }
    }

    fn reported(&self, strip: &Strip, tab: &ChromeTab) -> Option<OpenedBy> {
        let (of_tab, page) = strip.targets(tab);
        let (target, page_id) = (tab_target(tab.chrome_tab_id), page_target(tab));
        let shared = &self.browser.shared;
        let (follows, opened) = {
            let mut state = shared.state();
            let tabs = &mut state.tabs;
            let before = tabs.by_target(&target).and_then(|id| tabs.get(id)).cloned();
            let mut follows = Vec::new();
            if let Some(former) = before.as_ref().and_then(|info| info.page.as_ref()).filter(|page| **page != page_id) {
                follows.extend(tabs.destroyed(former));
            }
            follows.extend(tabs.seen(page, false));
            follows.extend(tabs.seen(of_tab, false));
            follows.extend(tabs.page_found(&target, Some(page_id.clone())));
            follows.extend(tabs.bind(&ChromeTab { target_id: Some(page_id), ..tab.clone() }));
            let now = tabs.by_target(&target).and_then(|id| tabs.get(id));
            let new = now.filter(|_| before.is_none_or(|info| info.opener.is_none()));
            let opened = new.and_then(|info| Some(OpenedBy { opener: info.opener?, tab: info.id }));
            (follows, opened)
        };
        // The page of each tab is known here, so `FindPage` is not needed.
        shared.follow(follows.into_iter().filter(|follow| !matches!(follow, Follow::FindPage(_))).collect());
        opened
    }

    /// Removes a tab; returns the number it had.
    fn gone(&self, id: ChromeTabId) -> Option<TabId> {
        let shared = &self.browser.shared;
        let (follows, number) = {
            let mut state = shared.state();
            let tabs = &mut state.tabs;
            let (page, number) = match tabs.by_chrome_id(id) {
                Some(info) => (info.page.clone(), Some(info.id)),
                None => (None, None),
            };
            let mut follows = tabs.destroyed(&tab_target(id));
            follows.extend(page.map(|page| tabs.destroyed(&page)).unwrap_or_default());
            (follows, number)
        };
        shared.follow(follows);
        number
    }
}

impl Tab {
    /// Shows an empty page in place of one of the browser's own pages (everyday browsers only): extensions cannot
    /// attach to those, so no address could be opened from there.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or the extension does not answer or cannot do it.
    pub async fn leave_own_page(&self) -> Result<(), BrowserError> {
        let target = serde_json::json!({ "targetId": self.info()?.target });
        self.browser().root().call_json(LEAVE_OWN_PAGE, &target, LEAVE_LIMIT).await?;
        Ok(())
    }

    /// Returns the address and the text of a page that gstack cannot attach to (everyday browsers only), as the extension reads it: without
    /// frames and closed roots.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or the extension does not answer or cannot do it.
    pub async fn text_by_extension(&self) -> Result<(String, String), BrowserError> {
        let target = serde_json::json!({ "targetId": self.info()?.target });
        let reply = self.browser().root().call_json(READ_TEXT, &target, LEAVE_LIMIT).await?;
        let field = |name: &str| reply[name].as_str().unwrap_or_default().to_owned();
        Ok((field("url"), field("text")))
    }
}

struct Sink {
    commands: mpsc::Sender<Vec<u8>>,
}

impl MessageSink for Sink {
    fn send<'a>(&'a mut self, messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            for message in messages {
                self.commands.send(message.clone()).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
            }
            Ok(())
        })
    }
}

struct Source {
    translator: Translator,
    strip: Shared,
    queue: mpsc::Receiver<Vec<u8>>,
    hearing: mpsc::Receiver<FromExtension>,
    outlet: Outlet,
    /// Messages for the connection that have not been read yet.
    ready: VecDeque<Bytes>,
}

impl Source {
    fn pass(&mut self, out: Vec<Outbound>) {
        for one in out {
            match one {
                Outbound::Browser(bytes) => self.ready.push_back(bytes.into()),
                Outbound::Extension(message) => (self.outlet)(*message),
            }
        }
    }
}

impl MessageSource for Source {
    /// Cancel safe: each message received is translated before the next await.
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>> {
        Box::pin(async move {
            loop {
                if let Some(message) = self.ready.pop_front() {
                    return Ok(Some(message));
                }
                let out = tokio::select! {
                    Some(command) = self.queue.recv() => self.translator.command(&command, &lock(&self.strip)),
                    heard = self.hearing.recv() => match heard {
                        Some(heard) => self.translator.heard(heard, &lock(&self.strip)),
                        None => return Ok(None),
                    },
                };
                self.pass(out);
            }
        })
    }
}

/// Each change leaves the strip consistent, so a poisoned lock is usable.
fn lock(strip: &Mutex<Strip>) -> MutexGuard<'_, Strip> {
    strip.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn commands_wait_where_the_extension_is_behind_and_none_is_lost() {
        let (commands, mut queue) = mpsc::channel(MOST_WAITING);
        let mut sink = Sink { commands };
        let messages: Vec<Vec<u8>> = (0..=MOST_WAITING).map(|n| n.to_string().into_bytes()).collect();
        let mut sending = std::pin::pin!(sink.send(&messages));
        assert!(futures_util::poll!(sending.as_mut()).is_pending());
        let mut taken = vec![queue.recv().await.unwrap()];
        sending.await.unwrap();
        while let Ok(message) = queue.try_recv() {
            taken.push(message);
        }
        assert_eq!(taken, messages);
    }
}
