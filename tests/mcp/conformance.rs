//! The protocol's own conformance suite against gstack's endpoint: its transport, its sessions and its checks of messages,
//! with the tools, resources and prompts that the suite calls in place of the browser.
//!
//! Owns those fixtures and the list of scenarios that fail, each with its reason. Every scenario runs; one that passes or
//! fails unexpectedly, or a score that docs/AGENTS.md does not have, fails the test. `conformance.test.mjs` runs the suite
//! against a conversation's endpoint, with the browser.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a test ends where its world breaks")]
#![expect(deprecated, reason = "the suite still sets the level of logging")]

use gstack_daemon::mcp::router_of;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CustomNotification,
    CustomRequest, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig, ServerNotification,
    ServerRequest, SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// Scenarios that fail.
const FAILS: &[(&str, &str)] = &[];

/// One pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A header and no samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
/// The suite wants time between a tool's messages.
const BETWEEN: Duration = Duration::from_millis(50);

#[derive(Clone)]
struct Fixtures;

/// Returns a result that is written as JSON.
fn result<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn text(words: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": words.into() }] })
}

fn tools() -> Value {
    let none = json!({ "type": "object", "properties": {} });
    let one =
        |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let address = json!({
        "type": "object",
        "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
    });
    let modern = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
        "additionalProperties": false,
    });
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_error_handling",
        "test_tool_with_progress",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_reconnection",
    ];
    let with_arguments =
        [("test_sampling", one("prompt")), ("test_elicitation", one("message")), ("json_schema_2020_12_tool", modern)];
    let all = plain.into_iter().map(|name| (name, none.clone())).chain(with_arguments);
    json!({ "tools": all
        .map(|(name, schema)| json!({ "name": name, "description": format!("The suite's {name}"), "inputSchema": schema }))
        .collect::<Vec<_>>() })
}

/// Returns the answer of a tool that always answers the same.
fn fixed(tool: &str) -> Option<Value> {
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let resource = |uri: &str, mime: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime, "text": text } });
    let content = match tool {
        "test_simple_text" => json!([{ "type": "text", "text": "This is a simple text response for testing." }]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => {
            json!([resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")])
        }
        "test_multiple_content_types" => json!([
            { "type": "text", "text": "Multiple content types test:" },
            image,
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "test_error_handling" => {
            let words = "This tool intentionally returns an error for testing";
            return Some(json!({ "isError": true, "content": [{ "type": "text", "text": words }] }));
        }
        "json_schema_2020_12_tool" | "test_reconnection" => json!([{ "type": "text", "text": "done" }]),
        _ => return None,
    };
    Some(json!({ "content": content }))
}

/// Returns the form of a tool that asks the person.
fn form(tool: &str) -> Value {
    let properties = match tool {
        "test_elicitation" => json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        }),
        "test_elicitation_sep1034_defaults" => json!({
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        }),
        _ => {
            let titled = |words: [&str; 3]| {
                let choice =
                    |(at, title): (usize, &str)| json!({ "const": format!("value{}", at + 1), "title": title });
                words.into_iter().enumerate().map(choice).collect::<Vec<_>>()
            };
            let options = ["option1", "option2", "option3"];
            json!({
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"]) },
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": {
                    "type": "array",
                    "items": { "anyOf": titled(["First Choice", "Second Choice", "Third Choice"]) },
                },
            })
        }
    };
    json!({ "type": "object", "properties": properties, "required": [] })
}

/// Asks the client, and returns its answer as JSON.
async fn ask(context: &RequestContext<RoleServer>, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let failed = |error: &dyn std::fmt::Display| ErrorData::internal_error(error.to_string(), None);
    let answer = context.peer.send_request(request).await.map_err(|error| failed(&error))?;
    serde_json::to_value(answer).map_err(|error| failed(&error))
}

/// Notifies the client. One that has disconnected is not told.
async fn tell(context: &RequestContext<RoleServer>, method: &str, params: Value) {
    let notification = ServerNotification::CustomNotification(CustomNotification::new(method, Some(params)));
    if let Err(error) = context.peer.send_notification(notification).await {
        tracing::debug!(%error, "the client has disconnected");
    }
}

async fn call(request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let given = Value::Object(request.arguments.unwrap_or_default());
    if let Some(answer) = fixed(&request.name) {
        return Ok(answer);
    }
    match &*request.name {
        "test_tool_with_logging" => {
            for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                tell(context, "notifications/message", json!({ "level": "info", "data": words })).await;
                tokio::time::sleep(BETWEEN).await;
            }
            Ok(text("logged"))
        }
        "test_tool_with_progress" => {
            for progress in [0, 50, 100] {
                if let Some(token) = context.meta.get_progress_token() {
                    let params = json!({ "progressToken": token, "progress": progress, "total": 100 });
                    tell(context, "notifications/progress", params).await;
                }
                tokio::time::sleep(BETWEEN).await;
            }
            Ok(text("progressed"))
        }
        "test_sampling" => {
            let message = json!({ "role": "user", "content": { "type": "text", "text": given["prompt"] } });
            let answer =
                ask(context, "sampling/createMessage", json!({ "messages": [message], "maxTokens": 100 })).await?;
            Ok(text(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default())))
        }
        tool if tool.starts_with("test_elicitation") => {
            let message = given["message"].as_str().unwrap_or("Please fill in the form");
            let asked = json!({ "message": message, "requestedSchema": form(tool) });
            let answer = ask(context, "elicitation/create", asked).await?;
            let (action, content) = (answer["action"].as_str().unwrap_or_default(), &answer["content"]);
            Ok(text(format!("Elicitation completed: action={action}, content={content}")))
        }
        other => Err(ErrorData::invalid_params(format!("Unknown tool: {other}"), None)),
    }
}

