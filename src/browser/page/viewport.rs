//! The size that a page is laid out for.
//!
//! Owns the override. It ends with the tab's engagement.

use super::error::PageError;
use super::page::Page;
use chromiumoxide::cdp::browser_protocol::emulation::SetDeviceMetricsOverrideParams;

impl Page {
    /// In CSS pixels; the pixel ratio stays the screen's.
    pub async fn set_viewport(&self, width: u32, height: u32) -> Result<(), PageError> {
        let metrics = SetDeviceMetricsOverrideParams::new(i64::from(width), i64::from(height), 0.0, false);
        self.session().call(metrics).await?;
        Ok(())
    }
}
