//! A panel's reports about itself: that it is open, and whether it has keyboard focus.

use super::ids::WindowId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PanelOpened {
    pub window_id: WindowId,
}

/// Whether the panel's page has the focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PanelFocus {
    pub focused: bool,
    /// The panel's own unique address.
    pub address: String,
}

/// Key names as in the DOM's `KeyboardEvent.key`, in the order they were pressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PanelKeys {
    pub keys: Vec<String>,
    /// The time of each key press, in milliseconds since 1970, to merge the keys with those typed in the panel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<Vec<f64>>", optional))]
    pub at: Vec<f64>,
}
