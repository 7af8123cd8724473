//! The browser in use on another machine: reserved, kept alive and given back.
//!
//! Owns the order: a session is on record before it is used and until it is released.

use super::remote_record::RemoteEntry;
use super::service::Browsers;
use super::source::Source;
use futures_util::future::BoxFuture;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_browser::browser::Browser;
use gstack_browser::cdp::CdpError;
use gstack_browser::error::BrowserError;
use gstack_browser::remote::{Facts, NotReserved, Provider, RemoteError, RemoteSession, Request};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::policy::PolicyBrowser;
use gstack_protocol::remote::{RemoteBrowser, RemoteStatus, SecretVariables, UnreleasedSession};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Proxies end a silent websocket after a minute or more, a Grid its session after five.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long the end of a session may take while something waits for it.
const RELEASE_LIMIT: Duration = Duration::from_secs(10);
/// The start of the name of each browser on another machine, which is on record with its tabs.
pub(super) const REMOTE_NAME: &str = "remote ";
const FOLLOW_REQUESTS: Duration = Duration::from_secs(30);
/// No Grid keeps a request for so long and then starts a session for it. In ms.
const REQUEST_LIMIT: u64 = 30 * 60 * 1000;
/// How long a browser may take to say its version, which no page delays. Asked twice before it counts as lost.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// A browser on another machine.
pub(super) struct Remote {
    wanted: RemoteBrowser,
    kind: &'static str,
    reserved: Arc<dyn RemoteSession>,
    /// The connection to it. There is one for each reservation.
    pub(super) run: BrowserRun,
}

impl Remote {
    fn status(&self) -> RemoteStatus {
        let Facts { at, view, .. } = self.reserved.facts().clone();
        RemoteStatus { provider: self.kind.to_owned(), at, node: self.reserved.node(), view }
    }

    /// Converts the error. A timeout names the remote address, because this machine cannot restart that browser.
    pub(super) fn unless_silent(&self, error: BrowserError) -> Fault {
        match error {
            BrowserError::Cdp(CdpError::Timeout { after, .. }) => {
                RemoteError::Slow { at: self.reserved.facts().at.clone(), limit: after }.into()
            }
            other => other.into(),
        }
    }
}

impl Source for Remote {
    fn kind(&self) -> PolicyBrowser {
        PolicyBrowser::Remote
    }
    fn mode(&self, _: bool) -> &'static str {
        "remote"
    }
    fn name(&self) -> Option<String> {
        Some(format!("{REMOTE_NAME}{}", self.run.as_str()))
    }
    fn remote_status(&self) -> Option<RemoteStatus> {
        Some(self.status())
    }
    fn requested(&self) -> Option<RemoteBrowser> {
        Some(self.wanted.clone())
    }
    fn ends_with_us(&self) -> bool {
        self.reserved.ends_with_us()
    }
    fn session(&self) -> Option<String> {
        self.reserved.facts().session.clone()
    }
    fn keep_alive(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        self.reserved.keep_alive()
    }
    fn release(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        self.reserved.release()
    }
}

/// A reserved browser, and the way to say that it arrived.
struct Handover {
    remote: Arc<Remote>,
    /// Sent when the browser is in use or has been given back.
    taken: oneshot::Sender<()>,
}

/// The result of releasing the sessions that were left.
pub(crate) struct Releases {
    pub(crate) released: usize,
    pub(crate) left: Vec<UnreleasedSession>,
}

/// The browser's description for `connect`.
pub(crate) struct Reserved {
    pub(crate) browser: Browser,
    pub(crate) status: RemoteStatus,
    pub(crate) is_readable_on_the_way: bool,
}

impl Browsers {
    /// Reserves a browser on another machine and makes it the one in use.
    pub(crate) async fn use_remote(&self, wanted: &RemoteBrowser, keys: &SecretVariables) -> Result<Reserved, Fault> {
        let provider = self.provider(wanted, keys)?;
        self.release_left(keys).await;
        let is_readable_on_the_way = provider.is_readable_on_the_way();
        let (tell, told) = oneshot::channel();
        self.needs().tasks.spawn(self.clone().reserve(provider, wanted.clone(), tell));
        let Handover { remote, taken } = told.await.unwrap_or(Err(RemoteError::Unneeded))?;
        let outcome = self.use_reserved(&remote).await;
        if outcome.is_err() {
            self.clone().give_back(remote.clone()).await;
        }
        taken.send(()).ok();
        let browser = outcome?;
        Ok(Reserved { browser, status: remote.status(), is_readable_on_the_way })
    }

