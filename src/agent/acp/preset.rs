//! The ACP agents that are known by name: how they are started, confined and told apart.
//!
//! Owns what differs between them. An agent of the configuration is a [`Preset`] without any of it.

use crate::agent::adapter::{AgentEnvironment, Launch};
use crate::base::atomic;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Carries the token of the MCP endpoint to agents that read it from there.
pub const TOKEN_VARIABLE: &str = "GSTACK_MCP_TOKEN";

/// Gemini CLI's own tools that go past the person's browser or run programs.
const GEMINI_POLICY: &str = r#"[[rule]]
toolName = ["run_shell_command", "web_fetch", "google_web_search", "invoke_agent", "activate_skill"]
decision = "deny"
priority = 998

[[rule]]
mcpName = "gstack"
toolName = "*"
decision = "allow"
priority = 999
"#;

/// One ACP agent.
#[derive(Clone, Debug)]
pub struct Preset {
    pub name: String,
    /// As people know it.
    pub label: String,
    /// The program's name or path, and its arguments.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The command that installs it.
    pub install: Option<String>,
    /// The command that signs in.
    pub sign_in: Option<String>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Gemini,
    ClaudeAgent,
    /// Of the configuration: nothing is known of it.
    Other,
}

impl Preset {
    pub fn gemini() -> Self {
        Self {
            name: "gemini".to_owned(),
            label: "Gemini CLI".to_owned(),
            program: "gemini".into(),
            arguments: ["--acp", "--skip-trust", "--allowed-mcp-server-names=gstack", "--extensions=none"]
                .map(OsString::from)
                .into(),
            install: Some("npm install -g @google/gemini-cli".to_owned()),
            sign_in: Some("gemini".to_owned()),
            kind: Kind::Gemini,
        }
    }

    pub fn claude_agent() -> Self {
        Self {
            name: "claude-agent-acp".to_owned(),
            label: "Claude (ACP)".to_owned(),
            program: "claude-agent-acp".into(),
            arguments: Vec::new(),
            install: Some("npm install -g @agentclientprotocol/claude-agent-acp".to_owned()),
            sign_in: Some("claude auth login".to_owned()),
            kind: Kind::ClaudeAgent,
        }
    }

    /// One of the configuration: `command` is the program and its arguments.
    pub fn configured(name: &str, label: Option<String>, program: PathBuf, arguments: Vec<OsString>) -> Self {
        let label = label.unwrap_or_else(|| name.to_owned());
        let (install, sign_in) = (None, None);
        Self { name: name.to_owned(), label, program, arguments, install, sign_in, kind: Kind::Other }
    }

    /// The header that opens our MCP endpoint. Some agents pass their servers on in arguments, which every user of the
    /// machine can read, but fill in variables.
    pub fn authorization(&self, token: &str) -> String {
        match self.kind {
            Kind::ClaudeAgent => format!("Bearer ${{{TOKEN_VARIABLE}}}"),
            Kind::Gemini | Kind::Other => format!("Bearer {token}"),
        }
    }

    /// What goes into `session/new` besides what the protocol names.
    pub fn session_meta(&self, launch: &Launch) -> Option<Value> {
        let allowed: Vec<String> = launch.mcp.tools.iter().map(|tool| format!("mcp__gstack__{tool}")).collect();
        (self.kind == Kind::ClaudeAgent).then(|| {
            json!({
                "systemPrompt": {"append": launch.system_prompt},
                "claudeCode": {"options": {
                    "settingSources": [],
                    "strictMcpConfig": true,
                    "tools": ["Read", "Glob", "Grep", "Edit", "Write"],
                    "allowedTools": allowed,
                }},
            })
        })
    }

    /// Variables that it needs, where the person has not set them.
    pub fn variables(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            // The first turn waits for the browser's tools instead of going on without them on a busy machine.
            Kind::ClaudeAgent => &[("MCP_CONNECTION_NONBLOCKING", "0"), ("MCP_CONNECT_TIMEOUT_MS", "30000")],
            Kind::Gemini | Kind::Other => &[],
        }
    }

    /// Whether [`Launch::system_prompt`] goes with the session, or has to go with the first message.
    pub fn takes_instructions(&self) -> bool {
        self.kind == Kind::ClaudeAgent
    }

    /// Files (0600) that it is started with, and the arguments that name them. Blocks on the disk for a moment.
    pub fn write_files(&self, run_files: &Path) -> std::io::Result<(RunFile, Vec<OsString>)> {
        if self.kind != Kind::Gemini {
            return Ok((RunFile { path: None }, Vec::new()));
        }
        let path = run_files.join(format!("gemini-policy-{}.toml", uuid::Uuid::new_v4().simple()));
        atomic::write(&path, GEMINI_POLICY.as_bytes())?;
        let mut argument = OsString::from("--admin-policy=");
        argument.push(&path);
        Ok((RunFile { path: Some(path) }, vec![argument]))
    }

    /// Whether it is known to be signed in. `None` where it can't be told: the first message will tell.
    pub fn is_signed_in(&self, environment: &AgentEnvironment) -> Option<bool> {
        let set = |name: &str| environment.variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
        match self.kind {
            Kind::Gemini => {
                let variables =
                    ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"];
                Some(variables.into_iter().any(set) || gemini_account(environment))
            }
            Kind::ClaudeAgent | Kind::Other => None,
        }
    }

    /// What a person should know before they use it.
    pub fn warning(&self, environment: &AgentEnvironment) -> Option<String> {
        let key = ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
            .into_iter()
            .find(|name| environment.variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty()))?;
        (self.kind == Kind::Gemini && gemini_account(environment)).then(|| {
            format!("{key} is set: messages may be billed to that key instead of the Google account that is signed in.")
        })
    }
}

/// Signed in with a Google account.
fn gemini_account(environment: &AgentEnvironment) -> bool {
    let home = environment.variables.get(OsStr::new("HOME")).map(Path::new);
    home.is_some_and(|home| home.join(".gemini/oauth_creds.json").is_file())
}

/// A file that lives as long as the process. Dropping it removes it.
#[derive(Debug)]
pub struct RunFile {
    path: Option<PathBuf>,
}

impl Drop for RunFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path
            && let Err(error) = std::fs::remove_file(path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "a run file could not be removed");
        }
    }
}
