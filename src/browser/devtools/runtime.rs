//! `Runtime`: evaluation, the values it returns, and the text of exceptions.

use super::{Done, commands};
use crate::frames::Context;
pub use chromiumoxide_cdp::cdp::js_protocol::runtime::ExecutionContextId;
use chromiumoxide_cdp::cdp::js_protocol::runtime::{RemoteObjectId, TimeDelta};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::Duration;

/// The extra time of a script beyond its caller's wait, so that the caller's own timeout is reported first.
const LEEWAY: Duration = Duration::from_millis(200);

/// Where a script runs, and for how long.
pub trait Evaluation {
    /// Terminates the script shortly after `limit`: otherwise a script that nobody waits for blocks the page.
    #[must_use]
    fn ending_after(self, limit: Duration) -> Self;
    /// Evaluates in this context, named by its unique id if it has one.
    #[must_use]
    fn within(self, context: &Context) -> Self;
}

impl Evaluation for EvaluateParams {
    fn ending_after(mut self, limit: Duration) -> Self {
        self.timeout = Some(TimeDelta::new((limit + LEEWAY).as_secs_f64() * 1000.0));
        self
    }
    fn within(mut self, context: &Context) -> Self {
        match &context.unique {
            Some(unique) => self.unique_context_id = Some(unique.clone()),
            None => self.context_id = Some(ExecutionContextId::new(context.id)),
        }
        self
    }
}

/// Evaluates and returns the value, not a handle.
pub fn evaluate_value(expression: impl Into<String>) -> EvaluateParams {
    EvaluateParams { return_by_value: Some(true), ..EvaluateParams::new(expression) }
}

/// Like [`evaluate_value`], for a promise: waits for its value.
pub fn evaluate_promise(expression: impl Into<String>) -> EvaluateParams {
    EvaluateParams { await_promise: Some(true), ..evaluate_value(expression) }
}

/// Calls a function with an object as `this`, and returns the value.
pub fn call_on(object: &str, function: &str) -> CallFunctionOnParams {
    CallFunctionOnParams {
        object_id: Some(RemoteObjectId::new(object)),
        return_by_value: Some(true),
        ..CallFunctionOnParams::new(function)
    }
}

/// Like [`call_on`], for a function that returns a promise: waits for its value.
pub fn call_on_promise(object: &str, function: &str) -> CallFunctionOnParams {
    CallFunctionOnParams { await_promise: Some(true), ..call_on(object, function) }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluated {
    pub result: Remote,
    #[serde(default)]
    pub exception_details: Option<Thrown>,
}

/// A `RemoteObject`: a value of the page, or a handle to one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
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
#[serde(rename_all = "camelCase")]
pub struct Thrown {
    text: String,
    /// Set only for an exception thrown while a script ran.
    #[serde(default)]
    stack_trace: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pub exception: Option<Remote>,
}

impl Thrown {
    /// Returns true if the script failed to compile because of a `return` outside of any function. Source: V8's
    /// `kIllegalReturn`, <https://source.chromium.org/chromium/chromium/src/+/main:v8/src/common/message-template.h>
    pub fn is_return_outside(&self) -> bool {
        let said = self.exception.as_ref().and_then(|exception| exception.description.as_deref());
        self.stack_trace.is_none() && said.is_some_and(|text| text.starts_with("SyntaxError: Illegal return statement"))
    }
    /// Returns the message, `ReferenceError: x is not defined`, without the stack trace.
    pub fn words(&self) -> String {
        let described = self.exception.as_ref().and_then(|exception| {
            let value = exception.value.as_ref().map(|value| value.get().trim_matches('"').to_owned());
            exception.description.clone().or(value)
        });
        let text = described.unwrap_or_else(|| self.text.clone());
        let message: Vec<&str> = text.lines().take_while(|line| !line.trim_start().starts_with("at ")).collect();
        message.join("\n")
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compiled {
    #[serde(default)]
    pub exception_details: Option<Thrown>,
}

commands! { js_protocol::runtime:
    EvaluateParams => Evaluated;
    CallFunctionOnParams => Evaluated;
    AddBindingParams => Done;
    AwaitPromiseParams => Evaluated;
    CompileScriptParams => Compiled;
    EnableParams => Done;
    RunIfWaitingForDebuggerParams => Done;
    TerminateExecutionParams => Done;
}
