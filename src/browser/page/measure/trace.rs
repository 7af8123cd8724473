//! A trace of the browser while it works on a page.
//!
//! Owns the categories, and the trace in progress. The events are streamed in parts as the browser's JSON, never held
//! as a whole. Never decides which events to keep.

use super::under_way::TraceOptions;
use crate::cdp::CdpError;
use crate::events::Subscription;
use crate::overrides::PersistentOverride;
use crate::page::error::PageError;
use crate::page::page::{Page, lock};
use crate::page::script::{LIMIT, call, tell};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::timeout;

const COLLECTED: &str = "Tracing.dataCollected";
const COMPLETE: &str = "Tracing.tracingComplete";
/// The categories of DevTools' own Performance panel.
const CATEGORIES: [&str; 13] = [
    "devtools.timeline",
    "v8.execute",
    "v8",
    "blink.console",
    "blink.user_timing",
    "loading",
    "latencyInfo",
    "benchmark",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-v8.cpu_profiler",
    "disabled-by-default-lighthouse",
];
const PICTURES: &str = "disabled-by-default-devtools.screenshot";
/// Of an element's id or class, in characters.
const LONGEST_NAME: usize = 60;
/// The longest time between two parts of a trace. The browser needs a while to collect them.
const PART_LIMIT: Duration = Duration::from_secs(60);

/// The events of a finished trace being streamed.
pub struct TraceEvents {
    pub options: TraceOptions,
    events: Subscription,
    /// The browser's buffer was too small: the newest events are missing.
    pub is_cut: bool,
}

#[derive(Deserialize)]
struct Collected {
    value: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Complete {
    #[serde(default)]
    data_loss_occurred: bool,
}

impl Page {
    /// Starts a trace. Returns false if the browser is tracing already.
    pub async fn start_trace(&self, options: TraceOptions) -> Result<bool, PageError> {
        let mut categories: Vec<&str> = CATEGORIES.to_vec();
        if options.pictures {
            categories.push(PICTURES);
        }
        let config = json!({ "recordMode": "recordUntilFull", "includedCategories": categories,
            "excludedCategories": ["*"] });
        let params = json!({ "transferMode": "ReportEvents", "traceConfig": config });
        match self.session().call_json("Tracing.start", &params, LIMIT).await {
            Ok(_) => {}
            Err(CdpError::Protocol { message, .. }) if message.contains("already") => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        *lock(&self.memory.measured.trace) = Some((options, self.keep_attached()?));
        Ok(true)
    }

    /// Ends the trace when the guard is dropped, unless it has ended by then; its events are lost.
    pub fn ends_trace(&self) -> EndsTrace<'_> {
        EndsTrace(self)
    }

    /// Returns the options of the trace in progress, or `None`.
    pub fn trace(&self) -> Option<TraceOptions> {
        lock(&self.memory.measured.trace).as_ref().map(|(options, _)| *options)
    }

    /// Describes an element of the main document that a trace names: `<img id="logo">`. `None` if it is gone.
    pub async fn element_of_node(&self, node: i64) -> Option<String> {
        #[derive(Deserialize)]
        struct Described {
            node: Node,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Node {
            local_name: String,
            /// Names and values in turn.
            #[serde(default)]
            attributes: Vec<String>,
        }
        let described: Described =
            call(self.session(), "DOM.describeNode", &json!({ "backendNodeId": node })).await.ok()?;
        let Node { local_name, attributes } = described.node;
        let named = attributes.chunks_exact(2).filter(|pair| matches!(pair[0].as_str(), "id" | "class"));
        let named: String = named
            .map(|pair| format!(" {}=\"{}\"", pair[0], pair[1].chars().take(LONGEST_NAME).collect::<String>()))
            .collect();
        (!local_name.is_empty()).then(|| format!("<{local_name}{named}>"))
    }

    /// Stops the trace and returns the stream of its events; `None` if none was in progress.
    pub async fn stop_trace(&self) -> Result<Option<TraceEvents>, PageError> {
        let Some((options, _kept)) = lock(&self.memory.measured.trace).take() else { return Ok(None) };
        let events = self.session().subscribe(&[COLLECTED, COMPLETE]);
        tell(self.session(), "Tracing.end", &json!({})).await?;
        Ok(Some(TraceEvents { options, events, is_cut: false }))
    }
}

/// Ends an abandoned trace.
pub struct EndsTrace<'a>(&'a Page);

impl Drop for EndsTrace<'_> {
    fn drop(&mut self) {
        if lock(&self.0.memory.measured.trace).take().is_some() {
            self.0.session().post(PersistentOverride::new("Tracing.end", json!({})));
        }
    }
}

impl TraceEvents {
    /// Returns the next events, each as its JSON; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<Box<RawValue>>>, PageError> {
        let lost = || PageError::Timeout { what: "the browser's trace".to_owned(), after: PART_LIMIT };
        loop {
            let event = timeout(PART_LIMIT, self.events.next()).await.map_err(|_| lost())?;
            let event = event.ok_or_else(|| PageError::Unreadable("the trace ended early".to_owned()))?;
            if self.events.missed() > 0 {
                return Err(PageError::Unreadable("the trace came faster than it could be written".to_owned()));
            }
            if event.method() == COLLECTED {
                let Some(Collected { value }) = event.read() else { continue };
                return Ok(Some(value));
            }
            self.is_cut = event.read::<Complete>().is_some_and(|complete| complete.data_loss_occurred);
            return Ok(None);
        }
    }
}
