//! What an agent's act leaves for `gstack evidence`: the pages before and after it, the requests that its tab sent, and
//! pictures if the person wants them.
//!
//! Owns the record of a running act. No failure here fails the call.

use super::ConversationTools;
use crate::activity;
use crate::conversations::ToolCallName;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_base::shorten::shorten;
use gstack_browser::page::{Area, ImageFormat, Page};
use gstack_chat::evidence::{ActTrace, TracedPage, TracedRequest};
use gstack_command::{Call, Category, redaction, tool_arguments};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{FileId, TabId};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The largest picture that is kept, in bytes.
const LARGEST_PICTURE: usize = 2 * 1024 * 1024;
/// How long an act waits for its picture. A page with an open dialog draws nothing.
const PICTURE_LIMIT: Duration = Duration::from_secs(3);
/// The longest address or title that is noted, in characters.
const LONGEST_TEXT: usize = 500;
/// The most requests that are noted of one act.
const MOST_REQUESTS: usize = 100;

/// The notes of one running act. `None` without a turn: an MCP client has none.
pub(super) struct ActNotes(Option<RunningNotes>);

struct RunningNotes {
    call: Call,
    /// The tab that the call may use.
    tab: OnceLock<TabId>,
    trace: Mutex<ActTrace>,
}

impl ActNotes {
    pub(super) fn begin(tools: &ConversationTools, call: &Call, step: Option<&ToolCallName>) -> Self {
        let turn_id = tools.conversation().turn();
        if turn_id.is_none() || tools.driver.is_some() {
            return Self(None);
        }
        let trace = ActTrace {
            turn_id,
            call_id: step.and_then(|step| step.id.clone()),
            tool: call.spec.name.to_owned(),
            arguments: step
                .map_or_else(String::new, |of| tool_arguments::redacted(&of.tool, &of.arguments.to_string())),
            line: redaction::line(call),
            came_at: now_millis(),
            ..ActTrace::default()
        };
        Self(Some(RunningNotes { call: call.clone(), tab: OnceLock::new(), trace: Mutex::new(trace) }))
    }

    /// Records the page in the call's tab, once the call may use that tab.
    pub(super) fn placed(&self, tools: &ConversationTools, tab: TabId) {
        let Some(noted) = &self.0 else { return };
        if noted.tab.set(tab).is_ok() {
            lock(&noted.trace).before = page_in(tools, tab);
        }
    }

    /// Records the start of the call, and takes the picture before it.
    pub(super) async fn permitted(&self, tools: &ConversationTools, cancel: &CancellationToken) {
        let Some(noted) = &self.0 else { return };
        lock(&noted.trace).permitted_at = Some(now_millis());
        if let Some(tab) = noted.tab.get().filter(|_| noted.is_pictured(tools)) {
            let picture = tokio::select! {
                () = cancel.cancelled() => None,
                picture = picture(tools, *tab) => picture,
            };
            if let Some(page) = &mut lock(&noted.trace).before {
                page.picture = picture;
            }
        }
    }

    /// Writes the notes. `outcome` holds what the call printed. A call that was cancelled waits for nothing: neither for
    /// a picture nor for the page.
    pub(super) async fn end(
        self,
        tools: &ConversationTools,
        outcome: Result<&str, &Fault>,
        cancel: &CancellationToken,
    ) {
        let Some(noted) = self.0 else { return };
        let pictured = noted.is_pictured(tools);
        let mut trace = noted.trace.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        trace.ended_at = now_millis();
        trace.result = activity::result_line(&noted.call, outcome);
        let placed = noted.tab.get().copied();
        let working = tools.services.tabs.sets().working(tools.conversation());
        // A call that opens a tab or goes to another ends there.
        let tab = if noted.call.spec.category == Category::Tabs { working.or(placed) } else { placed };
        if let (Some(from), Some(tab)) = (trace.permitted_at.filter(|_| noted.call.spec.changes()), tab) {
            trace.after = page_in(tools, tab);
            let mut seen: Vec<TabId> = vec![tab];
            seen.extend(placed.filter(|before| *before != tab));
            let look = async {
                note_requests(tools, &seen, from, &mut trace).await;
                let picture = if pictured { picture(tools, tab).await } else { None };
                if let Some(page) = &mut trace.after {
                    page.picture = picture;
                }
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => {}
                () = look => {}
            }
        }
        let conversation = tools.conversation().clone();
        let written = tokio::task::spawn_blocking(move || conversation.note_act(&trace)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "what an act did is not noted");
        }
    }
}

impl RunningNotes {
    fn is_pictured(&self, tools: &ConversationTools) -> bool {
        let spec = self.call.spec;
        spec.changes() && spec.category != Category::Visual && tools.services.config.get().evidence.pictures
    }
}

/// Returns the page in a tab, without the secrets in its address.
fn page_in(tools: &ConversationTools, tab: TabId) -> Option<TracedPage> {
    let (_, page) = tools.services.tabs.shown(tab)?;
    Some(TracedPage {
        url: address(&page.url),
        title: shorten(&redaction::text(&page.title), LONGEST_TEXT),
        picture: None,
    })
}

/// Returns an address as it is noted, and not so long that a page could push out the notes of other acts.
fn address(url: &str) -> String {
    shorten(&redaction::shared_address(url), LONGEST_TEXT)
}

/// Records the requests that these tabs sent since `from`.
async fn note_requests(tools: &ConversationTools, tabs: &[TabId], from: u64, trace: &mut ActTrace) {
    let mut requests = Vec::new();
    let mut looked = false;
    for tab in tabs {
        let Some(page) = open(tools, *tab).await else { continue };
        looked = true;
        requests.extend(page.requests().into_iter().filter(|request| request.at >= from));
    }
    requests.sort_by_key(|request| request.at);
    trace.more_requests = requests.len().saturating_sub(MOST_REQUESTS);
    let noted = requests.into_iter().take(MOST_REQUESTS).map(|request| TracedRequest {
        method: request.method,
        url: address(&request.url),
        status: request.status,
        failed: request.failed,
    });
    trace.requests = looked.then(|| noted.collect());
}

/// Opens the page of a tab, as its command did.
async fn open(tools: &ConversationTools, tab: TabId) -> Option<Page> {
    let (browser, pages) = tools.services.browsers.pages_with(Some(tab))?;
    let tab = browser.tab(tab).ok()?;
    if tab.open_dialog().is_some() {
        return None;
    }
    tokio::time::timeout(PICTURE_LIMIT, pages.open(&tab)).await.ok()?.ok()
}

/// Takes a picture of what a tab shows and keeps it with the conversation.
async fn picture(tools: &ConversationTools, tab: TabId) -> Option<FileId> {
    let page = open(tools, tab).await?;
    let (sender, taken) = oneshot::channel();
    // It ends by itself even if nobody waits for it: what it hides in the page is shown again.
    tools.services.tasks.spawn(async move {
        sender.send(page.capture(&Area::Viewport, ImageFormat::Jpeg).await).ok();
    });
    let capture = tokio::time::timeout(PICTURE_LIMIT, taken).await.ok()?.ok()?.ok()?;
    if capture.bytes.len() > LARGEST_PICTURE {
        return None;
    }
    let conversation = tools.conversation().clone();
    let kept = tokio::task::spawn_blocking(move || conversation.keep_picture(&capture.bytes)).await.ok()?;
    kept.inspect_err(|error| tracing::warn!(%error, "the picture of an act can't be kept")).ok()
}
