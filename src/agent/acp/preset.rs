//! The ACP agents that are known by name: how they are started, confined and told apart.
//!
//! Owns what differs between them. An agent of the configuration is a [`Preset`] without any of it.

use crate::agent::adapter::{AgentEnvironment, Launch};
use crate::agent::guard::CREDENTIALS;
use crate::agent::sandbox::Access;
use crate::base::atomic;
use crate::base::home::private_folder;
use crate::protocol::told::{self, Sentence};
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
            arguments: ["--acp", "--allowed-mcp-server-names=gstack", "--extensions=none"].map(OsString::from).into(),
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

    /// What it reaches of the person's files, where it is confined. Asks the disk.
    pub fn access(&self, environment: &AgentEnvironment) -> Access {
        match self.kind {
            Kind::Gemini => Access::gemini(),
            Kind::ClaudeAgent => Access::claude(),
            Kind::Other => {
                let home = environment.variables.get(OsStr::new("HOME")).map(PathBuf::from);
                let places = [
                    format!(".{}", self.name),
                    format!(".config/{}", self.name),
                    format!(".local/share/{}", self.name),
                ];
                let own = places.iter().filter(|place| !CREDENTIALS.contains(&place.as_str()));
                let own = own.filter_map(|place| Some(home.as_ref()?.join(place))).filter(|place| place.is_dir());
                Access::default().writing(own)
            }
        }
    }

    /// Files (0600) that it is started with, the arguments and variables that name them, and where it is started.
    /// Blocks on the disk for a moment.
    ///
    /// Gemini CLI uses our tools only in a folder that it trusts, and in a trusted folder it runs what the repository's
    /// `.gemini` names: hooks, discovery commands, servers. So the folder that it trusts is an empty one of ours, the
    /// same at each start of a conversation because its sessions belong to it; the conversation's own is a further one,
    /// of which it reads no configuration.
    pub fn write_files(&self, launch: &Launch) -> std::io::Result<RunFiles> {
        if self.kind != Kind::Gemini {
            return Ok(RunFiles::default());
        }
        let named = |what: &str| launch.run_files.join(format!("gemini-{what}-{}", launch.conversation_id.as_str()));
        let neutral = named("folder");
        clear(&neutral)?;
        private_folder(&neutral).map_err(std::io::Error::other)?;
        let (policy, trusted) = (named("policy").with_extension("toml"), named("trust").with_extension("json"));
        let mut files = RunFiles {
            paths: vec![policy.clone(), trusted.clone()],
            neutral: Some(neutral.clone()),
            arguments: Vec::new(),
            variables: Vec::new(),
        };
        atomic::write(&policy, GEMINI_POLICY.as_bytes())?;
        atomic::write(&trusted, json!({neutral.to_string_lossy(): "TRUST_FOLDER"}).to_string().as_bytes())?;
        let flag = |name: &str, path: &Path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        };
        files.arguments = vec![flag("--admin-policy=", &policy), flag("--include-directories=", &launch.folder)];
        files.variables = vec![("GEMINI_CLI_TRUSTED_FOLDERS_PATH", trusted.into())];
        Ok(files)
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
    pub fn warning(&self, environment: &AgentEnvironment) -> Option<Sentence> {
        let key = ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
            .into_iter()
            .find(|name| environment.variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty()))?;
        (self.kind == Kind::Gemini && gemini_account(environment)).then(|| told::KEY_BILLED_GEMINI.with([key]))
    }
}

/// Signed in with a Google account.
fn gemini_account(environment: &AgentEnvironment) -> bool {
    let home = environment.variables.get(OsStr::new("HOME")).map(Path::new);
    home.is_some_and(|home| home.join(".gemini/oauth_creds.json").is_file())
}

/// What lives as long as the process. Dropping it removes the files.
#[derive(Debug, Default)]
pub struct RunFiles {
    pub paths: Vec<PathBuf>,
    /// Where it is started instead of the conversation's folder.
    pub neutral: Option<PathBuf>,
    pub arguments: Vec<OsString>,
    pub variables: Vec<(&'static str, OsString)>,
}

impl RunFiles {
    /// All of them, for a process that is confined to read them.
    pub fn readable(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.paths.iter().chain(&self.neutral).cloned()
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        for path in self.paths.iter().chain(&self.neutral) {
            if let Err(error) = clear(path) {
                tracing::warn!(%error, "a run file could not be removed");
            }
        }
    }
}

/// Removes a file, or a folder with all that is in it.
fn clear(path: &Path) -> std::io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
