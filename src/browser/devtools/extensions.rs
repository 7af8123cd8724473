//! `Extensions`: loading one and clicking on its button.
//!
//! The domain answers only on a pipe, and only with `--enable-unsafe-extension-debugging`. Its description is not in
//! every browser; the shapes were found by experiment with Chromium 156.

use super::{Done, commands};
use serde::{Deserialize, Serialize};

/// Loads an extension from its folder; again, where it is loaded already.
#[derive(Clone, Debug, Serialize)]
pub struct LoadUnpacked {
    pub path: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct LoadedExtension {
    pub id: String,
}

/// Does what a click on the extension's toolbar button does. For an extension whose button opens its side panel it
/// toggles that panel. The browser dies when the extension is not enabled: ask `GetExtensions` first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerAction {
    pub id: String,
    /// A target of type `tab`, not the page in it.
    pub target_id: String,
}

/// The extensions that were loaded unpacked.
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
    /// False once its process crashed, or when a person turned it off.
    pub enabled: bool,
}

commands! {
    LoadUnpacked => LoadedExtension, "Extensions.loadUnpacked";
    TriggerAction => Done, "Extensions.triggerAction";
    GetExtensions => Extensions, "Extensions.getExtensions";
}
