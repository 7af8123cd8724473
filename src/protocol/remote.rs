//! Browsers on other machines, as terminals name them and `status` shows them.
//!
//! Owns the types. None of them shows a secret.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A browser on another machine. Holds no secret: those are in `config.toml`, under the names that it mentions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RemoteBrowser {
    /// A DevTools endpoint: an address, or a name from `config.toml`.
    Cdp(String),
    /// A Selenium Grid: its address or name, and the W3C capabilities as JSON.
    Grid {
        /// Its address, or a name from `config.toml`.
        hub: String,
        /// A JSON object.
        capabilities: Option<String>,
    },
    /// A hosted service, by the name of its preset.
    Hosted(String),
}

/// A session on another machine that could not be released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct UnreleasedSession {
    /// The Grid's address without path, query and user, or the hosted service's name.
    pub at: String,
    /// The id that it has there.
    pub session: String,
    pub reason: String,
}

impl UnreleasedSession {
    pub fn line(&self) -> String {
        let Self { at, session, reason } = self;
        format!("session {session} at {at} was not released: {reason}")
    }
}

/// The hosted services by name, and the environment variables that usually hold their key and account.
pub const PROVIDERS: [(&str, &[&str]); 5] = [
    ("browserless", &["BROWSERLESS_TOKEN"]),
    ("browserbase", &["BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID"]),
    ("steel", &["STEEL_API_KEY"]),
    ("hyperbrowser", &["HYPERBROWSER_API_KEY"]),
    ("cloudflare", &["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"]),
];

/// Environment variables whose values are secrets: `Debug` shows their names only.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct SecretVariables(pub BTreeMap<String, String>);

impl SecretVariables {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for SecretVariables {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// A browser on another machine, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct RemoteStatus {
    /// `cdp`, `grid` or the name of a hosted service.
    pub provider: String,
    /// The address, without path, query and user.
    pub at: String,
    /// The node or region that runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Where a person can watch it (VNC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
}

impl RemoteStatus {
    pub(super) fn line(&self) -> String {
        let mut line = format!("Remote: {} at {}", self.provider, self.at);
        let more = [("node", &self.node), ("watch", &self.view)];
        for (name, value) in more.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            line.push_str(&format!(", {name} {value}"));
        }
        line
    }
}
