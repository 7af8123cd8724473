//! The file with which `gstack mcp --agent-token-file` serves a running agent's tools on standard input and output.

use serde::{Deserialize, Serialize};

/// The daemon's MCP endpoint, and what an agent presents there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEndpoint {
    /// `http://127.0.0.1:PORT/mcp`
    pub url: String,
    /// The agent's token, which ends with the agent.
    pub token: String,
}
