//! Running script in a frame: our own functions in our world, and a client's expressions in the page's.
//!
//! Owns the calls and the reading of their results. Never decides what to run.

use super::error::PageError;
use super::page::Page;
use super::script::{SOURCE, WORLD};
use crate::browser::cdp::CdpError;
use crate::browser::error::BrowserError;
use crate::browser::frames::{Context, FrameId, World};
use crate::browser::session::Session;
use crate::browser::tab::Tab;
use chromiumoxide::types::{Command, Method, MethodId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;

/// `Runtime.evaluate` with a reply of which only the used fields must be there.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluate {
    pub expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<i64>,
    pub return_by_value: bool,
    pub await_promise: bool,
    /// As if a person had asked for it: else a page may not open windows or play sound.
    pub user_gesture: bool,
    /// Statements, `await` and repeated `let`, as in a console.
    pub repl_mode: bool,
}

impl Evaluate {
    pub(super) fn within(mut self, context: &Context) -> Self {
        match &context.unique {
            Some(unique) => self.unique_context_id = Some(unique.clone()),
            None => self.context_id = Some(context.id),
        }
        self
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CallOn<'a> {
    object_id: &'a str,
    function_declaration: &'a str,
    return_by_value: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluated {
    pub result: Remote,
    #[serde(default)]
    pub exception_details: Option<Thrown>,
}

/// A value of the page, or a handle to one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Remote {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub subtype: Option<String>,
    #[serde(default)]
    pub value: Option<Box<RawValue>>,
    #[serde(default)]
    pub unserializable_value: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub object_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Thrown {
    text: String,
    #[serde(default)]
    exception: Option<Remote>,
}

impl Thrown {
    /// `ReferenceError: x is not defined`, with the first lines of its stack left out.
    pub(super) fn words(&self) -> String {
        let described = self.exception.as_ref().and_then(|exception| {
            let value = exception.value.as_ref().map(|value| value.get().trim_matches('"').to_owned());
            exception.description.clone().or(value)
        });
        let text = described.unwrap_or_else(|| self.text.clone());
        let message: Vec<&str> = text.lines().take_while(|line| !line.trim_start().starts_with("at ")).collect();
        message.join("\n")
    }
}

impl Method for Evaluate {
    fn identifier(&self) -> MethodId {
        "Runtime.evaluate".into()
    }
}
impl Command for Evaluate {
    type Response = Evaluated;
}
impl Method for CallOn<'_> {
    fn identifier(&self) -> MethodId {
        "Runtime.callFunctionOn".into()
    }
}
impl Command for CallOn<'_> {
    type Response = Evaluated;
}

/// Writes what `JSON.stringify` refuses or empties as something that can be read.
const TO_JSON: &str = r"function () {
  const seen = new WeakSet();
  return JSON.stringify(this, (key, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function') return `[function ${value.name}]`;
    if (value instanceof Node) return value.nodeType === 1 ? value.outerHTML.slice(0, 200) : value.nodeValue;
    if (value instanceof Map) return Object.fromEntries(value);
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (NodeList.prototype.isPrototypeOf(value) || HTMLCollection.prototype.isPrototypeOf(value)) return [...value];
    if (value && typeof value === 'object') {
      if (seen.has(value)) return '[circular]';
      seen.add(value);
    }
    return value;
  }, 2);
}";

/// The result of a client's expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptValue {
    /// `undefined` or `null`.
    Nothing,
    /// A string, as it is.
    Text(String),
    /// Anything else, as JSON (2 spaces) where it has such a form.
    Other(String),
}

impl Page {
    /// Calls a function of our script in a frame. `arguments` are JSON texts.
    /// `DocumentGone` when the document went away before it answered.
    pub(super) async fn script<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: &str,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<T, PageError> {
        script_in(self, frame, function, arguments, limit).await
    }

    /// A handle to an element that our script has numbered.
    pub(super) async fn element_handle(&self, frame: &FrameId, number: u32) -> Result<String, PageError> {
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await?;
        let expression = format!("globalThis.__gstack?.elementOf({number})");
        let evaluate = Evaluate { expression, ..Evaluate::default() }.within(&context);
        let limit = super::page::SCRIPT_LIMIT;
        let reply = read(self.session_of(frame)?.call_within(evaluate, limit).await, "elementOf", limit)?;
        reply.result.object_id.ok_or(PageError::DocumentGone)
    }

