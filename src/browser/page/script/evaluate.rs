//! Calls our own functions in our isolated world of a frame.
//!
//! Owns the calls and the parsing of their results. Never decides what to run.

use super::injected::Injected;
use super::injection::{SOURCE, WORLD};
use crate::cdp::CdpError;
use crate::devtools::runtime::{EvaluateParams, Evaluated, Evaluation, call_on, evaluate_promise, evaluate_value};
use crate::devtools_session::Session;
use crate::error::BrowserError;
use crate::frames::{Context, FrameId, World};
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::tab::Tab;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Evaluates to true if a world has our script.
const IS_THERE: &str = "'__gstack' in globalThis";

impl Page {
    /// Calls a function of our script in a frame. `arguments` are JSON texts. Fails with `DocumentGone` if the document
    /// is gone before it answers.
    pub(in crate::page) async fn script<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<T, PageError> {
        script_in(self, frame, function, arguments, limit).await
    }

    /// Like `script`, and returns the context that it ran in. That of the next call may be another document's.
    pub(in crate::page) async fn script_and_context<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<(Context, T), PageError> {
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await.map_err(lost)?;
        let (session, expression) = (self.session_of(frame).map_err(lost)?, call_of(function, arguments)?);
        if let Some(value) = run(&session, &context, expression.clone(), function, limit).await? {
            return Ok((context, value));
        }
        install(&session, &context, limit).await?;
        let value = run(&session, &context, expression, function, limit).await?;
        value.map(|value| (context, value)).ok_or_else(|| PageError::Unreadable("our script is not there".to_owned()))
    }

