//! Calls a page's tool and waits for its answer.
//!
//! Owns the wait, and the cancellation of a call whose caller has disconnected.

use super::offered::{PageTool, ToolChoice, choose};
use super::reports::{RESPONDED, Reports};
use crate::devtools::web_mcp::{CancelInvocation, InvokeTool, ToolResponded};
use crate::devtools_session::Session;
use crate::events::Subscription;
use crate::page::error::PageError;
use crate::page::page::Page;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A form that is not submitted by the call is filled in at once: then it waits for a person.
const FORM_WAIT: Duration = Duration::from_secs(1);

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    Answered(Value),
    /// The page's words; empty if it gave none.
    Failed(String),
    Cancelled,
    /// The form was filled in. Its page leaves submitting it to a person.
    FilledIn,
}

impl Page {
    /// Calls the tool. `input` is an object. Fails with `Changed` if the page offers it no longer or describes it in other words than
    /// `tool` does, or the tool that was allowed: then nothing was called.
    pub async fn call_tool(&self, tool: &PageTool, input: Value, limit: Duration) -> Result<ToolOutcome, PageError> {
        self.check_site().await?;
        let changed = || PageError::Changed { what: format!("the page's tool {}", tool.name) };
        let mut reports = Reports::begin(self).await?;
        let tools = reports.tools();
        let ToolChoice::One(now) = choose(&tools, &tool.name, tool.site().as_deref()) else { return Err(changed()) };
        let allowed = self.expected.as_ref().and_then(|expected| expected.tool.as_ref());
        if now != tool || allowed.is_some_and(|allowed| *allowed != now.fingerprint()) {
            return Err(changed());
        }
        let document = self.frame(&now.frame)?.loader;
        let source = reports.source_of(now).ok_or_else(changed)?;
        let invoke = InvokeTool { frame_id: now.frame.as_str().to_owned(), tool_name: now.name.clone(), input };
        let id = source.session.call(invoke).await?.invocation_id;
        let mut calling = Calling { session: source.session.clone(), id, is_over: false };
        let leaves_submitting = now.is_form && !now.annotations.autosubmit;
        let wait = if leaves_submitting { FORM_WAIT.min(limit) } else { limit };
        match timeout_at(Instant::now() + wait, answer(&mut source.events, &calling.id)).await {
            Ok(Some(responded)) => {
                calling.is_over = true;
                let stays = self.frame(&now.frame).is_ok_and(|frame| frame.loader == document);
                match outcome(responded) {
                    // A form that ends on another site was sent, although the browser answers with an error.
                    ToolOutcome::Failed(_) if now.is_form && !stays => Err(PageError::Unanswered {
                        what: format!("the form of the page's tool {}", tool.name),
                        reason: "it was submitted and led to a page of another site".to_owned(),
                    }),
                    // The browser completes a call with data of the page that the script led to, although the script was cut off.
                    ToolOutcome::Answered(_) if !now.is_form && !stays => Err(PageError::Unanswered {
                        what: format!("the page's tool {}", tool.name),
                        reason: "it led to another page before it answered".to_owned(),
                    }),
                    outcome => Ok(outcome),
                }
            }
            Ok(None) => Err(PageError::DocumentGone),
            Err(_) if leaves_submitting => Ok(ToolOutcome::FilledIn),
            Err(_) => Err(PageError::Unanswered {
                what: format!("the page's tool {}", tool.name),
                reason: format!("it did not answer within {} s and was cancelled", limit.as_secs()),
            }),
        }
    }
}

async fn answer(events: &mut Subscription, id: &str) -> Option<ToolResponded> {
    loop {
        let event = events.next().await?;
        let responded = (event.method() == RESPONDED).then(|| event.read::<ToolResponded>()).flatten();
        if let Some(responded) = responded.filter(|responded| responded.invocation_id == id) {
            return Some(responded);
        }
    }
}

fn outcome(responded: ToolResponded) -> ToolOutcome {
    let ToolResponded { status, output, error_text, exception, .. } = responded;
    match status.as_str() {
        "Completed" => ToolOutcome::Answered(output.unwrap_or_default()),
        "Canceled" => ToolOutcome::Cancelled,
        _ => {
            let thrown = exception.and_then(|exception| exception.description);
            // Of a stack, the first line says what went wrong.
            let thrown = thrown.and_then(|text| text.lines().next().map(str::to_owned));
            ToolOutcome::Failed(thrown.filter(|text| !text.is_empty()).unwrap_or(error_text))
        }
    }
}

/// A running call. Dropping it before its end cancels it.
struct Calling {
    session: Session,
    id: String,
    is_over: bool,
}

impl Drop for Calling {
    fn drop(&mut self) {
        if !self.is_over {
            self.session.post(CancelInvocation { invocation_id: std::mem::take(&mut self.id) });
        }
    }
}