    async fn use_reserved(&self, remote: &Arc<Remote>) -> Result<Browser, Fault> {
        let opened = remote.reserved.open().await?;
        let browser = self.use_opened(opened, remote.clone()).await?;
        self.needs().tasks.spawn(self.clone().keep_alive(browser.clone(), remote.clone()));
        Ok(browser)
    }

    /// Reserves a browser. Continues if the daemon ends in the meantime, and releases the browser if it is not taken.
    async fn reserve(
        self,
        provider: Box<dyn Provider>,
        wanted: RemoteBrowser,
        tell: oneshot::Sender<Result<Handover, RemoteError>>,
    ) {
        let run = BrowserRun::random();
        let request = Request { name: format!("gstack-{run}"), unneeded: self.needs().tasks.shutdown() };
        let reserved = match self.reserve_recorded(provider.as_ref(), &wanted, &request).await {
            Ok(reserved) => reserved,
            Err(error) => {
                // Nobody receives this if the daemon is ending.
                tell.send(Err(error)).ok();
                return self.follow_requests().await;
            }
        };
        let remote = Arc::new(Remote { wanted, kind: provider.kind(), reserved, run });
        let (taken, is_taken) = oneshot::channel();
        // If nobody receives it, `taken` is dropped with it.
        tell.send(Ok(Handover { remote: remote.clone(), taken })).ok();
        if is_taken.await.is_err() {
            self.give_back(remote).await;
        }
    }

    /// Checks requests with an unknown outcome, until there is none or the daemon ends.
    pub(crate) async fn follow_requests(&self) {
        let shutdown = self.needs().tasks.shutdown();
        while self.shared.sessions.left().iter().any(|entry| entry.requested.is_some()) {
            tokio::select! {
                () = tokio::time::sleep(FOLLOW_REQUESTS) => {}
                () = shutdown.cancelled() => return,
            }
            self.release_where(&SecretVariables::default(), |entry| entry.requested.is_some()).await;
        }
    }

    /// Reserves a browser, and has the request on record, or the session that it has created.
    async fn reserve_recorded(
        &self,
        provider: &dyn Provider,
        wanted: &RemoteBrowser,
        request: &Request,
    ) -> Result<Arc<dyn RemoteSession>, RemoteError> {
        let (sessions, name) = (&self.shared.sessions, &request.name);
        let entry =
            |session: &str, requested| RemoteEntry { browser: wanted.clone(), session: session.to_owned(), requested };
        if provider.finds_requests() {
            sessions.add(entry(name, Some(now_millis()))).map_err(RemoteError::NotRecorded)?;
        }
        match provider.reserve(request).await {
            Ok(reserved) => {
                let Some(session) = &reserved.facts().session else { return Ok(reserved) };
                let Err(error) = sessions.add_created(entry(session, None), name) else { return Ok(reserved) };
                if self.forget_if_released(session, reserved.release()).await.is_err() {
                    sessions.leave(session);
                }
                Err(RemoteError::NotRecorded(error))
            }
            Err(NotReserved { error, is_open }) => {
                if !is_open && provider.finds_requests() {
                    sessions.remove(name);
                }
                if is_open && self.forget_if_released(name, provider.withdraw(name)).await.is_err() {
                    sessions.leave(name);
                }
                Err(error)
            }
        }
    }

    /// Reports to the other machine at intervals that its browser is in use.
    async fn keep_alive(self, browser: Browser, remote: Arc<Remote>) {
        let shutdown = self.needs().tasks.shutdown();
        let mut due = tokio::time::interval(KEEP_ALIVE);
        loop {
            tokio::select! {
                _ = due.tick() => {}
                () = browser.gone().cancelled() => return,
                () = shutdown.cancelled() => return,
            }
            let alive = async {
                if let Err(error) = remote.keep_alive().await {
                    tracing::debug!(%error, "the session was not kept alive");
                }
                is_there(&browser, remote.as_ref()).await
            };
            let alive = tokio::select! {
                alive = alive => alive,
                () = browser.gone().cancelled() => return,
                () = shutdown.cancelled() => return,
            };
            if !alive {
                return self.lose(&browser).await;
            }
        }
    }

