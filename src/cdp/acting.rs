//! Which DevTools methods act in a page. A client that is paused, because the person took over, may send none of them.
//!
//! Owns the list. It names what only observes, or what would hold the person up in their own page: anything else acts.

/// Domains of which no method that `allowed` lets through changes a page's content or presses anything. Requests that the
/// client holds back pass: the person's own would wait for it.
const OBSERVING: [&str; 17] = [
    "Accessibility",
    "Animation",
    "Audits",
    "Browser",
    "Console",
    "DOMSnapshot",
    "EventBreakpoints",
    "Fetch",
    "IO",
    "Inspector",
    "LayerTree",
    "Log",
    "Memory",
    "Network",
    "Performance",
    "PerformanceTimeline",
    "Security",
];

/// Methods of other domains that do not act.
const ALSO: [&str; 31] = [
    "Debugger.disable",
    "Debugger.enable",
    "Debugger.getScriptSource",
    "Debugger.resume",
    "Debugger.setSkipAllPauses",
    "DOM.describeNode",
    "DOM.disable",
    "DOM.enable",
    "DOM.querySelector",
    "DOM.querySelectorAll",
    "DOM.requestNode",
    "DOM.resolveNode",
    "DOMDebugger.getEventListeners",
    "CSS.disable",
    "CSS.enable",
    "Page.bringToFront",
    "Page.captureScreenshot",
    "Page.captureSnapshot",
    "Page.createIsolatedWorld",
    "Page.disable",
    "Page.enable",
    "Page.printToPDF",
    "Page.screencastFrameAck",
    "Page.setLifecycleEventsEnabled",
    "Page.startScreencast",
    "Page.stopScreencast",
    "Runtime.addBinding",
    "Runtime.disable",
    "Runtime.enable",
    "Runtime.releaseObject",
    "Runtime.releaseObjectGroup",
];

/// Returns true for a method that a paused client may not send.
pub(super) fn acts(method: &str) -> bool {
    let Some((domain, name)) = method.split_once('.') else { return true };
    match domain {
        "Target" => matches!(name, "createTarget" | "closeTarget"),
        "CSS" | "DOM" | "Page" if name.starts_with("get") => false,
        // It resumes a page that waits to be set up, which the person would wait for.
        "Runtime" if name == "runIfWaitingForDebugger" => false,
        _ => !OBSERVING.contains(&domain) && !ALSO.contains(&method),
    }
}

#[cfg(test)]
mod tests {
    use super::acts;

    #[test]
    fn whatever_presses_runs_or_navigates_acts() {
        for method in [
            "Input.dispatchMouseEvent",
            "Input.insertText",
            "Runtime.evaluate",
            "Runtime.callFunctionOn",
            "Runtime.runScript",
            "Runtime.getProperties",
            "Debugger.evaluateOnCallFrame",
            "Debugger.setBreakpoint",
            "DOM.setFileInputFiles",
            "DOM.setOuterHTML",
            "DOM.removeNode",
            "DOM.focus",
            "CSS.setStyleTexts",
            "Page.navigate",
            "Page.navigateToHistoryEntry",
            "Page.reload",
            "Page.setDocumentContent",
            "Page.handleJavaScriptDialog",
            "Page.close",
            "Page.addScriptToEvaluateOnNewDocument",
            "Emulation.setDeviceMetricsOverride",
            "Target.createTarget",
            "Target.closeTarget",
            "nonsense",
        ] {
            assert!(acts(method), "{method}");
        }
    }

    #[test]
    fn a_paused_client_may_look_and_lets_the_persons_requests_through() {
        for method in [
            "Page.captureScreenshot",
            "Page.getFrameTree",
            "DOM.getDocument",
            "CSS.getComputedStyleForNode",
            "Accessibility.getFullAXTree",
            "Fetch.continueRequest",
            "Network.enable",
            "Target.getTargets",
            "Target.setAutoAttach",
            "Runtime.runIfWaitingForDebugger",
            "Debugger.resume",
        ] {
            assert!(!acts(method), "{method}");
        }
    }
}
