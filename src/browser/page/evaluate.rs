//! Our own functions, run in our world of a frame.
//!
//! Owns the calls and the reading of their results. Never decides what to run.

use super::error::PageError;
use super::injected::Injected;
use super::page::Page;
use super::script::{SOURCE, WORLD};
use crate::browser::cdp::CdpError;
use crate::browser::devtools::runtime::{CallOn, Evaluate, Evaluated};
use crate::browser::error::BrowserError;
use crate::browser::frames::{Context, FrameId, World};
use crate::browser::session::Session;
use crate::browser::tab::Tab;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

impl Page {
    /// Calls a function of our script in a frame. `arguments` are JSON texts.
    /// `DocumentGone` when the document went away before it answered.
    pub(super) async fn script<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<T, PageError> {
        script_in(self, frame, function, arguments, limit).await
    }

    /// A handle to an element that our script has numbered.
    pub(super) async fn element_handle(&self, frame: &FrameId, number: u32) -> Result<String, PageError> {
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await?;
        let expression = format!("globalThis.__gstack?.{}({number})", Injected::ElementOf);
        let evaluate = Evaluate { expression, ..Evaluate::default() }.within(&context);
        let limit = super::page::SCRIPT_LIMIT;
        let reply =
            read(self.session_of(frame)?.call_within(evaluate, limit).await, Injected::ElementOf.name(), limit)?;
        reply.result.object_id.ok_or(PageError::DocumentGone)
    }

    /// The script's number of an element that there is a handle to (of our world).
    pub(super) async fn number_of(&self, session: &Session, object: &str) -> Result<u32, PageError> {
        let function = format!("function () {{ return globalThis.__gstack?.{}(this) ?? 0; }}", Injected::NumberOf);
        let call = CallOn { object_id: object, function_declaration: &function, return_by_value: true };
        let limit = super::page::SCRIPT_LIMIT;
        let reply = read(session.call_within(call, limit).await, Injected::NumberOf.name(), limit)?;
        let number = reply.result.value.and_then(|value| serde_json::from_str::<u32>(value.get()).ok());
        number.filter(|number| *number > 0).ok_or(PageError::DocumentGone)
    }
}

/// As `Page::script`, without a turn on the tab: for what commands need not wait for.
pub(super) async fn script_in<T: DeserializeOwned>(
    tab: &Tab,
    frame: &FrameId,
    function: Injected,
    arguments: &[&dyn Argument],
    limit: Duration,
) -> Result<T, PageError> {
    let written: Result<Vec<String>, PageError> = arguments.iter().map(|argument| argument.json()).collect();
    let call = format!("__gstack.{function}({})", written?.join(","));
    let expression = format!("(async () => globalThis.__gstack ? {{ is: (await {call}) ?? null }} : {{}})()");
    let context = tab.context(frame, &World::Isolated(WORLD.to_owned())).await.map_err(lost)?;
    let session = tab.session_of(frame).map_err(lost)?;
    if let Some(value) = run(&session, &context, expression.clone(), function, limit).await? {
        return Ok(value);
    }
    let install = Evaluate { expression: SOURCE.to_owned(), ..Evaluate::default() }.within(&context);
    read(session.call_within(install, limit).await, "our script", limit)?;
    run(&session, &context, expression, function, limit)
        .await?
        .ok_or_else(|| PageError::Unreadable("our script is not there".to_owned()))
}

/// A frame that has gone, or is just moving to another process, has lost its document too.
pub(super) fn lost(error: BrowserError) -> PageError {
    match error {
        BrowserError::FrameGone | BrowserError::Cdp(CdpError::Protocol { .. }) => PageError::DocumentGone,
        other => other.into(),
    }
}

/// Something that can be written into a script as JSON, which is JavaScript too.
pub(super) trait Argument: Send + Sync {
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

/// `null` is a value of its own here: only an absent field means that our script is missing.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// `None`: our script is not in that world yet.
async fn run<T: DeserializeOwned>(
    session: &Session,
    context: &Context,
    expression: String,
    function: Injected,
    limit: Duration,
) -> Result<Option<T>, PageError> {
    let evaluate = Evaluate { expression, return_by_value: true, await_promise: true, ..Evaluate::default() };
    let evaluate = evaluate.ending_after(limit);
    let reply = read(session.call_within(evaluate.within(context), limit).await, function.name(), limit)?;
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
        // The parameters are well formed: what is refused is a context or session that is no more.
        Err(CdpError::Protocol { .. }) => Err(PageError::DocumentGone),
        Err(CdpError::Timeout { .. }) => Err(PageError::Timeout { what: "the page's answer".to_owned(), after: limit }),
        Err(error) => Err(error.into()),
    }
}