    /// Calls a function that acts, in this context and no other. Fails with `DocumentGone` if its document is gone.
    pub(in crate::page) async fn script_within<T: DeserializeOwned>(
        &self,
        (frame, context): (&FrameId, &Context),
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<T, PageError> {
        let (session, expression) = (self.session_of(frame).map_err(lost)?, call_of(function, arguments)?);
        let value = run(&session, context, expression, function, limit).await.map_err(not_told)?;
        value.ok_or(PageError::DocumentGone)
    }

    /// Calls a function of our script that acts on the page. Returns `None` if it started but the document was gone
    /// before the answer, which is then its effect. If it did not start, fails with `DocumentGone`: then nothing
    /// happened.
    pub(in crate::page) async fn act_by_script<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<Option<T>, PageError> {
        let expression = call_of(function, arguments)?;
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await.map_err(lost)?;
        let session = self.session_of(frame).map_err(lost)?;
        for is_installed in [false, true] {
            // In one write: if the first is answered, the second starts in the same document.
            let mut batch = session.batch();
            let there = batch.add(evaluate_value(IS_THERE).within(&context))?;
            let said = batch.add(evaluate_promise(&expression).ending_after(limit).within(&context))?;
            batch.send();
            let there = read(there.within(limit).await, function.name(), limit).map_err(not_told)?;
            if there.result.value.is_some_and(|value| value.get() == "true") {
                return match read_value(said.within(limit).await, function, limit) {
                    Ok(Some(value)) => Ok(Some(value)),
                    Ok(None) => Err(PageError::Unreadable(format!("{function} was not there"))),
                    Err(PageError::DocumentGone) => Ok(None),
                    Err(error) => Err(not_told(error)),
                };
            }
            if !is_installed {
                install(&session, &context, limit).await?;
            }
        }
        Err(PageError::Unreadable("our script is not there".to_owned()))
    }

    /// Runs a library's source in our world of a frame. Which document has it already is the caller's to know.
    pub(in crate::page) async fn load_library(
        &self,
        frame: &FrameId,
        source: &str,
        limit: Duration,
    ) -> Result<(), PageError> {
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await.map_err(lost)?;
        let session = self.session_of(frame).map_err(lost)?;
        let load = EvaluateParams::new(source).within(&context);
        read(session.call_within(load, limit).await, "a library", limit).map(|_| ())
    }

    /// Returns a handle to an element that our script has numbered.
    pub(in crate::page) async fn element_handle(&self, frame: &FrameId, number: u32) -> Result<String, PageError> {
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await?;
        let expression = format!("globalThis.__gstack?.{}({number})", Injected::ElementOf);
        let evaluate = EvaluateParams::new(expression).within(&context);
        let limit = crate::page::page::SCRIPT_LIMIT;
        let reply =
            read(self.session_of(frame)?.call_within(evaluate, limit).await, Injected::ElementOf.name(), limit)?;
        reply.result.object_id.ok_or(PageError::DocumentGone)
    }

    /// Returns the script's number for an element handle of our world.
    pub(in crate::page) async fn number_of(&self, session: &Session, object: &str) -> Result<u32, PageError> {
        let function = format!("function () {{ return globalThis.__gstack?.{}(this) ?? 0; }}", Injected::NumberOf);
        let limit = crate::page::page::SCRIPT_LIMIT;
        let reply =
            read(session.call_within(call_on(object, &function), limit).await, Injected::NumberOf.name(), limit)?;
        let number = reply.result.value.and_then(|value| serde_json::from_str::<u32>(value.get()).ok());
        number.filter(|number| *number > 0).ok_or(PageError::DocumentGone)
    }
}

/// Like `Page::script`, without a turn on the tab: for callers that do not wait for commands.
pub(in crate::page) async fn script_in<T: DeserializeOwned>(
    tab: &Tab,
    frame: &FrameId,
    function: Injected,
    arguments: &[&dyn Argument],
    limit: Duration,
) -> Result<T, PageError> {
    let expression = call_of(function, arguments)?;
    let context = tab.context(frame, &World::Isolated(WORLD.to_owned())).await.map_err(lost)?;
    let session = tab.session_of(frame).map_err(lost)?;
    let asked = async {
        if let Some(value) = run(&session, &context, expression.clone(), function, limit).await? {
            return Ok(value);
        }
        install(&session, &context, limit).await?;
        let value = run(&session, &context, expression, function, limit).await?;
        value.ok_or_else(|| PageError::Unreadable("our script is not there".to_owned()))
    };
    let asked = asked.await;
    if function.acts() { asked.map_err(not_told) } else { asked }
}

fn call_of(function: Injected, arguments: &[&dyn Argument]) -> Result<String, PageError> {
    let written: Result<Vec<String>, PageError> = arguments.iter().map(|argument| argument.json()).collect();
    let call = format!("__gstack.{function}({})", written?.join(","));
    Ok(format!("(async () => globalThis.__gstack ? {{ is: (await {call}) ?? null }} : {{}})()"))
}

async fn install(session: &Session, context: &Context, limit: Duration) -> Result<(), PageError> {
    let install = EvaluateParams::new(SOURCE).within(context);
    read(session.call_within(install, limit).await, "our script", limit).map(|_| ())
}

/// Converts a timeout to `Unanswered`: the page may still do what was sent to it.
pub(in crate::page) fn not_told(error: PageError) -> PageError {
    match error {
        PageError::Timeout { after, .. } => PageError::Unanswered {
            what: "the page".to_owned(),
            reason: format!("it did not answer within {} s", after.as_secs()),
        },
        error => error,
    }
}

/// Converts the error of a frame that is gone, or is moving to another process, to `DocumentGone`.
pub(super) fn lost(error: BrowserError) -> PageError {
    match error {
        BrowserError::FrameGone | BrowserError::Cdp(CdpError::Protocol { .. }) => PageError::DocumentGone,
        other => other.into(),
    }
}

/// A value that can be written into a script as JSON, which is valid JavaScript.
pub(in crate::page) trait Argument: Send + Sync {
    fn json(&self) -> Result<String, PageError>;
}
impl<T: Serialize + Send + Sync> Argument for T {
    fn json(&self) -> Result<String, PageError> {
        serde_json::to_string(self).map_err(|error| PageError::Unreadable(error.to_string()))
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Wrapped<T> {
    #[serde(default = "Option::default", deserialize_with = "present")]
    is: Option<T>,
}

/// Keeps `null` as a value: only an absent field means that our script is missing.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Calls a function; returns `None` if that world does not have our script yet.
async fn run<T: DeserializeOwned>(
    session: &Session,
    context: &Context,
    expression: String,
    function: Injected,
    limit: Duration,
) -> Result<Option<T>, PageError> {
    let evaluate = evaluate_promise(expression).ending_after(limit).within(context);
    read_value(session.call_within(evaluate, limit).await, function, limit)
}

fn read_value<T: DeserializeOwned>(
    reply: Result<Evaluated, CdpError>,
    function: Injected,
    limit: Duration,
) -> Result<Option<T>, PageError> {
    let reply = read(reply, function.name(), limit)?;
    let value = reply.result.value.ok_or_else(|| PageError::Unreadable(format!("{function} gave no value")))?;
    let wrapped: Wrapped<T> =
        serde_json::from_str(value.get()).map_err(|error| PageError::Unreadable(format!("{function}: {error}")))?;
    Ok(wrapped.is)
}

fn read(reply: Result<Evaluated, CdpError>, function: &str, limit: Duration) -> Result<Evaluated, PageError> {
    match reply {
        Ok(Evaluated { exception_details: Some(thrown), .. }) => {
            tracing::warn!(function, thrown = %thrown.words(), "our script threw in a page");
            Err(PageError::Unreadable(format!("{function}: {}", thrown.words())))
        }
        Ok(reply) => Ok(reply),
        // The parameters are valid, so the error means that the context or session is gone.
        Err(CdpError::Protocol { .. }) => Err(PageError::DocumentGone),
        Err(CdpError::Timeout { .. }) => Err(PageError::Timeout { what: "the page's answer".to_owned(), after: limit }),
        Err(error) => Err(error.into()),
    }
}
