//! The first messages of a connection: the identity of each side, and its protocol version.

use super::ids::{BrowserRun, Epoch, InstanceId};
use serde::{Deserialize, Serialize};

/// The native messaging host's first message on `panel.sock`, before it forwards any: data known only to the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HostPreamble {
    /// The extension's origin as reported by Chrome: `chrome-extension://ID/`.
    pub origin: String,
    pub pid: u32,
    pub version: String,
    /// Set if gstack started the browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser_run: Option<BrowserRun>,
}

/// `hello` from the extension, on each new port.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    pub protocol: u32,
    /// The extension's version.
    pub version: String,
    pub instance_id: InstanceId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_name: Option<String>,
    /// The browser's name and version: `Chromium 156.0.8078.73`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// Whether it supports the `relay.…` messages, through which commands reach this browser's tabs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<bool>", optional))]
    pub relay: bool,
}

/// The daemon's answer to `hello`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    pub protocol: u32,
    /// The daemon's version.
    pub version: String,
    pub epoch: Epoch,
    /// The daemon's process id, for display.
    pub pid: u32,
    /// Whether commands reach this browser's tabs, because gstack started it or the extension relays them. If false:
    /// chat only.
    pub driven: bool,
    /// The challenge that the extension signs in `panel.prove`: random, for this connection only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// Identifies the daemon's home; part of the signed data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_id: Option<String>,
    /// Whether gstack started the browser, which confirms it: requests are accepted before the proof.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<bool>", optional))]
    pub confirmed: bool,
    /// The address of the welcome page, if the daemon serves one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub welcome_url: Option<String>,
    /// The version of the extension on disk. A browser that runs an older one can reload it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_version: Option<String>,
}
