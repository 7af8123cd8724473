//! One DevTools session: typed commands to it, alone or several in one write, and its events.
//!
//! Owns nothing but the session's id. Never attaches or detaches by itself.

use super::cdp::{Cdp, CdpError, OnReply, Ticket};
use super::devtools::Command;
use super::events::{Filter, Subscription};
use crate::devtools::target::SessionId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::time::Duration;
use tokio::sync::oneshot;

/// The time limit of a command if its caller names none. A hung page answers nothing.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(30);

/// A session with an attached target, or with the browser itself. Cheap to clone; the target may be gone.
#[derive(Clone)]
pub struct Session {
    cdp: Cdp,
    id: Option<SessionId>,
}

impl Session {
    pub(super) fn new(cdp: Cdp, id: Option<SessionId>) -> Self {
        Self { cdp, id }
    }
    /// Returns the session's id; `None`: the connection itself.
    pub fn id(&self) -> Option<&SessionId> {
        self.id.as_ref()
    }
    /// Returns the connection.
    pub fn cdp(&self) -> &Cdp {
        &self.cdp
    }

    /// Returns true while the session's page waits for the answer to a dialog.
    pub(super) fn is_held(&self) -> bool {
        self.id.as_ref().is_some_and(|id| self.cdp.is_held(id))
    }
    pub(super) async fn unheld(&self) {
        if let Some(id) = &self.id {
            self.cdp.unheld(id).await;
        }
    }

    /// Sends a command and waits up to `DEFAULT_LIMIT` for its reply. Dropping the future discards the reply, but the
    /// command was sent.
    ///
    /// # Errors
    ///
    /// Fails with `CdpError::Protocol` if the browser refuses the command, with `CdpError::Timeout` if it does not
    /// answer in time, with `CdpError::Gone` if the connection ends, and with `CdpError::Encode` or
    /// `CdpError::Decode` if the command or its reply has another form than its type.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Response, CdpError> {
        self.call_within(command, DEFAULT_LIMIT).await
    }
    /// Like `call`, with a time limit.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::call`] does.
    pub async fn call_within<C: Command>(&self, command: C, limit: Duration) -> Result<C::Response, CdpError> {
        let mut batch = self.batch();
        let reply = batch.add(command)?;
        batch.send();
        reply.within(limit).await
    }
    /// Sends a command that has no type, within a time limit.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::call`] does.
    pub async fn call_json(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: &serde_json::Value,
        limit: Duration,
    ) -> Result<serde_json::Value, CdpError> {
        let mut batch = self.batch();
        let reply = batch.add_as(method.into(), params)?;
        batch.send();
        reply.within(limit).await
    }
    /// Sends a command without waiting for its reply. An error is logged.
    pub fn post<C: Command>(&self, command: C) {
        self.post_then(command, |reply| {
            if let Err(error) = reply {
                tracing::debug!(%error, "a command was refused");
            }
        });
    }
    /// Sends a command; `then` runs in the reader task before any later message is read. It must not block.
    pub(super) fn post_then<C: Command>(
        &self,
        command: C,
        then: impl FnOnce(Result<C::Response, CdpError>) + Send + 'static,
    ) {
        let method = command.identifier();
        let named = method.clone();
        let on_reply: OnReply = Box::new(move |reply| then(reply.and_then(|raw| decode(&named, &raw))));
        self.cdp.post(self.id.as_ref(), method, command, on_reply);
    }
    /// Starts a batch of commands for one write; each reply is awaited separately.
    pub fn batch(&self) -> Batch<'_> {
        Batch { session: self, messages: Vec::new() }
    }
    /// Subscribes to this session's events of these methods (`Domain.event`, or a whole domain as `Domain.`), from now
    /// on.
    pub fn subscribe(&self, methods: &[&'static str]) -> Subscription {
        let filter = Filter::all().methods(methods);
        self.cdp.subscribe(match &self.id {
            Some(id) => filter.of(id),
            None => filter,
        })
    }
}

/// Commands that are sent in one write.
pub struct Batch<'a> {
    session: &'a Session,
    messages: Vec<Vec<u8>>,
}

impl Batch<'_> {
    /// Adds a command, and returns the reply to wait for once the batch is sent.
    ///
    /// # Errors
    ///
    /// Fails with `CdpError::Encode` if the command cannot be written as JSON, and with `CdpError::Gone` if the
    /// connection has ended.
    pub fn add<C: Command>(&mut self, command: C) -> Result<Reply<C::Response>, CdpError> {
        self.add_as(command.identifier(), command)
    }
    fn add_as<T: DeserializeOwned>(
        &mut self,
        method: Cow<'static, str>,
        params: impl Serialize,
    ) -> Result<Reply<T>, CdpError> {
        let (sender, reply) = oneshot::channel();
        // A caller that is gone drops its receiver.
        let on_reply: OnReply = Box::new(move |result| drop(sender.send(result)));
        let (bytes, ticket) = self.session.cdp.prepare(self.session.id.as_ref(), method.clone(), params, on_reply)?;
        self.messages.push(bytes);
        let session = self.session.clone();
        Ok(Reply { method, reply, session, _ticket: ticket, shape: PhantomData })
    }
    /// Adds a command to another session, in this order, and ignores its reply.
    pub(super) fn add_elsewhere(&mut self, other: &Session, method: &'static str) -> Result<(), CdpError> {
        let ignore: OnReply = Box::new(|_| {});
        let params = serde_json::json!({});
        let (bytes, _ticket) = other.cdp.prepare(other.id.as_ref(), method.into(), params, ignore)?;
        self.messages.push(bytes);
        Ok(())
    }
    /// Sends all commands in one write.
    pub fn send(self) {
        self.session.cdp.transmit(self.messages);
    }
}

/// A pending reply. Dropping it discards the reply.
pub struct Reply<T> {
    method: Cow<'static, str>,
    reply: oneshot::Receiver<Result<Box<RawValue>, CdpError>>,
    session: Session,
    _ticket: Ticket,
    shape: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Reply<T> {
    /// Waits for the reply, up to `DEFAULT_LIMIT`.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::call`] does.
    pub async fn get(self) -> Result<T, CdpError> {
        self.within(DEFAULT_LIMIT).await
    }
    /// Waits for the reply. The time in which a dialog of the page is open does not count.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::call`] does.
    pub async fn within(mut self, limit: Duration) -> Result<T, CdpError> {
        let raw = loop {
            match tokio::time::timeout(limit, &mut self.reply).await {
                Ok(Ok(reply)) => break reply?,
                Ok(Err(_)) => return Err(CdpError::Gone),
                Err(_) if self.session.is_held() => self.session.unheld().await,
                Err(_) => return Err(CdpError::Timeout { method: self.method.into_owned(), after: limit }),
            }
        };
        decode(&self.method, &raw)
    }
}

fn decode<T: DeserializeOwned>(method: &str, raw: &RawValue) -> Result<T, CdpError> {
    serde_json::from_str(raw.get())
        .map_err(|error| CdpError::Decode { method: method.to_owned(), message: error.to_string() })
}
