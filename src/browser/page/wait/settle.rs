//! Waits after an action for the network requests that it started.
//!
//! Owns the count of requests in progress. Waits only if the action started any, and at most `SETTLE_LIMIT`.

use crate::browser::Browser;
use crate::effects::{Effects, RecordedEffect};
use crate::error::BrowserError;
use crate::events::{Event, Subscription};
use crate::frames::FrameId;
use crate::page::act::CLOSING_LIMIT;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected, not_told};
use gstack_protocol::effects::DownloadState;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::Instant;

/// If a page loads for longer, the next command waits for it.
const SETTLE_LIMIT: Duration = Duration::from_secs(2);

/// The browser reports a tab or a download requested by the page within this time.
const ANNOUNCED_LIMIT: Duration = Duration::from_secs(2);
/// Small files are complete by then; `wait --download` waits for larger ones.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(2);

const FOLLOWED: [&str; 10] = [
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Page.frameRequestedNavigation",
    "Page.frameStartedNavigating",
    "Page.domContentEventFired",
    "Page.frameStoppedLoading",
    "Page.navigatedWithinDocument",
    "Page.windowOpen",
];

/// The network events of the tab since the action began.
pub(in crate::page) struct Settling {
    events: Subscription,
    main_frame: String,
    /// The document of the main frame.
    loader: Option<String>,
    work: Underway,
}

#[derive(Debug, Default)]
struct Underway {
    requests: HashSet<String>,
    navigating: bool,
    /// Documents whose response has a body, and so may be shown or saved.
    answered: HashSet<String>,
    /// A document's response was not shown: it becomes a download.
    saves: bool,
    /// The page requested a tab.
    opens: bool,
}

