//! What is known of MCP clients by the name that they give in `initialize`: how much of a result reaches their model, what
//! they do with structured results, and the arguments that they add to every call.
//!
//! Owns the table. Pure. An unknown client gets what the settings allow.

use rmcp::RoleServer;
use rmcp::service::Peer;
use serde_json::{Map, Value};

/// The `_meta` key by which Claude Code learns how long a tool's results may be.
pub(super) const CLAUDE_MOST: &str = "anthropic/maxResultSizeChars";
/// The length that Claude Code then keeps whole. A result is cut far below that.
pub(super) const CLAUDE_MOST_CHARACTERS: u64 = 100_000;

/// One client, as it was seen with the version beside it.
#[derive(Debug)]
pub(super) struct KnownClient {
    /// The beginning of its name.
    name: &'static str,
    /// The most bytes of a result that it passes on whole, with room for what gstack adds. `None`: no limit was seen.
    keeps: Option<usize>,
    /// Arguments of its own that it forwards with a call.
    adds: &'static [&'static str],
}

const KNOWN: [KnownClient; 7] = [
    // Replaces a result of more than 50,000 characters by a preview and a file that its guard denies.
    // Seen with 2.1.332.
    KnownClient { name: "claude-code", keeps: Some(48_000), adds: &[] },
    // Cuts the middle out at 10,000 tokens of 4 bytes.
    // Seen with 0.171.0.
    KnownClient { name: "codex", keeps: Some(36_000), adds: &[] },
    // Writes a longer result to a file, and adds an argument to each tool.
    // Seen with 0.61.0.
    KnownClient { name: "gemini-cli", keeps: Some(38_000), adds: &["wait_for_previous"] },
    // Cuts at 50 KiB and 2,000 lines.
    // Seen with 1.18.33.
    KnownClient { name: "opencode", keeps: Some(48_000), adds: &[] },
    // Writes a result of more than 20 KiB to a file.
    // Seen with 1.0.102.
    KnownClient { name: "copilot-cli", keeps: Some(18_000), adds: &[] },
    // Cuts the middle out at 25,000 characters or 1,000 lines.
    // Seen with 0.15.10.
    KnownClient { name: "qwen-cli", keeps: Some(23_000), adds: &[] },
    // Seen with 3.0.65.
    KnownClient { name: "@cline/", keeps: None, adds: &[] },
];

/// Returns what is known of the client at the other end.
pub(super) fn known(peer: &Peer<RoleServer>) -> Option<&'static KnownClient> {
    named(&peer.peer_info()?.client_info.name)
}

fn named(name: &str) -> Option<&'static KnownClient> {
    KNOWN.iter().find(|known| name.starts_with(known.name))
}

/// Returns how many bytes of a result reach the client's model; `None` if that is not known.
pub(super) fn keeps(known: Option<&KnownClient>) -> Option<usize> {
    known?.keeps
}

/// Returns true if the client gets structured results beside the text. No known one does: the models of Claude Code and Codex
/// would lose the text, its envelope and (Codex) its pictures; Gemini CLI and opencode drop the structure; Qwen Code, Copilot
/// CLI and Cline give both, so that the model reads everything twice. `tests/agent_matrix/structure.test.mjs` measures it.
pub(super) fn gets_structure(known: Option<&KnownClient>) -> bool {
    known.is_none()
}

/// Removes the arguments that the client added to a call, unless the tool has one of that name.
pub(super) fn without_added(
    known: Option<&KnownClient>,
    mut arguments: Map<String, Value>,
    is_of_tool: impl Fn(&str) -> bool,
) -> Map<String, Value> {
    let added = known.map_or(&[][..], |known| known.adds);
    for name in added.iter().filter(|name| !is_of_tool(name)) {
        arguments.remove(*name);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::{gets_structure, keeps, named, without_added};
    use serde_json::{Value, json};

    #[test]
    fn only_what_a_known_client_adds_is_removed_and_never_an_argument_of_the_tool() {
        let given = || json!({"url": "x", "wait_for_previous": true}).as_object().cloned().unwrap();
        let left = |client: &str, of_tool: bool| Value::Object(without_added(named(client), given(), |_| of_tool));
        assert_eq!(left("gemini-cli-mcp-client", false), json!({"url": "x"}));
        assert_eq!(left("gemini-cli-mcp-client", true), Value::Object(given()));
        assert_eq!(left("codex-mcp-client", false), Value::Object(given()));
        assert!(named("qwen-cli-mcp-client-gstack").is_some() && named("qwen").is_none());
    }

    #[test]
    fn a_client_whose_model_would_lose_the_text_gets_no_structure() {
        for name in
            ["claude-code", "codex-mcp-client", "gemini-cli-mcp-client", "qwen-cli-mcp-client-gstack", "@cline/core"]
        {
            assert!(!gets_structure(named(name)), "{name}");
        }
        assert!(gets_structure(named("a-script")) && keeps(named("a-script")).is_none());
    }
}
