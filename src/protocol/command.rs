//! A browser command as it travels over HTTP and the panel's wire, and its result.

use super::effects::Effect;
use super::fault::Fault;
use super::ids::{ChromeTabId, TabId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most bytes that a `chain` may hold, wherever it comes from.
pub const LARGEST_CHAIN: usize = 1024 * 1024;

/// The tab of every command of a shell, in its environment.
pub const TAB_VARIABLE: &str = "GSTACK_TAB";
/// The token of an agent's shell, in its environment: with it the command line is that agent's.
pub const TOKEN_VARIABLE: &str = "GSTACK_TOKEN";
/// Beside it: the port on 127.0.0.1 at which the daemon takes that token. A confined process reaches no unix socket.
pub const PORT_VARIABLE: &str = "GSTACK_PORT";

/// `POST /command` and `command.run`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
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
    /// The part of the client's environment that a browser needs if it is started for this command.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Fail rather than start a browser.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_autostart: bool,
    /// A model reads the output: page content comes in an envelope whose markers no page can foresee.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_model: bool,
}

/// The result of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
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
    /// Its side effects: dialogs, downloads, tabs, another address, console errors. `output` says them too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// How many commands inside a `chain` or `tab-each` failed; the output says which.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_steps: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl CommandResult {
    /// As HTTP and `--json` answer it: `{"ok", "output", "data", "files", "effects"}`. Where steps failed `ok` is false and
    /// `failedSteps` counts them.
    pub fn answer(&self) -> CommandAnswer<'_> {
        CommandAnswer {
            ok: self.failed_steps == 0,
            output: &self.output,
            data: self.data.as_ref(),
            files: &self.files,
            effects: &self.effects,
            failed_steps: self.failed_steps,
        }
    }
}

/// The answer that `CommandResult::answer` gives.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandAnswer<'a> {
    ok: bool,
    output: &'a str,
    data: Option<&'a serde_json::Value>,
    files: &'a [String],
    effects: &'a [Effect],
    #[serde(skip_serializing_if = "is_zero")]
    failed_steps: usize,
}

/// One line of the answer to `POST /command/lines`, whose request is that of `POST /command`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandRun {
    pub chrome_tab_id: ChromeTabId,
    /// Its `tabId` is set by the daemon.
    #[serde(flatten)]
    pub request: CommandRequest,
}