/// The page's state once its handlers have run.
#[derive(Debug, Deserialize)]
pub(in crate::page) struct Settled {
    /// A script has closed the window: the tab closes a moment later.
    closes: bool,
    /// A followed link saves its target: a download starts.
    #[serde(default)]
    saves: bool,
    /// The document received none of the action's input.
    #[serde(default)]
    missed: bool,
    /// A frame inside the page reported it: the page itself must still be asked.
    #[serde(skip)]
    is_of_frame: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    request_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    canceled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    request_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    response: Status,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    status: u16,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigation {
    #[serde(default)]
    frame_id: String,
    #[serde(default)]
    navigation_type: String,
    #[serde(default)]
    disposition: String,
}

impl Underway {
    fn event(&mut self, event: &Event, main_frame: &str) {
        match event.method() {
            "Network.requestWillBeSent" => {
                let Some(request) = event.read::<Request>() else { return };
                // These stay open, or nothing depends on them.
                if !matches!(request.kind.as_str(), "EventSource" | "WebSocket" | "Ping" | "Prefetch" | "Media") {
                    self.requests.insert(request.request_id);
                }
            }
            "Network.responseReceived" => {
                let Some(answer) = event.read::<Answer>() else { return };
                if answer.kind == "Document" && !matches!(answer.response.status, 204 | 205) {
                    self.answered.insert(answer.request_id);
                }
            }
            "Network.loadingFinished" => {
                if let Some(request) = event.read::<Request>() {
                    self.requests.remove(&request.request_id);
                }
            }
            "Network.loadingFailed" => {
                let Some(request) = event.read::<Request>() else { return };
                self.requests.remove(&request.request_id);
                self.saves |= request.canceled && self.answered.remove(&request.request_id);
            }
            "Page.windowOpen" => self.opens = true,
            "Page.frameRequestedNavigation" | "Page.frameStartedNavigating" => {
                let Some(navigation) = event.read::<Navigation>() else { return };
                let elsewhere = matches!(navigation.disposition.as_str(), "newTab" | "newWindow" | "download");
                let same_document =
                    matches!(navigation.navigation_type.as_str(), "sameDocument" | "historySameDocument");
                if navigation.frame_id == main_frame && !elsewhere && !same_document {
                    self.navigating = true;
                }
            }
            "Page.domContentEventFired" => self.navigating = false,
            // Also reported for a navigation without a new document (a download, 204).
            "Page.frameStoppedLoading" | "Page.navigatedWithinDocument" => {
                let ended = event.read::<Navigation>().is_some_and(|ended| ended.frame_id == main_frame);
                self.navigating &= !ended;
            }
            _ => {}
        }
    }
    /// Waits for announced tabs and downloads: the browser reports them a moment after the page's own events.
    async fn announced(&self, browser: &Browser, effects: &Effects) {
        let is_download = |noted: &RecordedEffect| matches!(noted, RecordedEffect::Download(_));
        let deadline = Instant::now() + ANNOUNCED_LIMIT;
        if self.saves {
            effects.wait_for(deadline, is_download).await;
        }
        if self.opens {
            effects
                .wait_for(deadline, |noted| is_download(noted) || matches!(noted, RecordedEffect::TabOpened(_)))
                .await;
            effects.wait_for_tabs(browser, deadline).await;
        }
    }
    fn is_idle(&self) -> bool {
        self.requests.is_empty() && !self.navigating
    }
}

/// The reply of `thenSettled`.
#[derive(Deserialize)]
struct Given<T> {
    value: T,
    #[serde(default)]
    settled: Option<Settled>,
}

fn with_name<'a>(function: &'a Injected, arguments: &[&'a dyn Argument]) -> Vec<&'a dyn Argument> {
    let mut given: Vec<&dyn Argument> = vec![function];
    given.extend_from_slice(arguments);
    given
}

/// Returns true if an error after input means that the document, frame or tab is gone.
pub(in crate::page) fn was_left(error: &PageError) -> bool {
    match error {
        PageError::DocumentGone | PageError::Browser(BrowserError::FrameGone | BrowserError::TabClosed(_)) => true,
        PageError::Browser(BrowserError::Cdp(error)) => error.is_session_gone(),
        _ => false,
    }
}

/// The end of an action.
#[derive(Debug)]
pub(in crate::page) struct Ended<T> {
    /// The function's result. `None`: the action replaced or closed the page before it answered.
    pub value: Option<T>,
    pub settled: Option<Settled>,
}

impl<T> Ended<T> {
    fn of(given: Option<Given<T>>, is_of_frame: bool) -> Self {
        let Some(Given { value, settled }) = given else { return Self { value: None, settled: None } };
        Self { value: Some(value), settled: settled.map(|settled| Settled { is_of_frame, ..settled }) }
    }
}

impl Page {
    /// Calls a function that completes an action whose input was sent before. Unless the function refuses, the same
    /// call waits until the action's handlers have run.
    pub(in crate::page) async fn end_by<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
    ) -> Result<Ended<T>, PageError> {
        let within = self.is_within_page(frame);
        match self.script(frame, Injected::ThenSettled, &with_name(&function, arguments), SCRIPT_LIMIT).await {
            Ok(given) => Ok(Ended::of(Some(given), within)),
            Err(error) if was_left(&error) => Ok(Ended::of(None, within)),
            Err(error) => Err(not_told(error)),
        }
    }

    /// Calls a function that is the whole action, and waits as `end_by` does. Fails with `DocumentGone` if it did not
    /// start.
    pub(in crate::page) async fn act_by<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
    ) -> Result<Ended<T>, PageError> {
        let within = self.is_within_page(frame);
        let given = with_name(&function, arguments);
        Ok(Ended::of(self.act_by_script(frame, Injected::ThenSettled, &given, SCRIPT_LIMIT).await?, within))
    }

    /// Returns true for a frame inside the page. A frame that is gone counts as one.
    fn is_within_page(&self, frame: &FrameId) -> bool {
        self.frame(frame).map_or(true, |frame| frame.parent.is_some())
    }

    /// Asks once more whether the page's document received none of the last input.
    pub(in crate::page) async fn still_misses_input(&self) -> bool {
        self.handlers_have_run(Instant::now()).await.missed
    }

