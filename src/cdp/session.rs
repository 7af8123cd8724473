//! One connected CDP client: passes what it may send to its sessions, and back what they report.
//!
//! Owns the loop, the client's sessions and its pending commands. Ends, and with it the registration and every session,
//! when the client or its process does, when the endpoint is revoked, or when the client reads too slowly.

use super::acting::{self, Effect};
use super::allowed::{self, Check, Rule};
use super::checks::Given;
use super::downloads::{Downloads, Ended};
use super::frames::BrowserFrames;
use super::held_requests::{HeldRequest, HeldRequests};
use super::message::{self, Command, Refusal};
use super::own_names::{OwnNames, Told};
use super::tabs::Leased;
use super::targets::{Kind, TargetFilter};
use futures_util::{SinkExt, Stream, StreamExt};
use gstack_browser::browser::Browser;
use gstack_browser::client_link::{ClientInbox, ClientLink, FromBrowser};
use gstack_browser::devtools::target::SessionId;
use gstack_engine::{CdpClient, Endpoint, Engine, is_web_page};
use gstack_protocol::cdp_endpoint::CdpGrant;
use gstack_protocol::ids::TabId;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

/// The most commands, and bytes of them, that wait for a reply: a page that hangs answers none. More are refused.
const MOST_PENDING: usize = 2048;
const MOST_PENDING_BYTES: usize = 48 * 1024 * 1024;
/// The most kinds of refused commands that the audit has of one connection.
const MOST_RECORDED: usize = 64;
const CLOSE_LIMIT: Duration = Duration::from_secs(1);
/// A page answers at once, or it hangs.
pub(super) const CALL_LIMIT: Duration = Duration::from_secs(10);

/// Both directions of a WebSocket.
pub(super) trait Socket:
    Stream<Item = Result<Message, Error>> + futures_util::Sink<Message, Error = Error> + Unpin
{
}
impl<T: Stream<Item = Result<Message, Error>> + futures_util::Sink<Message, Error = Error> + Unpin> Socket for T {}

/// A session of the client.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) tab: TabId,
    pub(super) role: Role,
    /// The id of its target.
    pub(super) target: String,
    /// The session below which the browser attached it. `None`: attached by the client or by gstack.
    pub(super) parent: Option<SessionId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Direct(Kind),
    /// An out-of-process frame or a worker.
    Inner,
}

pub(super) struct Pending {
    id: i64,
    session: Option<SessionId>,
    bytes: usize,
    /// The kind of name that the reply tells. What has that name is the client's from then on.
    names: Option<Told>,
}

pub(super) struct Session {
    pub(super) client: CdpClient,
    pub(super) browser: Browser,
    pub(super) given: Given,
    pub(super) link: ClientLink,
    pub(super) tabs: BTreeMap<TabId, Leased>,
    pub(super) sessions: HashMap<SessionId, Held>,
    pub(super) discover: Option<TargetFilter>,
    pub(super) auto_attach: Option<TargetFilter>,
    pub(super) downloads: Downloads,
    pub(super) browser_frames: BrowserFrames,
    /// The browser contexts that the client created.
    pub(super) contexts: BTreeSet<String>,
    pub(super) own_names: OwnNames,
    pub(super) held_requests: HeldRequests,
    /// Messages for the client that are not written yet.
    pub(super) out: Vec<String>,
    /// The client asked to end.
    pub(super) ends: bool,
    pending: HashMap<u64, Pending>,
    pending_bytes: usize,
    last_tag: u64,
    recorded: BTreeSet<String>,
}

/// Returns what the endpoint gives its client.
pub(super) fn given(engine: &Engine, endpoint: &Endpoint, client: &CdpClient) -> Given {
    Given {
        allow: endpoint.allow.clone(),
        folder: endpoint.folder.clone(),
        home: engine.home().shared().to_owned(),
        copies: engine.home().uploads(),
        limits: client.limits(),
    }
}

