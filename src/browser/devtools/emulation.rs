//! `Emulation`: emulated focus and size of a page.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct SetFocusEmulationEnabled {
    pub enabled: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct ClearDeviceMetricsOverride {}

#[derive(Clone, Debug, Serialize)]
pub struct SetScrollbarsHidden {
    pub hidden: bool,
}

commands! {
    SetFocusEmulationEnabled => Done, "Emulation.setFocusEmulationEnabled";
    ClearDeviceMetricsOverride => Done, "Emulation.clearDeviceMetricsOverride";
    SetScrollbarsHidden => Done, "Emulation.setScrollbarsHidden";
}
