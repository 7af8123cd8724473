//! `Emulation`: emulated focus and size of a page.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct SetFocusEmulationEnabled {
    pub enabled: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDeviceMetricsOverride {
    /// In CSS pixels.
    pub width: u32,
    pub height: u32,
    /// 0: the real device scale factor.
    pub device_scale_factor: f64,
    pub mobile: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct ClearDeviceMetricsOverride {}

#[derive(Clone, Debug, Serialize)]
pub struct SetScrollbarsHidden {
    pub hidden: bool,
}

commands! {
    SetFocusEmulationEnabled => Done, "Emulation.setFocusEmulationEnabled";
    SetDeviceMetricsOverride => Done, "Emulation.setDeviceMetricsOverride";
    ClearDeviceMetricsOverride => Done, "Emulation.clearDeviceMetricsOverride";
    SetScrollbarsHidden => Done, "Emulation.setScrollbarsHidden";
}
