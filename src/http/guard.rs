//! Who may ask for what: four rings, from any process on this machine to the person alone.
//!
//! Owns the checks that come before any route. What a connection's other end is, `caller` says; what headers say, `headers`.

use super::answer::Refusal;
use super::caller::Caller;
use super::headers::{bearer, check};
use crate::base::lineage::Lineage;
use crate::base::peer::Peer;
use crate::engine::{AgentAccess, Engine};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::ConversationId;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// What the guard compares with: the token that scripts read from the state file.
#[derive(Clone, Debug)]
pub struct Access {
    token: Arc<str>,
}

impl Access {
    pub fn new(token: &str) -> Self {
        Self { token: Arc::from(token) }
    }

    fn holds(&self, presented: &str) -> bool {
        self.token.as_bytes().ct_eq(presented.as_bytes()).into()
    }

    /// A script of the person's on the port: it has the token, and what holds its end of the connection is shown to be the
    /// person's. The token comes first: it costs nothing to compare.
    async fn admit(&self, caller: &Caller, headers: &HeaderMap) -> Result<(), Fault> {
        let Caller::Port(peer) = caller else { return Err(no_token()) };
        if !bearer(headers).is_some_and(|token| self.holds(token)) {
            return Err(no_token());
        }
        if peer.is_person().await { Ok(()) } else { Err(not_shown()) }
    }
}

/// The open door: routes that give nothing away. Still no foreign host or page.
pub async fn public(ConnectInfo(caller): ConnectInfo<Caller>, request: Request, next: Next) -> Response {
    let allowed = check(&caller, request.uri(), request.headers(), true);
    go_on(allowed, request, next).await
}

/// The person, on the socket or by a script on the port.
pub async fn private(
    State(access): State<Access>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let allowed = match (check(&caller, request.uri(), request.headers(), false), &caller) {
        (Err(fault), _) => Err(fault),
        (Ok(()), Caller::Socket(peer)) => the_person(peer.as_ref(), request.headers()),
        (Ok(()), Caller::Port(_)) => access.admit(&caller, request.headers()).await,
    };
    go_on(allowed, request, next).await
}

/// The person alone, on the socket.
pub async fn person(ConnectInfo(caller): ConnectInfo<Caller>, request: Request, next: Next) -> Response {
    let allowed = match &caller {
        Caller::Port(_) => Err(Fault::new(FaultCode::Forbidden, "this is not offered on the port")
            .hint("Use the gstack command line, which speaks over a unix socket.")),
        Caller::Socket(peer) => check(&caller, request.uri(), request.headers(), false)
            .and_then(|()| the_person(peer.as_ref(), request.headers())),
    };
    go_on(allowed, request, next).await
}

/// An agent: the token is one conversation's, and that conversation's tools go with the request.
pub async fn agent(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let allowed = check(&caller, request.uri(), request.headers(), false).and_then(|()| {
        let tools = bearer(request.headers()).and_then(|token| engine.tools_of_token(token));
        tools.ok_or_else(|| {
            Fault::new(FaultCode::Forbidden, "the token is missing, wrong, or its agent has ended")
                .hint("The token is in the MCP configuration that gstack gives to each agent that it starts.")
        })
    });
    let allowed = allowed.map(|tools| drop(request.extensions_mut().insert(tools)));
    go_on(allowed, request, next).await
}

/// Commands: the person's own, or an agent's by its token or, where it has dropped that, by its descent. An agent's
/// go to its conversation's tools, where the policy stands.
pub async fn commands(
    State((engine, access)): State<(Engine, Access)>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let scope = match check(&caller, request.uri(), request.headers(), false) {
        Ok(()) => scope_of(&engine, &access, &caller, request.headers()).await,
        Err(fault) => Err(fault),
    };
    let allowed = scope.map(|scope| drop(request.extensions_mut().insert(scope)));
    go_on(allowed, request, next).await
}

async fn go_on(allowed: Result<(), Fault>, request: Request, next: Next) -> Response {
    match allowed {
        Ok(()) => next.run(request).await,
        Err(fault) => Refusal(fault).into_response(),
    }
}

/// Whose command it is.
#[derive(Clone)]
pub enum Scope {
    Person,
    Agent(Arc<dyn AgentAccess>),
}

async fn scope_of(engine: &Engine, access: &Access, caller: &Caller, headers: &HeaderMap) -> Result<Scope, Fault> {
    let ended = || {
        Fault::new(FaultCode::Forbidden, "the token is wrong, or its agent has ended")
            .hint("The token lives as long as the agent that was started with it.")
    };
    let token = bearer(headers);
    match caller {
        Caller::Port(_) => match token.and_then(|token| engine.tools_of_token(token)) {
            Some(tools) => Ok(Scope::Agent(tools)),
            None => access.admit(caller, headers).await.map(|()| Scope::Person),
        },
        Caller::Socket(peer) => {
            let peer = own_user(peer.as_ref())?;
            if let Some(token) = token {
                return engine.tools_of_token(token).map(Scope::Agent).ok_or_else(ended);
            }
            match peer.lineage() {
                Lineage::Person => Ok(Scope::Person),
                Lineage::Agent(id) => {
                    let tools = id.and_then(|id| engine.tools_of_conversation(&ConversationId::new(id)));
                    tools.map(Scope::Agent).ok_or_else(ended)
                }
                Lineage::Unknown => Err(not_shown()),
            }
        }
    }
}

/// Agents act through their own endpoint, where the policy stands; whatever they start is refused here.
fn the_person(peer: Option<&Peer>, headers: &HeaderMap) -> Result<(), Fault> {
    let peer = own_user(peer)?;
    // On the socket a token says that an agent asks: no other process has one.
    if bearer(headers).is_some() {
        return Err(for_person());
    }
    match peer.lineage() {
        Lineage::Person => Ok(()),
        Lineage::Agent(_) => Err(for_person()),
        Lineage::Unknown => Err(not_shown()),
    }
}

fn for_person() -> Fault {
    Fault::new(FaultCode::Forbidden, "an agent may not do this: it is for the person alone")
        .hint("Use the tools that gstack offers over MCP, or ask the person to run it in a terminal of their own.")
}

/// Nothing that belongs to the person is given to a process that can't be identified.
fn not_shown() -> Fault {
    Fault::new(FaultCode::Forbidden, "the program at the other end could not be shown to be yours")
        .hint("It must run as you, not come from an agent, and stay until it is answered. Use the gstack command line.")
}

fn no_token() -> Fault {
    Fault::new(FaultCode::Forbidden, "the token is missing or wrong").hint(
        "Send `Authorization: Bearer TOKEN` with the token from browse.json in gstack's home; it is new at each start.",
    )
}

fn own_user(peer: Option<&Peer>) -> Result<&Peer, Fault> {
    peer.filter(|peer| peer.is_own_user()).ok_or_else(|| {
        Fault::new(FaultCode::Forbidden, "this instance of gstack belongs to another user")
            .hint("Set GSTACK_HOME to a folder of your own.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_whole() {
        let access = Access::new("secret");
        assert!(access.holds("secret"));
        for wrong in ["", "secre", "secret ", "Secret"] {
            assert!(!access.holds(wrong), "{wrong:?}");
        }
    }
}
