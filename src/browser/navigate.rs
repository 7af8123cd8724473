//! Navigation: `goto`, `back`, `forward`, `reload`, and waiting for the new document.
//!
//! Owns the commands and their time limit. Never judges addresses: the caller has checked them.

use super::arrival::{ABORTED, Arrival, ArrivalKind, End, FOLLOWED, Progress};
use super::cdp::{CdpError, SERVER_ERROR};
use super::devtools::Command;
use super::devtools::page::{
    GetNavigationHistoryParams, NavigateParams, NavigateToHistoryEntryParams, NavigationHistory, ReloadParams,
    StopLoadingParams,
};
use super::devtools::runtime::{RunIfWaitingForDebuggerParams, TerminateExecutionParams};
use super::devtools_session::Session;
use super::error::BrowserError;
use super::events::Subscription;
use super::tab::{HUNG_AFTER, Tab, Work};
use std::time::Duration;
use tokio::time::Instant;

/// A navigation started by the page may interrupt this one.
const TRIES_TO_GO: u32 = 4;

/// The longest delay between a document and the report of its response.
const RESPONSE_LIMIT: Duration = Duration::from_millis(500);

/// The addresses of a tab before its first navigation.
const OPENING: [&str; 4] = ["", "about:blank", "chrome://newtab/", "chrome://new-tab-page/"];

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

impl Tab {
    /// Returns the history of the page, with the document that is shown now.
    pub(crate) async fn history(&self) -> Result<NavigationHistory, BrowserError> {
        // While one document replaces another the browser has no active page and the command fails: it reports the new
        // document a moment early.
        const TRIES: u32 = 20;
        const APART: Duration = Duration::from_millis(50);
        let session = self.page()?;
        for _ in 1..TRIES {
            match session.call(GetNavigationHistoryParams {}).await {
                Err(CdpError::Protocol { code: SERVER_ERROR, .. }) => tokio::time::sleep(APART).await,
                result => return Ok(result?),
            }
        }
        Ok(session.call(GetNavigationHistoryParams {}).await?)
    }
}

impl Work {
    /// Loads an address; returns once its document is parsed.
    ///
    /// # Errors
    ///
    /// Fails with [`BrowserError::Navigation`] if the address cannot be loaded, with [`BrowserError::Diverted`] if the
    /// page went elsewhere each time, with [`BrowserError::Timeout`] after `limit` (loading is stopped), with
    /// [`BrowserError::TabCrashed`] if the page crashes, and if the tab or the browser is gone.
    pub async fn goto(&self, url: &str, limit: Duration) -> Result<Arrival, BrowserError> {
        self.unhang().await?;
        let deadline = Instant::now() + limit;
        let mut is_opening = OPENING.contains(&self.info()?.url.as_str());
        for _ in 1..TRIES_TO_GO {
            match self.go(url, limit, deadline).await {
                // A browser that has just started replaces an early navigation with its first page.
                Err(BrowserError::Navigation { reason, .. }) if is_opening && reason == ABORTED => {
                    is_opening = false;
                    tracing::info!(tab = %self.id(), "the tab was still being opened");
                }
                Err(BrowserError::Diverted { instead, .. }) if Instant::now() < deadline => {
                    tracing::info!(tab = %self.id(), instead, "the page went elsewhere meanwhile");
                }
                outcome => return outcome,
            }
        }
        self.go(url, limit, deadline).await
    }

    async fn go(&self, url: &str, limit: Duration, deadline: Instant) -> Result<Arrival, BrowserError> {
        let mut watch = Watch { deadline, ..Watch::start(self, url, limit)? };
        let answer = watch.call(NavigateParams::new(url)).await?;
        if answer.is_download {
            return Ok(Arrival::without_load(url.to_owned(), ArrivalKind::Download));
        }
        if let Some(loader) = &answer.loader_id {
            watch.progress.expect(loader);
        }
        let Some(reason) = answer.error_text else {
            let arrival = match watch.end().await {
                Err(BrowserError::Navigation { url, reason }) if reason == ABORTED => {
                    return Err(watch.aborted(BrowserError::Navigation { url, reason }));
                }
                outcome => outcome?,
            };
            // A document at the requested address is the right one even with another loader (a prerendered page).
            if watch.progress.was_diverted() && without_fragment(&arrival.url) != without_fragment(url) {
                return Err(BrowserError::Diverted { url: url.to_owned(), instead: arrival.url });
            }
            return Ok(arrival);
        };
        let failed = BrowserError::Navigation { url: url.to_owned(), reason };
        match &failed {
            BrowserError::Navigation { reason, .. } if reason == ABORTED => Err(watch.aborted(failed)),
            // The error page is still loading: the next command must not see the page before it.
            _ => Err(match watch.end().await {
                Err(BrowserError::TabCrashed(tab)) => BrowserError::TabCrashed(tab),
                _ => failed,
            }),
        }
    }

    /// Goes one step back in the tab's history; returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::goto`] does.
    pub async fn back(&self, limit: Duration) -> Result<Option<Arrival>, BrowserError> {
        self.step(-1, limit).await
    }
    /// Goes one step forward; returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::goto`] does.
    pub async fn forward(&self, limit: Duration) -> Result<Option<Arrival>, BrowserError> {
        self.step(1, limit).await
    }

    async fn step(&self, by: i64, limit: Duration) -> Result<Option<Arrival>, BrowserError> {
        self.unhang().await?;
        let history = self.history().await?;
        let wanted = usize::try_from(history.current_index + by).ok();
        let Some(entry) = wanted.and_then(|at| history.entries.get(at)) else { return Ok(None) };
        let mut watch = Watch::start(self, &entry.url, limit)?;
        watch.call(NavigateToHistoryEntryParams::new(entry.id)).await?;
        watch.end().await.map(Some)
    }

