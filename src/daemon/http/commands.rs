//! The routes that run a browser command: for the person, a named terminal of theirs, an agent or a registered client.
//!
//! Owns the attribution of a command to its caller, whom `guard` identified.

use super::answer::Refusal;
use super::caller::Caller;
use super::guard::Scope;
use super::route::Body;
use super::stream::{WAITING_LINES, json_lines};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use gstack_engine::{AgentAccess, Driver, Engine, Registrations};
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::command::{CommandLine, CommandRequest};
use gstack_protocol::fault::Fault;
use std::sync::Arc;
use tokio::sync::mpsc;

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
        Issuer::Driver(driver) => engine.commands().run_as_driver(driver, request).await?,
        Issuer::Agent(tools) => tools.command(request).await?,
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
            let result = tools.command(request).await?;
            if sender.send(CommandLine::Done(result)).await.is_err() {
                tracing::debug!("an agent left before its command ended");
            }
            return Ok(json_lines(lines));
        }
    };
    engine.commands().run_in_lines(request, source_of(&caller), driver, sender);
    Ok(json_lines(lines))
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
