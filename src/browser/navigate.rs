//! Going somewhere: `goto`, `back`, `forward`, `reload`, and waiting for the new document.
//!
//! Owns the commands and their limit in time. Never judges addresses: who calls has checked them.

use super::arrival::{ABORTED, Arrival, ArrivalKind, End, FOLLOWED, Progress};
use super::cdp::CdpError;
use super::error::BrowserError;
use super::events::Subscription;
use super::session::Session;
use super::tab::Work;
use super::targets::ReadHistory;
use chromiumoxide::cdp::browser_protocol::page::{
    NavigateParams, NavigateToHistoryEntryParams, ReloadParams, StopLoadingParams,
};
use chromiumoxide::types::Command;
use std::time::Duration;
use tokio::time::Instant;

impl Work {
    /// Loads an address; returns once its document is parsed. Fails with `Navigation` (the browser's own reason),
    /// `Timeout` (loading is stopped) or `TabCrashed`.
    pub async fn goto(&self, url: &str, limit: Duration) -> Result<Arrival, BrowserError> {
        let mut watch = Watch::start(self, url, limit)?;
        let answer = watch.call(NavigateParams::new(url)).await?;
        if answer.is_download == Some(true) {
            return Ok(Arrival::without_load(url.to_owned(), ArrivalKind::Download));
        }
        if let Some(loader) = &answer.loader_id {
            watch.progress.expect(loader.inner());
        }
        let Some(reason) = answer.error_text else { return watch.end().await };
        let failed = BrowserError::Navigation { url: url.to_owned(), reason };
        match &failed {
            BrowserError::Navigation { reason, .. } if reason == ABORTED => Err(watch.crash_or(failed)),
            // The error page is on its way: the next command must not meet the page before it.
            _ => Err(match watch.end().await {
                Err(BrowserError::TabCrashed(tab)) => BrowserError::TabCrashed(tab),
                _ => failed,
            }),
        }
    }

    /// Goes one step back in the tab's history; `None` where there is none.
    pub async fn back(&self, limit: Duration) -> Result<Option<Arrival>, BrowserError> {
        self.step(-1, limit).await
    }
    /// Goes one step forward; `None` where there is none.
    pub async fn forward(&self, limit: Duration) -> Result<Option<Arrival>, BrowserError> {
        self.step(1, limit).await
    }

    async fn step(&self, by: i64, limit: Duration) -> Result<Option<Arrival>, BrowserError> {
        let history = self.session().call_within(ReadHistory {}, limit).await?;
        let wanted = usize::try_from(history.current_index + by).ok();
        let Some(entry) = wanted.and_then(|at| history.entries.get(at)) else { return Ok(None) };
        let mut watch = Watch::start(self, &entry.url, limit)?;
        watch.call(NavigateToHistoryEntryParams::new(entry.id)).await?;
        watch.end().await.map(Some)
    }

    /// Loads the present address again; `past_cache` asks the server for everything anew.
    pub async fn reload(&self, past_cache: bool, limit: Duration) -> Result<Arrival, BrowserError> {
        let url = self.info()?.url;
        let mut watch = Watch::start(self, &url, limit)?;
        watch.call(ReloadParams { ignore_cache: Some(past_cache), ..ReloadParams::default() }).await?;
        watch.end().await
    }
}

/// One navigation under way, subscribed to before it starts, so that nothing of it is missed.
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
        // A page target's id is its main frame's id: known even where the page is hung.
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
                Err(_) => return Err(self.too_slow()),
            };
            match self.progress.event(&event) {
                None => {}
                Some(End::Arrived(arrival)) => return Ok(arrival),
                Some(End::Failed(reason)) => {
                    return Err(BrowserError::Navigation { url: self.url.clone(), reason });
                }
                Some(End::Crashed) => return Err(BrowserError::TabCrashed(self.work.id())),
            }
        }
    }

    /// A crash explains every other error.
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
