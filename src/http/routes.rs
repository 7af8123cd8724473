//! The routes, in three rings: open to anybody on this machine, to the token, to the person alone.

use super::answer::Refusal;
use super::guard::{self, Access, Caller};
use super::stream::{WAITING_LINES, json_lines};
use super::welcome;
use crate::engine::Engine;
use crate::protocol::VERSION;
use crate::protocol::chat::AnsweredBy;
use crate::protocol::command::CommandRequest;
use crate::protocol::control::{ChatRequest, ConnectRequest, Doctor, Status, StopTurns, Stopped, WaitingApprovals};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::methods::{Agents, ApprovalAnswer, Empty};
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
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
    let private = Router::new()
        .route("/command", post(command))
        .route("/status", get(status))
        .route("/doctor", get(doctor))
        .route("/agents", get(agents))
        .layer(from_fn_with_state(access, guard::private));
    let person = Router::new()
        .route("/connect", post(connect))
        .route("/disconnect", post(disconnect))
        .route("/stop", post(stop))
        .route("/chat", post(chat))
        .route("/stop-turns", post(stop_turns))
        .route("/approvals", get(approvals))
        .route("/approvals/answer", post(answer))
        .layer(from_fn(guard::person));
    let mcp = mcp.layer(from_fn_with_state(engine.clone(), guard::agent));
    open.merge(private)
        .merge(person)
        .with_state(engine)
        .merge(mcp)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .fallback(|| async { Refusal(Fault::new(FaultCode::NotFound, "there is no such address")) })
}

/// A JSON body whose errors have our own form.
struct Body<T>(T);

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
    Json(json!({ "status": if engine.has_browser() { "healthy" } else { "no-browser" }, "version": VERSION }))
}

async fn command(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<CommandRequest>,
) -> Result<Response, Refusal> {
    let wants_json = headers
        .get(header::ACCEPT)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|accept| accept.contains("application/json"));
    let own = matches!(caller, Caller::Socket(_));
    let result = engine.command(request).await?;
    if own {
        return Ok(Json(result).into_response());
    }
    if wants_json {
        return Ok(Json(json!({ "ok": true, "output": result.output, "data": result.data, "files": result.files }))
            .into_response());
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], result.output).into_response())
}

async fn status(State(engine): State<Engine>) -> Json<Status> {
    Json(engine.status())
}

async fn doctor(State(engine): State<Engine>) -> Json<Doctor> {
    Json(Doctor { hops: engine.doctor().await })
}

async fn agents(State(engine): State<Engine>) -> Json<Agents> {
    Json(engine.agents(true).await)
}

async fn connect(State(engine): State<Engine>, Body(request): Body<ConnectRequest>) -> Response {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.connect(request, sender);
    json_lines(lines)
}

async fn disconnect(State(engine): State<Engine>) -> Result<Json<Empty>, Refusal> {
    engine.disconnect().await?;
    Ok(Json(Empty {}))
}

async fn stop(State(engine): State<Engine>) -> Json<Empty> {
    engine.request_shutdown();
    Json(Empty {})
}

async fn chat(State(engine): State<Engine>, Body(request): Body<ChatRequest>) -> Response {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.chat_from_terminal(request, sender);
    json_lines(lines)
}

async fn stop_turns(State(engine): State<Engine>, Body(request): Body<StopTurns>) -> Json<Stopped> {
    Json(Stopped { turns: engine.stop_turns(request.tab_id) })
}

async fn approvals(State(engine): State<Engine>) -> Json<WaitingApprovals> {
    Json(WaitingApprovals { approvals: engine.waiting_approvals() })
}

async fn answer(State(engine): State<Engine>, Body(answer): Body<ApprovalAnswer>) -> Result<Json<Empty>, Refusal> {
    engine.answer_approval(&answer, AnsweredBy::Terminal)?;
    Ok(Json(Empty {}))
}
