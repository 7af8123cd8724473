//! The commands of `browser::devtools`, each with all of its fields, compared with the browser's own description of its
//! protocol.

use crate::websocket::Foreign;
use gstack_browser::devtools::browser::{self, PermissionSetting, SetDownloadBehaviorBehavior};
use gstack_browser::devtools::fetch::{
    self, AuthChallengeResponse, AuthChallengeResponseResponse, ErrorReason, HeaderEntry,
};
use gstack_browser::devtools::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType, InsertTextParams,
    MouseButton,
};
use gstack_browser::devtools::page::{self, CaptureScreenshotFormat, CaptureScreenshotParams, Viewport};
use gstack_browser::devtools::runtime::{
    self, EvaluateParams, Evaluation, ExecutionContextId, call_on, evaluate_promise,
};
use gstack_browser::devtools::target::{self, SessionId, all_but, attach_to, auto_attach_waiting, detach_from, only};
use gstack_browser::devtools::{Command, dom, emulation, heap_profiler, network, service_worker, web_mcp};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn sample<C: Command>(command: C) -> (String, Value) {
    (command.identifier().into_owned(), serde_json::to_value(&command).unwrap())
}

/// Each with the fields that gstack sets.
fn samples() -> Vec<(String, Value)> {
    let text = || "text".to_owned();
    let headers = || Some(vec![HeaderEntry::new("name", "value")]);
    vec![
        sample(browser::GetVersionParams {}),
        sample(browser::download_behavior(SetDownloadBehaviorBehavior::AllowAndName, Some(text()))),
        sample(browser::CancelDownloadParams::new("text")),
        sample(browser::SetPermissionParams {
            origin: Some(text()),
            ..browser::SetPermissionParams::new("geolocation", PermissionSetting::Granted)
        }),
        sample(browser::ResetPermissionsParams::default()),
        sample(browser::CloseParams {}),
        sample(dom::box_model(1)),
        sample(dom::GetFrameOwnerParams::new(text())),
        sample(dom::resolve(1, 1)),
        sample(dom::describe(text())),
        sample(emulation::SetFocusEmulationEnabledParams::new(true)),
        sample(emulation::ClearDeviceMetricsOverrideParams {}),
        sample(emulation::SetScrollbarsHiddenParams::new(true)),
        sample(fetch::EnableParams { patterns: Some(vec![fetch::pattern("*")]), handle_auth_requests: Some(true) }),
        sample(fetch::DisableParams {}),
        sample(fetch::ContinueRequestParams { headers: headers(), ..fetch::ContinueRequestParams::new(text()) }),
        sample(fetch::FulfillRequestParams {
            response_headers: headers(),
            body: Some(text().into()),
            ..fetch::FulfillRequestParams::new(text(), 200)
        }),
        sample(fetch::ContinueWithAuthParams::new(
            text(),
            AuthChallengeResponse {
                response: AuthChallengeResponseResponse::ProvideCredentials,
                username: Some(text()),
                password: Some(text()),
            },
        )),
        sample(fetch::FailRequestParams::new(text(), ErrorReason::NameNotResolved)),
        sample(DispatchMouseEventParams {
            button: Some(MouseButton::Left),
            buttons: Some(1),
            click_count: Some(1),
            modifiers: Some(8),
            delta_x: Some(1.0),
            delta_y: Some(1.0),
            ..DispatchMouseEventParams::new(DispatchMouseEventType::MousePressed, 0.0, 0.0)
        }),
        sample(DispatchKeyEventParams {
            modifiers: Some(0),
            key: Some(text()),
            code: Some(text()),
            windows_virtual_key_code: Some(0),
            location: Some(0),
            text: Some(text()),
            unmodified_text: Some(text()),
            commands: Some(vec![text()]),
            ..DispatchKeyEventParams::new(DispatchKeyEventType::RawKeyDown)
        }),
        sample(InsertTextParams::new("text")),
        sample(heap_profiler::EnableParams {}),
        sample(heap_profiler::DisableParams {}),
        sample(heap_profiler::TakeHeapSnapshotParams::default()),
        sample(network::EnableParams::default()),
        sample(network::GetResponseBodyParams::new(text())),
        sample(page::EnableParams::default()),
        sample(page::SetLifecycleEventsEnabledParams::new(true)),
        sample(page::AddScriptToEvaluateOnNewDocumentParams {
            world_name: Some(text()),
            run_immediately: Some(true),
            ..page::AddScriptToEvaluateOnNewDocumentParams::new("text")
        }),
        sample(page::RemoveScriptToEvaluateOnNewDocumentParams::new(text())),
        sample(page::CreateIsolatedWorldParams {
            world_name: Some(text()),
            ..page::CreateIsolatedWorldParams::new(text())
        }),
        sample(page::NavigateParams::new("text")),
        sample(page::NavigateToHistoryEntryParams::new(1)),
        sample(page::ReloadParams::builder().ignore_cache(true).build()),
        sample(page::StopLoadingParams {}),
        sample(page::GetNavigationHistoryParams {}),
        sample(page::GetFrameTreeParams {}),
        sample(page::HandleJavaScriptDialogParams { accept: true, prompt_text: Some(text()) }),
        sample(CaptureScreenshotParams {
            format: Some(CaptureScreenshotFormat::Webp),
            quality: Some(1),
            clip: Some(Viewport { x: 0.0, y: 0.0, width: 1.0, height: 1.0, scale: 1.0 }),
            capture_beyond_viewport: Some(true),
            ..CaptureScreenshotParams::default()
        }),
        sample(page::GetLayoutMetricsParams {}),
        sample(page::jpeg_frames(1, 1, 1)),
        sample(page::StopScreencastParams {}),
        sample(page::ScreencastFrameAckParams::new(1)),
        sample(page::SetInterceptFileChooserDialogParams::new(true)),
        sample(page::CrashParams {}),
        sample(EvaluateParams {
            unique_context_id: Some(text()),
            context_id: Some(ExecutionContextId::new(1)),
            user_gesture: Some(true),
            repl_mode: Some(true),
            ..evaluate_promise("text").ending_after(Duration::from_secs(1))
        }),
        sample(call_on("1", "f")),
        sample(runtime::AddBindingParams { name: text(), execution_context_name: Some(text()) }),
        sample(runtime::AwaitPromiseParams::new(text())),
        sample(runtime::CompileScriptParams::new("text", "", false)),
        sample(runtime::EnableParams {}),
        sample(runtime::RunIfWaitingForDebuggerParams {}),
        sample(runtime::TerminateExecutionParams {}),
        sample(service_worker::EnableParams {}),
        sample(service_worker::DisableParams {}),
        sample(service_worker::StopWorkerParams::new("text")),
        sample(web_mcp::Enable {}),
        sample(web_mcp::Disable {}),
        sample(web_mcp::InvokeTool { frame_id: text(), tool_name: text(), input: json!({}) }),
        sample(web_mcp::CancelInvocation { invocation_id: text() }),
        sample(target::GetTargetsParams { filter: Some(only(&["tab"])) }),
        sample(target::GetBrowserContextsParams {}),
        sample(target::SetDiscoverTargetsParams { discover: true, filter: Some(all_but("browser")) }),
        sample(attach_to("T")),
        sample(detach_from(SessionId::new("S"))),
        sample(target::SetAutoAttachParams { filter: Some(only(&["tab"])), ..auto_attach_waiting() }),
        sample(target::CreateTargetParams {
            background: Some(true),
            for_tab: Some(true),
            ..target::CreateTargetParams::new("text")
        }),
        sample(target::ActivateTargetParams::new(text())),
        sample(target::CloseTargetParams::new(text())),
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
        let known = description.command(&method)["parameters"].as_array().cloned().unwrap_or_default();
        description.check_fields(&method, domain, &known, params.as_object().unwrap());
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
