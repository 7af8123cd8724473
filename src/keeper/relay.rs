//! The relay between the DevTools pipe and the one client on `browser.sock`.
//!
//! Owns each client's browser session: it is attached when the client connects and detached when it disconnects, which
//! ends everything attached through it. Passes messages on whole and unread. A late reply to an earlier client is never
//! delivered to the next one, because each client continues the ids of the previous one.

use super::chromium::Pipe;
use super::client::{ClientReader, ClientWriter};
use super::door::{Admitted, Door};
use bytes::Bytes;
use gstack_protocol::PROTOCOL;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::keeper::{Greeting, KEEPER_IDS, LaunchPlan, NulFrames, Purpose};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Enough for a first start on a slow machine.
const START_LIMIT: Duration = Duration::from_secs(60);
/// The browser process answers these at once, whatever its pages do.
const OWN_LIMIT: Duration = Duration::from_secs(10);
/// How long a new client waits for the previous one's disconnect to be noticed.
const NEWCOMER_GRACE: Duration = Duration::from_secs(2);
/// The number of messages queued for a browser that reads slowly. Then the client waits.
const QUEUE: usize = 64;
/// The ids start over when a client connects and half of them are used.
const RESTART_IDS: u32 = KEEPER_IDS / 2;

pub(super) struct Relay {
    from_browser: NulFrames<pipe::Receiver>,
    to_browser: mpsc::Sender<Bytes>,
    run: BrowserRun,
    pid: u32,
    headless: bool,
    only_sites: String,
    profile: String,
    next_own_id: u32,
    /// The highest id that any client used.
    highest_id: u32,
}

/// Why the service of one client ended.
enum Ended {
    /// The client disconnected. Holds the next client if one waits.
    Client(Option<Admitted>),
    Stop,
    Browser,
}

#[derive(Deserialize)]
struct OwnReply {
    id: Option<u32>,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    error: Option<Value>,
}

impl Relay {
    pub(super) fn new(pipe: Pipe, plan: &LaunchPlan, pid: u32) -> Self {
        let (to_browser, queue) = mpsc::channel(QUEUE);
        // Ends when the relay is dropped, which closes the pipe.
        tokio::spawn(write(pipe.to_browser, queue));
        let from_browser = NulFrames::new(pipe.from_browser);
        Self {
            from_browser,
            to_browser,
            run: plan.run.clone(),
            pid,
            headless: plan.headless,
            only_sites: plan.only_sites.clone(),
            profile: plan.profile.as_ref().map(|profile| profile.name.clone()).unwrap_or_default(),
            next_own_id: KEEPER_IDS,
            highest_id: 0,
        }
    }

    /// Returns once the browser answers.
    pub(super) async fn wait_for_browser(&mut self) -> io::Result<()> {
        self.own_command("Browser.getVersion", json!({}), START_LIMIT).await.map(drop)
    }

    /// Serves one client after another. Returns when the browser is gone or a client asked to stop.
    pub(super) async fn serve(&mut self, door: &mut Door) {
        let mut next = None;
        loop {
            let client = match next.take() {
                Some(client) => client,
                None => tokio::select! {
                    admitted = door.next() => match admitted {
                        Some(client) => client,
                        None => return,
                    },
                    message = self.from_browser.next() => match message {
                        // No client is connected to read it.
                        Ok(Some(_)) => continue,
                        Ok(None) | Err(_) => return,
                    },
                },
            };
            if client.purpose == Purpose::Stop {
                return;
            }
            match self.serve_one(client, door).await {
                Ok(Ended::Client(waiting)) => next = waiting,
                Ok(Ended::Stop | Ended::Browser) => return,
                Err(error) => {
                    tracing::warn!(%error, "the browser does not answer its keeper");
                    return;
                }
            }
        }
    }

    async fn serve_one(&mut self, admitted: Admitted, door: &mut Door) -> io::Result<Ended> {
        let attached = self.own_command("Target.attachToBrowserTarget", json!({}), OWN_LIMIT).await?;
        let session = attached.get("sessionId").and_then(Value::as_str).map(ToOwned::to_owned);
        let session = session.ok_or_else(|| io::Error::other("no session for the client"))?;
        if self.highest_id >= RESTART_IDS {
            self.highest_id = 0;
        }
        let greeting = Greeting::Hello {
            version: PROTOCOL,
            pid: self.pid,
            run: self.run.clone(),
            headless: self.headless,
            only_sites: self.only_sites.clone(),
            profile: self.profile.clone(),
            proof: admitted.proof,
            session: session.clone(),
            first_id: self.highest_id + 1,
        };
        let (mut reader, mut writer) = (admitted.client.reader, admitted.client.writer);
        let ended = match writer.greet(&greeting).await {
            Ok(()) => {
                let Self { from_browser, to_browser, highest_id, .. } = self;
                let up = pass_up(&mut reader, to_browser, highest_id);
                let down = pass_down(from_browser, &mut writer);
                pass(up, down, door).await
            }
            Err(_) => Ended::Client(None),
        };
        if let Ended::Client(_) = ended {
            // After this reply, no more messages of this client's sessions can arrive.
            self.own_command("Target.detachFromTarget", json!({ "sessionId": session }), OWN_LIMIT).await?;
        }
        Ok(ended)
    }

