//! Who may ask: the same user on the unix socket, whoever holds the token on the port, no web page ever.
//!
//! Owns the checks that come before any route: peer, `Host`, `Origin`, `Sec-Fetch-Site`, token.
//! Sources: the Fetch standard for `Origin` and `Sec-Fetch-Site`; DNS rebinding is what `Host` stops.

use super::answer::Refusal;
use crate::base::peer::Peer;
use crate::engine::lineage::{self, Lineage};
use crate::engine::{ConversationTools, Engine};
use crate::protocol::fault::{Fault, FaultCode};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Where a connection came in.
#[derive(Clone, Debug)]
pub enum Caller {
    /// `http.sock`: the kernel says who it is.
    Socket(Option<Peer>),
    /// 127.0.0.1: anybody on this machine, at this address.
    Port(Option<SocketAddr>),
}

/// What the guard compares with.
#[derive(Clone, Debug)]
pub struct Access {
    token: Arc<str>,
    /// Gstack's home, by which its agents' processes are marked.
    home: Arc<Path>,
}

impl Access {
    pub fn new(token: &str, home: &Path) -> Self {
        Self { token: Arc::from(token), home: Arc::from(home) }
    }

    fn holds(&self, presented: &str) -> bool {
        self.token.as_bytes().ct_eq(presented.as_bytes()).into()
    }

