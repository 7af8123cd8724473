//! Memory use of a browser and of our own records about it.
//!
//! Owns the measurement. Sends commands only to engaged tabs.

use crate::browser::Browser;
use crate::error::BrowserError;
use crate::page::page::Pages;
use crate::tab::Tab;
use futures_util::future::join_all;
use gstack_protocol::ids::TabId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

/// A hung page must not delay the other results.
const LIMIT: Duration = Duration::from_secs(2);

/// One process of the browser.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BrowserProcess {
    pub pid: u32,
    /// `browser`, `renderer`, `GPU` …
    pub kind: String,
    /// Resident memory in bytes; `None` if the system does not report it.
    pub resident: Option<u64>,
}

/// One engaged tab.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TabMemory {
    pub tab: TabId,
    /// Bytes of JavaScript objects; `None` for a page that does not answer.
    pub heap: Option<u64>,
    /// The number of remembered console messages.
    pub console: usize,
    /// The number of remembered requests.
    pub requests: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryReport {
    /// Our own process, in bytes.
    pub host: Option<u64>,
    pub processes: Vec<BrowserProcess>,
    pub tabs: Vec<TabMemory>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    process_info: Vec<Process>,
}

#[derive(Deserialize)]
struct Process {
    id: u32,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Heap {
    used_size: f64,
}

impl Pages {
    /// Measures this process, the browser's processes and its engaged tabs.
    ///
    /// # Errors
    ///
    /// Fails if the browser does not answer. What cannot be measured is left out.
    pub async fn memory(&self, browser: &Browser) -> Result<MemoryReport, BrowserError> {
        let reply = browser.root().call_json("SystemInfo.getProcessInfo", &json!({}), LIMIT).await?;
        let processes = match serde_json::from_value::<Processes>(reply) {
            Ok(found) => found.process_info,
            Err(error) => {
                tracing::warn!(%error, "the browser's list of processes can't be read");
                Vec::new()
            }
        };
        let tabs = browser.tabs().into_iter().filter_map(|info| browser.tab(info.id).ok()).filter(Tab::is_engaged);
        let tabs = join_all(tabs.map(|tab| self.of_tab(tab))).await;
        let processes = processes.into_iter().map(|process| BrowserProcess {
            pid: process.id,
            resident: resident(&process.id.to_string()),
            kind: process.kind,
        });
        Ok(MemoryReport { host: resident("self"), processes: processes.collect(), tabs })
    }

    async fn of_tab(&self, tab: Tab) -> TabMemory {
        let heap = match tab.page() {
            Ok(page) => page.call_json("Runtime.getHeapUsage", &json!({}), LIMIT).await.ok(),
            Err(_) => None,
        };
        let heap = heap.and_then(|heap| serde_json::from_value::<Heap>(heap).ok());
        let (console, requests) = self.remembered(tab.id());
        // A heap is far below 2^53 bytes.
        TabMemory { tab: tab.id(), heap: heap.map(|heap| heap.used_size.max(0.0) as u64), console, requests }
    }
}

/// Returns the resident memory in bytes, from Linux's `/proc`. Other systems have no such file.
fn resident(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
