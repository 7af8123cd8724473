//! Which DevTools commands a paused client may send: the person took over, so it may look, and do nothing.
//!
//! Owns the table. It names what only observes, or what would hold the person up in their own page: anything else acts, as does
//! a method that a new browser adds. A held request of the page may go on only as the page made it.

use super::message;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The effect of a command while its client is paused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// It passes.
    Observes,
    /// It is refused.
    Acts,
    /// It is refused, since it would answer or change a held request. So that the page does not wait for ever, gstack sends
    /// this in its place: the request goes on as the page made it.
    Rewrites { method: &'static str, params: Value },
}

/// The methods of a domain that only observe.
enum Observing {
    /// All that `allowed` lets through.
    All,
    /// Those whose names begin with `get`, and these.
    GettersAnd(&'static [&'static str]),
    These(&'static [&'static str]),
}

use Observing::{All, GettersAnd, These};

const DOMAINS: [(&str, Observing); 23] = [
    ("Accessibility", All),
    ("Animation", GettersAnd(&["disable", "enable", "resolveAnimation"])),
    ("Audits", All),
    ("Browser", GettersAnd(&["close", "setWindowBounds"])),
    ("CSS", GettersAnd(&["disable", "enable"])),
    ("Console", All),
    (
        "DOM",
        GettersAnd(&[
            "describeNode",
            "disable",
            "enable",
            "querySelector",
            "querySelectorAll",
            "requestNode",
            "resolveNode",
        ]),
    ),
    ("DOMDebugger", These(&["getEventListeners"])),
    ("DOMSnapshot", All),
    ("Debugger", These(&["disable", "enable", "getScriptSource", "resume", "setSkipAllPauses"])),
    ("EventBreakpoints", These(&["disable", "removeInstrumentationBreakpoint"])),
    // The methods that let a held request go on are in `HELD`.
    ("Fetch", GettersAnd(&["disable", "enable", "failRequest", "takeResponseBodyAsStream"])),
    ("IO", All),
    ("Inspector", All),
    ("LayerTree", All),
    ("Log", All),
    ("Memory", All),
    (
        "Network",
        GettersAnd(&[
            "canClearBrowserCache",
            "canClearBrowserCookies",
            "canEmulateNetworkConditions",
            "disable",
            "enable",
            "searchInResponseBody",
            "setAttachDebugStack",
            "streamResourceContent",
        ]),
    ),
    (
        "Page",
        GettersAnd(&[
            "bringToFront",
            "captureScreenshot",
            "captureSnapshot",
            "createIsolatedWorld",
            "disable",
            "enable",
            "printToPDF",
            "screencastFrameAck",
            "searchInResource",
            "setLifecycleEventsEnabled",
            "startScreencast",
            "stopScreencast",
        ]),
    ),
    ("Performance", All),
    ("PerformanceTimeline", All),
    // The last one resumes a page that waits to be set up, which the person would wait for.
    (
        "Runtime",
        These(&["addBinding", "disable", "enable", "releaseObject", "releaseObjectGroup", "runIfWaitingForDebugger"]),
    ),
    ("Security", All),
];

/// Methods that let a held request go on, and the parameters that they may have for that. Any other parameter would change
/// the request or its answer.
const HELD: [(&str, &[&str]); 4] = [
    ("Fetch.continueRequest", &["requestId", "interceptResponse"]),
    ("Fetch.continueResponse", &["requestId"]),
    ("Fetch.continueWithAuth", &["requestId", "authChallengeResponse"]),
    ("Fetch.fulfillRequest", &[]),
];

/// Getters for whose answer the page requests its manifest.
const FETCHING: [&str; 3] = ["Page.getAppId", "Page.getAppManifest", "Page.getInstallabilityErrors"];

/// Returns what a command would do.
pub(super) fn effect(method: &str, params: Option<&RawValue>) -> Effect {
    if let Some((method, plain)) = HELD.iter().find(|(known, _)| *known == method) {
        return of_held(method, plain, params);
    }
    let Some((domain, name)) = method.split_once('.').filter(|_| !FETCHING.contains(&method)) else {
        return Effect::Acts;
    };
    let observes = match DOMAINS.iter().find(|(known, _)| *known == domain) {
        _ if domain == "Target" => !matches!(name, "createTarget" | "closeTarget"),
        None => false,
        Some((_, All)) => true,
        Some((_, GettersAnd(names))) => name.starts_with("get") || names.contains(&name),
        Some((_, These(names))) => names.contains(&name),
    };
    if observes { Effect::Observes } else { Effect::Acts }
}

