//! A browser command as it travels over HTTP and the panel's wire, and its result.

use super::fault::Fault;
use super::ids::TabId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a `chain` may hold, in bytes, wherever it comes from.
pub const LARGEST_CHAIN: usize = 1024 * 1024;

/// The tab of every command of a shell, in its environment.
pub const TAB_VARIABLE: &str = "GSTACK_TAB";
/// The token of an agent's shell, in its environment: with it the command line is that agent's.
pub const TOKEN_VARIABLE: &str = "GSTACK_TOKEN";

/// `POST /command` and `command.run`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CommandRequest {
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// Without it: the client's current tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The client's working directory; without it only the temp directory is open to paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What a browser that is started for this command needs of the client's environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Fail rather than start a browser.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_autostart: bool,
    /// A model reads the output: page content comes in an envelope whose markers no page can foresee.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_model: bool,
}

/// What a command gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// The output for people and agents; untrusted page content is already in its envelope.
    pub output: String,
    /// The same as data, where the command has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "unknown"))]
    pub data: Option<serde_json::Value>,
    /// Files that the command wrote (absolute paths).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// One line of the answer to `POST /command/lines`, whose request is that of `POST /command`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandLine {
    /// In bytes; the total where it is known.
    Progress {
        done: u64,
        total: Option<u64>,
    },
    Done(CommandResult),
    Failed(Fault),
}
