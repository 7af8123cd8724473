//! CDP endpoints: addresses at which one DevTools client (Playwright, Puppeteer …) drives the tabs that it leases.
//!
//! Owns the messages of `gstack cdp`. An endpoint's secret is only in the answer that creates it.

use super::chat::Millis;
use super::ids::TabId;
use serde::{Deserialize, Serialize};

/// What an endpoint may allow beyond its tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CdpGrant {
    /// All cookies of the browser, of every site.
    Cookies,
    /// Uploads from, and downloads to, any folder.
    Files,
    /// Granting permissions to sites.
    Permissions,
    /// Tracing, profiles and heap snapshots, which show other tabs of the same process.
    Profiling,
}

impl CdpGrant {
    pub const ALL: [Self; 4] = [Self::Cookies, Self::Files, Self::Permissions, Self::Profiling];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cookies => "cookies",
            Self::Files => "files",
            Self::Permissions => "permissions",
            Self::Profiling => "profiling",
        }
    }
}

/// `POST /cdp/open`: answered by [`CdpOpened`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CdpOpen {
    /// The tabs that the client gets. If empty, it gets a new one.
    pub tabs: Vec<TabId>,
    /// The name of the browser in which it gets a new one. Absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// How long a client may connect, in seconds.
    pub ttl_seconds: u64,
    /// Admits another connection after the first has ended.
    pub reconnect: bool,
    /// The tabs that the client opens stay open when it disconnects.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_tabs: bool,
    /// The client may drive an everyday browser.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub everyday: bool,
    pub allow: Vec<CdpGrant>,
    /// The person's name for the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder that the client's files may come from and go to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A new endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CdpOpened {
    pub id: String,
    /// `ws://127.0.0.1:PORT/devtools/browser/SECRET`
    pub url: String,
    /// For clients that read `/json/version` first: `http://127.0.0.1:PORT/SECRET`
    pub http_url: String,
    pub expires_at: Millis,
}

/// An endpoint without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CdpEndpoint {
    pub id: String,
    pub port: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The connected client, as `status` shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The tabs that it was created for.
    pub tabs: Vec<TabId>,
    pub allow: Vec<CdpGrant>,
    /// It is for an everyday browser.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everyday: bool,
    pub reconnect: bool,
    pub expires_at: Millis,
}

/// `GET /cdp`: the endpoints that wait or are connected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct CdpEndpoints {
    pub endpoints: Vec<CdpEndpoint>,
}

/// `POST /cdp/revoke`: answered by the endpoints that are left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CdpRevoke {
    /// `None`: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}