fn of_held(method: &str, plain: &[&str], params: Option<&RawValue>) -> Effect {
    let Ok(params) = message::read(params) else { return Effect::Acts };
    let answers = method == "Fetch.continueWithAuth";
    let is_plain = params.as_object().is_some_and(|fields| fields.keys().all(|field| plain.contains(&field.as_str())));
    // An answer without credentials: the browser asks the person, or the page goes without.
    let is_empty = !answers
        || ["Default", "CancelAuth"]
            .iter()
            .any(|response| params["authChallengeResponse"] == json!({ "response": response }));
    match params["requestId"].as_str() {
        Some(_) if !plain.is_empty() && is_plain && is_empty => Effect::Observes,
        Some(id) if answers => Effect::Rewrites {
            method: "Fetch.continueWithAuth",
            params: json!({ "requestId": id, "authChallengeResponse": { "response": "Default" } }),
        },
        Some(id) => Effect::Rewrites { method: "Fetch.continueRequest", params: json!({ "requestId": id }) },
        None => Effect::Acts,
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, effect};
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    fn of(method: &str, params: &Value) -> Effect {
        effect(method, Some(&to_raw_value(params).unwrap()))
    }

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
            "Storage.setCookies",
            "nonsense",
            "",
            "Fetch.futureMethod",
        ] {
            assert_eq!(effect(method, None), Effect::Acts, "{method}");
        }
    }

    #[test]
    fn whatever_changes_the_persons_requests_permissions_or_downloads_acts() {
        for method in [
            "Network.setCookie",
            "Network.setCookies",
            "Network.deleteCookies",
            "Network.clearBrowserCookies",
            "Network.setExtraHTTPHeaders",
            "Network.setUserAgentOverride",
            "Network.setBlockedURLs",
            "Network.setCacheDisabled",
            "Network.setBypassServiceWorker",
            "Network.setAcceptedEncodings",
            "Network.emulateNetworkConditions",
            "Network.overrideNetworkState",
            "Browser.grantPermissions",
            "Browser.setPermission",
            "Browser.setDownloadBehavior",
            "Page.setDownloadBehavior",
            "Animation.setPlaybackRate",
            "EventBreakpoints.setInstrumentationBreakpoint",
            "Page.getAppManifest",
            "Page.getAppId",
            "Page.getInstallabilityErrors",
        ] {
            assert_eq!(effect(method, None), Effect::Acts, "{method}");
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
            "Fetch.failRequest",
            "Fetch.getResponseBody",
            "Network.enable",
            "Network.getResponseBody",
            "Target.getTargets",
            "Target.setAutoAttach",
            "Runtime.runIfWaitingForDebugger",
            "Debugger.resume",
        ] {
            assert_eq!(effect(method, None), Effect::Observes, "{method}");
        }
        for (method, params) in [
            ("Fetch.continueRequest", json!({ "requestId": "1" })),
            ("Fetch.continueRequest", json!({ "requestId": "1", "interceptResponse": true })),
            ("Fetch.continueResponse", json!({ "requestId": "1" })),
            ("Fetch.continueWithAuth", json!({ "requestId": "1", "authChallengeResponse": { "response": "Default" } })),
            (
                "Fetch.continueWithAuth",
                json!({ "requestId": "1", "authChallengeResponse": { "response": "CancelAuth" } }),
            ),
        ] {
            assert_eq!(of(method, &params), Effect::Observes, "{method} {params}");
        }
    }

    #[test]
    fn a_held_request_that_would_be_changed_goes_on_as_the_page_made_it() {
        let plain = || Effect::Rewrites { method: "Fetch.continueRequest", params: json!({ "requestId": "1" }) };
        for (method, more) in [
            ("Fetch.continueRequest", json!({ "url": "http://a.example/" })),
            ("Fetch.continueRequest", json!({ "method": "POST" })),
            ("Fetch.continueRequest", json!({ "postData": "" })),
            ("Fetch.continueRequest", json!({ "headers": [] })),
            ("Fetch.continueRequest", json!({ "something new": null })),
            ("Fetch.continueResponse", json!({ "responseCode": 200 })),
            ("Fetch.continueResponse", json!({ "responsePhrase": "OK" })),
            ("Fetch.continueResponse", json!({ "responseHeaders": [] })),
            ("Fetch.continueResponse", json!({ "binaryResponseHeaders": "" })),
            ("Fetch.fulfillRequest", json!({})),
            ("Fetch.fulfillRequest", json!({ "responseCode": 200, "body": "" })),
        ] {
            let mut params = more;
            params["requestId"] = json!("1");
            assert_eq!(of(method, &params), plain(), "{method} {params}");
        }
        let auth =
            |answer: Value| of("Fetch.continueWithAuth", &json!({ "requestId": "1", "authChallengeResponse": answer }));
        for answer in [
            json!({ "response": "ProvideCredentials", "username": "ada", "password": "x" }),
            json!({ "response": "Default", "username": "ada" }),
            json!({}),
            json!("Default"),
        ] {
            let said = json!({ "requestId": "1", "authChallengeResponse": { "response": "Default" } });
            assert_eq!(auth(answer), Effect::Rewrites { method: "Fetch.continueWithAuth", params: said });
        }
        // Without a request there is none to let go on.
        for (method, params) in [
            ("Fetch.fulfillRequest", json!({ "responseCode": 200 })),
            ("Fetch.continueRequest", json!({})),
            ("Fetch.continueRequest", json!({ "requestId": 1 })),
            ("Fetch.continueRequest", json!([])),
        ] {
            assert_eq!(of(method, &params), Effect::Acts, "{method} {params}");
        }
    }
}
