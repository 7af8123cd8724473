//! The bench for a test with an agent's real program: an isolated home, a fake API on loopback, and the session.
//!
//! Owns starting and ending them. No process of a test survives its bench.

use futures_util::future::BoxFuture;
use gstack_agent::acp::Acp;
use gstack_agent::acp::preset::Preset;
use gstack_agent::adapter::{
    Agent, AgentEnvironment, AgentEvent, AgentSession, Launch, McpEndpoint, PermissionAsked, Prompt, StepWords,
    ToolCall, ToolResult, Tools,
};
use gstack_agent::claude::ClaudeCode;
use gstack_agent::codex::Codex;
use gstack_agent::sandbox::{Access, Confinement, Sandbox, detect};
use gstack_protocol::chat::{StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::ConversationId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Only limits a test that hangs.
pub const LIMIT: Duration = Duration::from_secs(120);
pub const TOKEN: &str = "the-token-of-this-conversation";

struct OnlyWords;

impl Tools for OnlyWords {
    fn run(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        Box::pin(std::future::ready(Err(Fault::new(FaultCode::Unknown, "reached over MCP only"))))
    }
    fn describe(&self, tool: &str, _: &Value) -> StepWords {
        StepWords::untranslated(StepKind::Navigate, "Registry", tool.to_owned())
    }
}

/// A node program of `tests/fake` that ends when its stdin closes.
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

impl Fake {
    /// Stops the fake.
    pub fn end(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.end();
    }
}

/// A home, a folder, a fake API and everything else that starts an agent with them.
pub struct Bench {
    pub agent: Box<dyn Agent>,
    pub home: tempfile::TempDir,
    /// `None` for an agent that uses no API.
    pub api: Option<Fake>,
    pub environment: AgentEnvironment,
}

/// An agent's program under test, with the API that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Claude,
    Codex,
    Gemini,
    ClaudeAgent,
    CodexAcp,
}

