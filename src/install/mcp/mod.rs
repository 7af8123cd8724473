//! Registers `gstack mcp` with MCP clients, and unregisters it.
//!
//! Owns the location and format of each client's server list. The rest of the file stays exactly the same, comments too; a file
//! that cannot be edited safely is left untouched, and the error says why.

mod entry;
mod json;
mod jsonc;
mod table;
mod yaml;

use super::InstallError;
use entry::SERVER;
pub(crate) use entry::{EditError, Server, Wanted};
use gstack_base::atomic;
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Serialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// An MCP client that stores its servers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum McpClient {
    Claude,
    Codex,
    Gemini,
    Cursor,
    VsCode,
    OpenCode,
    Qwen,
    Copilot,
    Cline,
    Vibe,
    Hermes,
    OpenHands,
    Auggie,
}

impl McpClient {
    pub(crate) const NAMES: [&str; 13] = [
        "claude",
        "codex",
        "gemini",
        "cursor",
        "vscode",
        "opencode",
        "qwen",
        "copilot",
        "cline",
        "vibe",
        "hermes",
        "openhands",
        "auggie",
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "claude" => Self::Claude,
            "codex" => Self::Codex,
            "gemini" => Self::Gemini,
            "cursor" => Self::Cursor,
            "vscode" => Self::VsCode,
            "opencode" => Self::OpenCode,
            "qwen" => Self::Qwen,
            "copilot" => Self::Copilot,
            "cline" => Self::Cline,
            "vibe" => Self::Vibe,
            "hermes" => Self::Hermes,
            "openhands" => Self::OpenHands,
            "auggie" => Self::Auggie,
            _ => return None,
        })
    }

    /// Returns the display name.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::OpenCode => "opencode",
            Self::Qwen => "Qwen Code",
            Self::Copilot => "Copilot CLI",
            Self::Cline => "Cline",
            Self::Vibe => "Mistral Vibe",
            Self::Hermes => "Hermes",
            Self::OpenHands => "OpenHands",
            Self::Auggie => "Auggie",
        }
    }

    /// Returns the client's file, according to its documentation. `moved`: reads a path from one of the client's
    /// environment variables.
    fn file(self, home: &Path, moved: &dyn Fn(&str) -> Option<PathBuf>) -> PathBuf {
        match self {
            Self::Claude => moved("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.to_owned()).join(".claude.json"),
            Self::Codex => moved("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            Self::Gemini => home.join(".gemini/settings.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::VsCode if cfg!(target_os = "macos") => home.join("Library/Application Support/Code/User/mcp.json"),
            Self::VsCode => moved("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("Code/User/mcp.json"),
            // Seen with 1.18.33.
            Self::OpenCode => {
                let folder = moved("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("opencode");
                let with_comments = folder.join("opencode.jsonc");
                if with_comments.is_file() { with_comments } else { folder.join("opencode.json") }
            }
            // Seen with 0.24.4.
            Self::Qwen => home.join(".qwen/settings.json"),
            // Seen with 1.0.102.
            Self::Copilot => home.join(".copilot/mcp-config.json"),
            // Seen with 3.0.65.
            Self::Cline => home.join(".cline/data/settings/cline_mcp_settings.json"),
            // Seen with 3.0.2.
            Self::Vibe => moved("VIBE_HOME").unwrap_or_else(|| home.join(".vibe")).join("config.toml"),
            // Seen with 0.19.0.
            Self::Hermes => moved("HERMES_HOME").unwrap_or_else(|| home.join(".hermes")).join("config.yaml"),
            // Seen with 1.16.0.
            Self::OpenHands => home.join(".openhands/mcp.json"),
            // Seen with 0.36.0.
            Self::Auggie => home.join(".augment/settings.json"),
        }
    }

    /// Returns how its file is written, and the keys that lead to its servers.
    fn format(self) -> Format {
        match self {
            Self::Claude => Format::Json("mcpServers", json::Entry::WithTransport),
            Self::VsCode => Format::Json("servers", json::Entry::WithTransport),
            Self::OpenCode => Format::Json("mcp", json::Entry::OneCommand),
            Self::Copilot => Format::Json("mcpServers", json::Entry::WithTools),
            Self::Gemini | Self::Cursor | Self::Qwen | Self::Cline | Self::OpenHands | Self::Auggie => {
                Format::Json("mcpServers", json::Entry::Plain)
            }
            Self::Codex => Format::Table("mcp_servers"),
            Self::Vibe => Format::Tables("mcp_servers"),
            Self::Hermes => Format::Yaml(&["mcp_servers"]),
        }
    }
}

/// How a client's file is written.
#[derive(Clone, Copy)]
enum Format {
    /// JSON, with comments where the client takes them.
    Json(&'static str, json::Entry),
    /// TOML, a table of servers.
    Table(&'static str),
    /// TOML, a list of servers with names.
    Tables(&'static str),
    Yaml(&'static [&'static str]),
}

impl Format {
    fn edit(self, text: &str, wanted: &Wanted) -> Result<String, EditError> {
        match self {
            Self::Json(servers, entry) => json::edit(text, servers, entry, wanted),
            Self::Table(servers) => table::edit(text, servers, wanted),
            Self::Tables(servers) => table::edit_list(text, servers, wanted),
            Self::Yaml(keys) => yaml::edit(text, keys, wanted),
        }
    }

    /// Returns the keys that lead to the servers, for people.
    fn servers(self) -> String {
        match self {
            Self::Json(key, _) | Self::Table(key) | Self::Tables(key) => key.to_owned(),
            Self::Yaml(keys) => keys.join("."),
        }
    }
}

/// The change made, or the one that would be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct McpReport {
    pub client: &'static str,
    pub file: PathBuf,
    /// Whether the file's text changes.
    pub changed: bool,
    /// The file's new text.
    #[serde(skip)]
    pub text: String,
}

/// Changes a client's file, or with `print` only returns its new text.
pub(crate) fn apply(client: McpClient, wanted: &Wanted, print: bool) -> Result<McpReport, Fault> {
    let home = dirs::home_dir().ok_or(InstallError::NoHome)?;
    let moved = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    apply_at(client, &client.file(&home, &moved), wanted, print)
}

fn apply_at(client: McpClient, file: &Path, wanted: &Wanted, print: bool) -> Result<McpReport, Fault> {
    // Writes through a symlink, so that a person's linked settings file stays linked.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let before = match fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            return Err(Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", file.display()))
                .hint("Make the file readable by you, then repeat."));
        }
    };
    let old = before.as_deref().unwrap_or_default();
    let text = client.format().edit(old, wanted).map_err(|error| refused(client, &file, &error, wanted))?;
    let changed = before.as_deref().unwrap_or_default() != text;
    let report = McpReport { client: client.label(), file: file.clone(), changed, text };
    if changed && !print {
        write(&file, &report.text)?;
    }
    Ok(report)
}

fn write(file: &Path, text: &str) -> Result<(), Fault> {
    let failed = |source| Fault::from(InstallError::Write { path: file.to_owned(), source });
    let permissions = fs::metadata(file).ok().map(|found| found.permissions());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    atomic::write(file, text.as_bytes()).map_err(failed)?;
    // Keeps the file's permissions.
    permissions.map_or(Ok(()), |permissions| fs::set_permissions(file, permissions)).map_err(failed)
}

fn refused(client: McpClient, file: &Path, error: &EditError, wanted: &Wanted) -> Fault {
    let hint = match wanted {
        Wanted::Present(server) => format!(
            "Add it by hand: under `{}`, a server `{SERVER}` with the command {} and the arguments {}.",
            client.format().servers(),
            server.command,
            server.arguments.join(" ")
        ),
        Wanted::Absent => format!("Remove the server `{SERVER}` under `{}` by hand.", client.format().servers()),
    };
    Fault::new(FaultCode::Conflict, format!("{} was not changed: {error}", file.display())).hint(hint)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