    /// Waits until the handlers of the last input have run. If the document is gone, it was replaced or its tab is
    /// closing: then asks the next document, or waits until the browser reports the tab as closed.
    async fn handlers_have_run(&self, deadline: Instant) -> Ran {
        let closed_by = Instant::now() + CLOSING_LIMIT;
        loop {
            let mut events = self.browser().events();
            let settled = async {
                let frame = self.main_frame().await?;
                self.script::<Settled>(&frame.id, Injected::Settled, &[], SCRIPT_LIMIT.min(SETTLE_LIMIT)).await
            };
            match settled.await {
                Ok(settled) => {
                    if settled.closes {
                        self.until_closed().await;
                    }
                    return Ran { saves: settled.saves, missed: settled.missed };
                }
                Err(PageError::DocumentGone) if Instant::now() < deadline => {
                    tracing::trace!("the document went before its handlers had run");
                }
                // The tab closes or gets another page: the next event shows which.
                Err(PageError::Browser(BrowserError::FrameGone)) => {
                    if tokio::time::timeout_at(closed_by, events.recv()).await.is_err() {
                        return Ran::default();
                    }
                }
                Err(PageError::Browser(BrowserError::Cdp(error))) if error.is_session_gone() => {
                    self.until_closed().await;
                    return Ran::default();
                }
                Err(error) => {
                    tracing::trace!(%error, "it is unknown whether the handlers have run");
                    return Ran::default();
                }
            }
        }
    }
}

/// What a document reports once the handlers of the last input have run.
#[derive(Debug, Default)]
struct Ran {
    /// A download starts.
    saves: bool,
    missed: bool,
}

/// Waits for the downloads that the action started.
async fn downloads_end(page: &Page, effects: &Effects) {
    let begun = effects.downloads();
    let is_over = |browser: &Browser| {
        let running = |id: &String| browser.download(id).is_some_and(|one| one.state == DownloadState::InProgress);
        !begun.iter().any(running)
    };
    if !page.browser().downloads_until(Instant::now() + DOWNLOAD_LIMIT, is_over).await {
        tracing::debug!("a download goes on after the act that began it");
    }
}

impl Settling {
    /// Starts to observe; call it before the action. Returns `None` if the page is hung or gone: then there is nothing
    /// to wait for.
    pub(in crate::page) fn begin(page: &Page) -> Option<Self> {
        let info = page.info().ok()?;
        let events = page.subscribe(&FOLLOWED).ok()?;
        let main_frame = info.page?.as_str().to_owned();
        Some(Self { events, main_frame, loader: page.main_loader(), work: Underway::default() })
    }

    /// Returns true if requests that began since are under way.
    pub(in crate::page) fn has_requests(&mut self) -> bool {
        while let Some(event) = self.events.try_next() {
            self.work.event(&event, &self.main_frame);
        }
        !self.work.requests.is_empty()
    }

    /// Returns once the requests of the action have ended: whether the page's document, which is still the same one,
    /// received none of the action's input. `settled`: the page's state, if it was asked already.
    pub(in crate::page) async fn end(mut self, page: &Page, settled: Option<Settled>) -> bool {
        let deadline = Instant::now() + SETTLE_LIMIT;
        // The handlers have run, and their requests were reported before this answer.
        let ran = match settled {
            None => page.handlers_have_run(deadline).await,
            Some(Settled { is_of_frame: true, saves, .. }) => {
                let ran = page.handlers_have_run(deadline).await;
                Ran { saves: ran.saves || saves, missed: false }
            }
            Some(Settled { closes, saves, missed, .. }) => {
                if closes {
                    page.until_closed().await;
                }
                Ran { saves, missed }
            }
        };
        self.work.saves = ran.saves;
        // A new document has received nothing.
        let missed = ran.missed && self.loader.is_some() && self.loader == page.main_loader();
        self.has_requests();
        while !self.work.is_idle() {
            match tokio::time::timeout_at(deadline, self.events.next()).await {
                Ok(Some(event)) => self.work.event(&event, &self.main_frame),
                Ok(None) | Err(_) => break,
            }
        }
        if let Some(effects) = page.effects() {
            self.work.announced(page.browser(), effects).await;
            downloads_end(page, effects).await;
        }
        missed
    }
}
