//! The routes, in four rings: open to every process on this machine, commands, with the token, for the person alone.
//!
//! Owns the list. `route.rs` turns a function into a route, `guard.rs` protects each ring, and /openapi.json describes
//! them all.

use super::activity;
use super::answer::Refusal;
use super::approval_link;
use super::auth;
use super::caller::Caller;
use super::cdp;
use super::commands;
use super::conversations;
use super::guard::{self, Access};
use super::panels;
use super::route::{self, Body, Form, Route, RouteDescription, Verb, get, lines, post, query, tell};
use super::stream::{WAITING_LINES, json_lines};
use super::tunnels;
use super::views;
use super::welcome;
use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::header;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use gstack_base::process;
use gstack_engine::{Engine, Look};
use gstack_protocol::VERSION;
use gstack_protocol::activity::ActivityEntry;
use gstack_protocol::agents::Agents;
use gstack_protocol::approval_link::ApprovalLinkCreate;
use gstack_protocol::audit::{AuditBy, AuditProof, AuditVerify};
use gstack_protocol::basics::Empty;
use gstack_protocol::chat::AnsweredBy;
use gstack_protocol::chat_requests::{ApprovalAnswer, QuestionAnswer};
use gstack_protocol::command::{CommandAnswer, CommandLine, CommandRequest};
use gstack_protocol::control::{
    AskAlone, ContinueTurns, Disconnect, Disconnected, HandOver, HandingOver, Health, LookForAgents, StopTurns,
    Stopped, Stopping,
};
use gstack_protocol::driver::{DriverBegin, DriverLine};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::policy::{Policy, PolicyAdd, PolicyExplain, PolicyRemove};
use tokio::sync::mpsc;

/// The largest request, in bytes: a page's HTML for `load-html` or a message with images.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// `docs/openapi.json`, the description of the routes. A test keeps it up to date.
const DESCRIPTION: &str = include_str!("../../../docs/openapi.json");

/// Every documented route, ring by ring.
pub(super) struct Rings {
    pub(super) open: Vec<Route>,
    pub(super) commands: Vec<Route>,
    pub(super) private: Vec<Route>,
    pub(super) person: Vec<Route>,
}

pub(super) fn rings() -> Rings {
    Rings {
        open: vec![get("/health", "Whether a browser is open", health)],
        commands: vec![
            route::by_itself(
                "/command",
                RouteDescription::new::<CommandRequest, CommandAnswer<'static>>(
                    Verb::Post,
                    "Runs a browser command",
                    Form::TextOrJson,
                ),
                axum::routing::post(commands::command),
            ),
            route::by_itself(
                "/command/lines",
                RouteDescription::new::<CommandRequest, CommandLine>(
                    Verb::Post,
                    "Runs a browser command and reports its progress",
                    Form::Lines,
                ),
                axum::routing::post(commands::command_lines),
            ),
        ],
        private: vec![
            get("/status", "What runs", |engine: Engine| async move { Ok(engine.status().asked().await) }),
            get("/doctor", "Every hop between the panel and the agent, checked now", |engine: Engine| async move {
                Ok(engine.hops().doctor().await)
            }),
            get("/agents", "The agents that were found", |engine: Engine| async move {
                Ok(engine.agents().list(Look::Everything).await)
            }),
            route::by_itself(
                "/activity/stream",
                RouteDescription::new::<activity::After, ActivityEntry>(
                    Verb::Get,
                    "What is done in the browser, as it happens; `Last-Event-ID` continues where a stream ended",
                    Form::Events,
                ),
                axum::routing::get(activity::stream),
            ),
            query("/activity/history", "What was done in the browser, oldest first", activity::history),
            query("/refs", "The refs of the last snapshot of a tab, or of the current one", activity::refs),
        ],
        person: person(),
    }
}