/// Serves a client until one side ends.
pub(super) async fn run(client: CdpClient, given: Given, endpoint: &Endpoint, mut socket: impl Socket) {
    let browser = client.browser().clone();
    let (link, mut inbox) = browser.client_link();
    let (ended, mut downloads) = mpsc::unbounded_channel();
    let (full, gone, shutdown) = (inbox.full(), browser.gone().clone(), client.shutdown());
    let process = client.process();
    let mut session = Session {
        downloads: Downloads::new(ended),
        browser_frames: BrowserFrames::default(),
        contexts: BTreeSet::new(),
        own_names: OwnNames::default(),
        held_requests: HeldRequests::default(),
        client,
        browser,
        given,
        link,
        tabs: BTreeMap::new(),
        sessions: HashMap::new(),
        discover: None,
        auto_attach: None,
        out: Vec::new(),
        ends: false,
        pending: HashMap::new(),
        pending_bytes: 0,
        last_tag: 0,
        recorded: BTreeSet::new(),
    };
    let why = tokio::select! {
        biased;
        () = endpoint.revoked.cancelled() => "revoked",
        () = shutdown.cancelled() => "gstack ended",
        () = gone.cancelled() => "the browser ended",
        () = process.ended() => "its process ended",
        () = full.cancelled() => "it read too slowly",
        why = session.serve(&mut inbox, &mut downloads, &mut socket) => why,
    };
    if let Err(fault) = session.client.record(&format!("cdp {} end: {why}", endpoint.id), true) {
        tracing::warn!(%fault, "the audit does not have the end of a CDP client");
    }
    session.stop_held();
    // If gstack itself ends, tabs stay for the next daemon.
    let closes = !endpoint.keep_tabs && !shutdown.is_cancelled() && !gone.is_cancelled();
    let closing = if closes { session.client.tabs_to_close() } else { Vec::new() };
    let (browser, contexts) = (session.browser.clone(), std::mem::take(&mut session.contexts));
    // The leases end before the goodbye, which may never arrive.
    drop(session);
    for tab in closing {
        if !matches!(tokio::time::timeout(CLOSE_LIMIT, tab.close()).await, Ok(Ok(()))) {
            tracing::debug!(tab = %tab.id(), "the tab of a CDP client was not closed");
        }
    }
    for context in contexts {
        if !matches!(tokio::time::timeout(CLOSE_LIMIT, browser.dispose_context(&context)).await, Ok(Ok(()))) {
            tracing::debug!(context, "the context of a CDP client was not disposed of");
        }
    }
    close(&mut socket, why).await;
}

/// Sends the closing handshake and waits briefly for its answer.
pub(super) async fn close(socket: &mut impl Socket, why: &str) {
    // A close frame holds 123 bytes of text.
    let reason = why.chars().take(100).filter(char::is_ascii).collect::<String>();
    let frame = CloseFrame { code: CloseCode::Policy, reason: reason.into() };
    if tokio::time::timeout(CLOSE_LIMIT, socket.send(Message::Close(Some(frame)))).await.is_err() {
        tracing::debug!("a CDP client does not take the goodbye");
    }
}

