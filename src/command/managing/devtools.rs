//! The `cdp` and `memory` commands.

use crate::core::{Arguments, Context, Output, everyday, wrong};
use crate::reading::pretty;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TIMEOUT, TabUse,
    ValueType, Verb, Writes, parameter, phrase,
};
use gstack_browser::cdp::CdpError;
use gstack_browser::error::BrowserError;
use gstack_browser::page::MemoryReport;
use gstack_browser::page::journal::RING;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};
use std::time::Duration;

const CALL_LIMIT: Duration = Duration::from_secs(30);

/// The allowed methods: reading, measuring and emulation. None that run scripts, navigate, read files, attach to other
/// targets or end anything: for those, there are commands with their own checks, or none.
const ALLOWED: [&str; 45] = [
    "Accessibility.getFullAXTree",
    "Accessibility.getPartialAXTree",
    "Accessibility.queryAXTree",
    "Animation.getPlaybackRate",
    "Animation.setPlaybackRate",
    "Audits.getEncodedResponse",
    "Browser.getVersion",
    "Browser.getWindowForTarget",
    "CSS.getBackgroundColors",
    "CSS.getComputedStyleForNode",
    "CSS.getMatchedStylesForNode",
    "CSS.getMediaQueries",
    "CSS.getPlatformFontsForNode",
    "CSS.getStyleSheetText",
    "DOM.describeNode",
    "DOM.getAttributes",
    "DOM.getBoxModel",
    "DOM.getContentQuads",
    "DOM.getDocument",
    "DOM.getNodeForLocation",
    "DOM.getOuterHTML",
    "DOM.performSearch",
    "DOM.querySelector",
    "DOM.querySelectorAll",
    "DOMSnapshot.captureSnapshot",
    "Emulation.setCPUThrottlingRate",
    "Emulation.setEmulatedMedia",
    "Emulation.setEmulatedVisionDeficiency",
    "Emulation.setGeolocationOverride",
    "Emulation.setLocaleOverride",
    "Emulation.setScrollbarsHidden",
    "Emulation.setTimezoneOverride",
    "Emulation.setTouchEmulationEnabled",
    "Memory.getDOMCounters",
    "Network.emulateNetworkConditions",
    "Network.getSecurityIsolationStatus",
    "Network.setCacheDisabled",
    "Page.getAppManifest",
    "Page.getFrameTree",
    "Page.getInstallabilityErrors",
    "Page.getLayoutMetrics",
    "Page.getNavigationHistory",
    "Performance.getMetrics",
    "Runtime.getHeapUsage",
    "SystemInfo.getProcessInfo",
];
/// These are about the browser, not a page.
const OF_BROWSER: [&str; 2] = ["Browser.getVersion", "SystemInfo.getProcessInfo"];

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "cdp",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Secret,
        parameters: &[
            parameter("method", true, Kind::Text, ValueType::Choice, "Domain.method"),
            parameter("json", false, Kind::Rest, ValueType::Secret, "The method's parameters as a JSON object"),
        ],
        flags: &[TIMEOUT],
        summary: "Send a DevTools command",
        details: "Allows only methods that read, measure or emulate; for any other, lists those.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Devtools),
        everyday: Everyday::Depends(everyday::closed_domain),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Run, "the DevTools command {method}")],
        output: "JSON",
        data: "unknown",
        run: |context, arguments| Box::pin(cdp(context, arguments)),
    },
    Spec {
        name: "memory",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "Show how much memory gstack, the browser and its tabs use",
        details: "Measures only tabs that commands have worked in.",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Devtools),
        everyday: Everyday::Refused(NotEveryday {
            why: everyday::ITS_PROCESSES,
            instead: "See the browser's own task manager.",
        }),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Measure, "the memory")],
        output: "a table",
        data: "{host: number | null, processes: [{pid: number, kind: string, resident: number | null}], tabs: [{tab: number, heap: number | null, console: number, requests: number}]}",
        run: |context, _| Box::pin(memory(context)),
    },
];

