//! Access control for routes: who may call which, from any process on this machine to the person alone.
//!
//! Owns the checks before any route. `caller` identifies the other end of a connection; `headers` checks the headers.

use super::answer::Refusal;
use super::caller::Caller;
use super::headers::{bearer, check, check_host};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gstack_base::lineage::Lineage;
use gstack_base::peer::Peer;
use gstack_base::trouble;
use gstack_engine::{AgentAccess, Driver, Engine};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::ConversationId;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The token that the guard compares with, which scripts read from the state file.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    token: Arc<str>,
}

impl Access {
    pub(crate) fn new(token: &str) -> Self {
        Self { token: Arc::from(token) }
    }

    fn holds(&self, presented: &str) -> bool {
        self.token.as_bytes().ct_eq(presented.as_bytes()).into()
    }

    /// Admits the person's script on the port: it has the token, and its end of the connection belongs to the person.
    /// The token is checked first because comparing it is cheap.
    async fn admit(&self, caller: &Caller, headers: &HeaderMap) -> Result<(), Fault> {
        let Caller::Port(peer) = caller else { return Err(no_token()) };
        if !bearer(headers).is_some_and(|token| self.holds(token)) {
            return Err(no_token());
        }
        if peer.is_person().await { Ok(()) } else { Err(not_shown()) }
    }
}

/// Guards the public routes, which reveal nothing. Refuses foreign hosts and web pages.
pub(super) async fn public(ConnectInfo(caller): ConnectInfo<Caller>, request: Request, next: Next) -> Response {
    let allowed = check(&caller, request.uri(), request.headers(), true);
    go_on(allowed, request, next).await
}

/// Admits the person, on the socket or through a script on the port.
pub(super) async fn private(
    State((engine, access)): State<(Engine, Access)>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let allowed = match (check(&caller, request.uri(), request.headers(), false), &caller) {
        (Err(fault), _) => Err(fault),
        (Ok(()), Caller::Socket(peer)) => {
            the_person(peer.as_ref(), request.headers()).and_then(|()| no_driver(&engine, peer.as_ref()))
        }
        (Ok(()), Caller::Port(_)) => access.admit(&caller, request.headers()).await,
    };
    go_on(allowed, request, next).await
}

/// Admits only the person, on the socket.
pub(super) async fn person(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let allowed = match &caller {
        Caller::Port(_) => Err(Fault::new(FaultCode::Forbidden, "this is not offered on the port")
            .hint("Use the gstack command line, which speaks over a unix socket.")),
        Caller::Socket(peer) => check(&caller, request.uri(), request.headers(), false)
            .and_then(|()| the_person(peer.as_ref(), request.headers()))
            .and_then(|()| no_driver(&engine, peer.as_ref())),
    };
    go_on(allowed, request, next).await
}

/// Admits a browser of the person on the port to the page of `gstack view`, which checks where its requests come from.
pub(super) async fn viewer(ConnectInfo(caller): ConnectInfo<Caller>, request: Request, next: Next) -> Response {
    let allowed = match (check_host(request.uri(), request.headers()), &caller) {
        (Err(fault), _) => Err(fault),
        (Ok(()), Caller::Port(peer)) if peer.is_person().await => Ok(()),
        (Ok(()), _) => Err(not_shown()),
    };
    go_on(allowed, request, next).await
}

/// Admits an agent: the token belongs to one conversation, whose tools are attached to the request.
pub(super) async fn agent(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let allowed = check(&caller, request.uri(), request.headers(), false).and_then(|()| {
        let tools = bearer(request.headers()).and_then(|token| engine.tools().of_token(token));
        tools.ok_or_else(|| {
            Fault::new(FaultCode::Forbidden, "the token is missing, wrong, or its agent has ended")
                .hint("The token is in the MCP configuration that gstack gives to each agent that it starts.")
        })
    });
    let allowed = allowed.map(|tools| drop(request.extensions_mut().insert(tools)));
    go_on(allowed, request, next).await
}

/// Admits commands of the person, and of an agent by its token or, if it dropped the token, by its process ancestry. An
/// agent's commands go to its conversation's tools, which apply the policy.
pub(super) async fn commands(
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

/// The issuer of a command.
#[derive(Clone)]
pub(super) enum Scope {
    Person,
    Agent(Arc<dyn AgentAccess>),
    /// An MCP client that the person trusts.
    Trusted(Arc<Driver>),
}

async fn scope_of(engine: &Engine, access: &Access, caller: &Caller, headers: &HeaderMap) -> Result<Scope, Fault> {
    let ended = || {
        Fault::new(FaultCode::Forbidden, "the token is wrong, or its agent has ended")
            .hint("The token is valid as long as the agent that was started with it runs.")
    };
    let token = bearer(headers);
    match caller {
        Caller::Port(_) => match token.and_then(|token| engine.tools().of_token(token)) {
            Some(tools) => Ok(Scope::Agent(tools)),
            None => access.admit(caller, headers).await.map(|()| Scope::Person),
        },
        Caller::Socket(peer) => {
            let peer = own_user(peer.as_ref())?;
            if let Some(token) = token {
                return engine.tools().of_token(token).map(Scope::Agent).ok_or_else(ended);
            }
            // The process decides, whatever the request says: a driver can't drop its registration.
            if let Some(driver) = engine.registrations().driver_of(peer.process()) {
                if driver.is_trusted() {
                    return Ok(Scope::Trusted(driver));
                }
                return engine.tools().of_driver(&driver).map(Scope::Agent).ok_or_else(ended);
            }
            match peer.lineage() {
                Lineage::Person => Ok(Scope::Person),
                Lineage::Agent(id) => {
                    let tools = id.and_then(|id| engine.tools().of_conversation(&ConversationId::new(id)));
                    tools.map(Scope::Agent).ok_or_else(ended)
                }
                Lineage::Unknown => Err(not_shown()),
            }
        }
    }
}

/// Checks that the caller is the person. Agents have their own endpoint, which applies the policy; the processes they
/// start are refused here.
fn the_person(peer: Option<&Peer>, headers: &HeaderMap) -> Result<(), Fault> {
    let peer = own_user(peer)?;
    // A token on the socket identifies an agent: no other process has one.
    if bearer(headers).is_some() {
        return Err(for_person());
    }
    match peer.lineage() {
        Lineage::Person => Ok(()),
        Lineage::Agent(_) => Err(for_person()),
        Lineage::Unknown => Err(not_shown()),
    }
}

/// Refuses a registered driver, which may only run commands.
fn no_driver(engine: &Engine, peer: Option<&Peer>) -> Result<(), Fault> {
    match engine.registrations().driver_of(peer.and_then(Peer::process)) {
        Some(_) => Err(for_person()),
        None => Ok(()),
    }
}

fn for_person() -> Fault {
    Fault::new(FaultCode::Forbidden, "an agent may not do this: only the person can")
        .hint("Use the tools that gstack offers over MCP, or ask the person to run it in a terminal of their own.")
}

/// Returns the fault for a process that cannot be identified and therefore gets no access.
fn not_shown() -> Fault {
    // Whoever calls is read from files.
    if let Err(error) = std::fs::File::open("/proc/self/stat")
        && trouble::code(&error) == "too_many_files"
    {
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or_default();
        return Fault::new(FaultCode::Storage, format!("gstack may open only {most} files, and needs more"))
            .hint(trouble::hint(std::path::Path::new("/proc"), &error));
    }
    Fault::new(FaultCode::Forbidden, "gstack could not verify that the calling program is yours").hint(
        "It must run as your user, not be started by an agent, and keep running until it gets its answer. Use \
            the gstack command line.",
    )
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
