//! Emulates a tab's network, CPU and request headers, and a viewport for one screenshot. `surroundings` owns the rest.
//!
//! Never decides what may be set. The values are stored in `browser::overrides` and end with the tab.

use super::surroundings::{METRICS, Screen};
use crate::devtools::emulation::{ClearDeviceMetricsOverrideParams, SetScrollbarsHiddenParams};
use crate::overrides::PersistentOverride;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use serde_json::{Value, json};

const CONDITIONS: &str = "Network.emulateNetworkConditions";
const EXTRA_HEADERS: &str = "Network.setExtraHTTPHeaders";

fn network_as_it_is() -> Value {
    json!({ "offline": false, "latency": 0.0, "downloadThroughput": -1.0, "uploadThroughput": -1.0 })
}

impl Page {
    /// Lays the page out for another size while the guard lives.
    pub async fn laid_out(&self, width: u32, height: u32) -> Result<LaidOut<'_>, PageError> {
        self.laid_out_as(Screen { viewport: (width, height), screen: None, scale: 0.0, mobile: false }).await
    }

    /// Lays the page out for another screen while the guard lives.
    pub async fn laid_out_as(&self, screen: Screen) -> Result<LaidOut<'_>, PageError> {
        let guard = LaidOut { page: self };
        self.session().call_json(METRICS, &screen.metrics(), SCRIPT_LIMIT).await?;
        if !self.browser().is_headless() {
            // Scrollbars would reduce the width; a headless browser has none.
            self.session().call(SetScrollbarsHiddenParams::new(true)).await?;
        }
        Ok(guard)
    }

    /// Returns the size of the viewport that is set for the tab. `None`: the window decides.
    pub fn set_viewport(&self) -> Option<(u32, u32)> {
        let set = self.kept(METRICS)?;
        let side = |name: &str| set[name].as_u64().and_then(|side| u32::try_from(side).ok());
        Some((side("width")?, side("height")?))
    }

    /// Takes the tab offline or online. Its speed limit stays.
    pub async fn set_offline(&self, offline: bool) -> Result<(), PageError> {
        let mut conditions = self.conditions();
        conditions["offline"] = Value::from(offline);
        self.set_conditions(conditions).await
    }

    /// Sets the latency in milliseconds and the download and upload speed in bytes per second; `None`: no limit.
    pub async fn set_speed(&self, speed: Option<(f64, f64, f64)>) -> Result<(), PageError> {
        let (latency, down, up) = speed.unwrap_or((0.0, -1.0, -1.0));
        let offline = self.conditions()["offline"].clone();
        let conditions =
            json!({ "offline": offline, "latency": latency, "downloadThroughput": down, "uploadThroughput": up });
        self.set_conditions(conditions).await
    }

    fn conditions(&self) -> Value {
        self.kept(CONDITIONS).unwrap_or_else(network_as_it_is)
    }

    async fn set_conditions(&self, conditions: Value) -> Result<(), PageError> {
        let plain = network_as_it_is();
        match conditions == plain {
            true => self.clear_override(CONDITIONS, CONDITIONS, plain).await?,
            false => self.set_override(CONDITIONS, conditions).await?,
        }
        Ok(())
    }

    /// Enables or disables the cache for the tab, including frames, workers and popups.
    pub async fn set_cache(&self, uses: bool) -> Result<(), PageError> {
        const DISABLED: &str = "Network.setCacheDisabled";
        match uses {
            true => self.clear_override(DISABLED, DISABLED, json!({ "cacheDisabled": false })).await?,
            false => self.set_override(DISABLED, json!({ "cacheDisabled": true })).await?,
        }
        Ok(())
    }

    /// Slows down the CPU by a factor; 1: no slowdown.
    pub async fn slow_cpu(&self, rate: f64) -> Result<(), PageError> {
        const RATE: &str = "Emulation.setCPUThrottlingRate";
        match rate > 1.0 {
            true => self.set_override(RATE, json!({ "rate": rate })).await?,
            false => self.clear_override(RATE, RATE, json!({ "rate": 1 })).await?,
        }
        Ok(())
    }

    /// Sends this header with every request of the tab, in addition to earlier ones; includes present and future
    /// frames, workers and popups.
    pub async fn set_header(&self, name: &str, value: &str) -> Result<(), PageError> {
        let before = self.kept(EXTRA_HEADERS);
        let mut headers = before.and_then(|kept| kept["headers"].as_object().cloned()).unwrap_or_default();
        headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
        headers.insert(name.to_owned(), Value::from(value));
        Ok(self.set_override(EXTRA_HEADERS, json!({ "headers": headers })).await?)
    }
}

/// A page laid out for another size. Dropping it restores the previous size.
pub struct LaidOut<'a> {
    page: &'a Page,
}

impl Drop for LaidOut<'_> {
    fn drop(&mut self) {
        let page = self.page.session();
        if !self.page.browser().is_headless() {
            page.post(SetScrollbarsHiddenParams::new(false));
        }
        match self.page.kept(METRICS) {
            Some(params) => page.post(PersistentOverride::new(METRICS, params)),
            None => page.post(ClearDeviceMetricsOverrideParams {}),
        }
    }
}