    /// Sends a command of the keeper's own, on the browser connection itself. Drops every message before its reply,
    /// because no client is connected then.
    async fn own_command(&mut self, method: &str, params: Value, limit: Duration) -> io::Result<Value> {
        let id = self.next_own_id;
        self.next_own_id = if id == i32::MAX.unsigned_abs() { KEEPER_IDS } else { id + 1 };
        let message = serde_json::to_vec(&json!({ "id": id, "method": method, "params": params }))?;
        let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "it closed its pipe");
        self.to_browser.send(message.into()).await.map_err(|_| gone())?;
        let reply = async {
            loop {
                let message = self.from_browser.next().await?.ok_or_else(gone)?;
                let Ok(reply) = serde_json::from_slice::<OwnReply>(&message) else { continue };
                if reply.id == Some(id) {
                    return match reply.error {
                        Some(error) => Err(io::Error::other(format!("{method}: {error}"))),
                        None => Ok(reply.result),
                    };
                }
            }
        };
        timeout(limit, reply).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Forwards in both directions at once. Answers a new client with `busy` unless the current one ends within the grace
/// period.
async fn pass(up: impl Future<Output = Ended>, down: impl Future<Output = Ended>, door: &mut Door) -> Ended {
    let mut up = std::pin::pin!(up);
    let mut down = std::pin::pin!(down);
    loop {
        // Check the current client's end first: a daemon that takes over connects right after it.
        let admitted = tokio::select! {
            biased;
            ended = &mut up => return ended,
            ended = &mut down => return ended,
            admitted = door.next() => admitted,
        };
        let Some(mut newcomer) = admitted else { return Ended::Stop };
        if newcomer.purpose == Purpose::Stop {
            return Ended::Stop;
        }
        let said = tokio::select! {
            biased;
            ended = &mut up => return ended.followed_by(newcomer),
            ended = &mut down => return ended.followed_by(newcomer),
            said = timeout(NEWCOMER_GRACE, newcomer.client.reader.next()) => said,
        };
        // Otherwise it disconnected or broke the protocol.
        if said.is_err()
            && let Err(error) = newcomer.client.writer.greet(&Greeting::Busy).await
        {
            tracing::debug!(%error, "a refused client was already gone");
        }
    }
}

impl Ended {
    fn followed_by(self, next: Admitted) -> Self {
        match self {
            Self::Client(_) => Self::Client(Some(next)),
            ended => ended,
        }
    }
}

async fn pass_up(reader: &mut ClientReader, to_browser: &mpsc::Sender<Bytes>, highest_id: &mut u32) -> Ended {
    loop {
        match reader.next().await {
            Ok(Some((message, id))) => {
                *highest_id = id.max(*highest_id);
                if to_browser.send(message).await.is_err() {
                    return Ended::Browser;
                }
            }
            Ok(None) => return Ended::Client(None),
            Err(error) => {
                tracing::warn!(%error, "the client was cut off");
                return Ended::Client(None);
            }
        }
    }
}

async fn pass_down(from_browser: &mut NulFrames<pipe::Receiver>, writer: &mut ClientWriter) -> Ended {
    loop {
        match from_browser.next().await {
            Ok(Some(message)) => {
                if writer.send(&message).await.is_err() {
                    return Ended::Client(None);
                }
            }
            Ok(None) | Err(_) => return Ended::Browser,
        }
    }
}

/// Writes in its own task, so that a message is never cut off when a client disconnects.
async fn write(mut pipe: pipe::Sender, mut queue: mpsc::Receiver<Bytes>) {
    let mut framed = Vec::new();
    while let Some(message) = queue.recv().await {
        framed.clear();
        framed.extend_from_slice(&message);
        framed.push(0);
        if let Err(error) = pipe.write_all(&framed).await {
            tracing::info!(%error, "the browser takes no more messages");
            return;
        }
    }
}
