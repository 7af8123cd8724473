//! Which DevTools methods a CDP client may send, and which of them are checked or need a grant.
//!
//! Owns the list. What is not in it is refused, so that a new method of the browser is refused until somebody has read
//! what it does. Never looks at parameters: `checks` does.

use gstack_protocol::cdp_endpoint::CdpGrant;

/// The treatment of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Passed to the session that it names.
    Pass,
    /// Passed on if its parameters are allowed.
    Check(Check),
    /// gstack answers it.
    Own,
    /// Goes there, or to the browser itself, if the endpoint was created with this grant.
    Grant(CdpGrant),
    Refuse,
}

/// A check of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// `url` is opened.
    Navigate,
    /// `entryId` is opened.
    HistoryEntry,
    /// `url` replaces that of a request, if it is given.
    Request,
    /// `files` are given to the page.
    Upload,
    /// `data.files` are dropped on the page.
    Drop,
    /// `urls`, or the page's own, are of the tab's site.
    ReadCookies,
    /// `url` or `domain` is of the tab's site.
    WriteCookie,
    /// The same of each of `cookies`.
    WriteCookies,
    /// `handle` came in an earlier reply.
    Stream,
    /// `source` runs in later documents, of web pages only.
    Plant,
    /// `identifier` came in a reply to this client.
    Unplant,
    /// `scriptToEvaluateOnLoad` is as `source` of `Plant`.
    Reload,
    /// `name` is not gstack's own.
    Bind,
    /// This client added `name`.
    Unbind,
}

/// Methods that are not like the rest of their domain.
const SPECIAL: [(&str, Rule); 40] = [
    ("Page.navigate", Rule::Check(Check::Navigate)),
    ("Page.navigateToHistoryEntry", Rule::Check(Check::HistoryEntry)),
    ("Page.addScriptToEvaluateOnNewDocument", Rule::Check(Check::Plant)),
    ("Page.removeScriptToEvaluateOnNewDocument", Rule::Check(Check::Unplant)),
    ("Page.reload", Rule::Check(Check::Reload)),
    ("Runtime.addBinding", Rule::Check(Check::Bind)),
    ("Runtime.removeBinding", Rule::Check(Check::Unbind)),
    ("Page.bringToFront", Rule::Own),
    ("Page.close", Rule::Own),
    ("Page.setDownloadBehavior", Rule::Own),
    ("Fetch.continueRequest", Rule::Check(Check::Request)),
    ("DOM.setFileInputFiles", Rule::Check(Check::Upload)),
    // Tells the path of a file that the person has chosen.
    ("DOM.getFileInfo", Rule::Refuse),
    ("Input.dispatchDragEvent", Rule::Check(Check::Drop)),
    ("Network.getCookies", Rule::Check(Check::ReadCookies)),
    ("Network.setCookie", Rule::Check(Check::WriteCookie)),
    ("Network.deleteCookies", Rule::Check(Check::WriteCookie)),
    ("Network.setCookies", Rule::Check(Check::WriteCookies)),
    ("Network.getAllCookies", Rule::Grant(CdpGrant::Cookies)),
    ("Network.clearBrowserCookies", Rule::Grant(CdpGrant::Cookies)),
    ("Storage.getCookies", Rule::Grant(CdpGrant::Cookies)),
    ("Storage.setCookies", Rule::Grant(CdpGrant::Cookies)),
    ("Storage.clearCookies", Rule::Grant(CdpGrant::Cookies)),
    ("Browser.grantPermissions", Rule::Grant(CdpGrant::Permissions)),
    ("Browser.setPermission", Rule::Grant(CdpGrant::Permissions)),
    ("Browser.resetPermissions", Rule::Grant(CdpGrant::Permissions)),
    ("IO.read", Rule::Check(Check::Stream)),
    ("IO.close", Rule::Check(Check::Stream)),
    ("Target.setAutoAttach", Rule::Own),
    ("Target.setDiscoverTargets", Rule::Own),
    ("Target.getTargets", Rule::Own),
    ("Target.getTargetInfo", Rule::Own),
    ("Target.getBrowserContexts", Rule::Own),
    ("Target.createBrowserContext", Rule::Own),
    ("Target.disposeBrowserContext", Rule::Own),
    ("Target.createTarget", Rule::Own),
    ("Target.closeTarget", Rule::Own),
    ("Target.activateTarget", Rule::Own),
    ("Target.attachToTarget", Rule::Own),
    ("Target.detachFromTarget", Rule::Own),
];

