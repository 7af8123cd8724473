//! What a panel says of itself: that it is open, and where the person's keyboard is.

use super::ids::WindowId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PanelOpened {
    pub window_id: WindowId,
}

/// Whether the panel's page has the focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PanelFocus {
    pub focused: bool,
    /// The panel's own address, which no other panel has.
    pub address: String,
}

/// Names of keys as in DOM's `KeyboardEvent.key`, in the order in which they were pressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PanelKeys {
    pub keys: Vec<String>,
    /// When each was pressed, in milliseconds since 1970: what was typed in the panel meanwhile stands before or behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<f64>>", optional))]
    pub at: Vec<f64>,
}