    /// Checks whether a browser on another machine still answers, and takes it out of use if not. Returns true if it was lost.
    pub(crate) async fn lose_if_silent(&self, browser: &Browser) -> bool {
        let Some(browsers) = self.with_run(browser.run()) else { return false };
        let current = lock(&browsers.own.current).clone();
        let Some(current) = current.filter(|current| current.source.requested().is_some()) else { return false };
        if is_there(browser, current.source.as_ref()).await {
            return false;
        }
        browsers.lose(browser).await;
        true
    }

    /// Returns whether a browser on another machine answers, and true for any other. Takes as long as one answer, so it is
    /// awaited beside a command: many commands need nothing of the browser.
    pub(crate) async fn remote_answers(&self, browser: &Browser) -> bool {
        let Some(browsers) = self.with_run(browser.run()) else { return true };
        let is_remote =
            lock(&browsers.own.current).as_ref().is_some_and(|current| current.source.requested().is_some());
        !is_remote || matches!(tokio::time::timeout(VERSION_LIMIT, browser.version()).await, Ok(Ok(_)))
    }

    async fn lose(&self, browser: &Browser) {
        tracing::info!(name = %self.name(), "the browser on another machine does not answer any more");
        browser.detach().await;
        self.gone(browser);
    }

    /// Releases the session if there is one. One that cannot be released stays on record.
    pub(super) async fn give_back(self, source: Arc<dyn Source>) {
        let Some(session) = source.session() else { return };
        if self.forget_if_released(&session, source.release()).await.is_err() {
            self.shared.sessions.leave(&session);
        }
    }

    /// Returns where sessions are that are still to be released.
    pub(crate) fn unreleased(&self) -> Vec<String> {
        let left = self.shared.sessions.left();
        let mut places: Vec<String> = left.iter().map(|entry| self.shown(&entry.browser)).collect();
        places.sort();
        places
    }

    /// Releases the sessions that are still on record and not in use.
    pub(crate) async fn release_left(&self, keys: &SecretVariables) -> Releases {
        self.release_where(keys, |_| true).await
    }

    async fn release_where(&self, keys: &SecretVariables, which: impl Fn(&RemoteEntry) -> bool) -> Releases {
        let sessions = &self.shared.sessions;
        let _turn = sessions.releasing.lock().await;
        let mut left = sessions.left();
        left.retain(which);
        let outcomes = futures_util::future::join_all(left.iter().map(|entry| self.release_one(entry, keys))).await;
        let released = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        Releases { released, left: outcomes.into_iter().filter_map(Result::err).collect() }
    }

    async fn release_one(&self, entry: &RemoteEntry, keys: &SecretVariables) -> Result<(), UnreleasedSession> {
        let RemoteEntry { browser, session, requested } = entry;
        let released = match self.provider(browser, keys) {
            Ok(provider) if requested.is_some() => self.forget_if_released(session, provider.withdraw(session)).await,
            Ok(provider) => self.forget_if_released(session, provider.release_left(session)).await,
            Err(error) => Err(error.to_string()),
        };
        let is_over = requested.is_some_and(|at| now_millis().saturating_sub(at) > REQUEST_LIMIT);
        if is_over && released.is_err() {
            self.shared.sessions.remove(session);
            return Ok(());
        }
        released.map_err(|reason| UnreleasedSession { at: self.shown(browser), session: session.clone(), reason })
    }

    /// Returns the reason if it was not released.
    async fn forget_if_released(
        &self,
        session: &str,
        release: impl Future<Output = Result<(), RemoteError>>,
    ) -> Result<(), String> {
        let why = match tokio::time::timeout(RELEASE_LIMIT, release).await {
            Ok(Ok(())) => {
                self.shared.sessions.remove(session);
                return Ok(());
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("there was no answer in {} s", RELEASE_LIMIT.as_secs()),
        };
        tracing::warn!(%why, "a session on another machine was not released");
        Err(why)
    }
}

/// Returns false if the browser is lost although its connection is open. A Grid closes neither the connection to a session that
/// it ended nor to one whose node was killed.
async fn is_there(browser: &Browser, source: &dyn Source) -> bool {
    for _ in 0..2 {
        let answered = tokio::time::timeout(VERSION_LIMIT, browser.version()).await;
        if matches!(answered, Ok(Ok(_))) {
            return true;
        }
        match source.keep_alive().await {
            Ok(()) => {}
            // The network may be the reason. The connection then ends by itself, or goes on.
            Err(RemoteError::Unreachable { .. } | RemoteError::Slow { .. }) => return true,
            Err(_) => return false,
        }
    }
    false
}
