//! Tunnels: a socket of this machine at which a program on another machine drives the tabs that it leases.
//!
//! Owns what is registered and listed of a tunnel. The registered process serves the socket; the daemon only sees a driver.

use super::chat::Millis;
use super::command::CommandResult;
use super::fault::Fault;
use super::ids::{DriverId, TabId};
use serde::{Deserialize, Serialize};

/// The part of a driver's registration that makes it a tunnel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TunnelBegin {
    /// The tabs that it starts with. If empty, its first command opens one.
    pub tabs: Vec<TabId>,
    /// How long it lasts, in seconds.
    pub ttl_seconds: u64,
    /// The other machine, as the person named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What is shown of a tunnel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tunnel {
    pub id: DriverId,
    /// As `status` and the audit name it.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    pub tabs: Vec<TabId>,
    /// The process that serves it.
    pub pid: i32,
    pub expires_at: Millis,
}

/// `GET /tunnels`: the tunnels that are open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct Tunnels {
    pub tunnels: Vec<Tunnel>,
}

/// `POST /tunnels/revoke`: answered by the tunnels that are left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TunnelRevoke {
    /// An id or a name. `None`: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The method, beside those of MCP, by which a command line on another machine runs a command. It gets a [`RemoteAnswer`].
pub const REMOTE_COMMAND: &str = "gstack/command";

/// A command from another machine. It has no folder and no environment: those are of that machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoteCommand {
    pub command: String,
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
}

/// What it did. Its files are pictures, which come with the answer: both machines have paths of their own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteResult {
    #[serde(flatten)]
    pub result: CommandResult,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<RemotePicture>,
}

/// A picture that a command wrote on the machine with the browser.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemotePicture {
    /// Its path over there, which the output names.
    pub path: String,
    /// `image/png`, for example.
    pub media_type: String,
    /// In base64.
    pub data: String,
}

/// How it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemoteAnswer {
    Done(RemoteResult),
    Failed(Fault),
}

/// Why a tunnel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TunnelEnd {
    Revoked,
    Expired,
}
