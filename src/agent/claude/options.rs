//! The start of Claude Code: its arguments, its private files and its environment.
//!
//! Owns the confinement: no shell, no settings of users or projects, only our MCP server, only these file tools.
//! Secrets are never in the arguments, which every user of the machine can read.

use super::map::SERVER;
use crate::adapter::{AgentEnvironment, Launch};
use crate::discovery::with_own_folder;
use crate::guard::Guard;
use crate::sandbox::Access;
use gstack_base::atomic;
use serde_json::json;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The built-in tools that it gets: files, plans and questions. No shell, and no fetching that bypasses the person's
/// browser.
const FILE_TOOLS: &str = "Read,Glob,Grep,Edit,Write,AskUserQuestion,TodoWrite,TaskCreate,TaskUpdate,TaskList";

/// The features of the installed release, from its `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Abilities {
    /// It can be confined.
    pub confinable: bool,
    /// `--restricted`
    pub restricted: bool,
}

impl Abilities {
    pub(super) fn from_help(help: &str) -> Self {
        let knows = |flag: &str| {
            help.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | '=')).any(|word| word == flag)
        };
        let needed = ["--tools", "--setting-sources", "--strict-mcp-config", "--settings"];
        Self { confinable: needed.into_iter().all(knows), restricted: knows("--restricted") }
    }
}

/// Files (0600) that exist as long as the process. Dropping this removes them.
#[derive(Debug)]
pub(super) struct RunFiles {
    mcp: PathBuf,
    settings: PathBuf,
}

impl RunFiles {
    /// Writes the files. Blocks briefly on disk I/O.
    pub(super) fn write(launch: &Launch, guard: &Guard) -> io::Result<Self> {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let files = Self {
            mcp: launch.run_files.join(format!("claude-mcp-{id}.json")),
            settings: launch.run_files.join(format!("claude-settings-{id}.json")),
        };
        let authorization = format!("Bearer {}", launch.mcp.token);
        let server = json!({"type": "http", "url": launch.mcp.url, "headers": {"Authorization": authorization}});
        let servers = if launch.mcp.offers_tools() { json!({SERVER: server}) } else { json!({}) };
        atomic::write(&files.mcp, json!({"mcpServers": servers}).to_string().as_bytes())?;
        let settings = json!({"permissions": {"deny": guard.deny_rules()}, "disableAllHooks": true});
        atomic::write(&files.settings, settings.to_string().as_bytes())?;
        Ok(files)
    }

    pub(super) fn paths(&self) -> [PathBuf; 2] {
        [self.mcp.clone(), self.settings.clone()]
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        for path in [&self.mcp, &self.settings] {
            if let Err(error) = std::fs::remove_file(path)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, "a run file could not be removed");
            }
        }
    }
}

/// Returns its arguments. `resume`: whether to try [`Launch::resume`].
pub(super) fn arguments(launch: &Launch, files: &RunFiles, abilities: Abilities, resume: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = [
        "-p",
        "--input-format=stream-json",
        "--output-format=stream-json",
        "--verbose",
        "--include-partial-messages",
        "--permission-prompt-tool=stdio",
        "--strict-mcp-config",
        "--setting-sources=",
    ]
    .map(OsString::from)
    .into();
    let mut flag = |name: &str, value: &std::ffi::OsStr| {
        let mut argument = OsString::from(name);
        argument.push("=");
        argument.push(value);
        arguments.push(argument);
    };
    flag("--mcp-config", files.mcp.as_os_str());
    flag("--settings", files.settings.as_os_str());
    flag("--tools", if launch.mcp.offers_tools() { FILE_TOOLS } else { "" }.as_ref());
    let own: Vec<String> = launch.mcp.tools.iter().map(|tool| format!("mcp__{SERVER}__{tool}")).collect();
    flag("--allowedTools", own.join(",").as_ref());
    flag("--append-system-prompt", launch.system_prompt.as_ref());
    if let Some(model) = &launch.model {
        flag("--model", model_name(model).as_ref());
    }
    match launch.resume.as_ref().filter(|_| resume) {
        Some(session) => flag("--resume", session.as_ref()),
        None => flag("--session-id", uuid::Uuid::new_v4().to_string().as_ref()),
    }
    if abilities.restricted {
        arguments.push("--restricted".into());
    }
    arguments
}

/// Returns Claude Code's name for a model: its own aliases for `fast` and `deep`.
pub(super) fn model_name(model: &str) -> &str {
    match model {
        "fast" => "haiku",
        "deep" => "opus",
        other => other,
    }
}

/// Returns the login shell's environment with the settings for a background process. The configuration's values take
/// precedence.
pub(super) fn environment(of: &AgentEnvironment, program: &Path) -> AgentEnvironment {
    let mut environment = with_own_folder(of, program);
    environment.access = Access::claude();
    let defaults = [
        // By default it retries a refused key ten times, over minutes.
        ("CLAUDE_CODE_MAX_RETRIES", "3"),
        // It is here to use the browser's tools, so none is hidden behind a search.
        ("ENABLE_TOOL_SEARCH", "false"),
        // A tool waits as long as a person takes to allow it. Only the daemon ends calls that hang.
        ("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", "0"),
        // Page content must not reach other conversations through hidden notes.
        ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
        // The first turn waits for the browser's tools instead of starting without them on a busy machine.
        ("MCP_CONNECTION_NONBLOCKING", "0"),
        ("MCP_CONNECT_TIMEOUT_MS", "30000"),
        // The program should not replace itself while a conversation runs.
        ("DISABLE_AUTOUPDATER", "1"),
    ];
    for (name, value) in defaults {
        environment.variables.entry(name.into()).or_insert_with(|| value.into());
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::Abilities;

    #[test]
    fn abilities_are_read_from_the_help() {
        let help = "  --settings <file>\n  --setting-sources <s>  x\n  --strict-mcp-config  y\n  --tools <tools...>";
        assert_eq!(Abilities::from_help(help), Abilities { confinable: true, restricted: false });
        let newer = format!("{help}\n  --restricted");
        assert!(Abilities::from_help(&newer).restricted);
        assert!(!Abilities::from_help("--allowedTools, --disallowed-tools <tools...>").confinable);
    }
}
