//! The commands of `browser::devtools`, each with all of its fields, compared with the browser's own description of its
//! protocol.

use crate::websocket::Foreign;
use gstack_browser::devtools::emulation::{ClearDeviceMetricsOverride, SetFocusEmulationEnabled, SetScrollbarsHidden};
use gstack_browser::devtools::input::{
    DispatchKeyEvent, DispatchMouseEvent, InsertText, KeyEventType, MouseButton, MouseEventType,
};
use gstack_browser::devtools::page::{
    AddScriptToEvaluateOnNewDocument, CaptureScreenshot, Crash, CreateIsolatedWorld, GetFrameTree, GetLayoutMetrics,
    GetNavigationHistory, HandleJavaScriptDialog, Navigate, NavigateToHistoryEntry, PictureFormat, Reload,
    ScreencastFrameAck, SetLifecycleEventsEnabled, StartScreencast, StopLoading, StopScreencast, Viewport,
};
use gstack_browser::devtools::runtime::{AwaitPromise, CallOn, Evaluate, RunIfWaitingForDebugger, TerminateExecution};
use gstack_browser::devtools::target::{
    ActivateTarget, AttachToTarget, CloseTarget, CreateTarget, DetachFromTarget, FilterEntry, GetBrowserContexts,
    GetTargets, SetAutoAttach, SetDiscoverTargets,
};
use gstack_browser::devtools::{
    Command, browser, dom, fetch, heap_profiler, network, page, runtime, service_worker, web_mcp,
};
use gstack_protocol::ids::TargetId;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn sample<C: Command>(command: C) -> (&'static str, Value) {
    (command.method(), serde_json::to_value(&command).unwrap())
}

