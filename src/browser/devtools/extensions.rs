//! `Extensions`: loading an extension and triggering its toolbar action.
//!
//! The domain is available only through the pipe, and only with `--enable-unsafe-extension-debugging`. Not every
//! browser lists it in its protocol description; the types were found by experiment with Chromium 156.

use super::{Done, commands};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Loads an extension from its folder, or reloads it if it is loaded.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadUnpacked {
    pub path: String,
    /// In private windows too. An older browser ignores it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub enable_in_incognito: bool,
}

impl LoadUnpacked {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_string_lossy().into_owned(), enable_in_incognito: false }
    }
    /// In private windows too.
    pub fn everywhere(path: &Path) -> Self {
        Self { enable_in_incognito: true, ..Self::new(path) }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct LoadedExtension {
    pub id: String,
}

/// Triggers the extension's toolbar action. If that action opens its side panel, it toggles the panel. The browser
/// crashes if the extension is disabled: call `GetExtensions` first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerAction {
    pub id: String,
    /// A target of type `tab`, not the page in it.
    pub target_id: String,
}

/// Lists the unpacked extensions.
#[derive(Clone, Debug, Serialize)]
pub struct GetExtensions {}

#[derive(Clone, Debug, Deserialize)]
pub struct Extensions {
    pub extensions: Vec<ExtensionInfo>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ExtensionInfo {
    pub id: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub path: String,
    /// False after its process crashed, or if the user turned it off.
    pub enabled: bool,
}

commands! { browser_protocol::extensions:
    UninstallParams => Done;
}
commands! {
    LoadUnpacked => LoadedExtension, "Extensions.loadUnpacked";
    TriggerAction => Done, "Extensions.triggerAction";
    GetExtensions => Extensions, "Extensions.getExtensions";
}
