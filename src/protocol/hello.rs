//! The first words on a connection: who is there, and which protocol they speak.

use super::ids::{BrowserRun, Epoch, InstanceId};
use serde::{Deserialize, Serialize};

/// The first message of the native messaging host on `panel.sock`, before it pumps: what only it can know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HostPreamble {
    /// The extension that Chrome vouched for: `chrome-extension://ID/`.
    pub origin: String,
    pub pid: u32,
    pub version: String,
    /// Set when the browser was started by gstack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser_run: Option<BrowserRun>,
}

/// `hello` from the extension, on each new port.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    pub protocol: u32,
    /// The extension's release.
    pub version: String,
    pub instance_id: InstanceId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_name: Option<String>,
    /// The browser's own name: `Chromium 156.0.8078.73`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// It knows the `relay.…` messages: commands reach the tabs of this browser through it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub relay: bool,
}

/// The daemon's answer to `hello`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    pub protocol: u32,
    /// The daemon's release.
    pub version: String,
    pub epoch: Epoch,
    /// The daemon's process id, for display.
    pub pid: u32,
    /// Commands reach this browser's tabs: gstack started it, or the extension relays them. False: chat only.
    pub driven: bool,
    /// What the extension signs in `panel.prove`: random, for this connection alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// Names the daemon's home; part of what is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_id: Option<String>,
    /// The browser is confirmed by its start: its requests are served before the proof.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub confirmed: bool,
    /// The address of the welcome page, when the daemon serves one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub welcome_url: Option<String>,
    /// The release of the extension that lies on disk: a browser that runs an older one can reload it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_version: Option<String>,
}