    /// Ends the script of a hung page before it is left: a new document of the same site would wait for the old one's
    /// process, and every later navigation behind it. A waiting page cannot be reached, so this comes first; for a
    /// responsive page it costs one round trip.
    async fn unhang(&self) -> Result<(), BrowserError> {
        let page = self.page()?;
        if self.info()?.is_crashed() {
            return Ok(());
        }
        // A no-op that the main thread of a running page answers.
        match page.call_within(RunIfWaitingForDebuggerParams {}, HUNG_AFTER).await {
            Err(CdpError::Timeout { .. }) => {
                tracing::info!(tab = %self.id(), "the page that is being left hangs: its script is ended");
                page.post(TerminateExecutionParams {});
                Ok(())
            }
            Err(CdpError::Gone) => Err(BrowserError::Gone),
            // The navigation reports a session that is gone.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Returns true if a form submission (GET or POST) led to this page, or if that cannot be determined.
    pub async fn came_by_form(&self) -> bool {
        let Ok(history) = self.history().await else { return true };
        let now = usize::try_from(history.current_index).ok().and_then(|at| history.entries.get(at));
        now.is_none_or(|entry| entry.transition_type == "form_submit")
    }

    /// Reloads the page; `past_cache` bypasses the cache.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::goto`] does.
    pub async fn reload(&self, past_cache: bool, limit: Duration) -> Result<Arrival, BrowserError> {
        self.unhang().await?;
        let url = self.info()?.url;
        let mut watch = Watch::start(self, &url, limit)?;
        watch.call(ReloadParams::builder().ignore_cache(past_cache).build()).await?;
        watch.end().await
    }
}

/// One navigation, subscribed to before it starts so that no event is missed.
struct Watch<'a> {
    work: &'a Work,
    session: Session,
    events: Subscription,
    progress: Progress,
    url: String,
    limit: Duration,
    deadline: Instant,
}

impl<'a> Watch<'a> {
    fn start(work: &'a Work, url: &str, limit: Duration) -> Result<Self, BrowserError> {
        // The page may have been replaced since the work began.
        let session = work.page()?;
        let events = session.subscribe(FOLLOWED);
        // A page target's id is its main frame's id, so it is known even if the page is hung.
        let page = work.info()?.page.ok_or(BrowserError::FrameGone)?;
        let progress = Progress::new(page.as_str());
        Ok(Self { work, session, events, progress, url: url.to_owned(), limit, deadline: Instant::now() + limit })
    }

    async fn call<C: Command>(&mut self, command: C) -> Result<C::Response, BrowserError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.session.call_within(command, left).await {
            Ok(answer) => Ok(answer),
            Err(CdpError::Timeout { .. }) => Err(self.too_slow()),
            Err(error) => Err(self.crash_or(error.into())),
        }
    }

    async fn end(&mut self) -> Result<Arrival, BrowserError> {
        loop {
            let event = match tokio::time::timeout_at(self.deadline, self.events.next()).await {
                Ok(Some(event)) => event,
                Ok(None) => return Err(BrowserError::Gone),
                // A `beforeunload` dialog is open: the time until it is answered does not count.
                Err(_) if self.session.is_held() => {
                    self.session.unheld().await;
                    self.deadline = Instant::now() + self.limit;
                    continue;
                }
                Err(_) => return Err(self.too_slow()),
            };
            match self.progress.event(&event) {
                None => {}
                Some(End::Arrived(arrival)) => return Ok(self.with_response(arrival).await),
                Some(End::Failed(reason)) => {
                    return Err(BrowserError::Navigation { url: self.url.clone(), reason });
                }
                Some(End::Crashed) => return Err(BrowserError::TabCrashed(self.work.id())),
            }
        }
    }

    /// Waits a moment for the response of the new document if it has not been reported: one browser process reports the
    /// response and another one the document.
    async fn with_response(&mut self, mut arrival: Arrival) -> Arrival {
        let Some(loader) = self.progress.loader_without_response(&arrival) else { return arrival };
        let until = self.deadline.min(Instant::now() + RESPONSE_LIMIT);
        while arrival.status.is_none() {
            let Ok(Some(event)) = tokio::time::timeout_at(until, self.events.next()).await else { break };
            // A navigation from here on is not part of this one.
            self.progress.event(&event);
            self.progress.add_response(&loader, &mut arrival);
        }
        arrival
    }

    /// Returns the error of a navigation that was aborted, with the address the page itself loads instead.
    fn aborted(&mut self, error: BrowserError) -> BrowserError {
        let error = self.crash_or(error);
        let instead = self.progress.heading_for();
        match &error {
            BrowserError::Navigation { url, .. }
                if !instead.is_empty() && without_fragment(instead) != without_fragment(url) =>
            {
                BrowserError::Diverted { url: url.clone(), instead: instead.to_owned() }
            }
            _ => error,
        }
    }

    /// Returns `TabCrashed` if the page crashed: a crash explains every other error.
    fn crash_or(&mut self, error: BrowserError) -> BrowserError {
        while let Some(event) = self.events.try_next() {
            if self.progress.event(&event) == Some(End::Crashed) {
                return BrowserError::TabCrashed(self.work.id());
            }
        }
        error
    }

    fn too_slow(&self) -> BrowserError {
        self.session.post(StopLoadingParams {});
        BrowserError::Timeout { what: format!("loading {}", self.url), after: self.limit }
    }
}
