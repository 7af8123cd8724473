//! The ACP agents that are known by name: how they are started, confined and recognised.
//!
//! Owns the differences between them. An agent from the configuration is a [`Preset`] without any of these.

use super::known::{self, KnownAgent, Servers};
use super::neutral_folder::NeutralFolder;
use crate::adapter::{AgentEnvironment, Launch};
use crate::guard::CREDENTIALS;
use crate::sandbox::{Access, RefusedPath};
use gstack_base::atomic;
use gstack_protocol::catalogue::{self, Sentence};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The variable with the token of the MCP endpoint, for agents that read it from there.
pub const TOKEN_VARIABLE: &str = "GSTACK_MCP_TOKEN";

/// Denies Gemini CLI's own tools that bypass the person's browser or run programs.
/// The file tools of Claude by ACP.
const FILE_TOOLS: [&str; 6] = ["Read", "Glob", "Grep", "Edit", "Write", "AskUserQuestion"];
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
    /// The name by which it is chosen.
    pub name: String,
    /// The name shown to people.
    pub label: String,
    /// The program's name or path, and its arguments.
    pub program: PathBuf,
    /// The arguments of every start.
    pub arguments: Vec<OsString>,
    /// The command that installs it.
    pub install: Option<String>,
    /// The command that signs in.
    pub sign_in: Option<String>,
    /// Which of the known agents it is.
    pub kind: Kind,
    /// The folders that the person has allowed it to write.
    pub allowed: Vec<PathBuf>,
}

/// Tells apart the agents that differ in more than their program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gemini CLI.
    Gemini,
    /// Claude's ACP adapter.
    ClaudeAgent,
    /// From the configuration: nothing else is known about it.
    Other,
}

impl Preset {
    /// Gemini CLI.
    pub fn gemini() -> Self {
        Self {
            name: "gemini".to_owned(),
            label: "Gemini CLI".to_owned(),
            program: "gemini".into(),
            arguments: ["--acp", "--allowed-mcp-server-names=gstack", "--extensions=none"].map(OsString::from).into(),
            install: Some("npm install -g @google/gemini-cli".to_owned()),
            sign_in: Some("gemini".to_owned()),
            kind: Kind::Gemini,
            allowed: Vec::new(),
        }
    }

    /// Claude through its ACP adapter.
    pub fn claude_agent() -> Self {
        Self {
            name: "claude-agent-acp".to_owned(),
            label: "Claude (ACP)".to_owned(),
            program: "claude-agent-acp".into(),
            arguments: Vec::new(),
            install: Some("npm install -g @agentclientprotocol/claude-agent-acp".to_owned()),
            sign_in: Some("claude auth login".to_owned()),
            kind: Kind::ClaudeAgent,
            allowed: Vec::new(),
        }
    }

    /// Creates a preset from the configuration. `program` and `arguments` are the parts of its command.
    pub fn configured(name: &str, label: Option<String>, program: PathBuf, arguments: Vec<OsString>) -> Self {
        let label = label.unwrap_or_else(|| name.to_owned());
        let (install, sign_in) = (None, None);
        Self {
            name: name.to_owned(),
            label,
            program,
            arguments,
            install,
            sign_in,
            kind: Kind::Other,
            allowed: Vec::new(),
        }
    }

