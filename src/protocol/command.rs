//! A browser command as sent over HTTP and the panel's connection, and its result.

use super::effects::Effect;
use super::fault::Fault;
use super::ids::{ChromeTabId, DriverId, TabId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Not;

/// The maximum size of a `chain` in bytes, from any source.
pub const LARGEST_CHAIN: usize = 1024 * 1024;

/// The environment variable with the tab for every command of a shell.
pub const TAB_VARIABLE: &str = "GSTACK_TAB";
/// The environment variable with the name of the browser for every command of a shell. `GSTACK_BROWSER` is taken: a
/// browser passes its run to native messaging hosts in it.
pub const BROWSER_NAME_VARIABLE: &str = "GSTACK_BROWSER_NAME";
/// The environment variable with the name under which the commands of a shell or script drive.
pub const DRIVER_VARIABLE: &str = "GSTACK_DRIVER";
/// The environment variable with the profile to start a browser with.
pub const PROFILE_VARIABLE: &str = "GSTACK_PROFILE";
/// Makes a command fail if no browser is open, instead of starting one.
pub const NO_AUTOSTART_VARIABLE: &str = "GSTACK_NO_AUTOSTART";
/// The variables that say where a shell's commands work. Agents and the scripts of `gstack run`, which have a place of their own,
/// don't inherit them.
pub const PLACE_VARIABLES: [&str; 3] = [TAB_VARIABLE, BROWSER_NAME_VARIABLE, DRIVER_VARIABLE];
/// The environment variable with the token of an agent's shell. The CLI then acts as that agent.
pub const TOKEN_VARIABLE: &str = "GSTACK_TOKEN";
/// The environment variable with the port on 127.0.0.1 where the daemon accepts that token. A sandboxed process cannot
/// reach Unix sockets.
pub const PORT_VARIABLE: &str = "GSTACK_PORT";

/// `POST /command` and `command.run`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandRequest {
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// Absent for the client's current tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The name of the browser to use. Absent for that of the tab, or the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// The client's working directory. If absent, paths are restricted to the temp directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The client's environment variables that a browser needs if this command starts one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The profile of a browser that this command starts. Absent for the configured one, or the instance's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Fails instead of starting a browser.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_autostart: bool,
    /// Whether a model reads the output: page content then comes in an envelope whose markers a page cannot predict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_model: bool,
    /// The bytes of a result that reach the model; the rest is kept for `cursor`. Absent for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeps: Option<usize>,
    /// Reads on where a result of this command was cut, instead of running it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The registration that the caller acts under. The daemon goes by the calling process: this only makes sure that a
    /// driver whose registration has ended is refused, and does not act as the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_id: Option<DriverId>,
    /// The name of the shell or script that runs the command. It then works in tabs of its own. On `http.sock` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_name: Option<String>,
    /// The sites that the command may act on. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_on: Option<ActsOn>,
}

/// The sites that a command may act on: elsewhere it fails before it sends anything to a page. Each is an origin as HTML
/// serializes it: `https://shop.example`, or `null` for a document without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActsOn {
    /// The origins of the tab's page; it must have one of them.
    pub page: Vec<String>,
    /// The origin of the frame with the element. Absent: that of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
}

/// The result of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// The output for people and agents. Untrusted page content is already in its envelope.
    pub output: String,
    /// The output as data, if the command provides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(type = "unknown"))]
    pub data: Option<serde_json::Value>,
    /// The files that the command wrote (absolute paths).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Its side effects: dialogs, downloads, tabs, navigations, file choosers, console errors. `output` mentions them as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// The number of failed commands inside a `chain` or `tab-each`; the output names them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_steps: usize,
    /// The command opened a browser first, because none was open. That browser has no window.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub opened_browser: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl CommandResult {
    /// Returns the answer for HTTP and `--json`: `{"ok", "output", "data", "files", "effects"}`. If steps failed, `ok`
    /// is false and `failedSteps` is their number; `openedBrowser` is true if the command opened a browser first.
    pub fn answer(&self) -> CommandAnswer<'_> {
        CommandAnswer {
            ok: self.failed_steps == 0,
            output: &self.output,
            data: self.data.as_ref(),
            files: &self.files,
            effects: &self.effects,
            failed_steps: self.failed_steps,
            opened_browser: self.opened_browser,
        }
    }
}

/// The return type of `CommandResult::answer`.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandAnswer<'a> {
    ok: bool,
    output: &'a str,
    data: Option<&'a serde_json::Value>,
    files: &'a [String],
    effects: &'a [Effect],
    #[serde(default, skip_serializing_if = "is_zero")]
    failed_steps: usize,
    #[serde(default, skip_serializing_if = "Not::not")]
    opened_browser: bool,
}

/// One line of the answer to `POST /command/lines`, which takes the same request as `POST /command`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CommandLine {
    /// In bytes; the total if it is known.
    Progress {
        done: u64,
        total: Option<u64>,
    },
    Done(CommandResult),
    Failed(Fault),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandRun {
    pub chrome_tab_id: ChromeTabId,
    /// The daemon sets its `tabId`.
    #[serde(flatten)]
    pub request: CommandRequest,
}