fn samples() -> Vec<(&'static str, Value)> {
    let text = || "text".to_owned();
    let header = || fetch::HeaderEntry { name: text(), value: text() };
    let filter = || vec![FilterEntry::only("tab"), FilterEntry::no_others()];
    let target = || TargetId::new("T");
    vec![
        sample(browser::GetVersion {}),
        sample(browser::SetDownloadBehavior {
            behavior: browser::DownloadBehavior::AllowAndName,
            download_path: Some(text()),
            events_enabled: true,
        }),
        sample(browser::CancelDownload { guid: text() }),
        sample(browser::SetPermission {
            permission: browser::PermissionName { name: text() },
            setting: "granted",
            origin: text(),
        }),
        sample(browser::ResetPermissions {}),
        sample(browser::Close {}),
        sample(dom::GetFrameOwner { frame_id: text() }),
        sample(dom::ResolveNode { backend_node_id: 1, execution_context_id: 1 }),
        sample(dom::DescribeNode { object_id: text(), depth: 0 }),
        sample(SetFocusEmulationEnabled { enabled: true }),
        sample(ClearDeviceMetricsOverride {}),
        sample(SetScrollbarsHidden { hidden: true }),
        sample(fetch::Enable {
            patterns: &[fetch::RequestPattern { url_pattern: text() }],
            handle_auth_requests: true,
        }),
        sample(fetch::Disable {}),
        sample(fetch::ContinueRequest { request_id: text(), headers: Some(vec![header()]) }),
        sample(fetch::FulfillRequest {
            request_id: text(),
            response_code: 200,
            response_headers: vec![header()],
            body: text(),
        }),
        sample(fetch::ContinueWithAuth {
            request_id: text(),
            auth_challenge_response: fetch::AuthChallengeResponse {
                response: "ProvideCredentials",
                username: Some(text()),
                password: Some(text()),
            },
        }),
        sample(fetch::FailRequest { request_id: text(), error_reason: fetch::ErrorReason::NameNotResolved }),
        sample(DispatchMouseEvent {
            kind: MouseEventType::MousePressed,
            x: 0.0,
            y: 0.0,
            button: MouseButton::Left,
            buttons: 1,
            click_count: 1,
            modifiers: 8,
            delta_x: Some(1.0),
            delta_y: Some(1.0),
        }),
        sample(DispatchKeyEvent {
            kind: KeyEventType::RawKeyDown,
            modifiers: 0,
            key: text(),
            code: text(),
            windows_virtual_key_code: 0,
            location: 0,
            text: Some(text()),
            unmodified_text: Some(text()),
            commands: Some(vec![text()]),
        }),
        sample(InsertText { text: text() }),
        sample(heap_profiler::Enable {}),
        sample(heap_profiler::Disable {}),
        sample(heap_profiler::TakeHeapSnapshot { report_progress: false }),
        sample(network::Enable {}),
        sample(network::GetResponseBody { request_id: text() }),
        sample(page::Enable {}),
        sample(SetLifecycleEventsEnabled { enabled: true }),
        sample(AddScriptToEvaluateOnNewDocument { source: text(), world_name: Some(text()), run_immediately: true }),
        sample(page::RemoveScriptToEvaluateOnNewDocument { identifier: text() }),
        sample(runtime::CompileScript { expression: text(), source_url: text(), persist_script: false }),
        sample(CreateIsolatedWorld { frame_id: text(), world_name: text() }),
        sample(Navigate { url: text() }),
        sample(NavigateToHistoryEntry { entry_id: 1 }),
        sample(Reload { ignore_cache: true }),
        sample(StopLoading {}),
        sample(GetNavigationHistory {}),
        sample(GetFrameTree {}),
        sample(HandleJavaScriptDialog { accept: true, prompt_text: Some(text()) }),
        sample(CaptureScreenshot {
            format: PictureFormat::Webp,
            quality: Some(1),
            clip: Some(Viewport { x: 0.0, y: 0.0, width: 1.0, height: 1.0, scale: 1.0 }),
            capture_beyond_viewport: true,
        }),
        sample(GetLayoutMetrics {}),
        sample(StartScreencast { format: PictureFormat::Jpeg, quality: 1, max_width: 1, max_height: 1 }),
        sample(StopScreencast {}),
        sample(ScreencastFrameAck { session_id: 1 }),
        sample(Crash {}),
        sample(Evaluate {
            expression: text(),
            unique_context_id: Some(text()),
            context_id: Some(1),
            timeout: Some(1),
            ..Evaluate::default()
        }),
        sample(CallOn { object_id: "1", function_declaration: "f", return_by_value: true }),
        sample(AwaitPromise { promise_object_id: "1" }),
        sample(runtime::Enable {}),
        sample(RunIfWaitingForDebugger {}),
        sample(TerminateExecution {}),
        sample(service_worker::Enable {}),
        sample(service_worker::Disable {}),
        sample(service_worker::StopWorker { version_id: text() }),
        sample(web_mcp::Enable {}),
        sample(web_mcp::Disable {}),
        sample(web_mcp::InvokeTool { frame_id: text(), tool_name: text(), input: json!({}) }),
        sample(web_mcp::CancelInvocation { invocation_id: text() }),
        sample(GetTargets { filter: Some(filter()) }),
        sample(GetBrowserContexts {}),
        sample(SetDiscoverTargets { discover: true, filter: filter() }),
        sample(AttachToTarget::new("T")),
        sample(DetachFromTarget { session_id: text().into() }),
        sample(SetAutoAttach::waiting().filter(filter())),
        sample(CreateTarget { url: text(), background: true, for_tab: true }),
        sample(ActivateTarget { target_id: target() }),
        sample(CloseTarget { target_id: target() }),
    ]
}

/// The browser's own description of its protocol.
struct Description(Value);