    fn known(&self) -> Option<&'static KnownAgent> {
        KnownAgent::of(&self.program, &self.arguments)
    }

    /// Returns the ids of the modes in which it asks before it writes a file or runs a command, best first.
    pub fn asking_modes(&self) -> &'static [&'static str] {
        known::asking_modes(self.known())
    }

    /// Returns how it reaches MCP servers. `http`: it announces HTTP.
    pub(super) fn servers(&self, http: bool) -> Servers {
        Servers::of(self.known(), http)
    }

    /// Adds what makes it ask to its environment, whatever the person has set.
    pub fn configure(&self, variables: &mut BTreeMap<OsString, OsString>) {
        if let Some(known) = self.known() {
            known.configure(variables);
        }
    }

    /// Returns the authorization header for our MCP endpoint. Some agents pass their servers on in arguments, which
    /// every user of the machine can read, but expand variables.
    pub fn authorization(&self, token: &str) -> String {
        match self.kind {
            Kind::ClaudeAgent => format!("Bearer ${{{TOKEN_VARIABLE}}}"),
            Kind::Gemini | Kind::Other => format!("Bearer {token}"),
        }
    }

    /// Returns the `_meta` of `session/new`, for fields outside the protocol.
    pub fn session_meta(&self, launch: &Launch) -> Option<Value> {
        let file_tools = if launch.mcp.offers_tools() { &FILE_TOOLS[..] } else { &[] };
        let allowed: Vec<String> = launch.mcp.tools.iter().map(|tool| format!("mcp__gstack__{tool}")).collect();
        (self.kind == Kind::ClaudeAgent).then(|| {
            json!({
                "systemPrompt": {"append": launch.system_prompt},
                "claudeCode": {"options": {
                    "settingSources": [],
                    "strictMcpConfig": true,
                    "tools": file_tools,
                    "allowedTools": allowed,
                }},
            })
        })
    }

    /// Returns the variables that it needs, unless the person has set them.
    pub fn variables(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            // The first turn waits for the browser's tools instead of starting without them on a busy machine.
            Kind::ClaudeAgent => &[("MCP_CONNECTION_NONBLOCKING", "0"), ("MCP_CONNECT_TIMEOUT_MS", "30000")],
            Kind::Gemini | Kind::Other => &[],
        }
    }

    /// Returns whether [`Launch::system_prompt`] is sent with the session. Otherwise it is sent with the first message.
    pub fn takes_instructions(&self) -> bool {
        self.kind == Kind::ClaudeAgent
    }

    /// Returns the person's files that it may access if it is confined. Reads the disk.
    pub fn access(&self, environment: &AgentEnvironment) -> Access {
        self.own_access(environment).writing(RefusedPath::open(&self.allowed, environment))
    }

    fn own_access(&self, environment: &AgentEnvironment) -> Access {
        match self.kind {
            Kind::Gemini => Access::gemini(),
            Kind::ClaudeAgent => Access::claude(),
            Kind::Other => {
                if let Some(known) = self.known() {
                    return known.access();
                }
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

    /// Writes the files (0600) that it is started with, and returns them with the arguments and variables that name
    /// them, and its working folder. Blocks briefly on disk I/O.
    ///
    /// Gemini CLI uses our tools only in a folder that it trusts, and in a trusted folder it runs what the repository's
    /// `.gemini` names: hooks, discovery commands, servers. So the trusted folder is an empty one of ours. It is the
    /// same at each start of a conversation, because Gemini's sessions belong to it. The conversation's own folder is
    /// added as a further one, from which Gemini reads no configuration.
    ///
    /// # Errors
    ///
    /// Fails if a file or folder cannot be written or removed.
    pub fn write_files(&self, launch: &Launch) -> std::io::Result<RunFiles> {
        if self.kind == Kind::Other {
            let file = launch.mcp.write_for_stdio(&launch.run_files, &launch.conversation_id)?;
            let mut files = RunFiles::default();
            files.paths.push(file.clone());
            files.stdio = Some(file);
            files.arguments = self.known().into_iter().flat_map(KnownAgent::arguments).collect();
            return Ok(files);
        }
        if self.kind != Kind::Gemini {
            return Ok(RunFiles::default());
        }
        let folder = format!("gemini-folder-{}", launch.conversation_id.as_str());
        let neutral = NeutralFolder::of(launch.run_files.join(folder))?;
        let id = uuid::Uuid::new_v4().simple();
        let policy = launch.run_files.join(format!("gemini-policy-{id}.toml"));
        let trusted = launch.run_files.join(format!("gemini-trust-{id}.json"));
        let mut files = RunFiles::default();
        files.paths = vec![policy.clone(), trusted.clone()];
        atomic::write(&policy, GEMINI_POLICY.as_bytes())?;
        let trust = json!({neutral.path().to_string_lossy(): "TRUST_FOLDER"});
        atomic::write(&trusted, trust.to_string().as_bytes())?;
        files.neutral = Some(neutral);
        let flag = |name: &str, path: &Path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        };
        files.arguments = vec![flag("--admin-policy=", &policy), flag("--include-directories=", &launch.folder)];
        files.variables = vec![("GEMINI_CLI_TRUSTED_FOLDERS_PATH", trusted.into())];
        Ok(files)
    }

    /// Returns whether it is signed in. `None` if unknown: the first message will show.
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

    /// Returns a warning to show to the person before they use it.
    pub fn warning(&self, environment: &AgentEnvironment) -> Option<Sentence> {
        let key = ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
            .into_iter()
            .find(|name| environment.variables.get(OsStr::new(name)).is_some_and(|value| !value.is_empty()))?;
        (self.kind == Kind::Gemini && gemini_account(environment)).then(|| catalogue::KEY_BILLED_GEMINI.with([key]))
    }
}

/// Returns whether it is signed in with a Google account.
fn gemini_account(environment: &AgentEnvironment) -> bool {
    let home = environment.variables.get(OsStr::new("HOME")).map(Path::new);
    home.is_some_and(|home| home.join(".gemini/oauth_creds.json").is_file())
}

/// The files of one process. Dropping this removes them.
#[derive(Debug, Default)]
pub struct RunFiles {
    /// The paths of the files.
    pub paths: Vec<PathBuf>,
    /// The folder in which it is started instead of the conversation's.
    pub neutral: Option<Arc<NeutralFolder>>,
    /// The file with which our own program serves the tools on standard input and output.
    pub stdio: Option<PathBuf>,
    /// Further arguments for the program.
    pub arguments: Vec<OsString>,
    /// Further environment variables for the program.
    pub variables: Vec<(&'static str, OsString)>,
}

impl RunFiles {
    /// Returns all of the files, so that a confined process gets read access to them.
    pub fn readable(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.paths.iter().cloned().chain(self.neutral.iter().map(|folder| folder.path().to_owned()))
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        for path in &self.paths {
            if let Err(error) = clear(path) {
                tracing::warn!(%error, "a run file could not be removed");
            }
        }
    }
}

/// Removes a file, or a folder with everything in it.
pub(super) fn clear(path: &Path) -> std::io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
