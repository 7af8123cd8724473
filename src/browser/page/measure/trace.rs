//! A trace of the browser while it works on a page.
//!
//! Owns the categories, and which trace is under way. The events come as the browser's JSON, a part after the other: nobody
//! holds all of them. Never decides what of them is kept.

use super::under_way::TraceOptions;
use crate::browser::cdp::CdpError;
use crate::browser::events::Subscription;
use crate::browser::page::error::PageError;
use crate::browser::page::page::{Page, lock};
use crate::browser::page::script::{LIMIT, tell};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::timeout;

const COLLECTED: &str = "Tracing.dataCollected";
const COMPLETE: &str = "Tracing.tracingComplete";
/// Those of DevTools' own Performance panel.
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
/// Between two parts of a trace. Gathering them takes the browser a while.
const PART_LIMIT: Duration = Duration::from_secs(60);

/// The events of a trace that has ended, on their way.
pub struct TraceEvents {
    pub options: TraceOptions,
    events: Subscription,
    /// The browser's own room was too small: the newest are missing.
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
    /// Begins a trace. False if the browser is at one already.
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
        *lock(&self.memory.measured.trace) = Some(options);
        Ok(true)
    }

    /// How the trace under way was begun; `None`: there is none.
    pub fn trace(&self) -> Option<TraceOptions> {
        *lock(&self.memory.measured.trace)
    }

    /// Ends the trace. Its events come from what this returns; `None`: there is none.
    pub async fn stop_trace(&self) -> Result<Option<TraceEvents>, PageError> {
        let Some(options) = lock(&self.memory.measured.trace).take() else { return Ok(None) };
        let events = self.session().subscribe(&[COLLECTED, COMPLETE]);
        tell(self.session(), "Tracing.end", &json!({})).await?;
        Ok(Some(TraceEvents { options, events, is_cut: false }))
    }
}

impl TraceEvents {
    /// The next events, each as its JSON; `None` at the end.
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