async fn cdp(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let method = arguments.required("method")?;
    let limit = arguments.timeout(CALL_LIMIT)?;
    let Some(method) = ALLOWED.iter().find(|allowed| **allowed == method) else { return Err(refused(&method)) };
    let params = match arguments.text("json") {
        None => json!({}),
        Some(text) => match serde_json::from_str::<Value>(&text) {
            Ok(params @ Value::Object(_)) => params,
            Ok(_) | Err(_) => {
                return Err(wrong(format!("Invalid JSON: {text:?} is not an object")));
            }
        },
    };
    let reply = if OF_BROWSER.contains(method) {
        context.browser.root().call_json(*method, &params, limit).await
    } else {
        let page = context.page().await?;
        page.session().call_json(*method, &params, limit).await
    };
    // The caller has to fix what the browser rejects.
    let reply = reply.map_err(|error| {
        let message = error.to_string();
        match BrowserError::from(error) {
            BrowserError::Cdp(CdpError::Protocol { .. }) => Fault::new(FaultCode::BadRequest, message)
                .hint("Check the parameters: https://chromedevtools.github.io/devtools-protocol/"),
            other => other.into(),
        }
    })?;
    Ok(Output::text(pretty(&reply)?).data(reply))
}

fn refused(method: &str) -> Fault {
    let domain = method.split_once('.').map_or(method, |(domain, _)| domain);
    let of_domain: Vec<&str> =
        ALLOWED.iter().copied().filter(|allowed| allowed.split_once('.').is_some_and(|(of, _)| of == domain)).collect();
    let list = if of_domain.is_empty() { ALLOWED.join(", ") } else { of_domain.join(", ") };
    Fault::new(FaultCode::Forbidden, format!("{method} is not allowed")).hint(format!("Allowed: {list}"))
}

async fn memory(context: &Context) -> Result<Output, Fault> {
    let report = context.pages.memory(&context.browser).await?;
    Ok(Output::text(table(&report)).data(json!(report)))
}

fn table(report: &MemoryReport) -> String {
    let mut rows = vec![("gstack".to_owned(), size(report.host))];
    let known: Vec<u64> = report.processes.iter().filter_map(|process| process.resident).collect();
    rows.push(("browser, all processes".to_owned(), size((!known.is_empty()).then(|| known.iter().sum()))));
    for process in &report.processes {
        rows.push((format!("  {} (pid {})", process.kind, process.pid), size(process.resident)));
    }
    for tab in &report.tabs {
        let heap = match tab.heap {
            Some(_) => size(tab.heap),
            None => "does not answer".to_owned(),
        };
        let buffers = format!("console {}/{RING}, requests {}/{RING}", tab.console, tab.requests);
        rows.push((format!("tab {}: JS heap", tab.tab), format!("{heap}  ({buffers})")));
    }
    let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or_default();
    let lines: Vec<String> = rows.iter().map(|(left, right)| format!("{left:<width$}  {right}")).collect();
    lines.join("\n")
}

/// Formats `12.3 MB`.
fn size(bytes: Option<u64>) -> String {
    match bytes {
        // Megabytes with one decimal: the loss of precision is far smaller.
        Some(bytes) => format!("{:.1} MB", bytes as f64 / 1_000_000.0),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED, refused};

    #[test]
    fn nothing_that_acts_is_allowed() {
        for method in [
            "Runtime.evaluate",
            "Page.navigate",
            "Target.attachToTarget",
            "Browser.close",
            "IO.read",
            "Storage.getCookies",
        ] {
            assert!(!ALLOWED.contains(&method), "{method}");
        }
        assert!(ALLOWED.is_sorted());
        assert_eq!(refused("Memory.prepareForLeakDetection").hint.unwrap(), "Allowed: Memory.getDOMCounters");
    }
}
