//! One session of a run: an instance of gstack with its own daemon and browser, which ends with the run.
//!
//! Owns its home, its start and its end. The run holds the home's `owner.lock`: without it the daemon closes the browser
//! and ends, so a run that is killed leaves nothing behind.

use gstack_base::home::{Home, private_folder};
use gstack_base::lock::FileLock;
use gstack_base::process::Process;
use gstack_base::state::State;
use gstack_client::ending;
use gstack_client::http::Client;
use gstack_protocol::control::{ConnectLine, ConnectRequest, Disconnect, Disconnected};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::remote::{SecretVariables, UnreleasedSession};
use gstack_protocol::status::Status;
use std::path::Path;
use std::time::Duration;

/// The daemon gives its browser 15 s, and its tasks 8 s.
const END_LIMIT: Duration = Duration::from_secs(40);
/// A daemon that does not answer in this time counts as lost.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A session with an open browser, or one that is being opened.
pub(crate) struct Session {
    pub(crate) name: String,
    home: Home,
    owner: FileLock,
    /// The mode and the browser's process when it was opened.
    opened: Option<(String, Option<u32>)>,
    /// The node of the Grid.
    pub(crate) node: Option<String>,
}

impl Session {
    /// Makes the home, or takes over the one that a killed run left. Starts nothing.
    ///
    /// # Errors
    ///
    /// Fails if the home cannot be made, or another run uses it.
    pub(crate) fn prepare(shared: &Path, name: &str) -> Result<Self, Fault> {
        let failed = |why: String| Fault::new(FaultCode::Storage, format!("the session {name} cannot be made: {why}"));
        let instances = Home::instances_of(shared);
        private_folder(&instances).map_err(|error| failed(error.to_string()))?;
        let home = Home::at(instances.join(name)).map_err(|error| failed(error.to_string()))?;
        let owner = FileLock::try_take(&home.owner_lock()).map_err(|error| failed(error.to_string()))?;
        let owner = owner.ok_or_else(|| failed("another run uses it".to_owned()))?;
        // The same endpoints and the same rules hold in the session.
        for file in [Home::config_file, Home::policy_file] {
            let from = file(&Home::named(shared.to_owned()));
            if from.exists() {
                std::fs::copy(&from, file(&home)).map_err(|error| failed(error.to_string()))?;
            }
        }
        Ok(Self { name: name.to_owned(), home, owner, opened: None, node: None })
    }

    /// Starts the daemon. Must not be given up half-way: a daemon that starts while its home is removed finds no owner there,
    /// and stays.
    pub(crate) async fn start(&self) -> Result<(), Fault> {
        Client::new(self.home.clone()).get::<Status>("/status").await.map(drop)
    }

    /// Opens the browser.
    pub(crate) async fn open(&mut self, request: &ConnectRequest) -> Result<(), Fault> {
        let mut lines = self.client().stream_repeatable("/connect", request).await?;
        while let Some(line) = lines.next::<ConnectLine>().await? {
            match line {
                ConnectLine::Done(_) => {
                    let status = self.client().get::<Status>("/status").await?;
                    self.node = status.remote.and_then(|remote| remote.node);
                    self.opened = Some((status.mode, status.browser_pid));
                    return Ok(());
                }
                ConnectLine::Failed(fault) => return Err(fault),
                ConnectLine::Step { .. } | ConnectLine::Notice(_) => {}
            }
        }
        Err(Fault::new(FaultCode::DaemonDown, "the daemon ended while it connected"))
    }

    /// Returns a client that never starts a daemon.
    pub(crate) fn client(&self) -> Client {
        Client::of_running(self.home.clone())
    }

