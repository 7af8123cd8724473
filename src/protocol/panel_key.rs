//! A browser's proof that it is the one which the person has confirmed, and what the terminal asks about such browsers.
//!
//! Owns the shapes. What is signed, and how it is checked, is `engine/panel_keys/proof.rs`.

use super::basics::Millis;
use serde::{Deserialize, Serialize};

/// `panel.prove`: the extension has the private half of a key. Once a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PanelProve {
    /// Base64 of the key's point on P-256, uncompressed (65 bytes).
    pub public_key: String,
    /// Base64 of the ECDSA signature with SHA-256, as WebCrypto makes it (r and s, 64 bytes).
    pub signature: String,
}

/// The answer to `panel.prove`, and the push when it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PanelConfirmation {
    pub confirmed: bool,
    /// While it is not confirmed: the person runs `gstack panels confirm CODE` with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub code: Option<String>,
}

/// How a browser's key was confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmedBy {
    /// gstack started the browser.
    Connect,
    /// `gstack panels confirm` in a terminal.
    Terminal,
}

/// A browser whose side panel is confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnownPanel {
    /// The first digits of the key's fingerprint; names it for `panels forget`.
    pub id: String,
    /// As the browser calls itself.
    pub browser: String,
    pub first_seen: Millis,
    pub last_seen: Millis,
    pub confirmed_by: ConfirmedBy,
    pub confirmed_at: Millis,
    /// Its extension is connected now.
    pub connected: bool,
}

/// A browser that waits to be confirmed. Its code is shown by its side panel alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingPanel {
    pub id: String,
    pub browser: String,
    pub since: Millis,
    /// Its extension is connected now.
    pub connected: bool,
}

/// `GET /panels`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KnownPanels {
    pub panels: Vec<KnownPanel>,
    pub waiting: Vec<WaitingPanel>,
}

/// `POST /panels/confirm`: answered by [`KnownPanel`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PanelConfirm {
    /// As the side panel shows it. Case, blanks and hyphens do not matter.
    pub code: String,
}

/// `POST /panels/forget`: answered by [`KnownPanels`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PanelForget {
    pub id: String,
}
