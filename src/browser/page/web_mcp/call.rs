//! Calls a page's tool and waits for its answer.
//!
//! Owns the wait, which ends when the tool's document is left, and the cancellation of a call whose caller has disconnected.
//! Never returns what another document says: the browser completes a call with data of the next page, whoever led there.

use super::offered::{PageTool, ToolChoice, choose};
use super::reports::{RESPONDED, Reports};
use crate::devtools::target::SessionId;
use crate::devtools::web_mcp::{CancelInvocation, InvokeTool, ToolResponded};
use crate::devtools_session::Session;
use crate::events::{Event, Filter, Subscription};
use crate::page::error::PageError;
use crate::page::page::Page;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A form that is not submitted by the call is filled in at once: then it waits for a person.
const FORM_WAIT: Duration = Duration::from_secs(1);

/// The status of an answer.
const COMPLETED: &str = "Completed";

const REQUESTED: &str = "Page.frameRequestedNavigation";
const NAVIGATED: &str = "Page.frameNavigated";
const FRAME_DETACHED: &str = "Page.frameDetached";
const CRASHED: &str = "Inspector.targetCrashed";
const HEARD: [&str; 6] = [RESPONDED, REQUESTED, NAVIGATED, FRAME_DETACHED, CRASHED, "Target.detachedFromTarget"];

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    Answered(Value),
    /// The page's words; empty if it gave none.
    Failed(String),
    Cancelled,
    /// The form was filled in. Its page leaves submitting it to a person.
    FilledIn,
    /// The form was submitted, which led to another document.
    Submitted,
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
        let session = reports.source_of(now).ok_or_else(changed)?.session.clone();
        let events = session.cdp().subscribe(Filter::all().methods(&HEARD));
        let invoke = InvokeTool { frame_id: now.frame.as_str().to_owned(), tool_name: now.name.clone(), input };
        let mut heard = Heard {
            events,
            session: session.id().cloned(),
            frame: now.frame.as_str().to_owned(),
            document: self.frame(&now.frame)?.loader,
            submits: false,
        };
        let id = session.call(invoke).await?.invocation_id;
        let mut calling = Calling { session, id, is_over: false };
        let leaves_submitting = now.is_form && !now.annotations.autosubmit;
        let wait = if leaves_submitting { FORM_WAIT.min(limit) } else { limit };
        let unanswered =
            |reason: String| PageError::Unanswered { what: format!("the page's tool {}", tool.name), reason };
        match timeout_at(Instant::now() + wait, heard.ending(&calling.id)).await {
            Ok(Some(ending)) => {
                calling.is_over = true;
                let is_sent = now.is_form && heard.submits;
                let stays = self.frame(&now.frame).is_ok_and(|frame| frame.loader == heard.document);
                match ending {
                    // The browser reports an error for a form that led to another site.
                    Ending::Responded(responded) if stays && (!is_sent || responded.status == COMPLETED) => {
                        Ok(outcome(responded))
                    }
                    _ if is_sent => Ok(ToolOutcome::Submitted),
                    _ => Err(unanswered("its page was left before it answered".to_owned())),
                }
            }
            Ok(None) => Err(PageError::DocumentGone),
            Err(_) if leaves_submitting => Ok(ToolOutcome::FilledIn),
            Err(_) => Err(unanswered(format!("it did not answer within {} s and was cancelled", limit.as_secs()))),
        }
    }
}

/// The browser's reports during a call, of all sessions: the one of a frame may end with the frame.
struct Heard {
    events: Subscription,
    /// The one that was called.
    session: Option<SessionId>,
    /// The tool's frame, and the loader of its document.
    frame: String,
    document: String,
    /// Whether the last navigation that this document requested is a form's submission.
    submits: bool,
}

enum Ending {
    Responded(ToolResponded),
    /// Its document was replaced, removed, closed or crashed.
    Left,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    frame_id: Option<String>,
    reason: Option<String>,
    frame: Option<Shown>,
    session_id: Option<SessionId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    id: String,
    loader_id: String,
}

impl Heard {
    /// Returns the end of a call; `None` once the connection is gone.
    async fn ending(&mut self, id: &str) -> Option<Ending> {
        loop {
            let event = self.events.next().await?;
            if let Some(ending) = self.hear(&event, id) {
                return Some(ending);
            }
        }
    }

    fn hear(&mut self, event: &Event, id: &str) -> Option<Ending> {
        if event.method() == RESPONDED {
            let responded = event.read::<ToolResponded>().filter(|responded| responded.invocation_id == id)?;
            return (event.session() == self.session.as_ref()).then_some(Ending::Responded(responded));
        }
        let OfFrame { frame_id, reason, frame, session_id } = event.read()?;
        let is_ours = frame_id.as_ref() == Some(&self.frame);
        let is_over = match event.method() {
            REQUESTED => {
                if is_ours {
                    self.submits = reason.is_some_and(|reason| reason.starts_with("formSubmission"));
                }
                false
            }
            NAVIGATED => frame.is_some_and(|shown| shown.id == self.frame && shown.loader_id != self.document),
            // It goes on in another process, where it shows the next document.
            FRAME_DETACHED if reason.as_deref() == Some("swap") => false,
            FRAME_DETACHED => is_ours,
            CRASHED => event.session() == self.session.as_ref(),
            _ => session_id.is_some() && session_id == self.session,
        };
        is_over.then_some(Ending::Left)
    }
}

fn outcome(responded: ToolResponded) -> ToolOutcome {
    let ToolResponded { status, output, error_text, exception, .. } = responded;
    match status.as_str() {
        COMPLETED => ToolOutcome::Answered(output.unwrap_or_default()),
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