/// Methods that gstack answers for the browser.
const OF_BROWSER: [&str; 6] = [
    "Browser.getVersion",
    "Browser.close",
    "Browser.setDownloadBehavior",
    "Browser.getWindowForTarget",
    "Browser.getWindowBounds",
    "Browser.setWindowBounds",
];

/// Domains whose state is that of one session, and that reach nothing beyond its page.
const WHOLE: [&str; 18] = [
    "Accessibility",
    "Animation",
    "Audits",
    "CSS",
    "Console",
    "DOM",
    "DOMDebugger",
    "DOMSnapshot",
    "Debugger",
    "EventBreakpoints",
    "Input",
    "Inspector",
    "LayerTree",
    "Log",
    "Overlay",
    "Performance",
    "PerformanceTimeline",
    "Runtime",
];

/// Domains of which only these methods stay within the page.
const PARTS: [(&str, &[&str]); 6] = [
    (
        "Page",
        &[
            "captureScreenshot",
            "captureSnapshot",
            "createIsolatedWorld",
            "disable",
            "enable",
            "getAppId",
            "getAppManifest",
            "getFrameTree",
            "getInstallabilityErrors",
            "getLayoutMetrics",
            "getNavigationHistory",
            "getOriginTrials",
            "getPermissionsPolicyState",
            "getResourceContent",
            "getResourceTree",
            "handleJavaScriptDialog",
            "printToPDF",
            "resetNavigationHistory",
            "screencastFrameAck",
            "searchInResource",
            "setBypassCSP",
            "setDocumentContent",
            "setFontFamilies",
            "setFontSizes",
            "setInterceptFileChooserDialog",
            "setLifecycleEventsEnabled",
            "setWebLifecycleState",
            "startScreencast",
            "stopLoading",
            "stopScreencast",
            "waitForDebugger",
        ],
    ),
    (
        "Network",
        &[
            "canClearBrowserCache",
            "canClearBrowserCookies",
            "canEmulateNetworkConditions",
            "disable",
            "emulateNetworkConditions",
            "emulateNetworkConditionsByRule",
            "enable",
            "getRequestPostData",
            "getResponseBody",
            "getSecurityIsolationStatus",
            "overrideNetworkState",
            "searchInResponseBody",
            "setAcceptedEncodings",
            "clearAcceptedEncodingsOverride",
            "setAttachDebugStack",
            "setBlockedURLs",
            "setBypassServiceWorker",
            "setCacheDisabled",
            "setExtraHTTPHeaders",
            "setUserAgentOverride",
            "streamResourceContent",
        ],
    ),
    (
        "Fetch",
        &[
            "continueResponse",
            "continueWithAuth",
            "disable",
            "enable",
            "failRequest",
            "fulfillRequest",
            "getResponseBody",
            "takeResponseBodyAsStream",
        ],
    ),
    (
        "Emulation",
        &[
            "canEmulate",
            "clearDeviceMetricsOverride",
            "clearGeolocationOverride",
            "clearIdleOverride",
            "resetPageScaleFactor",
            "setAutoDarkModeOverride",
            "setAutomationOverride",
            "setCPUThrottlingRate",
            "setDefaultBackgroundColorOverride",
            "setDeviceMetricsOverride",
            "setDisabledImageTypes",
            "setEmitTouchEventsForMouse",
            "setEmulatedMedia",
            "setEmulatedVisionDeficiency",
            "setFocusEmulationEnabled",
            "setGeolocationOverride",
            "setHardwareConcurrencyOverride",
            "setIdleOverride",
            "setLocaleOverride",
            "setNavigatorOverrides",
            "setPageScaleFactor",
            "setScriptExecutionDisabled",
            "setScrollbarsHidden",
            "setTimezoneOverride",
            "setTouchEmulationEnabled",
            "setUserAgentOverride",
        ],
    ),
    ("Security", &["disable", "enable"]),
    ("Memory", &["getDOMCounters"]),
];