fn person() -> Vec<Route> {
    let mut routes = vec![
        lines(
            "/connect",
            "Opens the browser with the panel, or finds the one that is open",
            |engine, request, lines| {
                engine.connection().connect(request, lines);
                Ok(())
            },
        ),
        post("/disconnect", "Closes the browser, or detaches from one that gstack did not start", disconnect),
        tell("/stop", "Ends the daemon", stop),
        lines("/chat", "Sends a message and follows the answer", |engine, request, lines| {
            engine.conversation_requests().chat_from_terminal(request, lines);
            Ok(())
        }),
        route::by_itself(
            "/driver",
            RouteDescription::new::<DriverBegin, DriverLine>(
                Verb::Post,
                "Registers the calling process as a driver, for as long as it reads the answer",
                Form::Lines,
            ),
            axum::routing::post(begin_driver),
        ),
        lines("/record", "Records what the person does in a tab, for a flow", |engine, request, lines| {
            engine.commands().record(request, lines);
            Ok(())
        }),
        post("/agents/look", "Looks for agents again", look_for_agents),
        post(
            "/agents/ask",
            "Asks the default agent one question, during which it has no tools",
            |engine: Engine, asked: AskAlone| async move { engine.agents().ask_alone(asked).await },
        ),
        post("/stop-turns", "Stops running turns", stop_turns),
        post("/continue", "Runs the messages that wait after a stopped turn", go_on),
        post("/hand-over", "Asks this daemon to hand over to a newer gstack", hand_over),
    ];
    routes.extend(conversations::routes());
    routes.extend(cdp::routes());
    routes.extend(tunnels::routes());
    routes.extend(auth::routes());
    routes.extend(panels::routes());
    routes.extend(views::routes());
    routes.extend([
        get("/approvals", "The approvals and questions that are waiting", |engine: Engine| async move {
            Ok(engine.approvals().waiting())
        }),
        lines("/approvals/watch", "The waiting approvals and questions, at each change", |engine, Empty {}, lines| {
            engine.approvals().watch(lines);
            Ok(())
        }),
        post("/approvals/answer", "Answers an approval", answer_approval),
        post(
            "/approvals/link",
            "Creates a one-time link that answers an approval, if the person configured where links lead",
            |engine: Engine, create: ApprovalLinkCreate| async move { engine.approvals().create_link(&create.approval_id) },
        ),
        post("/questions/answer", "Answers a question of an agent", answer_question),
        get("/policy", "The person's rules", |engine: Engine| async move { engine.policy().in_force() }),
        post("/policy/add", "Adds a rule", add_rule),
        post("/policy/remove", "Removes a rule", remove_rule),
        post(
            "/policy/explain",
            "What the rules say about an action, and why",
            |engine: Engine, asked: PolicyExplain| async move { engine.explain(&asked) },
        ),
        lines("/audit", "The decisions about what agents asked for, oldest first", |engine, request, lines| {
            engine.policy().read_audit(request, lines)
        }),
        post("/audit/verify", "Verifies that the audit was not changed", audit_verify),
    ]);
    routes
}

/// Returns all routes. `mcp` is the agents' endpoint, whose callers present their own tokens.
pub(crate) fn router(engine: Engine, access: Access, mcp: Router) -> Router {
    let Rings { open, commands, private, person } = rings();
    let pages = Router::new()
        .route("/openapi.json", axum::routing::get(description))
        .route("/welcome", axum::routing::get(welcome::page))
        .route("/welcome.css", axum::routing::get(welcome::style))
        .route("/welcome.js", axum::routing::get(welcome::script));
    let open = route::router(open).merge(pages).layer(from_fn(guard::public));
    let commands = route::router(commands).layer(from_fn_with_state((engine.clone(), access.clone()), guard::commands));
    let private = route::router(private).layer(from_fn_with_state((engine.clone(), access), guard::private));
    let person = route::router(person).layer(from_fn_with_state(engine.clone(), guard::person));
    let mcp = mcp.layer(from_fn_with_state(engine.clone(), guard::agent));
    let link = approval_link::router(&engine);
    let view = gstack_view::router().layer(from_fn(guard::viewer));
    open.merge(link)
        .merge(view)
        .merge(commands)
        .merge(private)
        .merge(person)
        .with_state(engine)
        .merge(mcp)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .fallback(|| async { Refusal(approval_link::no_such_path()) })
}

async fn description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION).into_response()
}

async fn health(engine: Engine) -> Result<Health, Fault> {
    let status = if engine.browsers().any_open() { "healthy" } else { "no-browser" };
    Ok(Health { status: status.to_owned(), version: VERSION.to_owned() })
}

async fn begin_driver(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    Body(begin): Body<DriverBegin>,
) -> Result<Response, Refusal> {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    engine.registrations().begin_driver(begin, caller.process(), sender)?;
    Ok(json_lines(lines))
}

async fn look_for_agents(engine: Engine, look: LookForAgents) -> Result<Agents, Fault> {
    engine.agents().learn_path(look.path.as_deref());
    engine.settings().look_for_agents().await
}

async fn disconnect(engine: Engine, request: Disconnect) -> Result<Disconnected, Fault> {
    engine.connection().disconnect(request).await
}

async fn stop(engine: Engine) -> Result<Stopping, Fault> {
    engine.request_shutdown();
    Ok(Stopping { pid: Some(process::own_pid()) })
}

async fn stop_turns(engine: Engine, request: StopTurns) -> Result<Stopped, Fault> {
    Ok(Stopped { turns: engine.conversation_requests().stop_from_terminal(request).await? })
}

async fn go_on(engine: Engine, request: ContinueTurns) -> Result<Empty, Fault> {
    engine.conversation_requests().continue_from_terminal(request.tab_id).await?;
    Ok(Empty {})
}

async fn hand_over(engine: Engine, request: HandOver) -> Result<HandingOver, Fault> {
    tracing::info!(version = request.version, "a newer gstack asks to take over");
    Ok(engine.upgrade().begin(&request))
}

async fn add_rule(engine: Engine, add: PolicyAdd) -> Result<Policy, Fault> {
    engine.add_rule(add, AuditBy::Terminal, None)
}

