//! Between the DevTools pipe and the one client on `browser.sock`.
//!
//! Owns each client's browser session: it is attached when the client comes and detached when it goes, which ends
//! everything that was attached through it. Messages pass whole and unread. A late reply to an earlier client is never
//! taken by the next: each counts its ids up from where the one before it stopped.

use super::chromium::Pipe;
use super::client::{ClientReader, ClientWriter};
use super::door::{Admitted, Door};
use crate::protocol::PROTOCOL;
use crate::protocol::ids::BrowserRun;
use crate::protocol::keeper::{Greeting, KEEPER_IDS, LaunchPlan, NulFrames, Purpose};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// A first start on a slow machine.
const START_LIMIT: Duration = Duration::from_secs(60);
/// The browser process answers these at once, whatever its pages do.
const OWN_LIMIT: Duration = Duration::from_secs(10);
/// A newcomer waits this long for its predecessor's connection to be seen ending.
const NEWCOMER_GRACE: Duration = Duration::from_secs(2);
/// Messages on the way to a browser that reads slowly; then the client waits.
const QUEUE: usize = 64;
/// The id space starts again when a client comes and half of it is used up.
const RESTART_IDS: u32 = KEEPER_IDS / 2;

pub(super) struct Relay {
    from_browser: NulFrames<pipe::Receiver>,
    to_browser: mpsc::Sender<Bytes>,
    run: BrowserRun,
    pid: u32,
    headless: bool,
    only_sites: String,
    next_own_id: u32,
    /// The highest id that any client used.
    highest_id: u32,
}

/// How the service of one client ended.
enum Ended {
    /// With who waits for the next turn.
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
        // Ends when the relay is dropped, and closes the pipe with that.
        tokio::spawn(write(pipe.to_browser, queue));
        let from_browser = NulFrames::new(pipe.from_browser);
        Self {
            from_browser,
            to_browser,
            run: plan.run.clone(),
            pid,
            headless: plan.headless,
            only_sites: plan.only_sites.clone(),
            next_own_id: KEEPER_IDS,
            highest_id: 0,
        }
    }

    /// Returns once the browser answers.
    pub(super) async fn wait_for_browser(&mut self) -> io::Result<()> {
        self.own_command("Browser.getVersion", json!({}), START_LIMIT).await.map(drop)
    }

    /// Serves one client after another; returns when the browser is gone or a client said stop.
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
                        // Nobody is there to read it.
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
            // Only after the reply has nothing more of this client's sessions to come.
            self.own_command("Target.detachFromTarget", json!({ "sessionId": session }), OWN_LIMIT).await?;
        }
        Ok(ended)
    }

    /// A command of the keeper's own, on the connection itself. Everything that comes before its reply is dropped: no
    /// client is there then.
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

/// Runs both ways at once; a newcomer is told `busy` unless the client ends within the grace.
async fn pass(up: impl Future<Output = Ended>, down: impl Future<Output = Ended>, door: &mut Door) -> Ended {
    let mut up = std::pin::pin!(up);
    let mut down = std::pin::pin!(down);
    loop {
        // The client's end is looked at first: a daemon that takes over comes right after it.
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
        // Else it went away, or speaks out of turn.
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

/// Of its own, so that a message is never cut off when a client goes.
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