/// Returns what becomes of a method.
pub(super) fn rule(method: &str) -> Rule {
    if let Some((_, rule)) = SPECIAL.iter().find(|(known, _)| *known == method) {
        return *rule;
    }
    if OF_BROWSER.contains(&method) {
        return Rule::Own;
    }
    let Some((domain, name)) = method.split_once('.') else { return Rule::Refuse };
    if matches!(domain, "Tracing" | "SystemInfo" | "Profiler" | "HeapProfiler") {
        return Rule::Grant(CdpGrant::Profiling);
    }
    let in_part = || PARTS.iter().any(|(part, names)| *part == domain && names.contains(&name));
    if WHOLE.contains(&domain) || in_part() { Rule::Pass } else { Rule::Refuse }
}

/// Returns true for a granted method that is sent to the browser itself.
pub(super) fn is_of_browser(method: &str) -> bool {
    ["Storage.", "Browser.", "SystemInfo."].iter().any(|domain| method.starts_with(domain))
}

#[cfg(test)]
mod tests {
    use super::{Check, Rule, rule};
    use gstack_protocol::cdp_endpoint::CdpGrant;

    #[test]
    fn what_reaches_beyond_the_tabs_is_refused() {
        for method in [
            "Target.exposeDevToolsProtocol",
            "Target.attachToBrowserTarget",
            "Target.sendMessageToTarget",
            "Target.setRemoteLocations",
            "Target.autoAttachRelated",
            "Target.openDevTools",
            "Browser.crash",
            "Browser.executeBrowserCommand",
            "Browser.setDockTile",
            "Browser.addPrivacySandboxEnrollmentOverride",
            "Extensions.loadUnpacked",
            "Extensions.getStorageItems",
            "Storage.clearDataForOrigin",
            "Storage.getUsageAndQuota",
            "IndexedDB.requestData",
            "CacheStorage.requestEntries",
            "DOMStorage.getDOMStorageItems",
            "FileSystem.getDirectory",
            "ServiceWorker.unregister",
            "Network.loadNetworkResource",
            "Network.clearBrowserCache",
            "Page.crash",
            "Page.setAdBlockingEnabled",
            "Emulation.addScreen",
            "Security.setIgnoreCertificateErrors",
            "Memory.simulatePressureNotification",
            "IO.resolveBlob",
            "Tethering.bind",
            "Cast.enable",
            "PWA.install",
            "Autofill.trigger",
            "DOM.getFileInfo",
            "nonsense",
            "",
            ".",
            "page.navigate",
            "Page.navigate ",
            "Page..enable",
        ] {
            assert_eq!(rule(method), Rule::Refuse, "{method}");
        }
    }

    #[test]
    fn what_clients_need_passes_or_is_checked() {
        for method in ["Runtime.evaluate", "Page.enable", "Network.enable", "Fetch.enable", "DOM.getDocument"] {
            assert_eq!(rule(method), Rule::Pass, "{method}");
        }
        assert_eq!(rule("DOM.setFileInputFiles"), Rule::Check(Check::Upload));
        assert_eq!(rule("Network.getAllCookies"), Rule::Grant(CdpGrant::Cookies));
        assert_eq!(rule("HeapProfiler.takeHeapSnapshot"), Rule::Grant(CdpGrant::Profiling));
        assert_eq!(rule("Target.createTarget"), Rule::Own);
    }
}
