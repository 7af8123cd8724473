//! `Emulation`: emulated focus and size of a page.

use super::{Done, commands};

commands! { browser_protocol::emulation:
    SetFocusEmulationEnabledParams => Done;
    ClearDeviceMetricsOverrideParams => Done;
    SetScrollbarsHiddenParams => Done;
}
