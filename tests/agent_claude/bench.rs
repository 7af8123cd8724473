//! What a test with the real Claude Code needs: an isolated home, a fake API on loopback, and the talk itself.
//!
//! Owns starting and ending them. Nothing of a test runs when its bench is gone.

use futures_util::future::BoxFuture;
use gstack::agent::adapter::{
    Agent, AgentEnvironment, AgentEvent, AgentSession, Launch, McpEndpoint, Prompt, StepWords, ToolCall, ToolResult,
    Tools,
};
use gstack::agent::claude::ClaudeCode;
use gstack::protocol::chat::{StepKind, TurnOutcome};
use gstack::protocol::fault::{Fault, FaultCode};
use gstack::protocol::ids::ConversationId;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Only a bound for a test that hangs.
pub const LIMIT: Duration = Duration::from_secs(120);
pub const TOKEN: &str = "the-token-of-this-conversation";

struct OnlyWords;

impl Tools for OnlyWords {
    fn run(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        Box::pin(std::future::ready(Err(Fault::new(FaultCode::Unknown, "reached over MCP only"))))
    }
    fn describe(&self, tool: &str, _: &Value) -> StepWords {
        StepWords { kind: StepKind::Navigate, verb: "Registry".to_owned(), object: tool.to_owned() }
    }
}

/// A node program of `tests/fake` that ends with its stdin.
pub struct Fake {
    child: Child,
    pub port: u16,
}

impl Fake {
    pub fn start(script: &str, arguments: &[&str]) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake").join(script);
        let mut command = Command::new("node");
        let mut child =
            command.arg(script).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let port = u16::try_from(told["port"].as_u64().unwrap()).unwrap();
        Some(Self { child, port })
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

/// A home, a folder, a fake API and what is needed to start Claude Code with them.
pub struct Bench {
    pub agent: ClaudeCode,
    pub home: tempfile::TempDir,
    pub api: Fake,
    pub environment: AgentEnvironment,
}

impl Bench {
    /// `None`, said on stderr, where a needed program is missing.
    pub fn new(scenario: &Value) -> Option<Self> {
        let Some(program) = claude() else {
            return skipped("Claude Code is not installed (set GSTACK_TEST_CLAUDE to its path)");
        };
        let home = tempfile::tempdir().unwrap();
        for folder in ["project", "run"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let script = home.path().join("scenario.json");
        std::fs::write(&script, scenario.to_string()).unwrap();
        let log = home.path().join("requests.jsonl");
        let Some(api) = Fake::start("anthropic.mjs", &[script.to_str().unwrap(), "--log", log.to_str().unwrap()])
        else {
            return skipped("node is not installed");
        };
        let address = format!("http://127.0.0.1:{}", api.port);
        let path = std::env::var("PATH").unwrap();
        // A proxy that nobody listens on: whatever is not loopback goes nowhere.
        let nowhere = "http://127.0.0.1:9";
        let variables = [
            ("HOME", home.path().to_str().unwrap()),
            ("PATH", path.as_str()),
            ("ANTHROPIC_BASE_URL", address.as_str()),
            ("ANTHROPIC_API_KEY", "dummy"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("HTTPS_PROXY", nowhere),
            ("HTTP_PROXY", nowhere),
            ("NO_PROXY", "127.0.0.1,localhost"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into())).into();
        Some(Self { agent: ClaudeCode::new(Some(program)), home, api, environment: AgentEnvironment { variables } })
    }

    pub fn launch(&self) -> Launch {
        let tools = vec!["goto".to_owned()];
        Launch {
            conversation_id: ConversationId::random(),
            folder: self.home.path().join("project"),
            resume: None,
            model: None,
            system_prompt: gstack::agent::prompt::system_prompt(&tools),
            mcp: McpEndpoint { url: "http://127.0.0.1:9/mcp".to_owned(), token: TOKEN.to_owned(), tools },
            tools: Arc::new(OnlyWords),
            environment: self.environment.clone(),
            run_files: self.home.path().join("run"),
            off_limits: Vec::new(),
        }
    }

    pub async fn talk(&self) -> Talk {
        self.talk_with(self.launch()).await.unwrap()
    }

    pub async fn talk_with(&self, launch: Launch) -> Result<Talk, Fault> {
        let (sender, events) = mpsc::channel(64);
        let session = self.agent.start(launch, sender).await?;
        Ok(Talk { session, events })
    }

    /// The requests for answers that the API got, oldest first.
    pub fn requests(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.home.path().join("requests.jsonl")).unwrap();
        let all = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|entry| entry["path"].as_str().is_some_and(|path| path.ends_with("/messages"))).collect()
    }
}

/// Says so past the test harness, which hides what a passing test prints.
fn skipped<T>(why: &str) -> Option<T> {
    writeln!(std::io::stderr(), "SKIPPED {}: {why}", std::thread::current().name().unwrap_or("a test")).ok();
    None
}

fn claude() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("GSTACK_TEST_CLAUDE") {
        return Some(PathBuf::from(path));
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    folders.into_iter().map(|folder| folder.join("claude")).find(|path| path.is_file())
}

/// A started session and its events.
pub struct Talk {
    pub session: Box<dyn AgentSession>,
    pub events: mpsc::Receiver<AgentEvent>,
}

impl Talk {
    pub async fn say(&mut self, text: &str) {
        self.session.prompt(Prompt { text: text.to_owned(), ..Prompt::default() }).await.unwrap();
    }

