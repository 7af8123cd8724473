//! The routes, in three rings: open to anybody on this machine, to the token, to the person alone.

use super::activity;
use super::answer::Refusal;
use super::caller::Caller;
use super::conversations;
use super::guard::{self, Access, Scope};
use super::stream::{WAITING_LINES, json_lines};
use super::welcome;
use crate::base::process;
use crate::engine::Engine;
use crate::protocol::VERSION;
use crate::protocol::activity::ActivitySource;
use crate::protocol::audit::{AuditBy, AuditProof, AuditRequest, AuditVerify};
use crate::protocol::chat::AnsweredBy;
use crate::protocol::command::CommandRequest;
use crate::protocol::control::{
    ChatRequest, ConnectRequest, ContinueTurns, Disconnect, Disconnected, Doctor, HandOver, HandingOver, LookForAgents,
    Status, StopTurns, Stopped, Stopping, WaitingApprovals,
};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::methods::{Agents, ApprovalAnswer, Empty, QuestionAnswer};
use crate::protocol::panel_key::{KnownPanel, KnownPanels, PanelConfirm, PanelForget};
use crate::protocol::policy::{Policy, PolicyAdd, PolicyRemove};
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::mpsc;

/// The largest request: a page's HTML for `load-html` or a message with pictures.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// All routes. `mcp` is the agents' endpoint, whose callers present tokens of their own.
pub fn router(engine: Engine, access: Access, mcp: Router) -> Router {
    let open = Router::new()
        .route("/health", get(health))
        .route("/welcome", get(welcome::page))
        .route("/welcome.css", get(welcome::style))
        .route("/welcome.js", get(welcome::script))
        .layer(from_fn(guard::public));
    let commands = Router::new()
        .route("/command", post(command))
        .layer(from_fn_with_state((engine.clone(), access.clone()), guard::commands));
    let private = Router::new()
        .route("/command/lines", post(command_lines))
        .route("/status", get(status))
        .route("/doctor", get(doctor))
        .route("/agents", get(agents))
        .route("/activity/stream", get(activity::stream))
        .route("/activity/history", get(activity::history))
        .route("/refs", get(activity::refs))
        .layer(from_fn_with_state(access, guard::private));
    let person = Router::new()
        .route("/connect", post(connect))
        .route("/disconnect", post(disconnect))
        .route("/stop", post(stop))
        .route("/chat", post(chat))
        .route("/agents/look", post(look_for_agents))
        .route("/stop-turns", post(stop_turns))
        .route("/continue", post(go_on))
        .route("/hand-over", post(hand_over))
        .merge(conversations::routes())
        .route("/approvals", get(approvals))
        .route("/approvals/watch", post(watch_approvals))
        .route("/approvals/answer", post(answer))
        .route("/questions/answer", post(answer_question))
        .route("/policy", get(policy))
        .route("/policy/add", post(add_rule))
        .route("/policy/remove", post(remove_rule))
        .route("/panels", get(panels))
        .route("/panels/confirm", post(confirm_panel))
        .route("/panels/forget", post(forget_panel))
        .route("/audit", post(audit))
        .route("/audit/verify", post(audit_verify))
        .layer(from_fn(guard::person));
    let mcp = mcp.layer(from_fn_with_state(engine.clone(), guard::agent));
    open.merge(commands)
        .merge(private)
        .merge(person)
        .with_state(engine)
        .merge(mcp)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .fallback(|| async {
            Refusal(
                Fault::new(FaultCode::NotFound, "there is no such address")
                    .hint("docs/PROTOCOL.md lists the addresses."),
            )
        })
}

/// A JSON body whose errors have our own form.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => {
                let code = if rejection.status() == 413 { FaultCode::TooLarge } else { FaultCode::BadRequest };
                Err(Refusal(Fault::new(code, rejection.body_text()).hint(
                    "Send a JSON object with `Content-Type: application/json`; docs/PROTOCOL.md has the shapes.",
                )))
            }
        }
    }
}

async fn health(State(engine): State<Engine>) -> Json<serde_json::Value> {
    Json(json!({ "status": if engine.browsers().is_open() { "healthy" } else { "no-browser" }, "version": VERSION }))
}

async fn command(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    Extension(scope): Extension<Scope>,
    headers: HeaderMap,
    Body(request): Body<CommandRequest>,
) -> Result<Response, Refusal> {
    let wants_json = headers
        .get(header::ACCEPT)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|accept| accept.contains("application/json"));
    let result = match scope {
        Scope::Person => engine.command(request, source_of(&caller)).await?,
        Scope::Agent(tools) => tools.command(request).await?,
    };
    if wants_json {
        return Ok(Json(result.answer()).into_response());
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], result.output).into_response())
}