    /// The script's number of an element that there is a handle to (of our world).
    pub(super) async fn number_of(&self, session: &Session, object: &str) -> Result<u32, PageError> {
        let function = "function () { return globalThis.__gstack?.numberOf(this) ?? 0; }";
        let call = CallOn { object_id: object, function_declaration: function, return_by_value: true };
        let limit = super::page::SCRIPT_LIMIT;
        let reply = read(session.call_within(call, limit).await, "numberOf", limit)?;
        let number = reply.result.value.and_then(|value| serde_json::from_str::<u32>(value.get()).ok());
        number.filter(|number| *number > 0).ok_or(PageError::DocumentGone)
    }

    /// A client's script in the chosen frame of the page, as in a console: statements and `await` are allowed.
    pub async fn evaluate(&self, source: &str, limit: Duration) -> Result<ScriptValue, PageError> {
        let frame = self.current_frame().await?;
        let session = self.session_of(&frame)?;
        // The main frame's own world is where a session evaluates by itself.
        let context = match self.frame(&frame)?.parent {
            Some(_) => Some(self.context(&frame, &World::Main).await?),
            None => None,
        };
        let trimmed = source.trim();
        // As a console does: an object literal rather than a block.
        if trimmed.starts_with('{') && trimmed.ends_with('}') {
            let reply = evaluate_source(&session, context.as_ref(), format!("({trimmed})"), limit).await?;
            if !reply.exception_details.as_ref().is_some_and(is_syntax_error) {
                return value_of(&session, reply, limit).await;
            }
        }
        let reply = evaluate_source(&session, context.as_ref(), source.to_owned(), limit).await?;
        value_of(&session, reply, limit).await
    }
}

/// As `Page::script`, without a turn on the tab: for what commands need not wait for.
pub(super) async fn script_in<T: DeserializeOwned>(
    tab: &Tab,
    frame: &FrameId,
    function: &str,
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
fn lost(error: BrowserError) -> PageError {
    match error {
        BrowserError::FrameGone | BrowserError::Cdp(CdpError::Protocol { .. }) => PageError::DocumentGone,
        other => other.into(),
    }
}

fn is_syntax_error(thrown: &Thrown) -> bool {
    let class = thrown.exception.as_ref().and_then(|exception| exception.description.as_deref());
    class.is_some_and(|text| text.starts_with("SyntaxError"))
}

async fn evaluate_source(
    session: &Session,
    context: Option<&Context>,
    expression: String,
    limit: Duration,
) -> Result<Evaluated, PageError> {
    let evaluate =
        Evaluate { expression, await_promise: true, user_gesture: true, repl_mode: true, ..Evaluate::default() };
    let evaluate = match context {
        Some(context) => evaluate.within(context),
        None => evaluate,
    };
    match session.call_within(evaluate, limit).await {
        Ok(reply) => Ok(reply),
        Err(CdpError::Timeout { .. }) => Err(PageError::Timeout { what: "the script".to_owned(), after: limit }),
        Err(CdpError::Protocol { .. }) => Err(PageError::DocumentGone),
        Err(error) => Err(error.into()),
    }
}

async fn value_of(session: &Session, reply: Evaluated, limit: Duration) -> Result<ScriptValue, PageError> {
    if let Some(thrown) = reply.exception_details {
        return Err(PageError::Script(thrown.words()));
    }
    let remote = reply.result;
    if remote.kind == "undefined" || remote.subtype.as_deref() == Some("null") {
        return Ok(ScriptValue::Nothing);
    }
    if remote.kind == "object"
        && let Some(object) = &remote.object_id
    {
        let call = CallOn { object_id: object, function_declaration: TO_JSON, return_by_value: true };
        let written = session.call_within(call, limit).await;
        if let Ok(Evaluated { result: Remote { value: Some(json), .. }, exception_details: None }) = written
            && let Ok(text) = serde_json::from_str::<String>(json.get())
        {
            return Ok(ScriptValue::Other(text));
        }
        return Ok(ScriptValue::Other(remote.description.unwrap_or_default()));
    }
    if let Some(value) = &remote.value {
        if let Ok(text) = serde_json::from_str::<String>(value.get()) {
            return Ok(ScriptValue::Text(text));
        }
        return Ok(ScriptValue::Other(value.get().to_owned()));
    }
    Ok(ScriptValue::Other(remote.unserializable_value.or(remote.description).unwrap_or_default()))
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
    function: &str,
    limit: Duration,
) -> Result<Option<T>, PageError> {
    let evaluate = Evaluate { expression, return_by_value: true, await_promise: true, ..Evaluate::default() };
    let reply = read(session.call_within(evaluate.within(context), limit).await, function, limit)?;
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