    pub async fn next(&mut self) -> AgentEvent {
        tokio::time::timeout(LIMIT, self.events.recv())
            .await
            .expect("the agent fell silent")
            .expect("its end came first")
    }

    /// Events up to and with the first one for which `last` holds.
    pub async fn until(&mut self, last: impl Fn(&AgentEvent) -> bool) -> Vec<AgentEvent> {
        let mut all = Vec::new();
        loop {
            let event = self.next().await;
            let done = last(&event);
            all.push(event);
            if done {
                return all;
            }
        }
    }

    pub async fn turn(&mut self) -> Vec<AgentEvent> {
        self.until(|event| matches!(event, AgentEvent::TurnDone { .. })).await
    }

    pub async fn turn_of(&mut self, text: &str) -> Vec<AgentEvent> {
        self.say(text).await;
        self.turn().await
    }
}

pub fn text_of(events: &[AgentEvent]) -> String {
    let text = |event: &AgentEvent| if let AgentEvent::TextDelta(text) = event { Some(text.clone()) } else { None };
    events.iter().filter_map(text).collect()
}

pub fn end_of(events: &[AgentEvent]) -> (TurnOutcome, Option<Fault>) {
    match events.last() {
        Some(AgentEvent::TurnDone { outcome, fault, .. }) => (*outcome, fault.clone()),
        other => panic!("no end of a turn: {other:?}"),
    }
}

pub fn scenario() -> Value {
    json!({
        "rules": [
            {"match": "slow", "reply": [{"text": "tick ", "repeat": 2000, "chunk": 5, "delayMs": 50}]},
            {"match": "write it", "tools": true, "reply": [{"tool": "Write", "input": {"file_path": "$1", "content": "x"}}]},
            {"match": "read it", "tools": true, "reply": [{"tool": "Read", "input": {"file_path": "$1"}}]},
            {"match": "open it", "tools": true, "reply": [{"tool": "mcp__gstack__goto", "input": {"url": "http://a.test/"}}]},
            {"match": "wrong key", "reply": [{"error": 401, "type": "authentication_error", "message": "invalid x-api-key"}]},
            {"match": "repeat after me:", "reply": [{"text": "$1", "chunk": 3}]},
        ],
        "afterTool": [{"text": "Done with the tool."}],
    })
}

/// Processes that carry the test's own home in their environment: all that it started and that still run.
pub fn left_behind(home: &Path) -> Vec<String> {
    let needle = format!("HOME={}", home.display());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_test = |entry: &std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == needle.as_bytes())
    };
    entries.filter(of_test).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
