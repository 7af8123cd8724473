//! Commands of the `Extensions` domain that the generated types lack.
//!
//! Owns their shapes, found by experiment with Chromium 156. `Extensions.loadUnpacked` is among the generated ones.
//! The domain answers only on a pipe, and only with `--enable-unsafe-extension-debugging`.

use chromiumoxide::types::{Command, Method, MethodId};
use serde::{Deserialize, Serialize};

/// Does what a click on the extension's toolbar button does. For an extension whose button opens its side panel it
/// toggles that panel. The browser dies when the extension is not enabled: ask `GetExtensions` first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerAction {
    pub id: String,
    /// A target of type `tab`, not the page in it.
    pub target_id: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct TriggerActionReturns {}

/// The extensions that were loaded unpacked.
#[derive(Clone, Debug, Serialize)]
pub struct GetExtensions {}

#[derive(Clone, Debug, Deserialize)]
pub struct GetExtensionsReturns {
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

macro_rules! command {
    ($command:ty => $returns:ty, $name:literal) => {
        impl Method for $command {
            fn identifier(&self) -> MethodId {
                $name.into()
            }
        }
        impl Command for $command {
            type Response = $returns;
        }
    };
}

command!(TriggerAction => TriggerActionReturns, "Extensions.triggerAction");
command!(GetExtensions => GetExtensionsReturns, "Extensions.getExtensions");