    /// A request on the port with the token of the state file. An agent's process that has read the file is known by
    /// its end of the connection.
    async fn admit(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Result<(), Fault> {
        if !bearer(headers).is_some_and(|token| self.holds(token)) {
            return Err(no_token());
        }
        let home = self.home.clone();
        let look = move || peer.is_some_and(|peer| lineage::is_of_agent(&home, peer));
        // A look that broke off saw nothing that it could trust.
        if tokio::task::spawn_blocking(look).await.unwrap_or(true) { Err(for_person()) } else { Ok(()) }
    }
}

/// The open door: routes that give nothing away. Still no foreign host or page.
pub async fn public(ConnectInfo(caller): ConnectInfo<Caller>, request: Request, next: Next) -> Response {
    match no_web_page(&caller, request.headers(), true) {
        Ok(()) => next.run(request).await,
        Err(fault) => Refusal(fault).into_response(),
    }
}

/// Our own user on the socket, or the token on the port.
pub async fn private(
    State(access): State<Access>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let allowed = match (no_web_page(&caller, request.headers(), false), &caller) {
        (Err(fault), _) => Err(fault),
        (Ok(()), Caller::Socket(peer)) => own_user(peer.as_ref()).and_then(|peer| no_agent(peer, request.headers())),
        (Ok(()), Caller::Port(peer)) => access.admit(*peer, request.headers()).await,
    };
    match allowed {
        Ok(()) => next.run(request).await,
        Err(fault) => Refusal(fault).into_response(),
    }
}

/// Only a person: our own user on the socket, from a process that no agent started.
pub async fn person(ConnectInfo(caller): ConnectInfo<Caller>, request: Request, next: Next) -> Response {
    let allowed = match &caller {
        Caller::Port(_) => Err(Fault::new(FaultCode::Forbidden, "this is not offered on the port")
            .hint("Use the gstack command line, which speaks over a unix socket.")),
        Caller::Socket(peer) => own_user(peer.as_ref()).and_then(|peer| no_agent(peer, request.headers())),
    };
    match allowed {
        Ok(()) => next.run(request).await,
        Err(fault) => Refusal(fault).into_response(),
    }
}

/// An agent: the token is one conversation's, and that conversation's tools go with the request.
pub async fn agent(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Err(fault) = no_web_page(&caller, request.headers(), false) {
        return Refusal(fault).into_response();
    }
    match bearer(request.headers()).and_then(|token| engine.tools_of_token(token)) {
        Some(tools) => {
            request.extensions_mut().insert(tools);
            next.run(request).await
        }
        None => Refusal(
            Fault::new(FaultCode::Forbidden, "the token is missing, wrong, or its agent has ended")
                .hint("The token is in the MCP configuration that gstack gives to each agent that it starts."),
        )
        .into_response(),
    }
}

/// Agents act through their own endpoint, where the policy stands; whatever they start is refused here.
fn no_agent(peer: &Peer, headers: &HeaderMap) -> Result<(), Fault> {
    let descends = peer.pid.is_some_and(|pid| lineage::of(pid) != Lineage::Person);
    // On the socket a token says that an agent asks; nobody else has one.
    if descends || bearer(headers).is_some() {
        return Err(for_person());
    }
    Ok(())
}

fn for_person() -> Fault {
    Fault::new(FaultCode::Forbidden, "an agent may not do this: it is for the person alone")
        .hint("Use the tools that gstack offers over MCP, or ask the person to run it in a terminal of their own.")
}

/// Commands: the person's own, or an agent's by its token or, where it has dropped that, by its descent. An agent's
/// go to its conversation's tools, where the policy stands.
pub async fn commands(
    State((engine, access)): State<(Engine, Access)>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    let scope = match no_web_page(&caller, request.headers(), false) {
        Ok(()) => scope_of(&engine, &access, &caller, request.headers()).await,
        Err(fault) => Err(fault),
    };
    match scope {
        Ok(scope) => {
            request.extensions_mut().insert(scope);
            next.run(request).await
        }
        Err(fault) => Refusal(fault).into_response(),
    }
}

/// Whose command it is.
#[derive(Clone)]
pub enum Scope {
    Person,
    Agent(Arc<ConversationTools>),
}

async fn scope_of(engine: &Engine, access: &Access, caller: &Caller, headers: &HeaderMap) -> Result<Scope, Fault> {
    let ended = || {
        Fault::new(FaultCode::Forbidden, "the token is wrong, or its agent has ended")
            .hint("The token lives as long as the agent that was started with it.")
    };
    let token = bearer(headers);
    match caller {
        Caller::Port(peer) => match token.and_then(|token| engine.tools_of_token(token)) {
            Some(tools) => Ok(Scope::Agent(tools)),
            None => access.admit(*peer, headers).await.map(|()| Scope::Person),
        },
        Caller::Socket(peer) => {
            let peer = own_user(peer.as_ref())?;
            if let Some(token) = token {
                return engine.tools_of_token(token).map(Scope::Agent).ok_or_else(ended);
            }
            match peer.pid.map_or(Lineage::Person, lineage::of) {
                Lineage::Person => Ok(Scope::Person),
                Lineage::Agent(id) => {
                    id.and_then(|id| engine.tools_of_conversation(&id)).map(Scope::Agent).ok_or_else(ended)
                }
            }
        }
    }
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

/// Refuses what a browser sends on behalf of a page. Navigations are let through where `navigation` says so.
fn no_web_page(caller: &Caller, headers: &HeaderMap, navigation: bool) -> Result<(), Fault> {
    let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
    if matches!(caller, Caller::Port(_)) && !text(header::HOST).is_some_and(is_our_host) {
        return Err(Fault::new(FaultCode::Forbidden, "the Host header names another host")
            .hint("Ask for 127.0.0.1 or localhost."));
    }
    if headers.contains_key(header::ORIGIN) {
        return Err(Fault::new(FaultCode::Forbidden, "requests of web pages are refused")
            .hint("Ask from a program: scripts send no Origin header."));
    }
    let site = headers.get("sec-fetch-site").and_then(|v| v.to_str().ok());
    let fine = match site {
        None | Some("none" | "same-origin") => true,
        Some(_) => navigation && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate"),
    };
    if fine {
        return Ok(());
    }
    Err(Fault::new(FaultCode::Forbidden, "requests of other sites are refused").hint("Ask from a program."))
}

fn is_our_host(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(
        host,
        |(name, port)| {
            if port.bytes().all(|b| b.is_ascii_digit()) { name } else { host }
        },
    );
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

/// The token of an `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(k, v)| (HeaderName::from_static(k), HeaderValue::from_static(v))).collect()
    }

    #[test]
    fn only_our_own_names_are_served_on_the_port() {
        for host in ["127.0.0.1:34567", "localhost:1", "127.0.0.1", "LOCALHOST:80"] {
            assert!(no_web_page(&Caller::Port(None), &headers(&[("host", host)]), false).is_ok(), "{host}");
        }
        for host in ["evil.example:34567", "127.0.0.1.evil.example", "localhost.evil:1", "[::1]:1", ""] {
            assert!(no_web_page(&Caller::Port(None), &headers(&[("host", host)]), false).is_err(), "{host}");
        }
        assert!(no_web_page(&Caller::Port(None), &HeaderMap::new(), false).is_err(), "no Host at all");
    }

    #[test]
    fn a_page_is_refused_whatever_it_claims() {
        for page in [
            &[("host", "localhost"), ("origin", "https://evil.example")][..],
            &[("host", "localhost"), ("origin", "null")],
            &[("host", "localhost"), ("origin", "http://localhost")],
            &[("host", "localhost"), ("sec-fetch-site", "cross-site")],
            &[("host", "localhost"), ("sec-fetch-site", "same-site")],
        ] {
            assert!(no_web_page(&Caller::Port(None), &headers(page), false).is_err(), "{page:?}");
        }
    }

    #[test]
    fn a_person_may_follow_a_link_to_the_open_pages_only() {
        let link = headers(&[("host", "localhost"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]);
        assert!(no_web_page(&Caller::Port(None), &link, true).is_ok());
        assert!(no_web_page(&Caller::Port(None), &link, false).is_err());
    }

    #[test]
    fn a_token_is_compared_whole() {
        let access = Access::new("secret", Path::new("/"));
        assert!(access.holds("secret"));
        for wrong in ["", "secre", "secret ", "Secret"] {
            assert!(!access.holds(wrong), "{wrong:?}");
        }
    }
}