    /// Returns why the session cannot be used any more; `None` if its browser is open and its daemon answers.
    pub(crate) async fn lost(&self) -> Option<String> {
        let client = self.client();
        match tokio::time::timeout(ANSWER_LIMIT, client.get::<Status>("/status")).await {
            Err(_) => Some("its daemon does not answer".to_owned()),
            Ok(Err(fault)) => Some(format!("its daemon ended: {}", fault.message)),
            Ok(Ok(status)) if status.mode == "none" => Some("its browser ended".to_owned()),
            Ok(Ok(status)) if Some((status.mode.clone(), status.browser_pid)) != self.opened => {
                Some("another browser took its place".to_owned())
            }
            Ok(Ok(_)) => None,
        }
    }

    /// Closes the browser, ends the daemon and removes the home. `keys`: those of a hosted service, which a daemon that
    /// was killed has taken with it.
    pub(crate) async fn end(self, keys: &SecretVariables) -> Result<(), Left> {
        let Self { name, home, owner, .. } = self;
        let mut owner = Some(owner);
        let mut unreleased = Vec::new();
        let runs = || FileLock::is_held(&home.daemon_lock()).unwrap_or(false);
        // A script may have opened further browsers.
        let browser = || home.kept_browsers().is_ok_and(|kept| !kept.is_empty());
        let is_left = || home.remote_sessions_file().exists();
        // Once more if the daemon ended while it opened the session, or could not release it: its successor does.
        for _ in 0..2 {
            if !runs() && (browser() || is_left()) {
                unreleased = recover(&home, keys).await;
            }
            drop(owner.take());
            let daemon = State::read(&home).and_then(|state| i32::try_from(state.pid).ok()).filter(|_| runs());
            let process = daemon.and_then(Process::find);
            if !ending::within(&home, daemon, END_LIMIT).await {
                // It hangs.
                process.map(|process| process.kill());
            }
            let gone = async {
                while runs() || browser() {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            };
            if tokio::time::timeout(ANSWER_LIMIT, gone).await.is_err() {
                return Err(Left { why: format!("{name} has not ended; see `gstack instances`"), session: None });
            }
            if !is_left() {
                remove(&home);
                return Ok(());
            }
            owner = FileLock::try_take(&home.owner_lock()).ok().flatten();
        }
        let sessions: Vec<String> = unreleased.iter().map(UnreleasedSession::line).collect();
        let why = match sessions.is_empty() {
            true => format!("{name}: its session on another machine was not released"),
            false => format!("{name}: {}", sessions.join("; ")),
        };
        let session = owner.map(|owner| Box::new(Self { name, home, owner, opened: None, node: None }));
        Err(Left { why, session })
    }
}

/// A session that has not ended.
pub(crate) struct Left {
    /// Its name, what has not ended, and the reason.
    pub(crate) why: String,
    /// Set if only its session on another machine is left, which may be released later.
    session: Option<Box<Session>>,
}

impl Left {
    pub(crate) fn may_end(&self) -> bool {
        self.session.is_some()
    }

    /// Tries again.
    pub(crate) async fn end(self, keys: &SecretVariables) -> Result<(), Self> {
        match self.session {
            Some(session) => session.end(keys).await,
            None => Err(self),
        }
    }
}

/// Starts a daemon: only a daemon closes a browser or releases a session that an earlier one left. Returns the sessions that
/// it could not release.
async fn recover(home: &Home, keys: &SecretVariables) -> Vec<UnreleasedSession> {
    let client = Client::new(home.clone());
    let request = Disconnect { force: true, keys: keys.clone(), ..Disconnect::default() };
    let answer = tokio::time::timeout(END_LIMIT, client.post::<_, Disconnected>("/disconnect", &request)).await;
    answer.ok().and_then(Result::ok).map(|done| done.left).unwrap_or_default()
}

/// Removes the folders. What is left is removed when the run is resumed.
fn remove(home: &Home) {
    let sockets = home.http_socket().parent().map(Path::to_owned).filter(|folder| folder != home.root());
    for folder in std::iter::once(home.root().to_owned()).chain(sockets) {
        if let Err(error) = std::fs::remove_dir_all(&folder) {
            tracing::debug!(%error, folder = %folder.display(), "a session's folder is left");
        }
    }
}