fn prompt(name: &str, given: &Value) -> Option<Value> {
    let words = |text: &str| json!({ "role": "user", "content": { "type": "text", "text": text } });
    let first = |content: Value| json!({ "role": "user", "content": content });
    let argument = |name: &str| given[name].as_str().unwrap_or_default();
    let messages = match name {
        "test_simple_prompt" => json!([words("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => {
            let told = format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2"));
            json!([words(&told)])
        }
        "test_prompt_with_embedded_resource" => {
            let text = "Embedded resource content for testing.";
            let resource = json!({ "uri": argument("resourceUri"), "mimeType": "text/plain", "text": text });
            json!([
                first(json!({ "type": "resource", "resource": resource })),
                words("Please process the embedded resource above."),
            ])
        }
        "test_prompt_with_image" => json!([
            first(json!({ "type": "image", "data": PNG, "mimeType": "image/png" })),
            words("Please analyze the image above."),
        ]),
        _ => return None,
    };
    Some(json!({ "messages": messages }))
}

fn resource(uri: &str) -> Option<Value> {
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, id) {
        ("test://static-text", _) => {
            let text = "This is the content of the static text resource.";
            json!({ "uri": uri, "mimeType": "text/plain", "text": text })
        }
        ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        ("test://watched-resource", _) => json!({ "uri": uri, "mimeType": "text/plain", "text": "watched" }),
        (_, Some(id)) => {
            let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") }).to_string();
            json!({ "uri": uri, "mimeType": "application/json", "text": text })
        }
        _ => return None,
    };
    Some(json!({ "contents": [content] }))
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "prompts": { "listChanged": true },
            "logging": {},
            "completions": {},
        });
        let capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("fixtures", "1"))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        result(tools())
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let answer: CallToolResult = result(call(request, &context).await?)?;
        Ok(answer.into())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        result(json!({ "completion": { "values": ["paris", "park", "party"], "total": 3, "hasMore": false } }))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |name: &str, arguments: &[&str]| {
            let argument = |name: &&str| json!({ "name": name, "description": "The suite's", "required": true });
            let arguments: Vec<Value> = arguments.iter().map(argument).collect();
            json!({ "name": name, "description": format!("The suite's {name}"), "arguments": arguments })
        };
        result(json!({ "prompts": [
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
        ] }))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: Context) -> Result<GetPromptResponse, ErrorData> {
        let given = Value::Object(request.arguments.unwrap_or_default());
        let unknown = || ErrorData::invalid_params("Unknown prompt", None);
        let answer: GetPromptResult = result(prompt(&request.name, &given).ok_or_else(unknown)?)?;
        Ok(answer.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = |name: &str, mime: &str| json!({ "uri": format!("test://{name}"), "name": name, "description": "The suite's", "mimeType": mime });
        result(json!({ "resources": [
            listed("static-text", "text/plain"),
            listed("static-binary", "image/png"),
            listed("watched-resource", "text/plain"),
        ] }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = "test://template/{id}/data";
        result(json!({ "resourceTemplates": [
            { "uriTemplate": template, "name": "template", "description": "The suite's", "mimeType": "application/json" },
        ] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let unknown = || ErrorData::resource_not_found("Unknown resource", None);
        let answer: ReadResourceResult = result(resource(&request.uri).ok_or_else(unknown)?)?;
        Ok(answer.into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }
}

/// Runs a scenario of the suite against the server. Returns what it printed if a check failed.
async fn run(scenario: &str, port: u16, folder: &Path) -> Result<(), String> {
    let url = format!("http://localhost:{port}/mcp");
    let mut suite = suite();
    let output = suite.args(["server", "--url", &url, "--scenario", scenario]).current_dir(folder).output().await;
    let output = output.map_err(|error| error.to_string())?;
    let said = [output.stdout, output.stderr].concat();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&said).into_owned()) }
}

fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp/suites/node_modules")
}

fn suite() -> Command {
    let mut suite = Command::new(suites().join("node/bin/node"));
    suite.arg(suites().join("@modelcontextprotocol/conformance/dist/index.js"));
    suite
}

/// Returns the names of the suite's scenarios for servers.
async fn scenarios() -> Vec<String> {
    let listed = suite().args(["list", "--server"]).output().await.expect("the suite starts").stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  - ")?.split(' ').next());
    names.map(str::to_owned).collect()
}

#[tokio::main]
async fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        println!("conformance: test");
        return;
    }
    if !suites().is_dir() {
        println!("test conformance ... ignored, the suite is not installed (tests/run.sh --all)");
        return;
    }
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let shutdown = CancellationToken::new();
    let router = router_of("/mcp", shutdown.clone(), || Fixtures);
    let _stops = shutdown.drop_guard();
    tokio::spawn(axum::serve(listener, router).into_future());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let scenarios = scenarios().await;
    let mut wrong = Vec::new();
    let mut passed = 0;
    for scenario in &scenarios {
        let fails = FAILS.iter().find(|(name, _)| name == scenario);
        let outcome = run(scenario, port, folder.path()).await;
        passed += usize::from(outcome.is_ok());
        match (outcome, fails) {
            (Ok(()), None) => println!("test {scenario} ... ok"),
            (Err(_), Some((_, why))) => println!("test {scenario} ... fails as known: {why}"),
            (Ok(()), Some(_)) => wrong.push(format!("{scenario} passes now: take it out of FAILS")),
            (Err(said), None) => wrong.push(format!("{scenario}:\n{said}")),
        }
    }
    let score = format!("passes {passed} of {} scenarios", scenarios.len());
    println!("{score}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/AGENTS.md");
    if !std::fs::read_to_string(page).expect("the page is there").contains(&score) {
        wrong.push(format!("docs/AGENTS.md does not say: {score}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
