//! A client's expressions, evaluated in the page's own world.
//!
//! Owns the call, its binding to a document, and the format of its result. Never decides whether it may run.

use super::evaluate::lost;
use crate::cdp::CdpError;
use crate::devtools::runtime::{AwaitPromiseParams, EvaluateParams, Evaluated, Evaluation, Remote, Thrown, call_on};
use crate::devtools_session::Session;
use crate::frames::{Context, World};
use crate::page::error::PageError;
use crate::page::page::Page;
use gstack_base::own_page::{self, OwnPage};
use std::time::Duration;

/// Serializes values that `JSON.stringify` rejects or returns empty.
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
    /// `undefined`.
    Nothing,
    /// A string, unquoted.
    Text(String),
    /// Any other value: as JSON with 2 spaces of indentation if possible.
    Other(String),
}

impl Page {
    /// Evaluates a client's script in the chosen frame, as a console does: statements and `await` are allowed.
    pub async fn evaluate(&self, source: &str, limit: Duration) -> Result<ScriptValue, PageError> {
        let frame = self.current_frame().await?;
        let session = self.session_of(&frame)?;
        // Without a context, a session evaluates in the main frame's own world, in its present document.
        let shown = self.frame(&frame)?;
        // A frame of an extension (a PDF is shown by one) has that extension's rights, which are not those of the site.
        if self.is_bound() && shown.parent.is_some() && own_page::of(&shown.url) == Some(OwnPage::Browser) {
            let reason = "it belongs to the browser or an extension, so no script of an agent or client runs there";
            return Err(PageError::Refused { what: "the chosen frame".to_owned(), reason: reason.to_owned() });
        }
        let context = match shown.parent {
            None if !self.is_bound() => None,
            _ => Some(self.context(&frame, &World::Main).await.map_err(lost)?),
        };
        // Checked after the world was chosen: the world ends with its document.
        self.check_document(limit).await?;
        let trimmed = source.trim();
        // As in a console, this is an object literal rather than a block.
        if trimmed.starts_with('{') && trimmed.ends_with('}') {
            let reply = evaluate_source(&session, context.as_ref(), format!("({trimmed})"), limit).await?;
            if !reply.exception_details.as_ref().is_some_and(is_syntax_error) {
                return value_of(&session, reply, limit).await;
            }
        }
        let reply = evaluate_source(&session, context.as_ref(), source.to_owned(), limit).await?;
        if reply.exception_details.as_ref().is_some_and(Thrown::is_return_outside) {
            // A top-level `return` is a syntax error, so nothing has run yet: evaluate it as the body of a function.
            let wrapped = format!("await (async () => {{\n{source}\n}})()");
            let reply = evaluate_source(&session, context.as_ref(), wrapped, limit).await?;
            return value_of(&session, reply, limit).await;
        }
        value_of(&session, reply, limit).await
    }

    /// Returns the address of the main frame's document, from the document itself. A page cannot redefine it.
    pub(in crate::page) async fn document_url(&self, limit: Duration) -> Result<String, PageError> {
        let main = self.main_frame().await?.id;
        let session = self.session_of(&main)?;
        let context = self.context(&main, &World::Main).await.map_err(lost)?;
        let asked = async {
            let reply = evaluate_source(&session, Some(&context), "window.location.href".to_owned(), limit).await?;
            value_of(&session, reply, limit).await
        };
        match asked.await {
            Ok(ScriptValue::Text(url)) => Ok(url),
            Ok(_) | Err(PageError::Unanswered { .. }) => Err(PageError::DocumentGone),
            Err(error) => Err(error),
        }
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
    let evaluate = EvaluateParams {
        await_promise: Some(true),
        user_gesture: Some(true),
        repl_mode: Some(true),
        ..EvaluateParams::new(expression)
    };
    let evaluate = evaluate.ending_after(limit);
    let evaluate = match context {
        Some(context) => evaluate.within(context),
        None => evaluate,
    };
    let reply = ran(session.call_within(evaluate, limit).await, limit)?;
    // Awaits a value that is a promise, because console mode returns it as it is. In a document that is gone, the
    // promise is the script's own and never settles.
    match (&reply.exception_details, reply.result.subtype.as_deref(), &reply.result.object_id) {
        (None, Some("promise"), Some(promise)) => {
            ran(session.call_within(AwaitPromiseParams::new(promise.clone()), limit).await, limit)
        }
        _ => Ok(reply),
    }
}

fn ran(reply: Result<Evaluated, CdpError>, limit: Duration) -> Result<Evaluated, PageError> {
    match reply {
        Ok(reply) => Ok(reply),
        // The script has started, and its effects remain.
        Err(CdpError::Timeout { .. }) => Err(unknown(&format!("it took longer than {} s", limit.as_secs_f32()))),
        Err(CdpError::Protocol { .. }) => Err(unknown(LEFT)),
        Err(error) => Err(error.into()),
    }
}

/// The reason a script has no result although it ran.
const LEFT: &str = "the page was closed or left before it ended";

fn unknown(reason: &str) -> PageError {
    PageError::Unanswered { what: "the script".to_owned(), reason: reason.to_owned() }
}

async fn value_of(session: &Session, reply: Evaluated, limit: Duration) -> Result<ScriptValue, PageError> {
    if let Some(thrown) = reply.exception_details {
        return Err(PageError::Script(thrown.words()));
    }
    let remote = reply.result;
    if remote.kind == "undefined" {
        return Ok(ScriptValue::Nothing);
    }
    if remote.subtype.as_deref() == Some("null") {
        return Ok(ScriptValue::Other("null".to_owned()));
    }
    if remote.kind == "object"
        && let Some(object) = &remote.object_id
    {
        let written = session.call_within(call_on(object, TO_JSON), limit).await;
        if let Err(CdpError::Protocol { .. } | CdpError::Timeout { .. }) = written {
            return Err(unknown(LEFT));
        }
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