impl Program {
    fn file(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::ClaudeAgent => "claude-agent-acp",
            Self::CodexAcp => "codex-acp",
        }
    }

    fn fake(self) -> &'static str {
        match self {
            Self::Claude | Self::ClaudeAgent => "anthropic.mjs",
            Self::Codex | Self::CodexAcp => "responses.mjs",
            Self::Gemini => "gemini.mjs",
        }
    }

    /// `GSTACK_TEST_AGENTS=claude,codex`: only these are tested.
    fn is_wanted(self) -> bool {
        std::env::var("GSTACK_TEST_AGENTS").map_or(true, |wanted| wanted.split(',').any(|name| name == self.file()))
    }

    /// Reads the path from the environment, or finds what `npm ci` installed in tests/agents_npm (one in tests/agent_matrix);
    /// Claude Code also from PATH.
    fn find(self) -> Option<PathBuf> {
        if self == Self::Claude {
            if let Some(path) = std::env::var_os("GSTACK_TEST_CLAUDE") {
                return Some(PathBuf::from(path));
            }
            let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
            return folders.into_iter().map(|folder| folder.join("claude")).find(|path| path.is_file());
        }
        let folder = if self == Self::CodexAcp { "agent_matrix" } else { "agents_npm" };
        let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join("node_modules/.bin");
        Some(bin.join(self.file())).filter(|path| path.exists())
    }

    /// Returns a scenario step that calls one of our tools.
    pub fn calls(self, tool: &str, input: &Value) -> Value {
        match self {
            Self::Claude | Self::ClaudeAgent => json!({"tool": format!("mcp__gstack__{tool}"), "input": input}),
            Self::Gemini => json!({"tool": format!("mcp_gstack_{tool}"), "input": input}),
            Self::Codex | Self::CodexAcp => json!({"tool": tool, "namespace": "mcp__gstack", "input": input}),
        }
    }

    /// Returns the API's replies for every test, after the test's own rules.
    pub fn scenario(self, own: &[Value]) -> Value {
        let write = if self == Self::Gemini { "write_file" } else { "Write" };
        let goto = |url: &str| self.calls("goto", &json!({"url": url}));
        let common = [
            json!({"match": "slow", "reply": [{"text": "tick ", "repeat": 2000, "chunk": 5, "delayMs": 50}]}),
            json!({"match": "open it", "tools": true, "reply": [goto("http://a.test/")]}),
            json!({"match": "hold it", "tools": true, "reply": [goto("http://hold.test/")]}),
            json!({"match": "write it ", "tools": true, "reply": [{"tool": write, "input": {"file_path": "$1", "content": "x"}}]}),
            json!({"match": "wrong key", "reply": [{"error": 401, "type": "authentication_error",
                "status": "UNAUTHENTICATED", "code": "invalid_api_key", "message": "bad key"}]}),
            json!({"match": "limited", "reply": [{"error": 429, "type": "rate_limit_error",
                "status": "RESOURCE_EXHAUSTED", "code": "rate_limit_exceeded", "message": "too many"}]}),
            json!({"match": "repeat after me:", "reply": [{"text": "$1", "chunk": 3}]}),
        ];
        let rules: Vec<&Value> = own.iter().chain(&common).collect();
        json!({"rules": rules, "afterTool": [{"text": "Done with the tool."}]})
    }

    fn agent(self, program: PathBuf) -> Box<dyn Agent> {
        match self {
            Self::Claude => Box::new(ClaudeCode::new(Some(program))),
            Self::Codex => Box::new(Codex::new(Some(program))),
            Self::Gemini => Box::new(Acp::new(Preset::gemini(), Some(program))),
            Self::ClaudeAgent => Box::new(Acp::new(Preset::claude_agent(), Some(program))),
            Self::CodexAcp => {
                let preset = Preset::configured("codex-acp", Some("Codex (ACP)".to_owned()), program, Vec::new());
                Box::new(Acp::new(preset, None))
            }
        }
    }

    /// Returns the variables that make it use the fake API at this address, and nothing else.
    fn variables(self, address: &str) -> Vec<(&'static str, String)> {
        let pairs: &[(&str, &str)] = match self {
            Self::Claude | Self::ClaudeAgent => &[
                ("ANTHROPIC_BASE_URL", address),
                ("ANTHROPIC_API_KEY", "dummy"),
                ("CLAUDE_CODE_MAX_RETRIES", "1"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                ("DISABLE_TELEMETRY", "1"),
                ("DISABLE_ERROR_REPORTING", "1"),
            ],
            Self::Codex | Self::CodexAcp => &[("FAKE_KEY", "dummy")],
            Self::Gemini => &[("GOOGLE_GEMINI_BASE_URL", address), ("GEMINI_API_KEY", "dummy")],
        };
        pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }
}

