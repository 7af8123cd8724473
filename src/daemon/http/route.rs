//! A route: its path, its description, its request and response types, and its function.
//!
//! Owns turning a function of the engine into a route: its body is parsed, its answer or fault is written. `openapi.rs`
//! describes the types of that same function, so the description always matches.

use super::answer::Refusal;
use super::stream::{WAITING_LINES, json_lines};
use axum::extract::{FromRequest, Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use axum::{Json, Router};
use gstack_engine::Engine;
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

/// A route.
pub(super) struct Route {
    path: &'static str,
    handler: MethodRouter<Engine>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests write the description of the routes from it"))]
    about: RouteDescription,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
}

/// The format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One JSON value.
    Json,
    /// One JSON value per line, as they happen.
    Lines,
    /// Server-sent events, each with one JSON value.
    Events,
    /// Text, or one JSON value for `Accept: application/json`.
    TextOrJson,
}

/// A type with a JSON schema, which only the tests need for writing the description. Every wire type has one.
#[cfg(test)]
pub(super) trait HasSchema: schemars::JsonSchema {}
#[cfg(test)]
impl<T: schemars::JsonSchema> HasSchema for T {}
#[cfg(not(test))]
pub(super) trait HasSchema {}
#[cfg(not(test))]
impl<T> HasSchema for T {}

/// The description of a route. Not used at run time.
pub(super) struct RouteDescription {
    #[cfg(test)]
    pub(super) verb: Verb,
    /// One line, without a full stop.
    #[cfg(test)]
    pub(super) summary: &'static str,
    #[cfg(test)]
    pub(super) takes: Shape,
    #[cfg(test)]
    pub(super) answers: Shape,
    #[cfg(test)]
    pub(super) form: Form,
}

/// Returns the schema of one type.
#[cfg(test)]
pub(super) type Shape = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

impl RouteDescription {
    /// Describes a route. `P` is the type of the request, `()` for none. `A` is the type of the answer.
    pub(super) fn new<P: HasSchema, A: HasSchema>(verb: Verb, summary: &'static str, form: Form) -> Self {
        #[cfg(not(test))]
        let _ = (verb, summary, form);
        Self {
            #[cfg(test)]
            verb,
            #[cfg(test)]
            summary,
            #[cfg(test)]
            takes: |generator| generator.subschema_for::<P>(),
            #[cfg(test)]
            answers: |generator| generator.subschema_for::<A>(),
            #[cfg(test)]
            form,
        }
    }
}

/// Creates a `GET` route without parameters.
pub(super) fn get<A, F, T>(path: &'static str, summary: &'static str, handler: F) -> Route
where
    A: Serialize + HasSchema + 'static,
    F: Fn(Engine) -> T + Clone + Send + Sync + 'static,
    T: Future<Output = Result<A, Fault>> + Send + 'static,
{
    let handler = axum::routing::get(move |State(engine): State<Engine>| answer(handler(engine)));
    Route { path, handler, about: RouteDescription::new::<(), A>(Verb::Get, summary, Form::Json) }
}

/// Creates a `POST` route without a body.
pub(super) fn tell<A, F, T>(path: &'static str, summary: &'static str, handler: F) -> Route
where
    A: Serialize + HasSchema + 'static,
    F: Fn(Engine) -> T + Clone + Send + Sync + 'static,
    T: Future<Output = Result<A, Fault>> + Send + 'static,
{
    let handler = axum::routing::post(move |State(engine): State<Engine>| answer(handler(engine)));
    Route { path, handler, about: RouteDescription::new::<(), A>(Verb::Post, summary, Form::Json) }
}

/// Creates a `POST` route with a JSON object as its body.
pub(super) fn post<P, A, F, T>(path: &'static str, summary: &'static str, handler: F) -> Route
where
    P: DeserializeOwned + HasSchema + Send + 'static,
    A: Serialize + HasSchema + 'static,
    F: Fn(Engine, P) -> T + Clone + Send + Sync + 'static,
    T: Future<Output = Result<A, Fault>> + Send + 'static,
{
    let ask = move |State(engine): State<Engine>, Body(params): Body<P>| answer(handler(engine, params));
    let handler = axum::routing::post(ask);
    Route { path, handler, about: RouteDescription::new::<P, A>(Verb::Post, summary, Form::Json) }
}

/// Creates a `POST` route with a JSON object as its body, answered line by line.
pub(super) fn lines<P, L, F>(path: &'static str, summary: &'static str, handler: F) -> Route
where
    P: DeserializeOwned + HasSchema + Send + 'static,
    L: Serialize + HasSchema + Send + 'static,
    F: Fn(Engine, P, mpsc::Sender<L>) -> Result<(), Fault> + Clone + Send + Sync + 'static,
{
    let ask = move |State(engine): State<Engine>, Body(params): Body<P>| async move {
        let (sender, lines) = mpsc::channel(WAITING_LINES);
        handler(engine, params, sender).map_err(Refusal)?;
        Ok::<_, Refusal>(json_lines(lines))
    };
    Route {
        path,
        handler: axum::routing::post(ask),
        about: RouteDescription::new::<P, L>(Verb::Post, summary, Form::Lines),
    }
}

/// Creates a `GET` route with query parameters.
pub(super) fn query<P, A, F, T>(path: &'static str, summary: &'static str, handler: F) -> Route
where
    P: DeserializeOwned + HasSchema + Send + 'static,
    A: Serialize + HasSchema + 'static,
    F: Fn(Engine, P) -> T + Clone + Send + Sync + 'static,
    T: Future<Output = Result<A, Fault>> + Send + 'static,
{
    let ask = move |State(engine): State<Engine>, Query(params): Query<P>| answer(handler(engine, params));
    let handler = axum::routing::get(ask);
    Route { path, handler, about: RouteDescription::new::<P, A>(Verb::Get, summary, Form::Json) }
}

/// Creates a route that reads more of its request than a body, or writes its answer itself.
pub(super) fn by_itself(path: &'static str, about: RouteDescription, handler: MethodRouter<Engine>) -> Route {
    Route { path, handler, about }
}

async fn answer<A: Serialize>(outcome: impl Future<Output = Result<A, Fault>>) -> Response {
    match outcome.await {
        Ok(answer) => Json(answer).into_response(),
        Err(fault) => Refusal(fault).into_response(),
    }
}

/// Returns a router of these routes.
pub(super) fn router(routes: Vec<Route>) -> Router<Engine> {
    routes.into_iter().fold(Router::new(), |router, route| router.route(route.path, route.handler))
}

/// A JSON body whose errors have gstack's format.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => {
                let code = if rejection.status() == 413 { FaultCode::TooLarge } else { FaultCode::BadRequest };
                Err(Refusal(
                    Fault::new(code, rejection.body_text()).hint(
                        "Send a JSON object with `Content-Type: application/json`; /openapi.json has the shapes.",
                    ),
                ))
            }
        }
    }
}

#[cfg(test)]
impl Route {
    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    pub(super) fn about(&self) -> &RouteDescription {
        &self.about
    }
}
