//! A browser's proof that it is the one the person confirmed, and the terminal's requests about such browsers.
//!
//! Owns the structures. `engine/panel_keys/proof.rs` owns what is signed and how it is verified.

use super::basics::Millis;
use serde::{Deserialize, Serialize};

/// `panel.prove`: proves that the extension has the private key. Once for each connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PanelProve {
    /// Base64 of the public key's point on P-256, uncompressed (65 bytes).
    pub public_key: String,
    /// Base64 of the ECDSA signature with SHA-256, as created by WebCrypto (r and s, 64 bytes).
    pub signature: String,
}

/// The answer to `panel.prove`, and the notification when it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PanelConfirmation {
    pub confirmed: bool,
    /// The code for `gstack panels confirm CODE`, while the browser is not confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub code: Option<String>,
}

/// How a browser's key was confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmedBy {
    /// gstack started the browser.
    Connect,
    /// `gstack panels confirm` in a terminal.
    Terminal,
}

/// A browser whose side panel is confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnownPanel {
    /// The first digits of the key's fingerprint; identifies it for `panels forget`.
    pub id: String,
    /// The browser's own name.
    pub browser: String,
    pub first_seen: Millis,
    pub last_seen: Millis,
    pub confirmed_by: ConfirmedBy,
    pub confirmed_at: Millis,
    /// Whether its extension is connected now.
    pub connected: bool,
}

/// A browser waiting for confirmation. Only its side panel shows its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingPanel {
    pub id: String,
    pub browser: String,
    pub since: Millis,
    /// Whether its extension is connected now.
    pub connected: bool,
}

/// `GET /panels`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct KnownPanels {
    pub panels: Vec<KnownPanel>,
    pub waiting: Vec<WaitingPanel>,
}

/// `POST /panels/confirm`: answered by [`KnownPanel`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct PanelConfirm {
    /// The code shown by the side panel. Case, spaces and hyphens are ignored.
    pub code: String,
}

/// `POST /panels/forget`: answered by [`KnownPanels`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct PanelForget {
    pub id: String,
}
