//! The MCP sessions of agents over HTTP.
//!
//! Ends them with their agent, and as soon as the agent has opened newer ones and does not use them. A
//! session keeps buffers and all of its answers, and some clients open a new one for each call without closing the
//! last.

use super::SESSION_HEADER;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt;
use gstack_base::mutex::lock;
use gstack_engine::AgentAccess;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The unused sessions that an agent keeps: its own, and those of agents that it starts itself.
const MOST_UNUSED: usize = 4;

/// The sessions of all agents. Cheap to clone.
#[derive(Clone)]
pub(super) struct AgentSessions {
    manager: Arc<LocalSessionManager>,
    /// By the address of the agent's tools, which live as long as the entry.
    agents: Arc<Mutex<HashMap<usize, Sessions>>>,
}

/// The sessions of one agent, the last used one last.
#[derive(Default)]
struct Sessions(Vec<Session>);

struct Session {
    id: SessionId,
    in_use: InUse,
}

/// Shared by the requests of a session while their answers are read.
type InUse = Arc<()>;

impl Sessions {
    /// Adds a session. Returns its use, and the sessions to be closed in its place.
    fn begin(&mut self, id: SessionId) -> (InUse, Vec<SessionId>) {
        let in_use = InUse::default();
        self.0.push(Session { id, in_use: in_use.clone() });
        let mut surplus = self.unused().saturating_sub(MOST_UNUSED);
        let closed = self.0.extract_if(.., |session| {
            let closes = surplus > 0 && session.is_unused();
            surplus -= usize::from(closes);
            closes
        });
        (in_use, closed.map(|session| session.id).collect())
    }

    /// Records a request of a session. Returns `None` if the agent has no such session.
    fn use_of(&mut self, id: &str) -> Option<InUse> {
        let at = self.0.iter().position(|session| *session.id == *id)?;
        let session = self.0.remove(at);
        let in_use = session.in_use.clone();
        self.0.push(session);
        Some(in_use)
    }

    fn unused(&self) -> usize {
        self.0.iter().filter(|session| session.is_unused()).count()
    }
}

impl Session {
    fn is_unused(&self) -> bool {
        Arc::strong_count(&self.in_use) == 1
    }
}

impl AgentSessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self { manager, agents: Arc::default() }
    }

    /// Follows the sessions that a request begins or uses.
    pub(super) async fn follow(State(sessions): State<Self>, request: Request, next: Next) -> Response {
        let agent = request.extensions().get::<Arc<dyn AgentAccess>>().cloned();
        let named = session_of(request.headers());
        let mut in_use = match (&agent, &named) {
            (Some(agent), Some(id)) => {
                lock(&sessions.agents).get_mut(&address(agent)).and_then(|sessions| sessions.use_of(id))
            }
            _ => None,
        };
        let response = next.run(request).await;
        let begun = session_of(response.headers()).filter(|_| named.is_none());
        if let (Some(agent), Some(id)) = (agent, begun) {
            in_use = Some(sessions.begin(&agent, id.into()).await);
        }
        while_read(response, in_use)
    }

    async fn begin(&self, agent: &Arc<dyn AgentAccess>, id: SessionId) -> InUse {
        let (in_use, surplus) = {
            let mut agents = lock(&self.agents);
            let of_agent = agents.entry(address(agent)).or_insert_with(|| {
                tokio::spawn(self.clone().end_with(agent.clone()));
                Sessions::default()
            });
            of_agent.begin(id)
        };
        for id in surplus {
            self.close(&id).await;
        }
        in_use
    }

    async fn end_with(self, agent: Arc<dyn AgentAccess>) {
        agent.ended().cancelled().await;
        let ended = lock(&self.agents).remove(&address(&agent)).unwrap_or_default();
        for session in ended.0 {
            self.close(&session.id).await;
        }
    }

    async fn close(&self, id: &SessionId) {
        if let Err(error) = self.manager.close_session(id).await {
            tracing::debug!(%error, "an agent's session was already closed");
        }
    }
}

fn address(agent: &Arc<dyn AgentAccess>) -> usize {
    Arc::as_ptr(agent).addr()
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(str::to_owned)
}

/// Marks a session as used until its answer was read or the reader disconnected.
fn while_read(response: Response, in_use: Option<InUse>) -> Response {
    let Some(in_use) = in_use else { return response };
    response.map(|body| {
        let held = body.into_data_stream().map(move |part| {
            let _held = &in_use;
            part
        });
        Body::from_stream(held)
    })
}

#[cfg(test)]
mod tests {
    use super::{MOST_UNUSED, Sessions};

    fn ids(sessions: &Sessions) -> Vec<String> {
        sessions.0.iter().map(|session| session.id.to_string()).collect()
    }

    #[test]
    fn a_client_that_opens_a_session_for_each_call_keeps_only_the_newest() {
        let mut sessions = Sessions::default();
        let mut closed = Vec::new();
        for number in 0..100 {
            let (in_use, surplus) = sessions.begin(number.to_string().into());
            drop(in_use);
            closed.extend(surplus.iter().map(ToString::to_string));
        }
        assert!(sessions.0.len() <= MOST_UNUSED + 1, "{:?}", ids(&sessions));
        assert_eq!(closed[..3], ["0", "1", "2"]);
        assert_eq!(ids(&sessions).last().map(String::as_str), Some("99"));
    }

    #[test]
    fn a_session_that_waits_for_an_answer_is_not_closed_however_many_are_opened() {
        let mut sessions = Sessions::default();
        let (waits, _) = sessions.begin("waits".into());
        for number in 0..100 {
            sessions.begin(number.to_string().into());
        }
        assert_eq!(ids(&sessions)[0], "waits");
        drop(waits);
        let again = sessions.use_of("waits");
        assert!(again.is_some() && ids(&sessions).last().map(String::as_str) == Some("waits"), "the last used is last");
        assert!(sessions.use_of("unknown").is_none());
    }
}
