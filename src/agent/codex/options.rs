//! The start of Codex: its arguments and its environment.
//!
//! Owns the confinement: Codex's own sandbox without network and without write access, closed to credentials; it must
//! ask for everything else. It gets only the browser's tools, no others of ours. Secrets are never in the arguments,
//! which every user of the machine can read.

use crate::adapter::{AgentEnvironment, McpEndpoint};
use crate::discovery::with_own_folder;
use crate::guard::Guard;
use crate::sandbox::Access;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The name of our MCP server in Codex's configuration.
pub(super) const SERVER: &str = "gstack";
/// The name of our file rules in Codex's configuration.
pub(super) const PROFILE: &str = "gstack";
/// The variable with the token of the MCP endpoint.
const TOKEN_VARIABLE: &str = "GSTACK_MCP_TOKEN";
/// A tool waits as long as a person takes to allow it. Only the daemon ends calls that hang.
const TOOL_LIMIT_SECONDS: i64 = 7 * 24 * 3600;

/// Features that bypass the person's browser, and hidden programs.
const OFF: [&str; 15] = [
    "apps",
    "browser_use",
    "browser_use_external",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "in_app_browser",
    "memories",
    "multi_agent",
    "plugins",
    "skill_search",
    "sleep_tool",
    "tool_suggest",
    // It would retry forever if an API cannot be reached.
    "unbounded_connection_retries",
];
/// Questions to the person, and listing our tools again when a page offers its own.
const ON: [&str; 2] = ["default_mode_request_user_input", "mcp_tool_list_changed"];

/// Returns its arguments for a conversation. Reads from disk which closed places exist.
pub(super) fn arguments(mcp: &McpEndpoint, guard: &Guard) -> Vec<OsString> {
    let mut settings = plain_settings();
    let server: Table = [
        ("url", mcp.url.as_str().into()),
        ("bearer_token_env_var", TOKEN_VARIABLE.into()),
        // The policy asks about our own tools itself, when the call arrives.
        ("default_tools_approval_mode", "approve".into()),
        ("tool_timeout_sec", TOOL_LIMIT_SECONDS.into()),
    ]
    .map(|(name, value): (&str, Value)| (name.to_owned(), value))
    .into_iter()
    .collect();
    if mcp.offers_tools() {
        settings.push((format!("mcp_servers.{SERVER}"), Value::Table(server)));
    }
    settings.push(("default_permissions".to_owned(), PROFILE.into()));
    // Its sandbox does not start if a closed place does not exist.
    let closed = guard
        .places()
        .flat_map(closed_parts)
        .filter(|place| place.exists())
        .map(|place| (place.display().to_string(), Value::from("deny")));
    let files: Table = std::iter::once((":root".to_owned(), "read".into())).chain(closed).collect();
    settings.push((format!("permissions.{PROFILE}.filesystem"), Value::Table(files)));
    to_arguments(&settings)
}

/// Returns the place itself. For Codex's own folder, returns all of it except the helper programs of its sandbox:
/// without them it cannot read a repository's `AGENTS.md` if bubblewrap is installed, and does not start.
fn closed_parts(place: &Path) -> Vec<PathBuf> {
    if place.file_name() != Some(OsStr::new(".codex")) {
        return vec![place.to_owned()];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name() != "tmp").map(|entry| entry.path()).collect()
}

/// Returns its arguments for a probe: its offers and its account.
pub(super) fn probe_arguments() -> Vec<OsString> {
    to_arguments(&plain_settings())
}

fn plain_settings() -> Vec<(String, Value)> {
    let environment: Table = [
        ("inherit", "all".into()),
        ("ignore_default_excludes", false.into()),
        ("exclude", Value::Array(vec!["GSTACK_*".into()])),
    ]
    .map(|(name, value): (&str, Value)| (name.to_owned(), value))
    .into_iter()
    .collect();
    let mut settings = vec![
        ("web_search".to_owned(), "disabled".into()),
        ("shell_environment_policy".to_owned(), Value::Table(environment)),
    ];
    settings.extend(OFF.map(|name| (format!("features.{name}"), false.into())));
    settings.extend(ON.map(|name| (format!("features.{name}"), true.into())));
    settings
}

fn to_arguments(settings: &[(String, Value)]) -> Vec<OsString> {
    let pair = |(name, value): &(String, Value)| [OsString::from("-c"), format!("{name}={value}").into()];
    std::iter::once("app-server".into()).chain(settings.iter().flat_map(pair)).collect()
}

/// Returns the login shell's environment for a probe.
pub(super) fn own_environment(of: &AgentEnvironment, program: &Path) -> AgentEnvironment {
    AgentEnvironment { access: Access::codex(), ..with_own_folder(of, program) }
}

/// Returns the login shell's environment with the token.
pub(super) fn environment(of: &AgentEnvironment, program: &Path, token: &str) -> AgentEnvironment {
    let mut environment = own_environment(of, program);
    environment.variables.insert(TOKEN_VARIABLE.into(), token.into());
    environment
}

#[cfg(test)]
mod tests {
    use super::arguments;
    use crate::adapter::McpEndpoint;
    use crate::guard::Guard;
    use std::path::Path;

    #[test]
    fn nothing_secret_is_in_the_arguments_and_paths_are_quoted() {
        let url = "http://127.0.0.1:9/mcp".to_owned();
        let mcp = McpEndpoint { url, token: "secret".to_owned(), tools: Vec::new(), program: None };
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("a \"home\"");
        std::fs::create_dir_all(home.join(".ssh")).unwrap();
        let guard = Guard::new(Path::new("/srv/project"), Some(&home), &[]);
        let all: Vec<String> =
            arguments(&mcp, &guard).into_iter().map(|argument| argument.into_string().unwrap()).collect();
        assert!(all.iter().all(|argument| !argument.contains("secret") && !argument.contains('\n')));
        let files = all.iter().find_map(|argument| argument.strip_prefix("permissions.gstack.filesystem=")).unwrap();
        let parsed: toml::Table = toml::from_str(&format!("x = {files}")).unwrap();
        assert_eq!(parsed["x"][home.join(".ssh").to_str().unwrap()].as_str(), Some("deny"));
        assert!(parsed["x"].get(home.join(".aws").to_str().unwrap()).is_none());
        assert_eq!(parsed["x"][":root"].as_str(), Some("read"));
    }
}