impl Session {
    async fn serve(
        &mut self,
        inbox: &mut ClientInbox,
        downloads: &mut mpsc::UnboundedReceiver<Ended>,
        socket: &mut impl Socket,
    ) -> &'static str {
        let mut leases = self.client.watch_leases();
        let mut changes = self.browser.events();
        self.sync().await;
        loop {
            for text in std::mem::take(&mut self.out) {
                if socket.send(Message::text(text)).await.is_err() {
                    return "it disconnected";
                }
            }
            if self.ends {
                return "it closed";
            }
            tokio::select! {
                message = socket.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        let Ok(command) = serde_json::from_str::<Command<'_>>(&text) else {
                            return "it sent no DevTools command";
                        };
                        self.command(&command).await;
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                    Some(Ok(Message::Binary(_))) => return "it sent no DevTools command",
                    Some(Ok(Message::Close(_))) | None => return "it disconnected",
                    Some(Err(Error::Capacity(_))) => return "it sent a message that is too large",
                    Some(Err(_)) => return "its connection broke",
                },
                message = inbox.next() => match message {
                    Some(FromBrowser::Event(event)) => self.heard(&event),
                    Some(FromBrowser::Reply { tag, result }) => self.replied(tag, result.map_err(Refusal::from)),
                    None => return "the browser ended",
                },
                Some(ended) = downloads.recv() => self.download_ended(ended),
                changed = leases.changed() => match changed {
                    Ok(()) => self.sync().await,
                    Err(_) => return "gstack ended",
                },
                change = changes.recv() => match change {
                    Ok(_) | Err(RecvError::Lagged(_)) => self.sync().await,
                    Err(RecvError::Closed) => return "the browser ended",
                },
            }
        }
    }

    async fn command(&mut self, command: &Command<'_>) {
        let outcome = self.decide(command).await;
        let session = command.session_id.as_ref();
        match outcome {
            Ok(None) => {}
            Ok(Some(result)) => self.out.push(message::reply(command.id, session, Ok(result))),
            Err(refusal) => {
                self.record(&command.method, &refusal);
                self.out.push(message::reply::<Value>(command.id, session, Err(refusal)));
            }
        }
    }

    /// Adds each kind of refused command to the audit, once.
    fn record(&mut self, method: &str, refusal: &Refusal) {
        let short: String = method.chars().take(80).collect();
        if !refusal.recorded || self.recorded.len() >= MOST_RECORDED || !self.recorded.insert(short.clone()) {
            return;
        }
        if let Err(fault) = self.client.record(&format!("{short}: {}", refusal.message()), false) {
            tracing::warn!(%fault, "the audit does not have a refused command");
        }
    }

    /// Answers a command, or sends it on: then its reply comes later.
    async fn decide(&mut self, command: &Command<'_>) -> Result<Option<Value>, Refusal> {
        let method = command.method.as_ref();
        self.given.limits = self.client.limits();
        let about = (method, command.session_id.as_ref(), command.params);
        let stopped = self.held_requests.stopped_before(about, &self.given.limits);
        self.fail_held(stopped);
        let held = match &command.session_id {
            None => None,
            Some(id) => Some(self.sessions.get(id).cloned().ok_or_else(Refusal::no_session)?),
        };
        if let Some(Held { role: Role::Direct(Kind::Tab), .. }) = held
            && !matches!(method, "Target.setAutoAttach" | "Target.detachFromTarget" | "Runtime.runIfWaitingForDebugger")
        {
            return Err(Refusal::unknown(method));
        }
        let rule = allowed::rule(method);
        if let Some(held) = &held
            && rule != Rule::Own
            && !is_web_page(&self.address_of(held.tab)?)
        {
            return Err(Refusal::denied("the tab shows a page of the browser"));
        }
        if rule != Rule::Refuse {
            self.check_pause(command, held.as_ref())?;
        }
        let session = command.session_id.as_ref();
        match (rule, &held) {
            (Rule::Own, _) => self.own(command, held.as_ref()).await,
            (Rule::Grant(grant), held) => {
                let of_browser = allowed::is_of_browser(method);
                let in_context = match grant {
                    CdpGrant::Cookies | CdpGrant::Permissions if of_browser => {
                        Some(self.in_context(command, held.as_ref())?)
                    }
                    _ => None,
                };
                let of_own = grant == CdpGrant::Cookies && in_context.as_ref().is_some_and(|(_, is_own)| *is_own);
                if !of_own && !self.given.has(grant) {
                    let flag = grant.name();
                    return Err(Refusal::denied(format!("{method} needs `gstack cdp --allow {flag}`")));
                }
                if held.is_none() && !of_browser {
                    return Err(Refusal::unknown(method));
                }
                let session = session.filter(|_| !of_browser);
                match in_context {
                    Some((params, _)) => {
                        let raw = serde_json::value::to_raw_value(&params)
                            .map_err(|error| Refusal::failed(error.to_string()))?;
                        self.send_on(command, session, Some(&raw))
                    }
                    None => self.send_on(command, session, command.params),
                }
                .map(|()| None)
            }
            (Rule::Pass, Some(held)) => {
                self.tell_of_input(command, held.tab);
                self.send_on(command, session, command.params).map(|()| None)
            }
            (Rule::Check(check), Some(held)) => {
                let params = self.checked(check, command, held.tab).await?;
                let raw =
                    serde_json::value::to_raw_value(&params).map_err(|error| Refusal::failed(error.to_string()))?;
                self.send_on(command, session, Some(&raw)).map(|()| None)
            }
            (Rule::Refuse, _) | (_, None) => Err(Refusal::unknown(method)),
        }
    }

    /// Fails the held requests to sites outside the list. Before a session ends: Chrome lets go what it held.
    pub(super) fn stop_held(&self) {
        self.fail_held(self.held_requests.stopped(&self.client.limits()));
    }

    pub(super) fn fail_held(&self, requests: Vec<HeldRequest>) {
        for (session, id) in requests {
            let params = json!({ "requestId": id, "errorReason": "BlockedByClient" });
            self.tell(&session, "Fetch.failRequest", &params);
        }
    }

    /// Refuses a command that acts while the client is paused. A held request that it would change goes on as it was.
    fn check_pause(&self, command: &Command<'_>, held: Option<&Held>) -> Result<(), Refusal> {
        let effect = acting::effect(&command.method, command.params);
        if effect == Effect::Observes {
            return Ok(());
        }
        let paused = self.client.acts_in(held.map(|held| held.tab)).map_err(|fault| Refusal::failed(fault.message));
        if let (Err(_), Effect::Rewrites { method, params }, Some(session)) = (&paused, &effect, &command.session_id) {
            self.tell(session, method, params);
        }
        paused
    }

    /// Makes known which presses in a tab are this client's, and not the person's.
    fn tell_of_input(&self, command: &Command<'_>, tab: TabId) {
        if let Some(session) = command.session_id.as_ref().filter(|_| command.method.starts_with("Input.")) {
            self.link.sends_input(session, tab);
        }
    }

    fn address_of(&self, tab: TabId) -> Result<String, Refusal> {
        let info = self.browser.tab(tab).and_then(|tab| tab.info());
        info.map(|info| info.url).map_err(|error| Refusal::failed(error.to_string()))
    }

    async fn checked(&mut self, check: Check, command: &Command<'_>, tab: TabId) -> Result<Value, Refusal> {
        let params = message::read(command.params)?;
        match check {
            Check::Stream | Check::Unplant | Check::Bind | Check::Unbind => {
                self.own_names.check(check, command.session_id.as_ref(), &params)?;
            }
            Check::HistoryEntry => {
                let Some(session) = command.session_id.clone() else { return Err(Refusal::no_session()) };
                let session = self.browser.cdp().session(session);
                let history = session.call_json("Page.getNavigationHistory", &json!({}), CALL_LIMIT).await?;
                let entries = history["entries"].as_array();
                let entry = entries.and_then(|all| all.iter().find(|entry| entry["id"] == params["entryId"]));
                let url = entry.and_then(|entry| entry["url"].as_str());
                self.given.address(url.ok_or_else(|| Refusal::invalid("no such entry"))?)?;
            }
            _ => {}
        }
        let mut params = self.given.check(check, params, &self.address_of(tab)?)?;
        if let Some(copies) = self.given.copy(check, &mut params).await? {
            self.browser.tab(tab).map_err(|error| Refusal::failed(error.to_string()))?.keep(copies);
        }
        Ok(params)
    }

    /// Sends a command to a session, or to the browser.
    pub(super) fn send_on(
        &mut self,
        command: &Command<'_>,
        session: Option<&SessionId>,
        params: Option<&RawValue>,
    ) -> Result<(), Refusal> {
        let bytes = params.map_or(0, |params| params.get().len());
        if self.pending.len() >= MOST_PENDING || self.pending_bytes + bytes > MOST_PENDING_BYTES {
            return Err(Refusal::failed("too many commands wait for a reply"));
        }
        let names = Told::by(&command.method, session);
        self.last_tag += 1;
        self.pending_bytes += bytes;
        let pending = Pending { id: command.id, session: command.session_id.clone(), bytes, names };
        self.pending.insert(self.last_tag, pending);
        self.post(session, &command.method, params, self.last_tag);
        Ok(())
    }

    /// Sends a command whose reply nobody gets.
    pub(super) fn tell(&self, session: &SessionId, method: &str, params: &Value) {
        if let Ok(raw) = serde_json::value::to_raw_value(params) {
            self.post(Some(session), method, Some(&raw), 0);
        }
    }

    fn post(&self, session: Option<&SessionId>, method: &str, params: Option<&RawValue>, tag: u64) {
        let none = RawValue::NULL;
        let empty = serde_json::from_str::<&RawValue>("{}").unwrap_or(none);
        self.link.send(session, method, params.unwrap_or(empty), tag);
    }

    fn replied(&mut self, tag: u64, result: Result<Box<RawValue>, Refusal>) {
        let Some(Pending { id, session, bytes, names }) = self.pending.remove(&tag) else { return };
        self.pending_bytes -= bytes;
        if let (Some(told), Ok(result)) = (names, &result) {
            self.own_names.learn(told, result.get());
        }
        self.out.push(message::reply(id, session.as_ref(), result));
    }
}
