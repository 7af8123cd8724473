//! The routes that run a browser command: for the person, a named terminal of theirs, an agent or a registered client.
//!
//! Owns whose command it is. `guard` identified the caller.

use super::answer::Refusal;
use super::caller::Caller;
use super::guard::Scope;
use super::route::Body;
use super::stream::{WAITING_LINES, json_lines};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use gstack_engine::{Driver, Engine, Registrations};
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::command::CommandRequest;
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
    let result = match scope {
        Scope::Agent(_) | Scope::Trusted(_) if request.driver_name.is_some() => {
            return Err(Registrations::not_a_terminal().into());
        }
        Scope::Person if request.driver_id.is_some() => return Err(Registrations::not_registered().into()),
        Scope::Person => match terminal_of(&engine, &caller, &request)? {
            Some(terminal) => engine.commands().run_as_driver(terminal, request).await?,
            None => engine.commands().run(request, source_of(&caller)).await?,
        },
        Scope::Agent(tools) => tools.command(request).await?,
        Scope::Trusted(driver) => engine.commands().run_as_driver(driver, request).await?,
    };
    if wants_json {
        return Ok(Json(result.answer()).into_response());
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], result.output).into_response())
}

pub(super) async fn command_lines(
    State(engine): State<Engine>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    Body(request): Body<CommandRequest>,
) -> Result<Response, Refusal> {
    let (sender, lines) = mpsc::channel(WAITING_LINES);
    let terminal = terminal_of(&engine, &caller, &request)?;
    engine.commands().run_in_lines(request, source_of(&caller), terminal, sender);
    Ok(json_lines(lines))
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