impl Description {
    async fn of(address: &str) -> Self {
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET /json/protocol HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        // It keeps the connection open, so the content length marks the end.
        let mut answer = Vec::new();
        let body = loop {
            let text = String::from_utf8_lossy(&answer);
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head
                    .lines()
                    .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
                if length.is_some_and(|length: usize| body.len() >= length) {
                    break body.to_owned();
                }
            }
            drop(text);
            assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "cut off after {} bytes", answer.len());
        };
        Self(serde_json::from_str(&body).unwrap())
    }

    fn domain(&self, name: &str) -> &Value {
        let domains = self.0["domains"].as_array().unwrap();
        domains.iter().find(|domain| domain["domain"] == name).unwrap_or_else(|| panic!("no domain {name}"))
    }

    fn command(&self, method: &str) -> &Value {
        let (domain, name) = method.split_once('.').unwrap();
        let commands = self.domain(domain)["commands"].as_array().unwrap();
        commands.iter().find(|command| command["name"] == name).unwrap_or_else(|| panic!("no command {method}"))
    }

    /// Returns a type by its name; `domain` is where the name is used.
    fn named<'a>(&'a self, domain: &'a str, name: &'a str) -> (&'a str, &'a Value) {
        let (domain, name) = name.split_once('.').unwrap_or((domain, name));
        let types = self.domain(domain)["types"].as_array().unwrap();
        (domain, types.iter().find(|known| known["id"] == name).unwrap_or_else(|| panic!("no type {domain}.{name}")))
    }

    /// Fails unless `value` is of the type.
    fn check(&self, place: &str, domain: &str, wanted: &Value, value: &Value) {
        if let Some(name) = wanted["$ref"].as_str() {
            let (domain, wanted) = self.named(domain, name);
            return self.check(place, domain, wanted, value);
        }
        let fits = match wanted["type"].as_str().unwrap() {
            "string" | "binary" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("{place}: a type {other} is not known here"),
        };
        assert!(fits, "{place}: {value} is no {wanted}");
        if let Some(words) = wanted["enum"].as_array() {
            assert!(words.contains(value), "{place}: {value} is none of {words:?}");
        }
        for item in value.as_array().into_iter().flatten() {
            self.check(place, domain, &wanted["items"], item);
        }
        if let (Some(fields), Some(known)) = (value.as_object(), wanted["properties"].as_array()) {
            self.check_fields(place, domain, known, fields);
        }
    }

    fn check_fields(&self, place: &str, domain: &str, known: &[Value], fields: &serde_json::Map<String, Value>) {
        for (name, value) in fields {
            let place = format!("{place}.{name}");
            let wanted = known.iter().find(|known| known["name"] == name.as_str());
            self.check(&place, domain, wanted.unwrap_or_else(|| panic!("{place} is not known")), value);
        }
        for wanted in known.iter().filter(|known| known["optional"] != true) {
            let name = wanted["name"].as_str().unwrap();
            assert!(fields.contains_key(name), "{place} lacks {name}");
        }
    }
}

#[tokio::test]
async fn every_command_is_one_of_the_browser_s_own() {
    let foreign = Foreign::start().await;
    let description = Description::of(&foreign.address).await;
    for (method, params) in samples() {
        let (domain, _) = method.split_once('.').unwrap();
        let known = description.command(method)["parameters"].as_array().cloned().unwrap_or_default();
        description.check_fields(method, domain, &known, params.as_object().unwrap());
    }
}

/// The comparison finds a wrong name, a wrong type, a missing field and an unknown enum value.
#[tokio::test]
async fn the_comparison_finds_what_is_wrong() {
    let foreign = Foreign::start().await;
    let description = Description::of(&foreign.address).await;
    let known = description.command("Page.reload")["parameters"].as_array().cloned().unwrap();
    let fails = |params: Value, known: &[Value]| {
        let fields = params.as_object().unwrap().clone();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            description.check_fields("it", "Page", known, &fields);
        }))
        .is_err()
    };
    assert!(!fails(json!({ "ignoreCache": true }), &known));
    assert!(fails(json!({ "ignore_cache": true }), &known));
    assert!(fails(json!({ "ignoreCache": "yes" }), &known));
    let known = description.command("Page.captureScreenshot")["parameters"].as_array().cloned().unwrap();
    assert!(fails(json!({ "format": "bmp" }), &known));
    assert!(fails(json!({ "clip": { "x": 1 } }), &known));
}