impl Bench {
    /// Returns `None` if the program is not to be tested, and prints to stderr if it is missing.
    pub fn new(program: Program, scenario: &Value) -> Option<Self> {
        if !program.is_wanted() {
            return None;
        }
        let Some(path) = program.find() else {
            return skipped(&format!("{} is not installed (see tests/run.sh --all)", program.file()));
        };
        // Codex does not allow a home in the system's temporary folder: it puts helper programs there.
        let home = home_folder();
        for folder in ["project", "run", ".codex"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let script = home.path().join("scenario.json");
        std::fs::write(&script, scenario.to_string()).unwrap();
        let log = home.path().join("requests.jsonl");
        let Some(api) = Fake::start(program.fake(), &[script.to_str().unwrap(), "--log", log.to_str().unwrap()]) else {
            return skipped("node is not installed");
        };
        let address = format!("http://127.0.0.1:{}", api.port);
        if matches!(program, Program::Codex | Program::CodexAcp) {
            let config = format!(
                "model = \"gpt-5-fake\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"Fake\"\n\
                 base_url = \"{address}/v1\"\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\n\
                 request_max_retries = 1\nstream_max_retries = 1\n"
            );
            std::fs::write(home.path().join(".codex/config.toml"), config).unwrap();
        }
        if program == Program::Gemini {
            // It retries ten times, for minutes.
            std::fs::create_dir(home.path().join(".gemini")).unwrap();
            let settings = json!({"general": {"maxAttempts": 1}}).to_string();
            std::fs::write(home.path().join(".gemini/settings.json"), settings).unwrap();
        }
        // A proxy address where nothing listens, so that no request leaves loopback.
        let nowhere = "http://127.0.0.1:9".to_owned();
        let common = [
            ("HOME", home.path().to_str().unwrap().to_owned()),
            ("PATH", std::env::var("PATH").unwrap()),
            ("HTTPS_PROXY", nowhere.clone()),
            ("HTTP_PROXY", nowhere),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
        ];
        let all = common.into_iter().chain(program.variables(&address));
        let variables = all.map(|(name, value)| (name.into(), value.into())).collect();
        let environment = environment(variables, home.path());
        Some(Self { agent: program.agent(path), home, api: Some(api), environment })
    }

    /// Returns a bench with the misbehaving agent of tests/fake.
    pub fn rude() -> Option<Self> {
        let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        let Some(node) = folders.into_iter().map(|folder| folder.join("node")).find(|path| path.is_file()) else {
            return skipped("node is not installed");
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/rude-agent.mjs");
        let preset = Preset::configured("rude", Some("Rude".to_owned()), node, vec![script.into()]);
        let home = home_folder();
        for folder in ["project", "run"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let path = std::env::var("PATH").unwrap();
        let variables = [("HOME", home.path().to_str().unwrap()), ("PATH", path.as_str())];
        let variables = variables.map(|(name, value)| (name.into(), value.into())).into();
        let agent = Box::new(Acp::new(preset, None));
        let environment = environment(variables, home.path());
        Some(Self { agent, home, api: None, environment })
    }

    pub fn launch(&self) -> Launch {
        let tools = vec!["goto".to_owned()];
        Launch {
            conversation_id: ConversationId::random(),
            folder: self.home.path().join("project"),
            resume: None,
            model: None,
            mode: None,
            system_prompt: gstack_agent::prompt::system_prompt(&tools),
            mcp: McpEndpoint {
                url: "http://127.0.0.1:9/mcp".to_owned(),
                token: TOKEN.to_owned(),
                tools,
                program: None,
            },
            tools: Arc::new(OnlyWords),
            environment: self.environment.clone(),
            run_files: self.home.path().join("run"),
            access: Access::default(),
            off_limits: Vec::new(),
        }
    }

    pub async fn talk(&self) -> Talk {
        self.talk_with(self.launch()).await.unwrap()
    }

    /// Starts a session with its tools at a fake endpoint.
    pub async fn talk_to(&self, mcp: &Fake) -> Talk {
        let mut launch = self.launch();
        launch.mcp.url = format!("http://127.0.0.1:{}/mcp", mcp.port);
        self.talk_with(launch).await.unwrap()
    }

    pub async fn talk_with(&self, launch: Launch) -> Result<Talk, Fault> {
        let (sender, events) = mpsc::channel(64);
        let session = self.agent.start(launch, sender).await?;
        Ok(Talk { session, events })
    }

    /// Waits until the API received a request with this text.
    pub async fn asked(&self, words: &str) {
        let asked = async {
            while !self.log().contains(words) {
                // A file does not notify us of its changes.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(LIMIT, asked).await.expect("the API was asked");
    }

    /// Returns everything that the API received, one line each; empty before the first request.
    fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("requests.jsonl")).unwrap_or_default()
    }

    /// Returns the model requests that the API received, oldest first.
    pub fn requests(&self) -> Vec<Value> {
        let log = self.log();
        let all = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|entry| {
            entry["path"].as_str().is_some_and(|path| {
                ["/messages", "/responses", ":streamGenerateContent"].iter().any(|end| path.ends_with(end))
            })
        })
        .collect()
    }
}

/// Prints past the test harness, which hides the output of a passing test.
fn skipped<T>(why: &str) -> Option<T> {
    writeln!(std::io::stderr(), "SKIPPED {}: {why}", std::thread::current().name().unwrap_or("a test")).ok();
    None
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

    /// Returns the events up to and including the first one for which `last` holds.
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

    /// Waits for the next permission request.
    pub async fn permission(&mut self) -> PermissionAsked {
        let asked = self.until(|event| matches!(event, AgentEvent::PermissionAsked(_))).await.pop();
        let Some(AgentEvent::PermissionAsked(asked)) = asked else { panic!("not asked") };
        asked
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

pub fn outcomes(events: &[AgentEvent]) -> Vec<StepOutcome> {
    let outcome = |event: &AgentEvent| match event {
        AgentEvent::StepDone { outcome, .. } => Some(*outcome),
        _ => None,
    };
    events.iter().filter_map(outcome).collect()
}

/// Returns the verb, the tool and the arguments of the first step.
pub fn first_step(events: &[AgentEvent]) -> Option<(String, String, String)> {
    events.iter().find_map(|event| match event {
        AgentEvent::StepStarted { words, tool, arguments, .. } => {
            Some((words.verb.clone(), tool.clone(), arguments.clone()))
        }
        _ => None,
    })
}

/// Creates a test's home. `GSTACK_TEST_HOMES` names another parent folder: one outside `/tmp`, where Codex keeps no
/// helper programs, or one that another user may write to.
fn home_folder() -> tempfile::TempDir {
    let place = std::env::var_os("GSTACK_TEST_HOMES").unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    tempfile::tempdir_in(place).unwrap()
}

/// Returns how the first step ended, and its text.
pub fn first_result(events: &[AgentEvent]) -> Option<(StepOutcome, String)> {
    events.iter().find_map(|event| match event {
        AgentEvent::StepDone { outcome, result, .. } => Some((*outcome, result.clone())),
        _ => None,
    })
}

/// Sends SIGKILL to the test's own processes.
pub fn kill(processes: &[String]) {
    for process in processes {
        let pid = rustix::process::Pid::from_raw(process.parse().unwrap()).unwrap();
        // It may have ended together with another one.
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
    }
}

/// Returns an agent's environment as the daemon creates it: in the best sandbox of this machine.
/// `GSTACK_TEST_SANDBOX=off` disables the sandbox, `GSTACK_SANDBOX_MECHANISM` selects another.
fn environment(variables: BTreeMap<OsString, OsString>, home: &Path) -> AgentEnvironment {
    let plain = AgentEnvironment { variables, minder: minder(), ..AgentEnvironment::default() };
    if std::env::var_os("GSTACK_TEST_SANDBOX").is_some_and(|value| value == "off") {
        plain
    } else {
        confined(plain, home)
    }
}

/// Returns the same environment in the best sandbox of this machine; `GSTACK_SANDBOX_MECHANISM` may select another.
pub fn confined(plain: AgentEnvironment, home: &Path) -> AgentEnvironment {
    let of = plain.clone();
    let found = std::thread::spawn(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(detect(&of))
    });
    let confinement = match found.join().unwrap() {
        Ok(mechanism) => Confinement::In(Arc::new(Sandbox {
            mechanism,
            program: env!("CARGO_BIN_EXE_gstack").into(),
            scratch: home.join("scratch"),
            closed: vec![home.join("scratch")],
            added: Access::default(),
        })),
        Err(why) => {
            skipped::<()>(&format!("without a sandbox: {why}"));
            Confinement::Off
        }
    };
    AgentEnvironment { confinement, ..plain }
}

/// Returns the minder under which the daemon starts agents, if the system supports one.
fn minder() -> Option<PathBuf> {
    cfg!(target_os = "linux").then(|| env!("CARGO_BIN_EXE_gstack").into())
}

/// Returns the processes with the test's home in their environment: everything that it started and that still runs.
pub fn left_behind(home: &Path) -> Vec<String> {
    let needle = format!("HOME={}", home.display());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_test = |entry: &std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == needle.as_bytes())
    };
    entries.filter(of_test).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
