//! `Runtime`: evaluation, the values it returns, and the text of exceptions.

use super::{Done, commands};
use crate::frames::Context;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluate {
    pub expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<i64>,
    pub return_by_value: bool,
    pub await_promise: bool,
    /// Runs as if the user had triggered it: otherwise a page may not open windows or play sound.
    pub user_gesture: bool,
    /// Allows statements, `await` and repeated `let`, as in a console.
    pub repl_mode: bool,
    /// In milliseconds; a script that still runs then is terminated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// The extra time of a script beyond its caller's wait, so that the caller's own timeout is reported first.
const LEEWAY: Duration = Duration::from_millis(200);

impl Evaluate {
    /// Evaluates in the page's own world; returns objects by reference.
    pub fn new(expression: impl Into<String>) -> Self {
        Self { expression: expression.into(), ..Self::default() }
    }

    /// Terminates the script shortly after `limit`: otherwise a script that nobody waits for blocks the page.
    pub fn ending_after(mut self, limit: Duration) -> Self {
        self.timeout = u64::try_from((limit + LEEWAY).as_millis()).ok();
        self
    }

    /// Evaluates in this context, named by its unique id if it has one.
    pub fn within(mut self, context: &Context) -> Self {
        match &context.unique {
            Some(unique) => self.unique_context_id = Some(unique.clone()),
            None => self.context_id = Some(context.id),
        }
        self
    }
}

/// `Runtime.addBinding`: a function of this name in each context with this name, which sends `Runtime.bindingCalled`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AddBinding {
    pub name: &'static str,
    pub execution_context_name: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallOn<'a> {
    pub object_id: &'a str,
    pub function_declaration: &'a str,
    pub return_by_value: bool,
}

/// `Runtime.awaitPromise`: waits for a promise in the page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AwaitPromise<'a> {
    pub promise_object_id: &'a str,
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

/// Compiles a script without running it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompileScript {
    pub expression: String,
    #[serde(rename = "sourceURL")]
    pub source_url: String,
    pub persist_script: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compiled {
    #[serde(default)]
    pub exception_details: Option<Thrown>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Enable {}

/// Resumes a paused target. The page's main thread answers; a no-op if nothing is paused.
#[derive(Clone, Debug, Serialize)]
pub struct RunIfWaitingForDebugger {}

/// Terminates the running script.
#[derive(Clone, Debug, Serialize)]
pub struct TerminateExecution {}

commands! {
    Evaluate => Evaluated, "Runtime.evaluate";
    CallOn<'_> => Evaluated, "Runtime.callFunctionOn";
    AddBinding => Done, "Runtime.addBinding";
    AwaitPromise<'_> => Evaluated, "Runtime.awaitPromise";
    CompileScript => Compiled, "Runtime.compileScript";
    Enable => Done, "Runtime.enable";
    RunIfWaitingForDebugger => Done, "Runtime.runIfWaitingForDebugger";
    TerminateExecution => Done, "Runtime.terminateExecution";
}