async fn command_lines(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    Body(request): Body<CommandRequest>,
) -> Response {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.command_in_lines(request, source_of(&caller), sender);
    json_lines(lines)
}

/// Our own command line comes by the socket, scripts by the port.
fn source_of(caller: &Caller) -> ActivitySource {
    match caller {
        Caller::Socket(_) => ActivitySource::Terminal,
        _ => ActivitySource::Http,
    }
}

async fn status(State(engine): State<Engine>) -> Json<Status> {
    Json(engine.status())
}

async fn doctor(State(engine): State<Engine>) -> Json<Doctor> {
    Json(engine.doctor().await)
}

async fn agents(State(engine): State<Engine>) -> Json<Agents> {
    Json(engine.agents().list(true).await)
}

async fn look_for_agents(
    State(engine): State<Engine>,
    Body(look): Body<LookForAgents>,
) -> Result<Json<Agents>, Refusal> {
    engine.agents().learn_path(look.path.as_deref());
    Ok(Json(engine.look_for_agents_again().await?))
}

async fn connect(State(engine): State<Engine>, Body(request): Body<ConnectRequest>) -> Response {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.connect(request, sender);
    json_lines(lines)
}

async fn disconnect(
    State(engine): State<Engine>,
    Body(request): Body<Disconnect>,
) -> Result<Json<Disconnected>, Refusal> {
    Ok(Json(engine.disconnect(request.force).await?))
}

async fn stop(State(engine): State<Engine>) -> Json<Stopping> {
    engine.request_shutdown();
    Json(Stopping { pid: Some(process::own_pid()) })
}

async fn chat(State(engine): State<Engine>, Body(request): Body<ChatRequest>) -> Response {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.chat_from_terminal(request, sender);
    json_lines(lines)
}

async fn stop_turns(State(engine): State<Engine>, Body(request): Body<StopTurns>) -> Result<Json<Stopped>, Refusal> {
    Ok(Json(Stopped { turns: engine.stop_from_terminal(request).await? }))
}

async fn go_on(State(engine): State<Engine>, Body(request): Body<ContinueTurns>) -> Result<Json<Empty>, Refusal> {
    engine.continue_from_terminal(request.tab_id).await?;
    Ok(Json(Empty {}))
}

async fn hand_over(State(engine): State<Engine>, Body(request): Body<HandOver>) -> Json<HandingOver> {
    tracing::info!(version = request.version, "a newer gstack asks to take over");
    Json(engine.hand_over(&request))
}

async fn approvals(State(engine): State<Engine>) -> Json<WaitingApprovals> {
    Json(engine.waiting_approvals())
}

async fn watch_approvals(State(engine): State<Engine>, Body(Empty {}): Body<Empty>) -> Response {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.watch_approvals(sender);
    json_lines(lines)
}

async fn policy(State(engine): State<Engine>) -> Result<Json<Policy>, Refusal> {
    Ok(Json(engine.policy().in_force()?))
}

async fn add_rule(State(engine): State<Engine>, Body(add): Body<PolicyAdd>) -> Result<Json<Policy>, Refusal> {
    Ok(Json(engine.policy().add(add, AuditBy::Terminal)?))
}

async fn remove_rule(State(engine): State<Engine>, Body(remove): Body<PolicyRemove>) -> Result<Json<Policy>, Refusal> {
    Ok(Json(engine.policy().remove(&remove, AuditBy::Terminal)?))
}

async fn panels(State(engine): State<Engine>) -> Json<KnownPanels> {
    Json(engine.known_panels())
}

async fn confirm_panel(
    State(engine): State<Engine>,
    Body(confirm): Body<PanelConfirm>,
) -> Result<Json<KnownPanel>, Refusal> {
    Ok(Json(engine.confirm_panel(&confirm.code)?))
}

async fn forget_panel(
    State(engine): State<Engine>,
    Body(forget): Body<PanelForget>,
) -> Result<Json<KnownPanels>, Refusal> {
    Ok(Json(engine.forget_panel(&forget.id)?))
}

async fn audit(State(engine): State<Engine>, Body(request): Body<AuditRequest>) -> Result<Response, Refusal> {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.policy().read_audit(request, sender)?;
    Ok(json_lines(lines))
}

