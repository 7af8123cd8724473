//! The routes that run a browser command: for the person, a named terminal of theirs, an agent or a registered client.
//!
//! Owns the attribution of a command to its caller, whom `guard` identified.

use super::answer::Refusal;
use super::caller::Caller;
use super::guard::Scope;
use super::route::Body;
use super::stream::{WAITING_LINES, json_lines};
use crate::flows::tool;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use gstack_agent::adapter::ToolResult;
use gstack_engine::{AgentAccess, Driver, Engine, Registrations};
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::command::{CommandLine, CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(super) async fn command(
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
    let result = match issuer(&engine, &caller, scope, &request)? {
        Issuer::Person => engine.commands().run(request, source_of(&caller)).await?,
        Issuer::Driver(driver) => match tool::named(&request.command) {
            Some(flow) => of_flow(Box::pin(tool::run_trusted((&engine, driver), flow, &request)).await?),
            None => engine.commands().run_as_driver(driver, request).await?,
        },
        Issuer::Agent(tools) => for_agent(&engine, tools, request).await?,
    };
    if wants_json {
        return Ok(Json(result.answer()).into_response());
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], result.output).into_response())
}

/// Runs a command and reports its progress. An agent's command has no progress, because an approval may stop it at any
/// step: its only line is the result.
pub(super) async fn command_lines(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    Extension(scope): Extension<Scope>,
    Body(request): Body<CommandRequest>,
) -> Result<Response, Refusal> {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    let driver = match issuer(&engine, &caller, scope, &request)? {
        Issuer::Person => None,
        Issuer::Driver(driver) => Some(driver),
        Issuer::Agent(tools) => {
            let result = for_agent(&engine, tools, request).await?;
            if sender.send(CommandLine::Done(result)).await.is_err() {
                tracing::debug!("an agent left before its command ended");
            }
            return Ok(json_lines(lines));
        }
    };
    engine.commands().run_in_lines(request, source_of(&caller), driver, sender);
    Ok(json_lines(lines))
}

/// Runs a command of an agent, or a flow that it was offered as a tool.
async fn for_agent(
    engine: &Engine,
    tools: Arc<dyn AgentAccess>,
    request: CommandRequest,
) -> Result<CommandResult, Fault> {
    let Some(flow) = tool::named(&request.command) else { return tools.command(request).await };
    let values = tool::given(&request);
    Box::pin(tool::run(tools, engine.home(), flow, &values, CancellationToken::new())).await.map(of_flow)
}

fn of_flow(result: ToolResult) -> CommandResult {
    CommandResult { output: result.text, ..CommandResult::default() }
}

/// The identity under which a command runs.
enum Issuer {
    Person,
    /// A named terminal of the person's, or a client that the person trusts.
    Driver(Arc<Driver>),
    Agent(Arc<dyn AgentAccess>),
}

/// Returns as whom a command runs. Fails if its request claims something else.
fn issuer(engine: &Engine, caller: &Caller, scope: Scope, request: &CommandRequest) -> Result<Issuer, Fault> {
    match scope {
        Scope::Agent(_) | Scope::Trusted(_) if request.driver_name.is_some() => Err(Registrations::not_a_terminal()),
        Scope::Person if request.driver_id.is_some() => Err(Registrations::not_registered()),
        Scope::Person => Ok(terminal_of(engine, caller, request)?.map_or(Issuer::Person, Issuer::Driver)),
        Scope::Agent(tools) => Ok(Issuer::Agent(tools)),
        Scope::Trusted(driver) => Ok(Issuer::Driver(driver)),
    }
}

/// Returns the named terminal that a command of the person comes from, if it carries a name.
fn terminal_of(engine: &Engine, caller: &Caller, request: &CommandRequest) -> Result<Option<Arc<Driver>>, Fault> {
    let Some(name) = &request.driver_name else { return Ok(None) };
    engine.registrations().terminal(name, caller.process()).map(Some)
}

/// Returns the source of a command: our own command line uses the socket, scripts use the port.
fn source_of(caller: &Caller) -> ActivitySource {
    match caller {
        Caller::Socket(_) => ActivitySource::Terminal,
        _ => ActivitySource::Http,
    }
}