async fn remove_rule(engine: Engine, remove: PolicyRemove) -> Result<Policy, Fault> {
    engine.policy().remove(&remove, AuditBy::Terminal)
}

async fn audit_verify(engine: Engine, verify: AuditVerify) -> Result<AuditProof, Fault> {
    // Reads and hashes megabytes.
    let proof = tokio::task::spawn_blocking(move || engine.policy().prove_audit(&verify)).await;
    proof.map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))?
}

async fn answer_approval(engine: Engine, answer: ApprovalAnswer) -> Result<Empty, Fault> {
    engine.approvals().answer(&answer, AnsweredBy::Terminal)?;
    Ok(Empty {})
}

async fn answer_question(engine: Engine, answer: QuestionAnswer) -> Result<Empty, Fault> {
    engine.approvals().answer_question(answer, AnsweredBy::Terminal)?;
    Ok(Empty {})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::caller::PortPeer;
    use axum::body::{Body as Bytes, to_bytes};
    use axum::extract::Request;
    use axum::http::StatusCode;
    use gstack_base::home::Home;
    use gstack_engine::{Config, Provision};
    use serde_json::{Value, json};
    use tokio_util::sync::CancellationToken;
    use tower::ServiceExt;

    const TOKEN: &str = "secret";

    /// Returns the answer to a request on the port, with these headers besides our own host.
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
        let engine = Engine::open(home, Config::default(), 1, provision, Vec::new(), shutdown).await.unwrap();
        let router = router(engine.clone(), Access::new(TOKEN), Router::new());

        // The other end of this connection is this process, so it belongs to the person.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let person = Caller::Port(PortPeer::new(client.local_addr().unwrap(), client.peer_addr().unwrap()));
        // This connection does not exist, so its other end is unknown.
        let nowhere = Caller::Port(PortPeer::new(client.peer_addr().unwrap(), client.peer_addr().unwrap()));
        let (status, _) = answer_of(&router, &nowhere, "GET", "/status", Some(TOKEN), "").await;
        assert_eq!(status, StatusCode::FORBIDDEN);

        let (status, health) = answer_of(&router, &nowhere, "GET", "/health", None, "").await;
        assert_eq!((status, &health["status"]), (StatusCode::OK, &json!("no-browser")));
        let (status, described) = answer_of(&router, &nowhere, "GET", "/openapi.json", None, "").await;
        assert_eq!((status, &described["openapi"]), (StatusCode::OK, &json!("3.1.0")));
        let (status, running) = answer_of(&router, &person, "GET", "/status", Some(TOKEN), "").await;
        assert_eq!((status, &running["healthy"]), (StatusCode::OK, &json!(false)));

        for (method, path, token, body, expected) in [
            ("GET", "/status", None, "", StatusCode::FORBIDDEN),
            ("GET", "/status", Some("wrong"), "", StatusCode::FORBIDDEN),
            ("POST", "/stop", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/approvals/answer", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/approvals/link", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/approve", Some(TOKEN), "", StatusCode::NOT_FOUND),
            ("POST", "/approve", Some(TOKEN), "{}", StatusCode::NOT_FOUND),
            ("POST", "/driver", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/questions/answer", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/policy", Some(TOKEN), "", StatusCode::FORBIDDEN),
            ("POST", "/policy/add", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/policy/explain", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/tunnels", Some(TOKEN), "", StatusCode::FORBIDDEN),
            ("POST", "/tunnels/revoke", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/view/open", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/view/end", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/panels", Some(TOKEN), "", StatusCode::FORBIDDEN),
            ("POST", "/panels/confirm", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/panels/forget", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("GET", "/auth", Some(TOKEN), "", StatusCode::FORBIDDEN),
            ("POST", "/auth/save", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
            ("POST", "/auth/unlock", Some(TOKEN), "{}", StatusCode::FORBIDDEN),
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
        for (body, status, said) in [
            (
                r#"{"command":"chain","args":["url | cookies"]}"#,
                StatusCode::FORBIDDEN,
                "`cookies` (step 2 of `chain`) is not offered on the port: it shows or sets what identifies a person",
            ),
            (
                r#"{"command":"tab-each","args":["cookies"]}"#,
                StatusCode::FORBIDDEN,
                "`cookies` (step 1 of `tab-each`) is not offered on the port: it shows or sets what identifies a person",
            ),
            (
                r#"{"command":"sign-in","args":["shop"]}"#,
                StatusCode::FORBIDDEN,
                "`sign-in` is not offered on the port: it fills in a saved sign-in",
            ),
            (r#"{"command":"chain","args":["url | nonsense"]}"#, StatusCode::NOT_FOUND, "nonsense"),
        ] {
            let (told, refusal) = answer_of(&router, &person, "POST", "/command", Some(TOKEN), body).await;
            assert_eq!(told, status, "{body}: {refusal}");
            assert!(refusal.to_string().contains(said), "{body}: {refusal}");
        }
        engine.close().await;
    }
}