async fn audit_verify(
    State(engine): State<Engine>,
    Body(verify): Body<AuditVerify>,
) -> Result<Json<AuditProof>, Refusal> {
    // Megabytes are read and hashed.
    let proof = tokio::task::spawn_blocking(move || engine.policy().prove_audit(&verify)).await;
    Ok(Json(proof.map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))??))
}

async fn answer(State(engine): State<Engine>, Body(answer): Body<ApprovalAnswer>) -> Result<Json<Empty>, Refusal> {
    engine.answer_approval(&answer, AnsweredBy::Terminal)?;
    Ok(Json(Empty {}))
}

async fn answer_question(
    State(engine): State<Engine>,
    Body(answer): Body<QuestionAnswer>,
) -> Result<Json<Empty>, Refusal> {
    engine.answer_question(answer, AnsweredBy::Terminal)?;
    Ok(Json(Empty {}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::home::Home;
    use crate::engine::{Config, Provision};
    use crate::http::caller::PortPeer;
    use axum::body::{Body as Bytes, to_bytes};
    use axum::http::StatusCode;
    use serde_json::Value;
    use tokio_util::sync::CancellationToken;
    use tower::ServiceExt;

    const TOKEN: &str = "secret";

    /// The answer to a request that came in on the port, with these headers besides our own host.
    async fn answer_of(
        router: &Router,
        caller: &Caller,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> (StatusCode, Value) {
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        request = request.header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut request = request.body(Bytes::from(body.to_owned())).unwrap();
        request.extensions_mut().insert(ConnectInfo(caller.clone()));
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), BODY_LIMIT).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    #[tokio::test]
    async fn the_port_serves_three_rings_and_every_refusal_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let provision = Provision { unpack_extension: |home| Ok(home.extension()), register_host: |_| Ok(()) };
        let shutdown = CancellationToken::new();
        let engine = Engine::open(home, Config::default(), 1, provision, shutdown).await.unwrap();
        let router = router(engine.clone(), Access::new(TOKEN), Router::new());

        // The other end of this connection is this process's own, so it is the person's.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let person = Caller::Port(PortPeer::new(client.local_addr().unwrap(), client.peer_addr().unwrap()));
        // Of this one nothing is known: it does not exist.
        let nowhere = Caller::Port(PortPeer::new(client.peer_addr().unwrap(), client.peer_addr().unwrap()));
        let (status, _) = answer_of(&router, &nowhere, "GET", "/status", Some(TOKEN), "").await;
        assert_eq!(status, StatusCode::FORBIDDEN);

        let (status, health) = answer_of(&router, &nowhere, "GET", "/health", None, "").await;
        assert_eq!((status, &health["status"]), (StatusCode::OK, &json!("no-browser")));
        let (status, running) = answer_of(&router, &person, "GET", "/status", Some(TOKEN), "").await;
        assert_eq!((status, &running["healthy"]), (StatusCode::OK, &json!(false)));

        for (method, path, token, body, expected) in [
            ("GET", "/status", None, "", StatusCode::FORBIDDEN),
            ("GET", "/status", Some("wrong"), "", StatusCode::FORBIDDEN),
            ("POST", "/stop", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/approvals/answer", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/questions/answer", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/policy", Some(TOKEN), "", StatusCode::FORBIDDEN),
            ("POST", "/policy/add", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/panels", Some(TOKEN), "", StatusCode::FORBIDDEN),
            ("POST", "/panels/confirm", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/panels/forget", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/audit", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/audit/verify", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/nowhere", Some(TOKEN), "", StatusCode::NOT_FOUND),
            ("POST", "/command", Some(TOKEN), r#"{"command":"cookies","args":[]}"#, StatusCode::FORBIDDEN),
            ("POST", "/command", Some(TOKEN), r#"{"command":"chain","args":["url | cookies"]}"#, StatusCode::FORBIDDEN),
            ("POST", "/command", Some(TOKEN), "no json", StatusCode::BAD_REQUEST),
            ("POST", "/command", Some(TOKEN), r#"{"command":"nonsense","args":[]}"#, StatusCode::NOT_FOUND),
        ] {
            let (status, refusal) = answer_of(&router, &person, method, path, token, body).await;
            assert_eq!(status, expected, "{path}: {refusal}");
            assert!(refusal["hint"].is_string() && refusal["fault"]["code"].is_string(), "{path}: {refusal}");
        }
        engine.close().await;
    }
}
